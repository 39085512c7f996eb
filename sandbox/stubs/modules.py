"""How the modules of scripts are written as stubs.

Owns which modules there are, and the text of each. Must not know how a script is run. A module of the standard library
is what a script has of it: its types are Python's.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ops.tensor import Tensor
from sandbox import library
from sandbox.policy import views
from sandbox.policy.denials import PermissionDenied
from sandbox.stubs import classes
from sandbox.stubs.functions import definition, signature_of
from sandbox.stubs.types import Writer

WITHOUT_IMPORT = "__builtins__"
"""The module of what needs no import, as type checkers call it."""
_HEAD = """# mypy: disable-error-code="override, misc, assignment"
import builtins
import collections.abc
{imports}from typing import Any, Literal
"""


def stubs() -> dict[str, str]:
    """The stub of each module by its name. Views must have been made."""
    ours = {name: views.members(name) for name in views.available() if not standard(name)}
    ours[WITHOUT_IMPORT] = {**_functions(library.builtins()), "PermissionDenied": PermissionDenied}
    public = _public(ours)
    found = {name: _stub(name, members, public) for name, members in ours.items()}
    return found | {name: _reexports(name) for name in views.available() if standard(name)}


def standard(module: str) -> bool:
    """Whether `module` is of the standard library."""
    return module.split(".")[0] in sys.stdlib_module_names


def _functions(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if not isinstance(value, views.Namespace)}


def _public(modules: Mapping[str, Mapping[str, Any]]) -> dict[type, tuple[str, str]]:
    """Where scripts find each class of ours; under its own name, where it has several."""
    found: dict[type, tuple[str, str]] = {}
    for module, members in modules.items():
        for name, value in members.items():
            if _ours(value) and (value not in found or (found[value][1] != value.__name__ == name)):
                found[value] = (module, name)
    return found


def _ours(value: Any) -> bool:
    """Whether it is a class that is not Python's own, whatever it says of itself."""
    if not isinstance(value, type):
        return False
    home = sys.modules.get(value.__module__)
    return not (standard(value.__module__) and getattr(home, value.__name__, None) is value)


def _stub(module: str, members: Mapping[str, Any], public: Mapping[type, tuple[str, str]]) -> str:
    writer = Writer(module, public, members)
    lines = [
        line
        for name, value in sorted(members.items())
        for line in _member(module, name, value, writer, public)
    ]
    inner = [name for name in views.available() if name.rpartition(".")[0] == module]
    imports = [
        f"from {module} import {name.rpartition('.')[2]} as {name.rpartition('.')[2]}" for name in inner
    ]
    if module == WITHOUT_IMPORT:
        imports += [f"import {name} as {name}" for name in library.builtins() if name not in members]
    used = sorted({home for home, _ in public.values() if any(f"{home}." in line for line in lines)})
    head = _HEAD.format(imports="".join(f"import {name}\n" for name in used if name != WITHOUT_IMPORT))
    return "\n".join([head, *imports, *lines, ""])


def _member(
    module: str, name: str, value: Any, writer: Writer, public: Mapping[type, tuple[str, str]]
) -> Iterator[str]:
    if isinstance(value, views.Namespace):
        return
    if isinstance(value, type):
        if public.get(value) == (module, name):
            called = views.members("torch") if value is Tensor else {}
            yield from classes.written(name, value, writer, called)
        else:
            yield f"{name} = {writer.type(value)}" if writer.named(value) else f"{name}: Any"
    elif isinstance(value, types.FunctionType):
        kin = vars(Tensor) if module == "torch" else {}
        yield from definition(name, signature_of(value, writer, kin.get(name)), value.__doc__)
    else:
        known = value is not None and not inspect.isroutine(value)
        yield f"{name}: {writer.type(type(value)) if known else 'Any'}"


def _reexports(module: str) -> str:
    """What scripts have of a module of the standard library."""
    names = sorted(name for name in dir(views.view(module)) if name.isidentifier())
    listed = textwrap.wrap(", ".join(names), 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"from {module} import (", *listed, ")", ""])
