"""How a class is written in a stub.

Owns which members of a class scripts see. Must not know modules.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ops.nn.module import Applied
from sandbox.policy.names import DEFINABLE
from sandbox.stubs.functions import Function, as_method, choosing, definition, signature_of
from sandbox.stubs.types import Writer

_SHOWN = DEFINABLE - {"__copy__", "__deepcopy__", "__format__", "__init_subclass__", "__repr__", "__str__"}


def written(name: str, cls: type, writer: Writer, kin: Mapping[str, Any]) -> list[str]:
    """The lines of `class name`; `kin` are functions that methods of the same name call."""
    bases, own = _lineage(cls, writer)
    members = _members(own)
    inside = writer.inside(members)
    body = [line for key, value in members.items() for line in _member(key, value, inside, kin, own)]
    body += [f"{key}: Any" for key in _assigned(own) if key not in members]
    shown = [writer.type(base) for base in bases]
    lines = [f"class {name}({', '.join(shown)}):" if shown else f"class {name}:"]
    doc = inspect.cleandoc(cls.__doc__).split("\n\n")[0] if isinstance(cls.__doc__, str) else ""
    lines += [
        f"    {line}" for line in (['"""' + " ".join(doc.split()).rstrip('"') + '"""'] if doc else []) + body
    ]
    return lines if len(lines) > 1 else [f"{lines[0]} ..."]


def _lineage(cls: type, writer: Writer) -> tuple[list[type], list[type]]:
    """The bases that scripts can name, and the classes whose members are shown as the class's own, itself first."""
    bases: list[type] = []
    own = [cls]
    for base in cls.__bases__:
        if base is object:
            continue
        if writer.named(base):
            bases.append(base)
        else:
            further, hidden = _lineage(base, writer)
            bases += further
            own += hidden
    return list(dict.fromkeys(bases)), list(dict.fromkeys(own))


def _members(own: list[type]) -> dict[str, Any]:
    """The public members by name; an annotation without a value counts, as the text of it."""
    found: dict[str, Any] = {}
    for cls in reversed(own):
        found |= {key: _Annotated(text) for key, text in vars(cls).get("__annotations__", {}).items()}
        found |= {
            key: value for key, value in vars(cls).items() if not isinstance(found.get(key), _Annotated)
        }
    return {key: value for key, value in found.items() if key in _SHOWN or not key.startswith("_")}


class _Annotated:
    """A member of which only the type is known."""

    __slots__ = ("text",)

    def __init__(self, text: Any) -> None:
        self.text = text


def _member(key: str, value: Any, writer: Writer, kin: Mapping[str, Any], own: list[type]) -> Iterator[str]:
    if key == "__init__" and issubclass(own[0], Applied) and own[0] is not Applied:
        yield from definition(key, choosing(own[0].function, own[0].options, writer))
    elif isinstance(value, property):
        yield from _property(key, value, writer)
    elif isinstance(value, types.FunctionType):
        signature = signature_of(value, writer, kin.get(key.rstrip("_")))
        yield from definition(key, as_method(signature, starts=key == "__init__"))
    elif key == "__new__":
        yield from definition(key, as_method(signature_of(value.__func__, writer), starts=False))
    elif isinstance(value, classmethod):
        signature = as_method(signature_of(value.__func__, writer), starts=False)
        yield from definition(key, signature, decorator="@classmethod")
    elif isinstance(value, staticmethod):
        yield from definition(key, signature_of(value.__func__, writer), decorator="@staticmethod")
    elif isinstance(value, _Annotated):
        names = vars(inspect.getmodule(own[0]) or types)
        yield f"{key}: {writer.annotation(value.text, names)}"
    elif value is None and key == "__hash__":
        yield "__hash__: None  # type: ignore[assignment]"
    else:
        known = value is not None and not isinstance(value, types.MemberDescriptorType)
        yield f"{key}: {writer.type(type(value)) if known else 'Any'}"


def _property(key: str, value: property, writer: Writer) -> Iterator[str]:
    getter: Function | None = value.fget
    assert getter is not None
    signature = as_method(signature_of(getter, writer), starts=False)
    yield from definition(key, signature, getter.__doc__, "@property")
    if value.fset is not None:
        yield f"@{key}.setter"
        yield f"def {key}(self, value: Any) -> None: ..."


def _assigned(own: list[type]) -> list[str]:
    """The public attributes that `__init__` gives an instance."""
    found: dict[str, None] = {}
    for cls in own:
        start = vars(cls).get("__init__")
        if not isinstance(start, types.FunctionType):
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(start)))
        except (OSError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
                and not node.attr.startswith("_")
            ):
                found[node.attr] = None
    return list(found)
