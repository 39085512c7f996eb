"""Reductions: each invocation folds a chunk of a row into several accumulators, passes repeat until one is left.

Owns the folding kernel. Chunks are short, so that sums err like pairwise ones; an invocation may have several. Must
not know op names: what is loaded, combined and finished are terms, so that a fused producer is just a larger `load`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from ops import expression, wgsl
from ops.expression import Term, bind, cast, input_term, parse, scalar_term
from ops.layout import Layout
from ops.lowering import elementwise, windows
from ops.lowering.after import After
from ops.lowering.builder import BOUNDS_CHECK, GROUP, Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.folds import combine_function, combined
from ops.lowering.operands import Source, Target
from ops.lowering.rows import (
    CHUNK,
    Rows,
    are_rows,
    arrange,
    contiguous_rows,
    row_bindings,
    row_params,
    row_prologue,
    row_read,
)
from ops.shapes import Shape, reduced
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_ELEMENT_WORK, _QUAD_WORK = 8, 16
"""Multiply-adds that an element costs, and a quad."""
_FEWEST = 256
"""Invocations at least, as far as rows allow, before one folds several chunks."""
_UNITS = 8
"""How many sums go on side by side, each of an element or of four: no addition waits for the one before."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A reduction with its types: it loads and combines in `dtype`, and finishes in the target's."""

    reduction: Reduction
    load: Term
    dtype: str


