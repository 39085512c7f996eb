"""Pattern matching for lowered `match` statements.

Owns the meaning of the specifications that `patterns.py` writes: tuples whose first item is the kind. Every
attribute is read through the guard. Must not know the tree.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from sandbox.policy import names
from sandbox.policy.attributes import compiled_getattr, guarded_getattr
from sandbox.policy.classes import TypeStandIn

_MISSING = object()
_SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
Captures = dict[str, Any]


def match(subject: Any, specification: tuple[Any, ...]) -> Captures | None:
    """The captured names when `subject` matches, else None."""
    captures: Captures = {}
    return captures if _matches(subject, specification, captures) else None


def _matches(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    return _KINDS[specification[0]](subject, specification, captures)


def _value(subject: Any, specification: tuple[Any, ...], _captures: Captures) -> bool:
    return bool(subject == specification[1])


def _singleton(subject: Any, specification: tuple[Any, ...], _captures: Captures) -> bool:
    return subject is specification[1]


def _as(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    _, inner, name = specification
    if inner is not None and not _matches(subject, inner, captures):
        return False
    if name is not None:
        captures[name] = subject
    return True


def _or(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    for alternative in specification[1]:
        attempt: Captures = {}
        if _matches(subject, alternative, attempt):
            captures.update(attempt)
            return True
    return False


def _sequence(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    is_sequence = isinstance(subject, collections.abc.Sequence)
    if not is_sequence or isinstance(subject, str | bytes | bytearray):
        return False
    patterns = specification[1]
    star = next((i for i, pattern in enumerate(patterns) if pattern[0] == "star"), None)
    length = len(subject)
    if star is None:
        if length != len(patterns):
            return False
        return all(_matches(subject[i], pattern, captures) for i, pattern in enumerate(patterns))
    after = len(patterns) - star - 1
    if length < star + after:
        return False
    if not all(_matches(subject[i], patterns[i], captures) for i in range(star)):
        return False
    if patterns[star][1] is not None:
        captures[patterns[star][1]] = [subject[i] for i in range(star, length - after)]
    return all(_matches(subject[length - after + i], patterns[star + 1 + i], captures) for i in range(after))


def _mapping(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    if not isinstance(subject, collections.abc.Mapping):
        return False
    _, keys, patterns, rest = specification
    for key, pattern in zip(keys, patterns, strict=True):
        value = subject.get(key, _MISSING)
        if value is _MISSING or not _matches(value, pattern, captures):
            return False
    if rest is not None:
        captures[rest] = {key: subject[key] for key in subject if key not in keys}
    return True


def _class(subject: Any, specification: tuple[Any, ...], captures: Captures) -> bool:
    _, cls, positional, attributes, patterns = specification
    if cls is TypeStandIn:
        cls = type
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(subject, cls):
        return False
    if positional and _matches_itself(cls):
        if len(positional) > 1:
            raise TypeError(f"{cls.__name__}() accepts 1 positional sub-pattern ({len(positional)} given)")
        if not _matches(subject, positional[0], captures):
            return False
        positional = ()
    named: list[tuple[Callable[[Any, str], Any], str]]
    named = [(guarded_getattr, name) for name in _positional_names(cls, len(positional))]
    named += [(_compiled, name) for name in attributes]
    for (read, name), pattern in zip(named, (*positional, *patterns), strict=True):
        try:
            value = read(subject, name)
        except AttributeError:
            return False
        if not _matches(value, pattern, captures):
            return False
    return True


def _compiled(subject: Any, name: str) -> Any:
    if name.startswith(names.MARK):
        return getattr(subject, name)
    return guarded_getattr(subject, name) if not name.startswith("_") else compiled_getattr(subject, name)


def _matches_itself(cls: type) -> bool:
    return cls in _SELF_MATCHING or (issubclass(cls, _SELF_MATCHING) and not hasattr(cls, "__match_args__"))


def _positional_names(cls: type, count: int) -> tuple[str, ...]:
    if not count:
        return ()
    known = getattr(cls, "__match_args__", ())
    if type(known) is not tuple:
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(known).__name__})")
    if count > len(known):
        raise TypeError(
            f"{cls.__name__}() accepts {len(known)} positional sub-pattern{'s'[: len(known) != 1]} ({count} given)"
        )
    return tuple(names.unmangle(name) for name in known[:count])


_KINDS: dict[str, Callable[[Any, tuple[Any, ...], Captures], bool]] = {
    "value": _value,
    "singleton": _singleton,
    "as": _as,
    "or": _or,
    "sequence": _sequence,
    "mapping": _mapping,
    "class": _class,
}
