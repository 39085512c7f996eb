"""From the text of a type to the type.

Owns the names of WGSL's types, aliases, and the limits on how large and how deep a type may be. Recurses only into
types within types, to a stated depth; each alias and struct is resolved once.
"""

from __future__ import annotations

import re

from shaders import layout
from shaders.constants import Constants
from shaders.cursor import Cursor
from shaders.errors import KernelgateError
from shaders.layout import SCALARS, Type
from shaders.lexer import scan
from shaders.limits import LIMITS, Limits
from shaders.source import KernelLimitError, KernelSyntaxError, KernelUnsupportedError, Source
from shaders.suggestions import meant
from shaders.tree import Attribute, Field, Module, Span

_SHORT = re.compile(r"(?:vec([234])|mat([234])x([234]))([iufh])")
_LONG = re.compile(r"vec([234])|mat([234])x([234])")
_LETTERS = {"i": "i32", "u": "u32", "f": "f32", "h": "f16"}
_FLOATS = ("f32", "f16")
TYPE_NAMES = frozenset(
    [*SCALARS, "array", "atomic", "ptr"]
    + [f"vec{n}{letter}" for n in (2, 3, 4) for letter in ("", *_LETTERS)]
    + [f"mat{c}x{r}{letter}" for c in (2, 3, 4) for r in (2, 3, 4) for letter in ("", "f", "h")]
)
"""The predeclared names of types, which a kernel may not declare anew."""
_C_SCALARS = {"float": "f32", "half": "f16", "int": "i32", "uint": "u32"}
FOREIGN_TYPES = {
    **_C_SCALARS,
    **{f"{name}{n}": f"vec{n}<{scalar}>" for name, scalar in _C_SCALARS.items() for n in (2, 3, 4)},
    **{f"{name[0]}vec{n}": f"vec{n}<{_C_SCALARS[name]}>" for name in ("int", "uint") for n in (2, 3, 4)},
    "double": "f32",
    "f64": "f32",
}
"""What the types of C, GLSL and HLSL are called in WGSL."""


