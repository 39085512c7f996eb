"""Patterns of names and hosts: what one covers, and what two have in common.

Owns the only pattern matching of the gates. Name patterns: an exact name; `prefix*`, any rest without a slash, so
that `*` is one's own kernels and `alice/*` is Alice's; `prefix**`, any rest. Host patterns: an exact name or
address; `.example.org`, every name below example.org but not itself; `*`, every name but no address literal.
A name covers itself alone, so `covers` decides both matching and containment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Covers = Callable[[str, str], bool]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:-]{0,199}")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LABEL}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def is_name_pattern(text: str) -> bool:
    """Whether `text` is a well-formed name pattern."""
    prefix, _ = _parts(text)
    return text in ("*", "**") or _NAME.fullmatch(prefix) is not None


def covers_name(pattern: str, name: str) -> bool:
    """Whether every name that `name` (a name or a pattern) stands for is one that `pattern` stands for."""
    prefix, stars = _parts(pattern)
    inner, inner_stars = _parts(name)
    if stars == 0 or not inner.startswith(prefix):
        return pattern == name
    return stars == 2 or (inner_stars < 2 and "/" not in inner[len(prefix) :])


def meet_names(first: str, second: str) -> str | None:
    """The pattern of the names that both patterns stand for, or None when they share none."""
    (a, a_stars), (b, b_stars) = _parts(first), _parts(second)
    shared = max(a, b, key=len) + "*" * min(a_stars, b_stars)
    return next(
        (p for p in (first, second, shared) if covers_name(first, p) and covers_name(second, p)), None
    )


def _parts(pattern: str) -> tuple[str, int]:
    prefix = pattern[:-2] if pattern.endswith("**") else pattern.removesuffix("*")
    return prefix, len(pattern) - len(prefix)


def is_host_name(text: str) -> bool:
    """Whether `text` is a lower-case ASCII host name that no system reads as an address.

    A last label that is a number makes an address of some spelling: decimal, octal, hexadecimal or short.
    """
    return _HOST.fullmatch(text) is not None and not _NUMBER.fullmatch(text.rpartition(".")[2])


def covers_host(pattern: str, host: str) -> bool:
    """Whether every host that `host` (a host or a pattern) stands for is one that `pattern` stands for."""
    if pattern == "*":
        return host == "*" or is_host_name(host.removeprefix("."))
    if pattern.startswith("."):
        return host.endswith(pattern)
    return pattern == host


def meet_hosts(first: str, second: str) -> str | None:
    """The pattern of the hosts that both patterns stand for, or None: of two, one always holds the other."""
    if covers_host(first, second):
        return second
    return first if covers_host(second, first) else None


def meet_all(
    first: Iterable[str], second: Iterable[str], meet: Callable[[str, str], str | None], covers: Covers
) -> tuple[str, ...]:
    """The patterns of what both lists stand for, without those that another of them covers."""
    pairs = [(a, b) for a in first for b in second]
    found = list(dict.fromkeys(shared for a, b in pairs if (shared := meet(a, b)) is not None))
    return tuple(p for p in found if not any(q != p and covers(q, p) for q in found))
