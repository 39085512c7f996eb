"""Running folds along rows: each invocation takes a chunk of a row, and chunks' totals are scanned first.

Owns the kernels and how the scanned axis becomes the last. Must not know op names: what is combined is an expression.
On GPUs `tiles.py` does sums of flat arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ops import wgsl
from ops.expression import applied, cast, input_term
from ops.lowering import elementwise, tiles, windows
from ops.lowering.builder import BOUNDS_CHECK, Builder
from ops.lowering.folds import SUM, combine_function
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

CHUNK = 1024
"""Elements that an invocation goes through."""
_ELEMENT_WORK = 8
"""Multiply-adds that one of them costs."""


def emit(
    builder: Builder, fold: Reduction, source: Source, axis: int, exclusive: bool, target: Target
) -> None:
    """Write the running folds of `source` along `axis` to `target`, both of one dtype; sums wrap."""
    if not target.layout.count:
        return
    cut = windows.longest(builder.device, [source, target])
    if cut is not None:
        _by_halves(builder, fold, source, axis, exclusive, target, cut)
        return
    rank = len(target.layout.shape)
    order = [*(number for number in range(rank) if number != axis), axis][-rank:] if rank else []
    turned = Source(source.operand, source.layout.permute(order), source.dtype)
    place = Target(target.operand, target.layout.permute(order), target.dtype)
    columns = place.layout.shape[-1] if rank else 1
    direct = place.layout.is_contiguous and place.layout.offset == 0
    out = place if direct else builder.temp(place.layout.shape, place.dtype)
    scan_rows(builder, fold, whole(builder, turned), out, columns, exclusive)
    if not direct:
        elementwise.copy(builder, out.source(), place)


def _by_halves(
    builder: Builder, fold: Reduction, source: Source, axis: int, exclusive: bool, target: Target, cut: int
) -> None:
    """The folds of two parts along `cut`; along the scanned axis the second goes on from the end of the first."""
    if cut != axis:
        elementwise.by_halves(
            builder,
            target,
            cut,
            lambda part, place: emit(
                builder, fold, windows.narrowed(source, cut, part), axis, exclusive, place
            ),
        )
        return
    first, second = windows.halves(target.layout.shape[axis])
    for part in (first, second):
        place = windows.narrowed(target, axis, part)
        emit(builder, fold, windows.narrowed(source, axis, part), axis, exclusive, place)
    last, place = first[-1:], windows.narrowed(target, axis, second)
    carried = [_copied(builder, windows.narrowed(target, axis, last))]
    carried += [windows.narrowed(source, axis, last)] * exclusive
    _combine(builder, fold, [*carried, _copied(builder, place)], place)


def _copied(builder: Builder, made: Target) -> Source:
    """What was written, in a buffer of its own: no kernel reads what it writes."""
    copy = builder.temp(made.layout.shape, made.dtype)
    elementwise.copy(builder, made.source(), copy)
    return copy.source()


def _combine(builder: Builder, fold: Reduction, sources: Sequence[Source], target: Target) -> None:
    """Write to `target` what the elements of several sources, broadcast, fold to."""
    total = input_term(0, target.dtype)
    for number in range(1, len(sources)):
        total = cast(applied(fold.combine, a=total, b=input_term(number, target.dtype)), target.dtype)
    elementwise.emit(builder, total, sources, target)


def scan_rows(builder: Builder, fold: Reduction, x: Source, y: Target, columns: int, exclusive: bool) -> None:
    """The running folds of rows of `columns`; both are contiguous from the start of their buffers, and not empty."""
    total = x.layout.count
    is_flat = columns == total and x.dtype != "i64"
    if builder.device.kind == "gpu" and is_flat and fold.combine == SUM.combine:
        tiles.scan(builder, x, y, exclusive)
        return
    rows, chunks = total // columns, -(-columns // CHUNK)
    params = {"count": rows * chunks, "columns": columns, "chunk": CHUNK, "chunks": chunks, "zero": 0}
    work = _ELEMENT_WORK * min(columns, CHUNK)
    operands = [x.operand]
    if chunks > 1:
        parts, sums = (builder.temp((rows, chunks), x.dtype) for _ in range(2))
        spec = _spec(fold, x.dtype, "totals", True)
        builder.spread(spec, rows * chunks, [x.operand, parts.operand], params, work)
        scan_rows(builder, fold, parts.source(), sums, chunks, exclusive=False)
        operands.append(sums.operand)
    spec = _spec(fold, x.dtype, "exclusive" if exclusive else "inclusive", chunks > 1)
    builder.spread(spec, rows * chunks, [*operands, y.operand], params, work)


@lru_cache(maxsize=128)
def _spec(fold: Reduction, dtype: str, form: str, chunked: bool) -> KernelSpec:
    """The kernel that writes each chunk's total (`form` is `totals`), or each element's running fold."""
    type = wgsl.storage(dtype)
    combine = combine_function(fold, dtype)
    start = wgsl.stored(fold.start or 0, dtype)
    totals = form == "totals"
    body = [
        BOUNDS_CHECK,
        "let row = thread / params.chunks;",
        "let part = thread % params.chunks;",
        "let begin = row * params.columns + part * params.chunk;",
        "let end = min(begin + params.chunk, (row + 1u) * params.columns);",
        f"var sum: {type} = {start};",
        "if (part > 0u) {\n    sum = sums[thread - 1u];\n}" if chunked and not totals else "",
        "var slip = 0.0f;" if _compensated(fold, dtype) else "",
        "for (var i = begin; i < end; i++) {",
        "    y[i] = sum;" if form == "exclusive" else "",
        *_step(fold, dtype),
        "    y[i] = sum;" if form == "inclusive" else "",
        "}",
        "y[thread] = sum;" if totals else "",
    ]
    inputs = [Binding("x", type), *([Binding("sums", type)] if chunked and not totals else [])]
    return KernelSpec(
        "scan",
        tuple(inputs),
        (Binding("y", type, "read_write"),),
        "\n".join(line for line in body if line),
        tuple(Param(name) for name in ("count", "columns", "chunk", "chunks", "zero")),
        functions=wgsl.with_helpers(combine.text, _FINITE if _compensated(fold, dtype) else "", body=start),
    )


_FINITE = "fn kept(slip: f32) -> f32 {\n  return select(0.0f, slip, is_finite(slip));\n}"


def _compensated(fold: Reduction, dtype: str) -> bool:
    return dtype == "f32" and fold.combine == SUM.combine


def _step(fold: Reduction, dtype: str) -> list[str]:
    """Statements that fold element `i` into `sum`; sums of floats keep what rounding took (W. Kahan).

    A number that only we know to be 0 keeps drivers from finding that `slip` were 0 if nothing were rounded.
    """
    if not _compensated(fold, dtype):
        return ["    sum = combine(sum, x[i]);"]
    return [
        "    let value = x[i] - slip;",
        "    let next = bitcast<f32>(bitcast<u32>(combine(sum, value)) ^ params.zero);",
        "    slip = kept((next - sum) - value);",
        "    sum = next;",
    ]
