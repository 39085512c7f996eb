"""What `import m` gives a script: a read-only copy of allow-listed names, without a link to the module.

Owns `Namespace` and the registry of views of this process. A view has no `__name__`: CPython's `from m import x`
would fall back to `sys.modules`. Must not know which names are allowed (`modules.py`) or replaced (`stdlib/`).
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from sandbox.policy import modules, names
from sandbox.policy.classes import seal_class

_TITLE = names.MARK + "title"


class Namespace:
    """A module as a script sees it."""

    __slots__ = ("__dict__",)

    def __init__(self, title: str, members: Mapping[str, Any]) -> None:
        space = object.__getattribute__(self, "__dict__")
        if space:
            raise AttributeError("modules are read-only")
        space.update(members)
        space[_TITLE] = title

    def __getattr__(self, name: str) -> NoReturn:
        title = object.__getattribute__(self, "__dict__").get(_TITLE)
        raise AttributeError(
            f"module {title!r} has no attribute {names.unmangle(name)!r} that scripts may read"
        )

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("modules are read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("modules are read-only")

    def __dir__(self) -> list[str]:
        return [name for name in object.__getattribute__(self, "__dict__") if name != _TITLE]

    def __copy__(self) -> Namespace:
        return self

    def __deepcopy__(self, _memo: Any) -> Namespace:
        return self

    def __repr__(self) -> str:
        return f"<module {object.__getattribute__(self, '__dict__').get(_TITLE)!r}>"


seal_class(Namespace)


def title_of(space: Namespace) -> str:
    """What `space` is called where it is imported."""
    return str(object.__getattribute__(space, "__dict__").get(_TITLE))


class DeniedImport(ModuleNotFoundError):
    """A module that scripts have not got."""


DeniedImport.__name__ = DeniedImport.__qualname__ = "ModuleNotFoundError"

Maker = Callable[[], Mapping[str, Any]]
Finder = Callable[[str], Namespace | None]
_views: dict[str, Namespace] = {}
_makers: dict[str, Maker] = {}
_replacements: dict[str, dict[str, Any]] = {}
_finders: list[Finder] = []


def provide(module: str, maker: Maker) -> None:
    """`import module` gives what `maker()` returns, made at the first import."""
    _makers[module] = maker
    _views.pop(module, None)


def replace(module: str, **members: Any) -> None:
    """The view of library `module` has these members, in place of or beside its own."""
    _replacements.setdefault(module, {}).update(members)
    _views.pop(module, None)


def find_elsewhere(finder: Finder) -> None:
    """An import of what is not provided asks `finder`, which knows it or says None."""
    _finders.append(finder)


def provided() -> list[str]:
    """The modules that `provide` was told of."""
    return sorted(_makers)


def available() -> list[str]:
    """The modules that scripts may import."""
    return sorted({*modules.ALLOWED, *_makers})


def view(module: str) -> Namespace:
    """The view of `module`. Raises `ModuleNotFoundError` for one that scripts have not got."""
    known = _views.get(module)
    if known is None:
        known = _views[module] = Namespace(module, _members(module))
    return known


def members(module: str) -> dict[str, Any]:
    """What `provide` was told that `module` has."""
    return dict(_makers[module]())


def _members(module: str) -> dict[str, Any]:
    if module in _makers:
        members = dict(_makers[module]())
    elif module in modules.ALLOWED:
        members = library_members(module)
        members.update(_replacements.get(module, {}))
    elif any(name.startswith(f"{module}.") for name in available()):
        members = {}
    else:
        raise DeniedImport(f"module {module!r} is not available to scripts", name=module)
    for name in available():
        parent, _, child = name.rpartition(".")
        if parent == module:
            members[child] = view(name)
    return members


def library_members(module: str) -> dict[str, Any]:
    """The allow-listed names of a module of the standard library that exist in this Python."""
    real = importlib.import_module(module)
    allowed = modules.ALLOWED[module]
    listed: Sequence[str] = allowed if allowed is not None else getattr(real, "__all__", None) or dir(real)
    listed = [*listed, *modules.BESIDES.get(module, ())]
    denied = modules.DENIED.get(module, frozenset())
    members = {
        name: getattr(real, name)
        for name in listed
        if not name.startswith("_") and name not in denied and hasattr(real, name)
    }
    return {name: value for name, value in members.items() if not isinstance(value, types.ModuleType)}


def star_names(module: str) -> list[str] | None:
    """What `from module import *` binds, or None when scripts have not got the module."""
    try:
        return [name for name in dir(view(module)) if not name.startswith("_")]
    except ModuleNotFoundError:
        return None


def guarded_import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """Behind every `import` statement of a script."""
    return _imported(name, fromlist, level, _finders)


def import_by(finder: Finder) -> Callable[..., Any]:
    """A `guarded_import` that asks `finder` alone for what is not provided."""

    def guarded(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        return _imported(name, fromlist, level, [finder])

    return guarded


def _imported(name: str, fromlist: Any, level: int, finders: Sequence[Finder]) -> Any:
    if level:
        raise ImportError("relative imports are not available to scripts")
    if type(fromlist) is list:
        # PyImport_Import: C code of the library imports a helper while a script's frame is the caller
        # (`datetime.strptime`). An import statement passes None or a tuple. The result goes to C only.
        return sys.modules[name]
    found = _found(name, finders)
    for member in fromlist or ():
        if not hasattr(found, member):
            raise _without(name, names.unmangle(member))
    return found if fromlist or "." not in name else view(name.split(".")[0])


def _without(module: str, member: str) -> ImportError:
    """The error for a name that a module has not, with what Python 3.12 adds to such."""
    error = ImportError(f"cannot import name {member!r} from {module!r}", name=module)
    error.name_from = member  # type: ignore[attr-defined]
    return error


def _found(name: str, finders: Sequence[Finder]) -> Namespace:
    try:
        return view(name)
    except DeniedImport:
        for finder in finders:
            found = finder(name)
            if found is not None:
                return found
        raise
