"""Paths from strangers, taken apart once, strictly.

Owns what a script may call a file, and which granted folder a path lies in. No path is ever joined back to text and
given to the system: its parts are opened one beneath the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sandbox.gates.errors import FileRefused

Parts = tuple[str, ...]
T = TypeVar("T")

PATH_CHARACTERS = 1024
PART_BYTES = 255
DEPTH = 32


def split(path: str) -> Parts:
    """The parts of an absolute path; `/` has none. Raises `FileRefused`, also for every `..`."""
    if len(path) > PATH_CHARACTERS:
        raise FileRefused(f"the path has {len(path)} characters; the limit is {PATH_CHARACTERS}")
    if not path.startswith("/"):
        raise FileRefused(f"{path[:80]!r} is not an absolute path")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    for part in parts:
        _check(part)
    if len(parts) > DEPTH:
        raise FileRefused(f"the path has {len(parts)} parts; the limit is {DEPTH}")
    return parts


def is_name(part: str) -> bool:
    """Whether `part` is a name that `split` lets through."""
    try:
        _check(part)
    except FileRefused:
        return False
    return True


def find(mounts: Mapping[Parts, T], parts: Parts) -> tuple[T, Parts] | None:
    """The deepest mount that `parts` lies in, and the rest of the path below it."""
    for end in range(len(parts), -1, -1):
        if (mount := mounts.get(parts[:end])) is not None:
            return mount, parts[end:]
    return None


def children(mounts: Mapping[Parts, T], parts: Parts) -> list[str]:
    """The names directly below `parts` that lead to mounts."""
    depth = len(parts)
    return sorted({mount[depth] for mount in mounts if len(mount) > depth and mount[:depth] == parts})


def _check(part: str) -> None:
    if part == "..":
        raise FileRefused("a path cannot have the part '..'", hint="write the path without it")
    if any(character < " " or character == "\x7f" for character in part):
        raise FileRefused("a name cannot have control characters")
    try:
        size = len(part.encode())
    except UnicodeEncodeError:
        raise FileRefused("a name cannot have lone surrogates") from None
    if size > PART_BYTES:
        raise FileRefused(f"a name has {size} bytes; the limit is {PART_BYTES}")
