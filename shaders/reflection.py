"""What a parsed kernel says about itself, as data that travels between processes and into the database.

Owns the records only; `shaders/reflect.py` fills them in. Must not know GPUs or users.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Field(msgspec.Struct, frozen=True):
    """A member of a struct: WGSL type text, byte offset and byte size by WGSL's layout rules.

    In `type`, aliases and constants are replaced. Where it is a struct or an array of structs, `fields` lists that
    struct's members, with offsets from its start; of an array, `stride` is the bytes between elements.
    """

    name: str
    type: str
    offset: int
    size: int
    stride: int = 0
    fields: tuple[Field, ...] = ()


class BindingInfo(msgspec.Struct, frozen=True):
    """A resource binding of a kernel.

    `element` is the scalar type underneath (`u32`, `i32`, `f32`, `f16`) when there is exactly one, else None.
    `min_size` is the least number of bytes that may be bound; `stride` is the size in bytes of one element of a
    trailing runtime-sized array, 0 when the type has a fixed size. `fields` lists the members of the struct that
    the type is, or is an array of.
    """

    group: int
    binding: int
    name: str
    kind: Literal["storage", "uniform"]
    access: Literal["read", "read_write"]
    type: str
    element: str | None
    min_size: int
    stride: int
    fields: tuple[Field, ...] = ()


class Override(msgspec.Struct, frozen=True):
    """A constant of a kernel that a dispatch may give.

    `type` is its scalar, None when only the compiler can tell (it has neither a type nor a literal as default): then
    no value is taken. `default` is the text of its value, None when a dispatch must give one. `id` is its `@id`.
    """

    name: str
    type: Literal["bool", "i32", "u32", "f32", "f16"] | None
    default: str | None = None
    id: int | None = None


class EntryPoint(msgspec.Struct, frozen=True):
    """A compute entry point, its workgroup size, and the names of the bindings and overrides that it reaches."""

    name: str
    workgroup_size: tuple[int, int, int]
    bindings: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()


class GuardedLoop(msgspec.Struct, frozen=True):
    """A loop that draws on the budget: where its keyword is (from 1), and what one turn of it costs.

    `fuel` is in tokens, `turns` in turns of loops.
    """

    line: int
    column: int
    fuel: int
    turns: int


class GuardedEntry(msgspec.Struct, frozen=True):
    """What the guard knows of an entry point.

    `fuel` and `turns` are what it costs beside the loops that are counted (as of `GuardedLoop`), `counters` how many
    counters it has that are each given the budget. `even`: a group of invocations takes no more turns than one of them
    pays for.
    """

    turns: int
    counters: int
    even: bool
    fuel: int = 0


class Guard(msgspec.Struct, frozen=True):
    """A kernel as it is compiled, but for the price of each turn (`shaders/guard/budget.py` adds those).

    Its own lines keep their numbers. Loop n of `loops` is reported as n + 1. `shifts` says where characters were added:
    line, column in the guarded text, how many. `version` is that of the guard that wrote it.
    """

    source: str
    loops: tuple[GuardedLoop, ...]
    entries: dict[str, GuardedEntry]
    shifts: tuple[tuple[int, int, int], ...] = ()
    version: int = 0


class Reflection(msgspec.Struct, frozen=True):
    """A kernel after parsing.

    `source` is the text re-emitted from our own tokens, for people to be shown; `guard` has the only text that is
    compiled. `fingerprint` is the same for all texts that differ only in comments, blanks, names and what is
    never used.
    """

    source: str
    entry_points: tuple[EntryPoint, ...]
    bindings: tuple[BindingInfo, ...]
    guard: Guard | None = None
    overrides: tuple[Override, ...] = ()
    fingerprint: str = ""
