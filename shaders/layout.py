"""Types of WGSL as they lie in memory.

Owns the layout rules: size, alignment and stride of every type that a buffer may hold, and the offsets of members.
The offsets are the same in storage and uniform buffers; `uniform_fault` says where a uniform buffer asks for more.
Must not know tokens: `shaders/resolve.py` reads types out of a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SCALARS = {"u32": 4, "i32": 4, "f32": 4, "f16": 2, "bool": 4}
"""The size of each scalar; `bool` cannot lie in a buffer, but fills four bytes of workgroup memory."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct, `offset` bytes into it; `size` is what `@size` says, else its type's."""

    name: str
    type: Type
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Type:
    """A type. `text` is its WGSL with aliases and constants replaced.

    `size` of a runtime-sized array counts no element, and of a struct that ends in one, none of it. `count` is the
    components of a vector, the columns of a matrix (`rows` its rows), the elements of an array (0: runtime-sized).
    `depth` is how many arrays and structs lie within one another.
    """

    kind: Literal["scalar", "vector", "matrix", "atomic", "array", "struct", "pointer"]
    text: str
    size: int
    align: int
    scalar: str | None = None
    count: int = 0
    rows: int = 0
    element: Type | None = None
    members: tuple[Member, ...] = ()
    depth: int = 0

    @property
    def runtime_array(self) -> Type | None:
        """The runtime-sized array that this type is or ends in."""
        if self.kind == "array" and self.count == 0:
            return self
        return self.members[-1].type.runtime_array if self.members else None

    @property
    def stride(self) -> int:
        """Bytes from one element of this array to the next; of a matrix, from one column to the next."""
        if self.kind == "matrix":
            return _vector_align(self.rows) * SCALARS[self.scalar or "f32"]
        return round_up(self.element.align, self.element.size) if self.element else 0

    @property
    def least_size(self) -> int:
        """The least bytes to bind: the size, with one element of the runtime-sized array that may end it."""
        tail = self.runtime_array
        if tail is None:
            return self.size
        if tail is self:
            return self.stride
        return round_up(self.align, self.members[-1].offset + self.members[-1].type.least_size)

    @property
    def leaves(self) -> int:
        """How many scalars, vectors and matrices a value of this type is made of."""
        if self.element is not None:
            return self.count * self.element.leaves
        return sum(member.type.leaves for member in self.members) if self.members else 1


def round_up(align: int, size: int) -> int:
    """The least multiple of `align` that is not below `size`."""
    return (size + align - 1) // align * align


def _vector_align(count: int) -> int:
    return 2 if count == 2 else 4


def scalar(name: str) -> Type:
    """The scalar type called `name`."""
    return Type("scalar", name, SCALARS[name], SCALARS[name], name)


def vector(count: int, component: str, text: str) -> Type:
    """A vector of `count` components."""
    width = SCALARS[component]
    return Type("vector", text, count * width, _vector_align(count) * width, component, count)


def matrix(columns: int, rows: int, component: str, text: str) -> Type:
    """A matrix, which lies as an array of its columns."""
    align = _vector_align(rows) * SCALARS[component]
    return Type("matrix", text, columns * align, align, component, columns, rows)


def atomic(component: str) -> Type:
    """An atomic of `u32` or `i32`."""
    return Type("atomic", f"atomic<{component}>", 4, 4, component)


def array(element: Type, count: int) -> Type:
    """An array of `count` elements, runtime-sized when `count` is 0."""
    text = f"array<{element.text}, {count}>" if count else f"array<{element.text}>"
    size = count * round_up(element.align, element.size)
    return Type(
        "array", text, size, element.align, element.scalar, count, element=element, depth=element.depth + 1
    )


def struct(name: str, members: list[tuple[str, Type, int, int]]) -> Type:
    """A struct of members (name, type, alignment, size), each placed by its alignment."""
    placed: list[Member] = []
    end, align = 0, 1
    for member, type_, member_align, size in members:
        offset = round_up(member_align, end)
        placed.append(Member(member, type_, offset, size))
        end, align = offset + size, max(align, member_align)
    scalars = {member.type.scalar for member in placed}
    return Type(
        "struct",
        name,
        round_up(align, end),
        align,
        scalars.pop() if len(scalars) == 1 else None,
        members=tuple(placed),
        depth=1 + max(member.type.depth for member in placed),
    )


def uniform_fault(type_: Type) -> str | None:
    """What keeps `type_` out of a uniform buffer, as a clause about it; None when nothing does."""
    if type_.runtime_array is not None:
        return f"'{type_.text}' has no fixed size"
    if type_.kind == "array" and type_.element is not None:
        if type_.stride % 16:
            return f"the elements of '{type_.text}' are {type_.stride} bytes apart, not a multiple of 16"
        return uniform_fault(type_.element)
    for before, member in zip((None, *type_.members), type_.members, strict=False):
        if member.type.kind in ("array", "struct") and member.offset % 16:
            return f"'{type_.text}.{member.name}' begins at byte {member.offset}, not at a multiple of 16"
        if before is not None and before.type.kind == "struct":
            gap = member.offset - before.offset
            if gap < round_up(16, before.type.size):
                return f"'{type_.text}.{member.name}' begins within 16 bytes of the end of '{before.name}'"
        fault = uniform_fault(member.type)
        if fault is not None:
            return fault
    return None
