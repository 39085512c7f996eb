"""Writing at positions that a tensor gives, the same bytes each time.

Owns the order of writes to one place: the last wins, and folds add up in the order of positions, which are sorted for
that. Positions are as in `indexing.py`; one outside is not written. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ops import wgsl
from ops.expression import cast, constant, input_term
from ops.layout import Layout
from ops.lowering import collections, elementwise, folds, indexing, sorting, windows
from ops.lowering.addressing import address, bucket, coordinates, padded, stride_params
from ops.lowering.builder import BOUNDS_CHECK, Builder, Params
from ops.lowering.messages import whole
from ops.lowering.operands import Source, Target
from ops.spec import Reduction
from shaders.routines import routine_spec
from shaders.spec import Binding, KernelSpec, Param

_CHUNK = 256
"""Values that an invocation folds."""
_ELEMENT_WORK = 8
"""Multiply-adds that one of them costs."""


_FOLDS: dict[str, Callable[[str], Reduction]] = {
    "add": lambda dtype: folds.SUM,
    "mul": lambda dtype: folds.PRODUCT,
    "max": folds.maximum,
    "min": folds.minimum,
}
"""What folds at one place combine, by dtype."""


def emit(
    builder: Builder, x: Source, index: Source, value: Source, axis: int, reduce: str, target: Target
) -> None:
    """Write `x` to `target` (contiguous, of its dtype), and `value` where `index` says along `axis`.

    `value` is broadcast to the shape of `index`. `reduce` is `none` (the last is put), `add`, `mul`, `max` or `min`.
    """
    elementwise.copy(builder, x, target)
    if index.layout.count and target.layout.count:
        shown = Source(value.operand, value.layout.expand(index.layout.shape), value.dtype)
        _write(builder, index, shown, axis, reduce, target, target.layout)


def _write(
    builder: Builder, index: Source, value: Source, axis: int, reduce: str, target: Target, there: Layout
) -> None:
    """Write the values in parts that can be bound, one after the other; `there` is how what `index` has lies."""
    laid = Source(index.operand, Layout.contiguous(index.layout.shape), target.dtype)
    if windows.longest(builder.device, [index, value, laid]) is not None:
        cut = next(number for number, size in enumerate(index.layout.shape) if size > 1)
        index, value = whole(builder, index), whole(builder, value)
        for part in windows.halves(index.layout.shape[cut]):
            rest = range(part.start, there.shape[cut])
            seen = there if cut == axis else windows.narrow(there, cut, rest)
            index_part, value_part = (windows.narrowed(source, cut, part) for source in (index, value))
            _write(builder, index_part, value_part, axis, reduce, target, seen)
        return
    values = _values(builder, value, target.dtype)
    for span in windows.spans(builder.device, target.layout.count, width=windows.width_of([target.dtype])):
        near = Layout.contiguous((len(span),), span.start)
        shown = Target(*windows.through(target.operand, near, target.dtype), target.dtype)
        places = _places(builder, index, there, axis, span.start, len(span))
        if reduce == "none":
            _put(builder, places, values, shown)
        else:
            _fold(builder, places, values, _FOLDS[reduce](target.dtype), shown)


def _values(builder: Builder, value: Source, dtype: str) -> Source:
    if value.dtype == dtype:
        return whole(builder, value)
    target = builder.temp(value.layout.shape, dtype)
    elementwise.emit(builder, cast(input_term(0, value.dtype), dtype), [value], target)
    return target.source()


def _places(builder: Builder, index: Source, target: Layout, axis: int, first: int, extent: int) -> Source:
    """Where each of `index` means, from element `first` of the target's buffer; 2^32 - 1 outside the `extent` seen."""
    layout = index.layout if index.layout.shape else index.layout.expand((1,))
    strides = target.strides or (1,)
    rank = bucket(len(layout.shape))
    places = builder.temp((layout.count,), "u32")
    params: Params = {
        "count": layout.count,
        "size": target.shape[axis] if target.shape else 1,
        "step": strides[axis],
        "shape": padded(layout.shape, rank, 1),
        "offset_index": layout.offset,
        "strides_index": padded(layout.strides, rank, 0),
        "offset_out": target.offset,
        "first": first,
        "extent": extent,
        "strides_out": padded([0 if n == axis else stride for n, stride in enumerate(strides)], rank, 0),
    }
    spec = _places_spec(index.dtype, rank)
    builder.spread(spec, layout.count, [index.operand, places.operand], params)
    return places.source()


