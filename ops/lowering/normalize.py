"""Standardising rows: by one kernel, or by folds and an elementwise kernel.

Owns the choice, and what the kernel (`normalize_kernel.py`) is told. Must not know op names: what is read is a term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ops import wgsl
from ops.expression import Term, bind, cast, input_term, parse, scalar_term
from ops.layout import Layout
from ops.lowering import elementwise, reduce, windows
from ops.lowering.after import After
from ops.lowering.builder import Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.normalize_kernel import Form, kernel
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import Rows, are_rows, arrange
from ops.shapes import Shape, reduced
from ops.spec import Reduction

_SWEEPS = 3
"""Times that the kernel goes over a row."""
_FEWEST_ROWS = 64
"""Rows from which an invocation takes one each: eight workgroups of them."""
_ELEMENT_WORK = 16
"""Multiply-adds that an element costs."""
_MEAN = Reduction("a + b", 0, finish="a / n")


@dataclass(frozen=True, slots=True)
class Kind:
    """Over which axes, what is added to the variance, and whether about the mean or about 0."""

    axes: Shape
    eps: float
    centred: bool


def emit(
    builder: Builder,
    kind: Kind,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    target: Target,
    after: After | None = None,
) -> None:
    """Write `load` (f32), whose inputs are `sources` broadcast to `shape`, standardised, to `target`.

    The target is contiguous from offset 0. With `after` it gets what is done with the result.
    """
    if target.layout.count == 0:
        return
    if after is not None and not _fits(builder, [*sources, *after.sources], shape, kind.axes, target):
        made = builder.temp(shape, "f32")
        emit(builder, kind, load, sources, shape, made)
        elementwise.emit_after(builder, after, made.source(), target)
        return
    written = Source(target.operand, Layout.contiguous(shape), target.dtype)
    if not are_rows([*sources, written], shape, kind.axes) and are_rows([written], shape, kind.axes):
        loaded = builder.temp(shape, "f32")
        elementwise.emit(builder, load, sources, loaded)
        load, sources = input_term(0, "f32"), [loaded.source()]
    if not _fits(builder, sources, shape, kind.axes, target):
        _by_folds(builder, kind, load, sources, shape, target)
        return
    extras = () if after is None else after.sources
    _by_rows(builder, kind, load, after, arrange(builder, [*sources, *extras, written], shape, kind.axes))


def _fits(builder: Builder, sources: Sequence[Source], shape: Shape, axes: Shape, target: Target) -> bool:
    """Whether one kernel does it: all are rows, which are not too long for its loops, and no operand is too large."""
    written = Source(target.operand, Layout.contiguous(shape), target.dtype)
    layouts = [source.layout.expand(shape) for source in [*sources, written]]
    return (
        target.dtype == "f32"
        and are_rows([*sources, written], shape, axes)
        and _is_short(builder.device, prod(shape), prod(shape[axis] for axis in axes))
        and windows.cut_axis(builder.device, shape, layouts) is None
    )


def _is_short(device: DeviceClass, count: int, columns: int) -> bool:
    is_alone = _is_by_invocation(device, count // columns)
    lanes = device.row_lanes(columns)
    turns = columns if is_alone else columns // lanes + lanes
    return _SWEEPS * turns <= device.loop_turns


def _is_by_invocation(device: DeviceClass, rows: int) -> bool:
    return device.kind == "cpu" and rows >= _FEWEST_ROWS


def _by_folds(
    builder: Builder, kind: Kind, load: Term, sources: Sequence[Source], shape: Shape, target: Target
) -> None:
    """The same in three or more kernels, of rows of any length that lie in any way."""
    seen = [Source(source.operand, source.layout.expand(shape), source.dtype) for source in sources]
    if load.function != "input":
        made = builder.temp(shape, "f32")
        elementwise.emit(builder, load, seen, made)
        seen = [made.source()]
    folded = reduced(shape, kind.axes, keepdim=True)
    x, mean, square = (input_term(number, "f32") for number in range(3))
    distance, centre = x, seen
    if kind.centred:
        found = builder.temp(folded, "f32")
        reduce.emit(builder, Fold(_MEAN, x, "f32"), seen, shape, kind.axes, found)
        distance, centre = bind(parse("x - m"), {"x": x, "m": mean}), [*seen, found.source()]
    variance = builder.temp(folded, "f32")
    squared = bind(parse("d * d"), {"d": distance})
    reduce.emit(builder, Fold(_MEAN, squared, "f32"), centre, shape, kind.axes, variance)
    names = {"d": distance, "v": square if kind.centred else mean, "eps": scalar_term(kind.eps)}
    elementwise.emit(builder, bind(parse("d / sqrt(v + eps)"), names), [*centre, variance.source()], target)


def _by_rows(builder: Builder, kind: Kind, load: Term, after: After | None, rows: Rows) -> None:
    """One kernel over `rows`: of what is loaded, of what is met afterwards, and of the target, which is last."""
    device, width = builder.device, 4 if rows.quads() else 1
    units, lanes = rows.columns // width, device.row_lanes(rows.columns // width)
    target = len(rows.dtypes) - 1
    extra = target - (0 if after is None else len(after.sources))
    loaded = wgsl.function("load", load, [(f"x{n}", rows.dtypes[n]) for n in range(extra)], "l")
    result = input_term(0, "f32") if after is None else cast(after.term, "f32")
    met = [("r", "f32"), *((f"e{n}", rows.dtypes[n]) for n in range(extra, target))]
    done = wgsl.function("after", result, met, "a")
    is_alone = _is_by_invocation(device, rows.count)
    kept = 0 if is_alone else device.kept_units(units, lanes)
    form = Form(
        loaded.text if load.function != "input" else "",
        done.text if after is not None else "",
        (*loaded.params, *done.params),
        rows.kinds,
        extra,
        kind.centred,
        is_alone,
        rows.rank,
        lanes,
        width,
        kept,
        kept * lanes == units,
    )
    params: Params = rows.params(width) | {
        "rows": rows.count,
        "columns": units,
        "size": float(rows.columns),
        "eps": float(kind.eps),
        **loaded.values,
        **done.values,
    }
    threads, columns = (1, rows.columns) if is_alone else (lanes, -(-rows.columns // lanes))
    builder.spread(kernel(form), rows.count * threads, rows.operands, params, _ELEMENT_WORK * columns)
