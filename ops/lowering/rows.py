"""Operands as rows and columns: the kept axes are rows, the folded ones columns.

Owns the form that reductions, searches and softmax share: a row's position is found from up to eight axes, a column's
by one stride. Must not know what is done with a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ops.layout import Layout, collapse
from ops.lowering import packing
from ops.lowering.addressing import address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.builder import Builder, Params
from ops.lowering.elementwise import gather
from ops.lowering.operands import Source
from ops.shapes import Shape
from shaders.spec import Binding, Operand, Param

CHUNK = 1024
"""Columns that are folded one after the other: few enough that sums stay accurate and loops short."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Sources of equal shape as rows and columns; `steps` are the strides of a column, one a source."""

    shape: Shape
    columns: int
    operands: tuple[Operand, ...]
    dtypes: tuple[str, ...]
    offsets: tuple[int, ...]
    strides: tuple[Shape, ...]
    steps: tuple[int, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """How the elements of each source lie (`packing.kind`)."""
        return tuple(map(packing.kind, self.dtypes))

    @property
    def count(self) -> int:
        """The number of rows."""
        return prod(self.shape)

    @property
    def rank(self) -> int:
        """The rank for which a kernel of these rows is written."""
        return bucket(len(self.shape))

    def quads(self) -> bool:
        """Whether every row of every source can be read by fours."""
        return (
            "i64" not in self.dtypes
            and all(
                step == 1 and offset % 4 == 0 and not any(stride % 4 for stride in strides)
                for step, offset, strides in zip(self.steps, self.offsets, self.strides, strict=True)
            )
            and (self.columns % 4 == 0)
        )

    def params(self, width: int = 1) -> Params:
        """The parameters that `row_prologue` reads, in units of `width` elements."""
        params: Params = {"shape": padded(self.shape, self.rank, 1)}
        for number, (offset, strides) in enumerate(zip(self.offsets, self.strides, strict=True)):
            params[f"offset_in{number}"] = offset // width
            params[f"strides_in{number}"] = padded([stride // width for stride in strides], self.rank, 0)
            if width == 1:
                params[f"step_in{number}"] = wrapped(self.steps[number])
        return params


def arrange(builder: Builder, sources: Sequence[Source], shape: Shape, folded: Sequence[int]) -> Rows:
    """`sources`, broadcast to `shape`, with the axes `folded` as columns; copied where strides cannot say that."""
    order, moved = _moved(sources, shape, folded)
    rank = len(shape) - len(folded)
    columns, steps = _columns(moved, rank)
    if len(columns) > 1:
        moved = [source if source.layout.is_contiguous else gather(builder, source) for source in moved]
        columns, steps = _columns(moved, rank)
    rows, strides = collapse(
        tuple(shape[axis] for axis in order[:rank]), *(source.layout.strides[:rank] for source in moved)
    )
    return Rows(
        rows,
        prod(columns),
        tuple(source.operand for source in moved),
        tuple(source.dtype for source in moved),
        tuple(source.layout.offset for source in moved),
        tuple(strides),
        tuple(step[0] if step else 1 for step in steps),
    )


def are_rows(sources: Sequence[Source], shape: Shape, folded: Sequence[int]) -> bool:
    """Whether `arrange` needs no copy."""
    return len(_columns(_moved(sources, shape, folded)[1], len(shape) - len(folded))[0]) <= 1


def _moved(sources: Sequence[Source], shape: Shape, folded: Sequence[int]) -> tuple[list[int], list[Source]]:
    """The axes in the order in which they are rows and columns, and the sources in it."""
    order = [axis for axis in range(len(shape)) if axis not in folded] + list(folded)
    return order, [
        Source(source.operand, source.layout.expand(shape).permute(order), source.dtype) for source in sources
    ]


def _columns(sources: Sequence[Source], rank: int) -> tuple[Shape, list[Shape]]:
    return collapse(sources[0].layout.shape[rank:], *(source.layout.strides[rank:] for source in sources))


def row_params(count: int, rank: int, width: int = 1) -> tuple[Param, ...]:
    """The declarations of `Rows.params` for `count` sources."""
    names = [f"in{number}" for number in range(count)]
    kinds = ("offset", "step") if width == 1 else ("offset",)
    return (
        *(Param(f"{kind}_{name}") for name in names for kind in kinds),
        *stride_params(["shape", *(f"strides_{name}" for name in names)], rank),
    )


def row_prologue(count: int, rank: int) -> str:
    """Statements that find where row `row` begins in each source, as `at_in0` …"""
    addresses = [f"let at_in{number} = {address(f'in{number}', rank)};" for number in range(count)]
    return "\n".join([coordinates("row", rank), *addresses])


def row_read(number: int, kind: str, index: str, width: int = 1) -> str:
    """The unit of `width` elements at column `index` of source `number`; units of four lie side by side.

    `kind` is how its elements lie (`packing.kind`).
    """
    step = f" * params.step_in{number}" if width == 1 else ""
    return packing.read(kind, f"in{number}", f"at_in{number} + {index}{step}", width)


def row_bindings(kinds: Sequence[str], width: int) -> tuple[Binding, ...]:
    """The declarations of sources whose elements lie as `kinds`."""
    return tuple(Binding(f"in{number}", packing.binding(kind, width)) for number, kind in enumerate(kinds))


def contiguous_rows(source: Source, rows: int, columns: int) -> Rows:
    """A contiguous temporary of `rows` and `columns` as such."""
    layout = Layout.contiguous((rows, columns))
    return Rows((rows,), columns, (source.operand,), (source.dtype,), (0,), (layout.strides[:1],), (1,))
