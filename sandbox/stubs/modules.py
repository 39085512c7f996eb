"""How the modules of scripts are written as stubs.

Owns which modules there are, and the text of each. Must not know how a script is run. A module of the standard library
is what a script has of it: its types are Python's.
"""

from __future__ import annotations

import textwrap
import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_origin

from sandbox import library
from sandbox.policy import views
from sandbox.policy.denials import PermissionDenied
from sandbox.stubs import classes
from sandbox.stubs.functions import as_function, definitions
from sandbox.stubs.types import Page, Writer, home_of, standard

WITHOUT_IMPORT = "__builtins__"
"""The module of what needs no import, as type checkers call it."""
_HEAD = """# mypy: disable-error-code="override, misc, assignment"
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, Self, TypeAlias, TypeVar, overload, type_check_only
"""


def stubs() -> dict[str, str]:
    """The stub of each module by its name. Views must have been made."""
    ours = {name: views.members(name) for name in views.available() if not standard(name)}
    ours[WITHOUT_IMPORT] = {**_functions(library.builtins()), "PermissionDenied": PermissionDenied}
    public = _public(ours)
    found = {name: _stub(Page(name, members, public), members) for name, members in ours.items()}
    return found | {name: _reexports(name) for name in views.available() if standard(name)}


def _functions(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if not isinstance(value, views.Namespace)}


def _public(modules: Mapping[str, Mapping[str, Any]]) -> dict[type, tuple[str, str]]:
    """Where scripts find each class of ours; under its own name, where it has several."""
    found: dict[type, tuple[str, str]] = {}
    for module, members in modules.items():
        for name, value in members.items():
            is_ours = isinstance(value, type) and not home_of(value)
            if is_ours and (value not in found or (found[value][1] != value.__name__ == name)):
                found[value] = (module, name)
    return found


def _stub(page: Page, members: Mapping[str, Any]) -> str:
    lines = [line for name, value in sorted(members.items()) for line in _member(name, value, page)]
    for cls in page.met:  # which grows meanwhile
        lines += ["@type_check_only", *classes.written(page.public[cls][1], cls, Writer(page))]
    inner = [name for name in views.available() if name.rpartition(".")[0] == page.module]
    parts = [name.rpartition(".")[2] for name in inner]
    imports = [f"from {page.module} import {part} as {part}" for part in parts]
    if page.module == WITHOUT_IMPORT:
        imports += [f"import {name} as {name}" for name in library.builtins() if name not in members]
    used = [f"import {name}" for name in sorted(page.imports - {WITHOUT_IMPORT})]
    return "\n".join([_HEAD, *used, *imports, *page.aliases.values(), *lines, ""])


def _member(name: str, value: Any, page: Page) -> Iterator[str]:
    writer = Writer(page)
    if isinstance(value, views.Namespace):
        return
    if isinstance(value, type):
        if page.public.get(value) == (page.module, name):
            yield from classes.written(name, value, writer)
        else:
            yield f"{name} = {writer.type(value)}"
    elif isinstance(value, types.FunctionType | types.MethodType):
        yield from definitions(name, value, writer, as_function)
    elif get_origin(value) is Annotated:
        writer.type(value)  # which stands at the head
    else:
        yield f"{name}: {writer.of_results().type(type(value))}"


def _reexports(module: str) -> str:
    """What scripts have of a module of the standard library."""
    names = sorted(name for name in dir(views.view(module)) if name.isidentifier())
    listed = textwrap.wrap(", ".join(names), 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"from {module} import (", *listed, ")", ""])
