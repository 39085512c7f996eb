"""What exists on a device: buffers, and pipelines with the layouts of their bindings.

Owns their handles and what has to be known of them to use them rightly. Must not know how they are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Access = Literal["read", "read_write", "uniform"]
BufferKind = Literal["storage", "uniform", "upload", "download", "stamps"]
STAGING = ("upload", "download")
"""Buffers that the device only copies."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A binding in a layout."""

    binding: int
    access: Access


class Program(NamedTuple):
    """What a pipeline is compiled from: an entry point of a text, and the layouts of its groups of bindings.

    `trusted` text is our own or guarded: its loops end, so they get no counter. `constants` are finite values for
    overrides, by `@id` or name, sorted.
    """

    source: str
    entry_point: str
    groups: tuple[tuple[Slot, ...], ...]
    trusted: bool = False
    constants: tuple[tuple[str, float], ...] = ()


class Buffer:
    """A device buffer. `mappable` ones can be filled and read in place; `view` is of where they lay last, from `start`
    on."""

    __slots__ = ("kind", "mappable", "raw", "size", "start", "view")

    def __init__(self, raw: Any, size: int, kind: BufferKind, mappable: bool) -> None:
        self.raw, self.size, self.kind, self.mappable = raw, size, kind, mappable
        self.start: Any = None
        self.view: memoryview | None = None


Range = tuple[Buffer, int, int]
"""A buffer, an offset and a size, in bytes."""


class Pipeline:
    """A compiled entry point and the layouts of its groups (their slots, in order of group)."""

    __slots__ = ("groups", "layouts", "pace", "ran", "raw")

    def __init__(self, raw: Any, groups: Sequence[tuple[Slot, ...]], layouts: Sequence[Any]) -> None:
        self.raw, self.groups, self.layouts = raw, tuple(groups), tuple(layouts)
        self.pace: object = None
        """What whoever runs it has learnt of its speed."""
        self.ran = False
        """Whether a dispatch of it has ended: drivers compile at the first."""
