"""Where elements lie, as parameters and text of kernels.

Owns how positions are found from coordinates: one kernel serves all shapes of a rank, by the strides it is given. Must
not know what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.attributes import U32
from shaders.spec import Param

QUAD = 4
"""Elements of a vector, as which neighbours are read and written."""
RANKS = (2, 4, 8)
"""The ranks for which kernels are written."""


def bucket(rank: int) -> int:
    """The rank for which a kernel is written that serves tensors of `rank`: few kernels serve all ranks."""
    return next(size for size in RANKS if rank <= size)


def wrapped(number: int) -> int:
    """A number as a parameter: a negative one, as a stride may be, wraps as WGSL's u32 does."""
    return number & U32


def padded(sizes: Sequence[int], rank: int, fill: int) -> tuple[int, ...]:
    """`sizes` with `fill` in front up to `rank`, as parameters."""
    return tuple(map(wrapped, (*[fill] * (rank - len(sizes)), *sizes)))


def stride_params(names: Sequence[str], rank: int) -> tuple[Param, ...]:
    """An array parameter of `rank` numbers for each name."""
    return tuple(Param(name, "u32", length=rank) for name in names)


def coordinates(index: str, rank: int, shape: str = "shape") -> str:
    """Statements that split the number `index` into coordinates `c0` … by the array parameter `shape`."""
    lines = [f"var rest = {index};"]
    for axis in range(rank - 1, 0, -1):
        lines += [f"let c{axis} = rest % {shape}_at({axis}u);", f"rest /= {shape}_at({axis}u);"]
    return "\n".join([*lines, "let c0 = rest;"])


def address(name: str, rank: int) -> str:
    """The position of an operand at coordinates `c0` …, by the parameters `offset_` and `strides_` of `name`."""
    terms = [f"c{axis} * strides_{name}_at({axis}u)" for axis in range(rank)]
    return " + ".join([f"params.offset_{name}", *terms])