@lru_cache(maxsize=16)
def _places_spec(dtype: str, rank: int) -> KernelSpec:
    body = [
        BOUNDS_CHECK,
        coordinates("thread", rank),
        f"let place = place_of(index[{address('index', rank)}], params.size);",
        f"let at = {address('out', rank)} + place * params.step - params.first;",
        "places[thread] = select(0xffffffffu, at, place < params.size && at < params.extent);",
    ]
    names = ("count", "size", "step", "first", "extent", "offset_index", "offset_out")
    return KernelSpec(
        "places",
        (Binding("index", dtype),),
        (Binding("places", "u32", "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(["shape", "strides_index", "strides_out"], rank)),
        functions=indexing.place_function(dtype),
    )


def _put(builder: Builder, places: Source, values: Source, target: Target) -> None:
    owners = builder.temp((target.layout.count,), "u32")
    elementwise.emit(builder, constant(0, "u32"), (), owners)
    count = {"count": values.layout.count}
    spec = routine_spec("last_writer", "places:u32", "owners:atomic<u32>")
    builder.spread(spec, count["count"], [places.operand, owners.operand], count)
    word = indexing.word(target.dtype)
    spec = routine_spec("write_last", f"places:u32 values:{word} owners:u32", f"y:{word}")
    operands = [places.operand, values.operand, owners.operand, target.operand]
    builder.spread(spec, count["count"], operands, count)


def _fold(builder: Builder, places: Source, values: Source, fold: Reduction, target: Target) -> None:
    """Sort by place, then fold runs chunk by chunk: those at a chunk's two ends go on to the next pass."""
    order = builder.temp((places.layout.count,), "u32")
    keys = builder.temp((places.layout.count,), "u32")
    ordered = builder.temp((places.layout.count,), target.dtype)
    sorting.sort_places(builder, places, order)
    collections.take_at(builder, places, order.source(), keys)
    collections.take_at(builder, values, order.source(), ordered)
    while True:
        total = keys.layout.count
        chunks = -(-total // _CHUNK)
        more = chunks > 1
        next_keys = builder.temp((2 * chunks,), "u32") if more else keys
        next_values = builder.temp((2 * chunks,), target.dtype) if more else ordered
        outputs = [next_keys.operand, next_values.operand] if more else []
        params = {"count": chunks, "total": total, "chunk": _CHUNK}
        operands = [keys.operand, ordered.operand, target.operand, *outputs]
        work = _ELEMENT_WORK * min(total, _CHUNK)
        builder.spread(_fold_spec(fold, target.dtype, more), chunks, operands, params, work)
        if not more:
            return
        keys, ordered = next_keys, next_values


_STORE = """fn store(key: u32, total: {type}) {{
  if (key != 0xffffffffu) {{
    y[key] = combine(y[key], total);
  }}
}}"""
_PASS_ON = """fn pass_on(at: u32, key: u32, total: {type}) {{
  next_keys[at] = key;
  next_values[at] = total;
}}"""


@lru_cache(maxsize=64)
def _fold_spec(fold: Reduction, dtype: str, more: bool) -> KernelSpec:
    """The kernel of a chunk; `more` says that its first and last run may go on in other chunks."""
    type = wgsl.storage(dtype)
    combine = folds.combine_function(fold, dtype)
    first = "pass_on(2u * thread, key, total);" if more else "store(key, total);"
    last = "pass_on(2u * thread + 1u, key, total);" if more else "store(key, total);"
    neutral = wgsl.stored(fold.start or 0, dtype)
    body = [
        BOUNDS_CHECK,
        "let begin = thread * params.chunk;",
        "let end = min(begin + params.chunk, params.total);",
        "var key = keys[begin];",
        "var total = values[begin];",
        "var is_first = true;",
        "for (var i = begin + 1u; i < end; i++) {",
        "    if (keys[i] == key) {\n        total = combine(total, values[i]);\n        continue;\n    }",
        f"    if (is_first) {{\n        {first}\n    }} else {{\n        store(key, total);\n    }}",
        "    is_first = false;\n    key = keys[i];\n    total = values[i];\n}",
        *([f"if (is_first) {{\n    pass_on(2u * thread, key, {neutral});\n}}"] if more else []),
        last,
    ]
    outputs = [Binding("y", type, "read_write")]
    if more:
        outputs += [Binding("next_keys", "u32", "read_write"), Binding("next_values", type, "read_write")]
    texts = [combine.text, _STORE.format(type=type), *([_PASS_ON.format(type=type)] if more else [])]
    return KernelSpec(
        "fold_at",
        (Binding("keys", "u32"), Binding("values", type)),
        tuple(outputs),
        "\n".join(body),
        tuple(map(Param, ("count", "total", "chunk"))),
        functions=wgsl.with_helpers(*texts, body=neutral),
    )