def emit(
    builder: Builder,
    fold: Fold,
    sources: Sequence[Source],
    shape: Shape,
    folded: Sequence[int],
    target: Target,
    after: After | None = None,
) -> None:
    """Fold the axes `folded` of `fold.load`, whose inputs are `sources` broadcast to `shape`, into `target`.

    The target is contiguous from offset 0. With `after` it gets what is done with the result.
    """
    if target.layout.count == 0:
        return
    if after is not None and after.sources:
        made = builder.temp(target.layout.shape, fold.dtype)
        emit(builder, fold, sources, shape, folded, made)
        elementwise.emit_after(builder, after, made.source(), target)
        return
    if len(sources) > 1 and not are_rows(sources, shape, folded):
        loaded = builder.temp(shape, fold.load.dtype)
        elementwise.emit(builder, fold.load, sources, loaded)
        fold, sources = replace(fold, load=input_term(0, loaded.dtype)), [loaded.source()]
    axis = _cut_axis(builder.device, fold, sources, shape, folded)
    if axis is not None:
        _by_halves(builder, fold, sources, shape, folded, target, after, axis)
        return
    rows = arrange(builder, sources, shape, folded)
    if rows.columns == 0:
        empty = fold.reduction.start if fold.reduction.empty is None else fold.reduction.empty
        value = cast(scalar_term(empty or 0), fold.dtype)  # drivers make 0 of a literal 0 divided by anything
        elementwise.emit(builder, _after(after, value, target.dtype), (), target)
        return
    load, total = fold.load, rows.columns
    while rows.columns > (part := _share(builder.device, rows)):
        partial = builder.temp((rows.count, -(-rows.columns // part)), fold.dtype)
        _pass(builder, fold, load, input_term(0, fold.dtype), rows, partial)
        rows = contiguous_rows(partial.source(), *partial.layout.shape)
        load = input_term(0, fold.dtype)
    finish = _finish(fold, input_term(0, fold.dtype), total)
    _pass(builder, fold, load, _after(after, finish, target.dtype), rows, target)


def _cut_axis(
    device: DeviceClass, fold: Fold, sources: Sequence[Source], shape: Shape, folded: Sequence[int]
) -> int | None:
    """The axis along which to cut what is folded, if an operand or a copy of one is larger than a binding."""
    layouts, width = [source.layout for source in sources], _width(fold, sources)
    is_large = width * prod(shape) > device.binding
    if not is_large and not any(windows.is_wide(device, layout, width) for layout in layouts):
        return None
    copied = [] if are_rows(sources, shape, folded) else [Layout.contiguous(shape)]
    written = Layout.contiguous(reduced(shape, folded, keepdim=True)).expand(shape)
    operands = [*(layout.expand(shape) for layout in layouts), *copied, written]
    return windows.cut_axis(device, shape, operands, width)


def _width(fold: Fold, sources: Sequence[Source]) -> int:
    return windows.width_of([fold.dtype, *(source.dtype for source in sources)])


def _by_halves(
    builder: Builder,
    fold: Fold,
    sources: Sequence[Source],
    shape: Shape,
    folded: Sequence[int],
    target: Target,
    after: After | None,
    axis: int,
) -> None:
    """The same in two parts along `axis`, which are combined, or are parts of the target."""
    whole = Target(target.operand, Layout.contiguous(reduced(shape, folded, keepdim=True)), target.dtype)
    sources = [Source(source.operand, source.layout.expand(shape), source.dtype) for source in sources]

    def write(fold: Fold, part: range, there: Target, after: After | None) -> None:
        seen = [windows.narrowed(source, axis, part) for source in sources]
        emit(builder, fold, seen, (*shape[:axis], len(part), *shape[axis + 1 :]), folded, there, after)

    if axis not in folded:
        elementwise.by_halves(builder, whole, axis, lambda part, there: write(fold, part, there, after))
        return
    made = [builder.temp(whole.layout.shape, fold.dtype) for _ in range(2)]
    for part, there in zip(windows.halves(shape[axis]), made, strict=True):
        write(replace(fold, reduction=replace(fold.reduction, finish="a")), part, there, None)
    finish = _finish(fold, combined(fold.reduction, fold.dtype), prod(shape[number] for number in folded))
    elementwise.emit(builder, _after(after, finish, target.dtype), [each.source() for each in made], whole)


def _finish(fold: Fold, folded: Term, count: int) -> Term:
    return cast(bind(parse(fold.reduction.finish), {"a": folded, "n": scalar_term(float(count))}), fold.dtype)


def _after(after: After | None, result: Term, dtype: str) -> Term:
    return cast(result if after is None else expression.substituted(after.term, {0: result}), dtype)


def _share(device: DeviceClass, rows: Rows) -> int:
    """How many columns an invocation folds: fewer where few invocations would be left."""
    fair = -(-rows.count * rows.columns // (_FEWEST * CHUNK))
    return CHUNK * max(1, min(device.chunks, fair))


def _pass(builder: Builder, fold: Fold, load: Term, finish: Term, rows: Rows, target: Target) -> None:
    width = 4 if rows.quads() else 1
    inputs = [(f"x{number}", dtype) for number, dtype in enumerate(rows.dtypes)]
    functions = (
        wgsl.function("load", cast(load, fold.dtype), inputs, "l"),
        combine_function(fold.reduction, fold.dtype),
        wgsl.function("finish", finish, [("a", fold.dtype)], "f"),
    )
    start = fold.reduction.start
    spec = _spec(
        tuple(function.text for function in functions),
        tuple(param for function in functions for param in function.params),
        rows.kinds,
        wgsl.storage(fold.dtype),
        wgsl.storage(target.dtype),
        "" if start is None else wgsl.stored(start, fold.dtype),
        rows.rank,
        width,
        builder.device.lanes if builder.device.kind == "cpu" else GROUP,
    )
    part = _share(builder.device, rows)
    parts = -(-rows.columns // part)
    params: Params = rows.params(width) | {
        "count": rows.count * parts,
        "rows": rows.count,
        "columns": rows.columns // width,
        "part": part // width,
        "parts": parts,
    }
    for function in functions:
        params |= function.values
    operands = [*rows.operands, target.operand]
    each = (_ELEMENT_WORK if width == 1 else _QUAD_WORK) * min(rows.columns, part) // width
    builder.spread(spec, rows.count * parts, operands, params, each)


@lru_cache(maxsize=1024)
def _spec(
    functions: tuple[str, ...],
    params: tuple[Param, ...],
    kinds: tuple[str, ...],
    folded: str,
    result: str,
    start: str,
    rank: int,
    width: int,
    size: int,
) -> KernelSpec:
    first = f"load({', '.join(_part(row_read(n, kind, 'begin', width), width, 0) for n, kind in enumerate(kinds))})"
    lines = [
        BOUNDS_CHECK,
        "let row = thread % params.rows;",
        "let part = thread / params.rows;",
        row_prologue(len(kinds), rank),
        "let begin = part * params.part;",
        "let end = min(begin + params.part, params.columns);",
        f"let start: {folded} = {start or first};",
        "var total = start;",
        "var i = begin;",
        "while (i < end) {",
        *_chunk(kinds, width),
        "}",
        "out[row * params.parts + part] = finish(total);",
    ]
    body = "\n".join(lines)
    return KernelSpec(
        "reduce",
        row_bindings(kinds, width),
        (Binding("out", result, "read_write"),),
        body,
        (
            *(Param(name) for name in ("count", "rows", "columns", "part", "parts")),
            *row_params(len(kinds), rank, width),
            *params,
        ),
        (size, 1, 1),
        functions=wgsl.with_helpers(*functions, body=body),
    )


def _chunk(kinds: Sequence[str], width: int) -> list[str]:
    """Statements that fold the next chunk of a row: into accumulators side by side, and these in pairs."""
    accumulators = [f"a{number}" for number in range(_UNITS * width)]
    lines = [
        f"let stop = min(i + {CHUNK // width}u, end);",
        *(f"var {name} = start;" for name in accumulators),
        f"for (; i + {_UNITS}u <= stop; i += {_UNITS}u) {{",
        *_turn(kinds, accumulators, _UNITS, width),
        "}",
        "for (; i < stop; i++) {",
        *_turn(kinds, accumulators, 1, width),
        "}",
    ]
    step = len(accumulators) // 2
    while step:
        lines += [f"a{low} = combine(a{low}, a{low + step});" for low in range(step)]
        step //= 2
    return [*lines, "total = combine(total, a0);"]


def _part(text: str, width: int, lane: int) -> str:
    return f"{text}.{'xyzw'[lane]}" if width == 4 else text


def _turn(kinds: Sequence[str], accumulators: Sequence[str], units: int, width: int) -> list[str]:
    """Statements that fold `units` reads from column `i` on."""
    lines = []
    for unit in range(units):
        lines += [
            f"    let in{number}_{unit} = {row_read(number, kind, f'(i + {unit}u)', width)};"
            for number, kind in enumerate(kinds)
        ]
        for lane in range(width):
            target = accumulators[unit * width + lane]
            values = ", ".join(_part(f"in{number}_{unit}", width, lane) for number in range(len(kinds)))
            lines.append(f"    {target} = combine({target}, load({values}));")
    return lines