class Resolver:
    """Reads the types of one module. Every method raises the three errors of `shaders/source.py`."""

    def __init__(self, module: Module, limits: Limits, known: dict[str, Type] | None = None) -> None:
        self.module = module
        self.limits = limits
        self.constants = Constants(module, limits)
        self._cursor = Cursor(module)
        self._known = dict(known or {})

    def type(self, span: Span, depth: int = 0) -> Type:
        """The type that the tokens of `span` name."""
        begin, end = span
        if depth > self.limits.type_depth:
            message = f"types nest deeper than {self.limits.type_depth}"
            raise self.module.error(KernelLimitError, begin, message)
        name = self._cursor.name(begin)
        if end == begin + 1:
            return self.named(name, begin, depth)
        arguments = self._cursor.parts((begin + 2, end - 1))
        if name == "array":
            return self._array(begin, arguments, depth)
        if name == "ptr":
            return Type("pointer", self.module.text(span), 0, 1)
        return self._template(name, begin, arguments, depth)

    def named(self, name: str, token: int, depth: int = 0) -> Type:
        """The type that the single word `name` stands for; errors point at `token`."""
        if name in SCALARS:
            return layout.scalar(name)
        short = _SHORT.fullmatch(name)
        if short:
            return self._composite(name, short, _LETTERS[short[4]], token)
        if name not in self._known:
            self._known[name] = self._declared(name, token, depth)
        return self._known[name]

    def _declared(self, name: str, token: int, depth: int) -> Type:
        declaration = self.module.declarations.get(name)
        if declaration is not None and declaration.keyword == "alias" and declaration.value is not None:
            return self.type(declaration.value, depth + 1)
        if name not in self.module.structs:
            raise self._unknown(name, token)
        struct = self.module.structs[name]
        if not struct.members:
            raise self.module.error(KernelSyntaxError, struct.token, f"the struct '{name}' has no members")
        members = [self._member(member, depth) for member in struct.members]
        for member, (_, type_, _, _) in zip(struct.members[:-1], members, strict=False):
            if type_.runtime_array is not None:
                message = "only the last member of a struct may be a runtime-sized array"
                raise self.module.error(KernelSyntaxError, member.token, message)
        return self._sized(layout.struct(name, members), struct.token)

    def _member(self, member: Field, depth: int) -> tuple[str, Type, int, int]:
        type_ = self.type(member.type, depth + 1)
        align, size = type_.align, type_.size
        for attribute in member.attributes:
            if attribute.name == "align":
                align = self.number(attribute)
                if align & (align - 1) or not type_.align <= align <= self.limits.type_bytes:
                    message = f"@align must be a power of two and at least {type_.align} here"
                    raise self.module.error(KernelSyntaxError, attribute.token, message)
            elif attribute.name == "size":
                size = self.number(attribute)
                if size < type_.size:
                    message = f"@size must be at least {type_.size} here"
                    raise self.module.error(KernelSyntaxError, attribute.token, message)
        return member.name, type_, align, size

    def number(self, attribute: Attribute) -> int:
        """The single integer in the brackets of `attribute`."""
        parts = self.parts(attribute)
        if len(parts) != 1:
            message = f"@{attribute.name} takes one number"
            raise self.module.error(KernelSyntaxError, attribute.token, message)
        return self.constants.value(parts[0])

    def parts(self, attribute: Attribute) -> list[Span]:
        """The arguments of `attribute`."""
        return self._cursor.parts(attribute.arguments) if attribute.arguments else []

    def _array(self, token: int, arguments: list[Span], depth: int) -> Type:
        if len(arguments) not in (1, 2):
            raise self.module.error(KernelSyntaxError, token, "'array' takes a type and a number of elements")
        element = self.type(arguments[0], depth + 1)
        if element.runtime_array is not None or element.kind == "pointer":
            message = f"an array cannot hold '{element.text}'"
            raise self.module.error(KernelSyntaxError, token, message)
        if len(arguments) == 1:
            return self._sized(layout.array(element, 0), token)
        count = self.constants.value(arguments[1])
        if count == 0:
            raise self.module.error(KernelSyntaxError, arguments[1][0], "an array must have an element")
        return self._sized(layout.array(element, count), token)

    def _template(self, name: str, token: int, arguments: list[Span], depth: int) -> Type:
        match = _LONG.fullmatch(name)
        if (name != "atomic" and match is None) or len(arguments) != 1:
            raise self._unknown(name, token)
        component = self.type(arguments[0], depth + 1)
        if component.kind != "scalar" or (name == "atomic" and component.text not in ("u32", "i32")):
            message = f"'{name}' cannot hold '{component.text}'"
            raise self.module.error(KernelSyntaxError, arguments[0][0], message)
        if match is None:
            return layout.atomic(component.text)
        return self._composite(f"{name}<{component.text}>", match, component.text, token)

    def _composite(self, text: str, match: re.Match[str], component: str, token: int) -> Type:
        if match[1]:
            return layout.vector(int(match[1]), component, text)
        if component not in _FLOATS:
            message = f"a matrix cannot hold '{component}'"
            raise self.module.error(KernelSyntaxError, token, message)
        return layout.matrix(int(match[2]), int(match[3]), component, text)

    def _sized(self, type_: Type, token: int) -> Type:
        if type_.depth > self.limits.type_depth:
            message = f"types nest deeper than {self.limits.type_depth}"
            raise self.module.error(KernelLimitError, token, message)
        if type_.size > self.limits.type_bytes:
            raise self.module.error(
                KernelLimitError,
                token,
                f"'{type_.text}' has {type_.size} bytes; the limit is {self.limits.type_bytes}",
                "Use a runtime-sized array in a storage binding.",
            )
        return type_

    def _unknown(self, name: str, token: int) -> KernelgateError:
        if name.startswith(("texture", "sampler")):
            message = "textures and samplers are not available"
            return self.module.error(
                KernelUnsupportedError, token, message, "Use arrays in storage bindings."
            )
        known = [*TYPE_NAMES, *self.module.structs, *self.module.declarations]
        hint = f"Write {FOREIGN_TYPES[name]}." if name in FOREIGN_TYPES else meant(name, known) or None
        message = f"there is no type '{name}' that a kernel may use"
        return self.module.error(KernelUnsupportedError, token, message, hint)


def type_of(text: str, known: dict[str, Type]) -> Type:
    """The type that `text` alone says, with the structs `known` by name. Raises as `Resolver` does."""
    module = Module(scan(Source(text, LIMITS), LIMITS))
    resolver = Resolver(module, LIMITS, known)
    end = Cursor(module).type_end(0)
    if module.tokens[end].kind != "end":
        raise module.error(KernelSyntaxError, end, "expected the end of the type")
    return resolver.type((0, end))
