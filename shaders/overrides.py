"""The overrides that a kernel declares: constants that are given when its pipeline is made.

Owns their types, their defaults and the check of their ids. Sizes never depend on them: `shaders/constants.py` refuses
that. Must not know values; those are checked in `shaders/constant_values.py`.
"""

from __future__ import annotations

from typing import Literal, get_args

from shaders.errors import KernelgateError
from shaders.reflection import Override
from shaders.resolve import Resolver
from shaders.source import KernelSyntaxError
from shaders.tree import Attribute, Declaration, Module, Span

Scalar = Literal["bool", "i32", "u32", "f32", "f16"]
_SCALARS: dict[str, Scalar] = {name: name for name in get_args(Scalar)}
_SUFFIXES: dict[str, Scalar] = {"u": "u32", "i": "i32", "f": "f32", "h": "f16"}
MOST_ID = 65_535
"""By WGSL."""


def overrides_of(module: Module, resolver: Resolver) -> tuple[Override, ...]:
    """Every override in the order of the text. Raises `KernelSyntaxError` on a type or an id that none can have."""
    found, ids = list[Override](), set[int]()
    for declaration in module.declarations.values():
        if declaration.keyword == "override":
            override = _override(module, resolver, declaration)
            if override.id in ids:
                raise _wrong(module, declaration, f"has @id({override.id}), which another override has")
            ids |= set() if override.id is None else {override.id}
            found.append(override)
    return tuple(found)


def _override(module: Module, resolver: Resolver, declaration: Declaration) -> Override:
    attribute = next((each for each in declaration.attributes if each.name == "id"), None)
    type = _type(module, resolver, declaration)
    default = None if declaration.value is None else module.text(declaration.value)
    id = None if attribute is None else _id(module, resolver, declaration, attribute)
    return Override(declaration.name, type, default, id)


def _type(module: Module, resolver: Resolver, declaration: Declaration) -> Scalar | None:
    if declaration.type is None:
        if declaration.value is None:
            raise _wrong(module, declaration, "needs a type or a default")
        return _literal_type(module, declaration.value)
    text = resolver.type(declaration.type).text
    if text not in _SCALARS:
        raise _wrong(module, declaration, f"cannot be a {text}: overrides are {', '.join(_SCALARS)}")
    return _SCALARS[text]


def _literal_type(module: Module, value: Span) -> Scalar | None:
    """The type of a literal, with or without a minus; None for anything else."""
    begin, end = value
    if end - begin == 2 and module.tokens[begin].text == "-":
        begin += 1
    token = module.tokens[begin]
    if end - begin == 1 and token.text in ("true", "false"):
        return "bool"
    return _number_type(token.text.lower()) if end - begin == 1 and token.kind == "number" else None


def _number_type(text: str) -> Scalar:
    is_hexadecimal = text.startswith("0x")
    is_float = any(mark in text for mark in (".p" if is_hexadecimal else ".e"))
    suffix = _SUFFIXES.get(text[-1])
    if suffix is not None and (is_float or not (is_hexadecimal and suffix == "f32")):
        return suffix
    return "f32" if is_float else "i32"


def _id(module: Module, resolver: Resolver, declaration: Declaration, attribute: Attribute) -> int:
    number = resolver.number(attribute)
    if number > MOST_ID:
        raise _wrong(module, declaration, f"has @id({number}); the limit is {MOST_ID}")
    return number


def _wrong(module: Module, declaration: Declaration, what: str) -> KernelgateError:
    return module.error(KernelSyntaxError, declaration.token, f"the override '{declaration.name}' {what}")
