"""Running folds along axes, and what is built on flat sums: compaction, runs, selection.

Owns which kernels follow each other. Must not know rows.
"""

from __future__ import annotations

from ops import expression
from ops.attributes import Attributes, integer
from ops.layout import Layout
from ops.lowering import elementwise, folds, indexing, scan, windows
from ops.lowering.builder import Builder
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.lowering.shares import Anywhere, Share, spread
from ops.shapes import axis
from ops.spec import Reduction
from shaders.routines import routine_spec

_OTHER = expression.cast(
    expression.applied("x != y", x=expression.input_term(0, "i64"), y=expression.input_term(1, "i64")), "u32"
)


def cumsum(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running sums along an axis."""
    _running(builder, folds.SUM, attributes, sources, target)


def cumprod(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running products along an axis."""
    _running(builder, folds.PRODUCT, attributes, sources, target)


def cummax(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running maxima along an axis."""
    _running(builder, folds.maximum(target.dtype), attributes, sources, target)


def cummin(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """Running minima along an axis."""
    _running(builder, folds.minimum(target.dtype), attributes, sources, target)


def _running(
    builder: Builder, fold: Reduction, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    scan.emit(builder, fold, sources[0], where, bool(attributes.get("exclusive")), target)


def histogram(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """How often each number is there."""
    fill(builder, target, 0)
    count = sources[0].layout.count
    if count and target.layout.count:
        spec = routine_spec("histogram", "x:u32", "counts:atomic<u32>", "first extent")
        spread(builder, spec, count, [Share(whole(builder, sources[0])), Anywhere(target)], {})


def compact(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements that are kept, then zeros."""
    x, keep = (whole(builder, source) for source in sources)
    if x.dtype == "i64":
        places = builder.temp(target.layout.shape, "u32")
        fill(builder, places, target.layout.count)
        _keep(builder, keep, [], places)
        indexing.gather(builder, x, places.source(), 0, target)
        return
    fill(builder, target, 0)
    _keep(builder, keep, [x], target)


def nonzero(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions of what is true, then the size."""
    fill(builder, target, sources[0].layout.count)
    _keep(builder, whole(builder, sources[0]), [], target)


def run_starts(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The positions where a run begins, then the size."""
    count = sources[0].layout.count
    fill(builder, target, count)
    if count:
        flags = builder.temp((count,), "u32")
        fill(builder, windows.narrowed(flags, 0, range(1)), 1)
        if count > 1:
            _flag_runs(builder, sources[0], flags)
        _keep(builder, flags.source(), [], target)


def _flag_runs(builder: Builder, x: Source, flags: Target) -> None:
    """1 for each element, but the first, that is not the one before."""
    count = x.layout.count
    if x.dtype == "i64":
        pair = [windows.narrowed(x, 0, part) for part in (range(1, count), range(count - 1))]
        elementwise.emit(builder, _OTHER, pair, windows.narrowed(flags, 0, range(1, count)))
        return
    spec = routine_spec("run_flags", "x:u32", "keep:u32")
    spread(builder, spec, count - 1, [Share(whole(builder, x), after=1), Share(flags, after=1)], {})


def take(builder: Builder, attributes: Attributes, sources: list[Source], target: Target) -> None:
    """The elements at positions."""
    if not sources[0].layout.count:
        elementwise.emit(builder, expression.constant(0, target.dtype), (), target)
        return
    x, places = (whole(builder, source) for source in sources)
    take_at(builder, x, places, target)


def fill(builder: Builder, target: Target, value: int) -> None:
    """One number everywhere."""
    number = expression.cast(expression.scalar_term(value), "u32")
    elementwise.emit(builder, number, (), Target(target.operand, target.layout, "u32"))


def _keep(builder: Builder, keep: Source, values: list[Source], target: Target) -> None:
    """Write the values, or the positions, of what is kept to the front of the target."""
    count = keep.layout.count
    if not count:
        return
    places = builder.temp((count,), "u32")
    scan.emit(builder, folds.SUM, Source(keep.operand, keep.layout, "u32"), 0, exclusive=False, target=places)
    inputs = "keep:u32 places:u32" + " x:u32" * len(values)
    names, settings = "first extent skipped", (("positions", int(not values)),)
    spec = routine_spec("scatter_kept", inputs, "y:u32", names, settings=settings)
    shares = [Share(keep), Share(places), *(Share(value) for value in values)]
    spread(builder, spec, count, [*shares, Anywhere(target)], {"skipped": 0}, {"skipped": 1})


def take_at(builder: Builder, x: Source, places: Source, target: Target) -> None:
    """The elements of a contiguous array at positions."""
    count = target.layout.count
    if x.dtype == "i64":
        flat = Layout.contiguous((x.layout.count,))
        indexing.gather(builder, Source(x.operand, flat, x.dtype), places, 0, target)
    elif count:
        settings = (("in_parts", int(windows.is_wide(builder.device, x.layout))),)
        spec = routine_spec("take", "x:u32 places:u32", "y:u32", "first extent", settings=settings)
        spread(builder, spec, count, [Anywhere(x), Share(places), Share(target)], {})
