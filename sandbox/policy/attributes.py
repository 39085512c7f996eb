"""The guards of attributes: `getattr`, `setattr` and their kin, and the two that compiled scripts call.

Owns what a script reads and writes of an object when the name alone does not decide. Compiled names (already
renamed) arrive at `compiled_getattr`; names that a script computed arrive at `guarded_getattr`, which spells them as
`keys` says. Must not know how scripts are compiled.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from sandbox.policy import names, ownership
from sandbox.policy.classes import guarded_type
from sandbox.policy.formatting import Formatter, bind_format
from sandbox.policy.keys import DeniedAttribute, denied, load_key, store_key
from sandbox.policy.mirror import AttributeDict

_MISSING = object()
_ABSENT = object()


# ---------------------------------------------------------------------- reading
def compiled_getattr(value: Any, name: str) -> Any:
    """`value.name` for the names that need a look at the object."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(value)
    if name in names.TUPLE_ATTRIBUTES:
        cls = value if isinstance(value, type) else type(value)
        return getattr(value, name if issubclass(cls, tuple) else names.mangle(name))
    if name in names.OWN_ONLY and not ownership.defines(value, name):
        kind = value.__name__ if isinstance(value, type) else type(value).__name__
        raise DeniedAttribute(f"{kind!r} object has no attribute {name!r} that scripts may read")
    result = getattr(value, name)
    if name in names.FORMATS:
        return bind_format(FORMATTER, value, result, name)
    if type(result) is types.FunctionType and name != "__new__" and not ownership.owns_function(result):
        return _unbound(_class_behind(value, name), result)
    return _shown(name, result)


def _class_behind(value: Any, name: str) -> type:
    """The class whose plain function `value.name` is: itself, or what an alias or `super` of a class stands for."""
    if type(value) is types.GenericAlias:
        value = value.__origin__
    elif type(value) is super:
        value = getattr(value, "__self__", None)
    if not isinstance(value, type):
        raise denied(name)
    return value


def _unbound(cls: type, method: types.FunctionType) -> Callable[..., Any]:
    """`method` of `cls` for instances of `cls` only: `C.__init__(x)` would write attributes of any `x`."""

    def checked(instance: Any, /, *args: Any, **kwargs: Any) -> Any:
        # `issubclass` would ask the class, which the script may have made
        if cls not in type(instance).__mro__:
            raise TypeError(
                f"{method.__name__}() needs a {cls.__name__!r} object, not {type(instance).__name__!r}"
            )
        return method(instance, *args, **kwargs)

    return checked


def _shown(name: str, result: Any) -> Any:
    """`result`, or the safe form of what must not be handed out live."""
    cls = type(result)
    if cls is types.ModuleType:
        raise denied(name)
    if cls is types.MappingProxyType:
        return types.MappingProxyType(dict(result))
    if cls is str and names.is_dunder(name):
        return names.unmangle(result)
    return result


def _annotations(value: Any) -> Any:
    if not (ownership.owns_class(value) or ownership.owns_function(value)):
        raise denied("__annotations__")
    return {names.unmangle(key): kind for key, kind in value.__annotations__.items()}


def _slots(value: Any) -> Any:
    slots = value.__slots__
    return tuple(names.unmangle(slot) for slot in ((slots,) if isinstance(slots, str) else slots))


def guarded_vars(value: Any = _MISSING) -> Any:
    """`vars(value)`: live for the script's own objects."""
    if value is _MISSING:
        raise TypeError("vars() without an argument is not available to scripts")
    if ownership.owns_class(value):
        own = vars(value).items()
        return types.MappingProxyType(
            {names.unmangle(key): item for key, item in own if not names.is_librarys(key)}
        )
    if AttributeDict.serves(value):
        return AttributeDict(value)
    raise TypeError("vars() argument must be an object of a class that the script defines")


def _dict(value: Any) -> Any:
    if ownership.owns_class(value) or AttributeDict.serves(value):
        return guarded_vars(value)
    raise denied("__dict__")


def _delattr_method(value: Any) -> Any:
    return _bound_writer(value, "__delattr__")


def _setattr_method(value: Any) -> Any:
    return _bound_writer(value, "__setattr__")


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "__class__": guarded_type,
    "__dict__": _dict,
    "__setattr__": _setattr_method,
    "__delattr__": _delattr_method,
    "__annotations__": _annotations,
    "__slots__": _slots,
}


def guarded_getattr(value: Any, name: object, default: Any = _MISSING) -> Any:
    """The builtin `getattr`."""
    try:
        key = load_key(name)
        if key in names.CHECKED or key.startswith("_"):
            return compiled_getattr(value, key)
        return _shown(key, getattr(value, key))
    except AttributeError:
        if default is _MISSING:
            raise
        return default


FORMATTER = Formatter(guarded_getattr)


def guarded_hasattr(value: Any, name: object) -> bool:
    """The builtin `hasattr`."""
    return guarded_getattr(value, name, _ABSENT) is not _ABSENT


def guarded_dir(value: Any = _MISSING) -> list[str]:
    """The builtin `dir`, without what scripts cannot read anyway."""
    if value is _MISSING:
        raise TypeError("dir() without an argument is not available to scripts")
    shown = {names.unmangle(name) for name in dir(value) if not names.is_private(name)}
    return sorted(name for name in shown if name not in names.DENIED)


# ---------------------------------------------------------------------- writing
# Their objects have no attributes to set: CPython says so in its own words.
_WITHOUT_ATTRIBUTES = frozenset(
    [int, float, complex, bool, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, type(None)]
)


def write(value: Any) -> Any:
    """The object of an attribute store or delete: only what the script made."""
    if not (ownership.may_write(value) or type(value) in _WITHOUT_ATTRIBUTES):
        raise DeniedAttribute(f"attributes of '{type(value).__name__}' objects cannot be set by scripts")
    return value


def guarded_setattr(value: Any, name: object, new: Any) -> None:
    """The builtin `setattr`."""
    setattr(write(value), store_key(name), new)


def guarded_delattr(value: Any, name: object) -> None:
    """The builtin `delattr`."""
    delattr(write(value), store_key(name))


def _bound_writer(value: Any, method: str) -> Callable[..., None]:
    """`value.__setattr__` or `value.__delattr__`: of an object, a class, or `super()`."""
    real = getattr(value, method)
    if isinstance(value, type):

        def unbound(target: Any, name: object, *new: Any) -> None:
            real(write(target), store_key(name), *new)

        return unbound
    target: Any = getattr(value, "__self__", None) if type(value) is super else value

    def bound(name: object, *new: Any) -> None:
        write(target)
        real(store_key(name), *new)

    return bound
