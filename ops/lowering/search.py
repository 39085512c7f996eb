"""Argmax and argmin: each invocation finds the best of a chunk of a row, passes repeat among the candidates.

Owns the searching kernel. Values are compared as unsigned keys that order NaN above everything. Must not know how ops
are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from ops import wgsl
from ops.expression import Term, bind, input_term, parse, scalar_term
from ops.layout import Layout
from ops.lowering import elementwise, reduce, windows
from ops.lowering.builder import BOUNDS_CHECK, Builder, Params
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import CHUNK, Rows, arrange, row_params, row_prologue
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_ELEMENT_WORK = 16
"""Multiply-adds that an element costs."""
_BEST = {True: Reduction("maximum(a, b)", None), False: Reduction("minimum(a, b)", None)}
"""The value that is looked for; NaN where there is one."""
_KEYS = {
    "f32": "order_key_f32(x)",
    "i32": "bitcast<u32>(x) ^ 0x80000000u",
    "u32": "x",
    "i64": "x ^ vec2<u32>(0u, 0x80000000u)",
}
_KEY = {
    True: "fn key(x: {type}) -> {key} {{\n  return {value};\n}}",
    False: "fn key(x: {type}) -> {key} {{\n  return ~({value});\n}}",
}
_NAN = "fn key_of(x: f32) -> u32 {\n  return select(key(x), 0xffffffffu, is_nan(x));\n}"
_PLAIN = "fn key_of(x: {type}) -> {key} {{\n  return key(x);\n}}"


def emit(builder: Builder, source: Source, folded: Sequence[int], largest: bool, target: Target) -> None:
    """Write to `target` (i32, contiguous) the first position of the largest or smallest along the axes `folded`."""
    if target.layout.count == 0:
        return
    shape = tuple(1 if axis in folded else size for axis, size in enumerate(source.layout.shape))
    kept = Target(target.operand, Layout.contiguous(shape, target.layout.offset), target.dtype)
    cut = windows.longest(builder.device, [source, kept])
    if cut is None:
        _emit(builder, source, folded, largest, target)
    elif cut not in folded:
        elementwise.by_halves(
            builder,
            kept,
            cut,
            lambda part, place: emit(builder, windows.narrowed(source, cut, part), folded, largest, place),
        )
    else:
        _by_halves(builder, source, folded, largest, kept)


def _by_halves(
    builder: Builder, source: Source, folded: Sequence[int], largest: bool, target: Target
) -> None:
    """The better one of what two parts along the first folded axis have: that of the first where they are equal."""
    source, order = whole(builder, source), sorted(folded)
    cut = next(axis for axis in order if source.layout.shape[axis] > 1)
    parts = windows.halves(source.layout.shape[cut])
    found: list[Source] = []
    fold = Fold(_BEST[largest], input_term(0, source.dtype), source.dtype)
    for part in parts:
        seen = windows.narrowed(source, cut, part)
        place, value = (builder.temp(target.layout.shape, dtype) for dtype in ("i32", source.dtype))
        emit(builder, seen, folded, largest, place)
        reduce.emit(builder, fold, [seen], seen.layout.shape, folded, value)
        found += [place.source(), value.source()]
    names: dict[str, Term | str | None] = {
        name: input_term(number, each.dtype)
        for number, (name, each) in enumerate(zip(("p", "x", "q", "y"), found, strict=True))
    }
    skipped = parts[1].start * prod(source.layout.shape[axis] for axis in order if axis > cut)
    names["skipped"] = scalar_term(skipped)
    is_better = f"y {'>' if largest else '<'} x"
    if source.dtype == "f32":
        is_better = f"({is_better} or is_nan(y)) and not is_nan(x)"
    term = bind(parse(f"where({is_better}, q + skipped, p)"), names)
    elementwise.emit(builder, term, found, target)


def _emit(builder: Builder, source: Source, folded: Sequence[int], largest: bool, target: Target) -> None:
    rows = arrange(builder, [source], source.layout.shape, folded)
    columns, candidates = rows.columns, None
    while columns > CHUNK:
        chunks = -(-columns // CHUNK)
        best = builder.temp((rows.count, chunks), "i32")
        _pass(builder, rows, candidates, columns, largest, best)
        columns, candidates = chunks, best
    _pass(builder, rows, candidates, columns, largest, target)


def _pass(
    builder: Builder, rows: Rows, candidates: Target | None, columns: int, largest: bool, target: Target
) -> None:
    chunks = -(-columns // CHUNK)
    count = rows.count * chunks
    params: Params = rows.params() | {
        "count": count,
        "rows": rows.count,
        "columns": columns,
        "chunk": CHUNK,
        "chunks": chunks,
    }
    operands = [*rows.operands, *([candidates.operand] if candidates else []), target.operand]
    spec = _spec(rows.dtypes[0], rows.rank, largest, candidates is not None)
    builder.spread(spec, count, operands, params, _ELEMENT_WORK * min(columns, CHUNK))


@lru_cache(maxsize=64)
def _spec(dtype: str, rank: int, largest: bool, narrowed: bool) -> KernelSpec:
    type, is_long = wgsl.storage(dtype), dtype == "i64"
    key_type = type if is_long else "u32"
    key = _KEY[largest].format(type=type, key=key_type, value=_KEYS[dtype])
    total = _NAN if dtype == "f32" else _PLAIN.format(type=type, key=key_type)
    is_better = "lt_u64(best_key, other_key)" if is_long else "other_key > best_key"
    candidate = "u32(candidates[row * params.columns + {}])" if narrowed else "{}"
    body = [
        BOUNDS_CHECK,
        "let row = thread % params.rows;",
        "let part = thread / params.rows;",
        row_prologue(1, rank),
        "let begin = part * params.chunk;",
        "let end = min(begin + params.chunk, params.columns);",
        f"var best = {candidate.format('begin')};",
        "var best_key = key_of(in0[at_in0 + best * params.step_in0]);",
        "for (var i = begin + 1u; i < end; i++) {",
        f"    let other = {candidate.format('i')};",
        "    let other_key = key_of(in0[at_in0 + other * params.step_in0]);",
        f"    let is_better = {is_better};",
        "    best = select(best, other, is_better);",
        "    best_key = select(best_key, other_key, is_better);",
        "}",
        "out[row * params.chunks + part] = i32(best);",
    ]
    inputs = [Binding("in0", type), *([Binding("candidates", "i32")] if narrowed else [])]
    return KernelSpec(
        "search",
        tuple(inputs),
        (Binding("out", "i32", "read_write"),),
        "\n".join(body),
        (*(Param(name) for name in ("count", "rows", "columns", "chunk", "chunks")), *row_params(1, rank)),
        functions=wgsl.with_helpers(key, total, body=is_better),
    )
