"""Softmax and its logarithm: by one kernel, or of longer rows by several.

Owns the choice among the kernels (`softmax_kernels.py`) and what they are told. Must not know op names: what is read is
a term, so that a fused producer is just a larger `load`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ops import wgsl
from ops.expression import Term, bind, input_term, parse
from ops.layout import Layout
from ops.lowering import elementwise, reduce, windows
from ops.lowering.builder import Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.folds import SUM
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import Rows, are_rows, arrange
from ops.lowering.softmax_kernels import Form, by_group, by_invocation, by_keepers
from ops.shapes import Shape
from ops.spec import Reduction

_SWEEPS = 3
"""Times that a kernel goes over a row, at most."""
_FEWEST_ROWS = 64
"""Rows from which an invocation takes one each: eight workgroups of them."""
_ELEMENT_WORK = 32
"""Multiply-adds that an element costs."""
_MAX = Reduction("maximum(a, b)", None)


def emit(
    builder: Builder,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    axis: int,
    target: Target,
    is_log: bool = False,
) -> None:
    """Write the softmax along `axis` of `load` (f32), whose inputs are `sources` broadcast to `shape`, to `target`.

    The target is contiguous from offset 0. With `is_log` it gets the logarithm.
    """
    if target.layout.count == 0:
        return
    layouts = [source.layout.expand(shape) for source in sources]
    cut = windows.cut_axis(builder.device, shape, [*layouts, target.layout])
    if cut is not None and cut != axis:
        _by_halves(builder, load, sources, shape, axis, target, is_log, cut)
        return
    columns = target.layout.shape[axis]
    if not are_rows(sources, shape, [axis]):
        sources, load = [_loaded(builder, load, sources, shape)], input_term(0, "f32")
    if cut == axis or not _fits(builder.device, target.layout.count // columns, columns):
        source = sources[0] if load.function == "input" else _loaded(builder, load, sources, shape)
        _long(builder, Source(source.operand, source.layout.expand(shape), "f32"), axis, target, is_log)
        return
    inner = Layout.contiguous(target.layout.shape).strides[axis]
    _by_rows(builder, load, arrange(builder, sources, shape, [axis]), inner, target, is_log)


def _by_halves(
    builder: Builder,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    axis: int,
    target: Target,
    is_log: bool,
    cut: int,
) -> None:
    """The same in two parts along the axis `cut`, since an operand is larger than a binding."""
    sources = [Source(source.operand, source.layout.expand(shape), source.dtype) for source in sources]

    def write(part: range, there: Target) -> None:
        seen = [windows.narrowed(source, cut, part) for source in sources]
        emit(builder, load, seen, there.layout.shape, axis, there, is_log)

    elementwise.by_halves(builder, target, cut, write)


def _is_alone(device: DeviceClass, rows: int, columns: int) -> bool:
    """Whether an invocation takes a row of so many columns by itself."""
    return device.kind == "cpu" and rows >= _FEWEST_ROWS and _SWEEPS * columns <= device.loop_turns


def _fits(device: DeviceClass, rows: int, columns: int) -> bool:
    """Whether the loops of one kernel are short enough for rows of so many columns."""
    lanes = device.row_lanes(columns)
    return _is_alone(device, rows, columns) or _SWEEPS * (columns // lanes + lanes) <= device.loop_turns


def _by_rows(builder: Builder, load: Term, rows: Rows, inner: int, target: Target, is_log: bool) -> None:
    """One kernel over `rows`, whose results lie `inner` apart."""
    device, width = builder.device, 4 if inner == 1 and rows.quads() else 1
    units = rows.columns // width
    function = wgsl.function("load", load, [(f"x{n}", dtype) for n, dtype in enumerate(rows.dtypes)])
    lanes = device.row_lanes(units)
    is_bare = load.function == "input"
    form = Form(function.text, function.params, rows.kinds, is_bare, rows.rank, lanes, width, is_log)
    params: Params = rows.params(width) | {"rows": rows.count, "columns": units, **function.values}
    if width == 1:
        params["inner"] = inner
    operands = [*rows.operands, target.operand]
    if _is_alone(device, rows.count, rows.columns):
        builder.spread(by_invocation(form), rows.count, operands, params, _ELEMENT_WORK * rows.columns)
        return
    kept = device.kept_units(units, lanes)
    spec = by_keepers(form, kept, kept * lanes == units) if kept else by_group(form)
    builder.spread(spec, rows.count * lanes, operands, params, _ELEMENT_WORK * -(-rows.columns // lanes))


def _loaded(builder: Builder, load: Term, sources: Sequence[Source], shape: Shape) -> Source:
    target = builder.temp(shape, "f32")
    elementwise.emit(builder, load, sources, target)
    return target.source()


def _long(builder: Builder, source: Source, axis: int, target: Target, is_log: bool) -> None:
    """The same in five or more kernels, of any length."""
    shape = source.layout.shape
    folded: Shape = tuple(1 if number == axis else size for number, size in enumerate(shape))
    x, y = input_term(0, "f32"), input_term(1, "f32")
    peak, total = builder.temp(folded, "f32"), builder.temp(folded, "f32")
    raised = builder.temp(shape, "f32")
    reduce.emit(builder, Fold(_MAX, x, "f32"), [source], shape, [axis], peak)
    grown = bind(parse("exp(x - y)"), {"x": x, "y": y})
    elementwise.emit(builder, grown, [source, peak.source()], raised)
    reduce.emit(builder, Fold(SUM, x, "f32"), [raised.source()], shape, [axis], total)
    if is_log:
        logs = bind(parse("x - y - log(z)"), {"x": x, "y": y, "z": input_term(2, "f32")})
        elementwise.emit(builder, logs, [source, peak.source(), total.source()], target)
    else:
        share = bind(parse("x / y"), {"x": x, "y": y})
        elementwise.emit(builder, share, [raised.source(), total.source()], target)
