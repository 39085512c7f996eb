"""What is done with each element of a product's right operand, where a kernel reads it.

Owns it as a term, and as the text of a kernel: so weights that are dequantised are read as the bytes that they are. All
elements of a column have the same numbers beside them. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ops import wgsl
from ops.dtypes import is_packed
from ops.expression import Term, input_term, substituted
from ops.layout import Layout
from ops.lowering import elementwise, packing
from ops.lowering.addressing import wrapped
from ops.lowering.builder import Builder, Params
from ops.lowering.operands import Source
from ops.shapes import Shape
from ops.wgsl import Function
from shaders.spec import Binding, Operand, Param


class Before(msgspec.Struct, frozen=True):
    """A term of an element of `dtype` (input 0), and of what `sources` have for its column (from input 1 on)."""

    term: Term
    dtype: str
    sources: tuple[Source, ...] = ()

    @property
    def prepare(self) -> Prepare:
        """The part of it that a kernel's text depends on."""
        return Prepare(
            self._function.text,
            self._function.params,
            tuple(packing.kind(source.dtype) for source in self.sources),
        )

    @property
    def values(self) -> Params:
        """The numbers that the function reads, and where the sources lie."""
        params: Params = dict(self._function.values)
        for number, source in enumerate(self.sources):
            layout = source.layout
            params |= {f"offset_w{number}": layout.offset, f"across_w{number}": wrapped(layout.strides[-1])}
        return params

    @property
    def operands(self) -> list[Operand]:
        """Those of the sources."""
        return [source.operand for source in self.sources]

    @property
    def _function(self) -> Function:
        others = [(f"x{number}", source.dtype) for number, source in enumerate(self.sources)]
        return wgsl.function("prepare", self.term, [("value", self.dtype), *others], "q")


class Prepare(msgspec.Struct, frozen=True):
    """The text of a kernel's first step: the function `prepare`, or nothing where elements stay as they are.

    `prepare` takes an element and one of each other operand, which lie as `kinds`, and reads the parameters `params`.
    """

    text: str = ""
    params: tuple[Param, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The declarations of the other operands."""
        return tuple(Binding(f"w{n}", packing.binding(kind, 1)) for n, kind in enumerate(self.kinds))

    @property
    def places(self) -> tuple[Param, ...]:
        """The declarations of where these lie."""
        kinds = ("offset", "across")
        return tuple(Param(f"{kind}_w{number}") for number in range(len(self.kinds)) for kind in kinds)

    def call(self, value: str, column: str) -> str:
        """What is made of an element that stands in a column."""
        reads = [
            packing.read(kind, f"w{n}", f"params.offset_w{n} + {column} * params.across_w{n}", 1)
            for n, kind in enumerate(self.kinds)
        ]
        return f"prepare({', '.join([value, *reads])})"


def split(term: Term, sources: Sequence[Source], shape: Shape) -> tuple[Source, Before] | None:
    """A term of `sources`, broadcast to a matrix of `shape`, as what is done with the packed one among them.

    None where it has none, or where another differs from row to row.
    """
    if len(shape) != 2:
        return None
    seen = [Source(each.operand, each.layout.expand(shape), each.dtype) for each in sources]
    main = next(
        (n for n, each in enumerate(seen) if is_packed(each.dtype) and all(each.layout.strides)), None
    )
    others = [n for n in range(len(seen)) if n != main]
    if main is None or any(seen[n].layout.strides[0] for n in others):
        return None
    places = {number: place for place, number in enumerate([main, *others])}
    moved = {number: input_term(place, seen[number].dtype) for number, place in places.items()}
    return seen[main], Before(substituted(term, moved), seen[main].dtype, tuple(seen[n] for n in others))


def made(builder: Builder, term: Term, sources: Sequence[Source], shape: Shape) -> Source:
    """The elements of a term of `sources` broadcast to `shape`, in the order in which those of the largest lie."""
    layouts = [source.layout.expand(shape) for source in sources]
    lead = max(layouts, key=lambda layout: sum(map(bool, layout.strides)))
    order = sorted(range(len(shape)), key=lambda axis: -abs(lead.strides[axis]))
    target = builder.temp(tuple(shape[axis] for axis in order), term.dtype)
    seen = [
        Source(source.operand, layout.permute(order), source.dtype)
        for source, layout in zip(sources, layouts, strict=True)
    ]
    elementwise.emit(builder, term, seen, target)
    back: Layout = target.layout.permute(sorted(range(len(shape)), key=order.__getitem__))
    return Source(target.operand, back, term.dtype)
