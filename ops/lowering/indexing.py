"""Reading at positions that a tensor gives, and padding: any layouts.

Owns the kernels. A position below 0 counts from the end; one outside reads 0, as no error can be told once it is known.
Must not know op names; `scatter.py` writes at positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ops.expression import constant
from ops.layout import Layout
from ops.lowering import elementwise
from ops.lowering.base import (
    Builder,
    Params,
    Source,
    Target,
    address,
    bucket,
    coordinates,
    padded,
    stride_params,
)
from ops.wgsl import storage, stored, with_helpers
from shaders.spec import Binding, KernelSpec, Param

_WRAPPED = {
    "u32": "value",
    "i32": "select(bitcast<u32>(value), bitcast<u32>(value) + size, value < 0i)",
}
PLACE = """
fn place_of(value: {type}, size: u32) -> u32 {{
  let place = {wrapped};
  return select(0xffffffffu, place, place < size);
}}
"""
"""What a position means among `size` elements; 2^32 - 1 outside."""


def place_function(dtype: str) -> str:
    """The WGSL function `place_of` for positions of a dtype."""
    return PLACE.format(type=dtype, wrapped=_WRAPPED[dtype]).strip()


def gather(builder: Builder, x: Source, index: Source, axis: int, target: Target) -> None:
    """Write to `target` the elements of `x` whose coordinate along `axis` is `index`; all others are their own.

    `index` is broadcast to the target's shape; `x` is not smaller than that along the other axes.
    """
    shape = target.layout.shape
    if not target.layout.count:
        return
    if not x.layout.count:
        elementwise.emit(builder, constant(0, target.dtype), (), target)
        return
    layout, places = _vector(x.layout), _vector(index.layout.expand(shape))
    shape, rank = places.shape, bucket(max(len(shape), 1))
    own = [0 if number == axis else stride for number, stride in enumerate(layout.strides)]
    params: Params = {
        "count": target.layout.count,
        "size": layout.shape[axis],
        "step": padded([layout.strides[axis]], 1, 0)[0],
        "shape": padded(shape, rank, 1),
        "offset_x": layout.offset,
        "strides_x": padded(own, rank, 0),
        "offset_index": places.offset,
        "strides_index": padded(places.strides, rank, 0),
    }
    operands = [x.operand, index.operand, target.operand]
    builder.spread(_gather_spec(_word(x.dtype), index.dtype, rank), target.layout.count, operands, params)


def _word(dtype: str) -> str:
    """The WGSL type as which an element is moved: any word is a u32."""
    return storage(dtype) if dtype == "i64" else "u32"


def _vector(layout: Layout) -> Layout:
    """A layout of at least one axis."""
    return layout if layout.shape else layout.expand((1,))


@lru_cache(maxsize=16)
def _gather_spec(type: str, dtype: str, rank: int) -> KernelSpec:
    body = [
        "if (thread >= params.count) {\n    return;\n}",
        coordinates("thread", rank),
        f"let place = place_of(index[{address('index', rank)}], params.size);",
        f"let at = {address('x', rank)};",
        "let value = x[at + min(place, params.size - 1u) * params.step];",
        f"out[thread] = select({type}(), value, place < params.size);",
    ]
    names = ("count", "size", "step", "offset_x", "offset_index")
    return KernelSpec(
        "gather",
        (Binding("x", type), Binding("index", dtype)),
        (Binding("out", type, "read_write"),),
        "\n".join(body),
        (*map(Param, names), *stride_params(["shape", "strides_x", "strides_index"], rank)),
        functions=place_function(dtype),
    )


_MODES = {
    "constant": "p",
    "replicate": "clamp(p, 0i, n - 1i)",
    "circular": "((p % n) + n) % n",
    "reflect": "n - 1i - abs((((p % max(2i * n - 2i, 1i)) + 2i * n - 2i) % max(2i * n - 2i, 1i)) - n + 1i)",
}
"""Which element of an axis of `n` stands at position `p`."""
_SOURCE = "fn source_of(p: i32, n: i32) -> i32 {{\n  return {};\n}}"


def pad(builder: Builder, x: Source, before: Sequence[int], mode: str, value: float, target: Target) -> None:
    """Write `x` to `target` from position `before` on, and around it what `mode` says, `value` for `constant`."""
    if not target.layout.count:
        return
    if not x.layout.count:
        elementwise.emit(builder, constant(value, target.dtype), (), target)
        return
    rank = bucket(max(len(before), 1))
    widths = _PAD_WIDTHS[builder.device.kind] if before else ()
    width = next((width for width in widths if target.layout.shape[-1] % width == 0), 1)
    count = target.layout.count // width
    params: Params = {
        "count": count,
        "offset_x": x.layout.offset,
        "strides_x": padded(x.layout.strides, rank, 0),
        "sizes": padded(x.layout.shape, rank, 1),
        "shape": padded(target.layout.shape, rank, 1),
        "before": padded(before, rank, 0),
    }
    fill = stored(value if target.dtype == "f32" else int(value), target.dtype)
    spec = _pad_spec(mode, fill if mode == "constant" else "", storage(target.dtype), rank, width)
    builder.spread(spec, count, [x.operand, target.operand], params)


_PAD_WIDTHS = {"cpu": (16, 12, 8, 4), "gpu": ()}
"""Of how many elements side by side an invocation finds the place once, which takes it longer than to copy one."""


@lru_cache(maxsize=64)
def _pad_spec(mode: str, fill: str, type: str, rank: int, width: int) -> KernelSpec:
    last = rank - 1
    terms = [
        *(f"min(m{axis}, sizes_at({axis}u) - 1u) * strides_x_at({axis}u)" for axis in range(last)),
        f"min(m, sizes_at({last}u) - 1u) * strides_x_at({last}u)",
    ]
    inside = " && ".join(
        [*(f"m{axis} < sizes_at({axis}u)" for axis in range(last)), f"m < sizes_at({last}u)"]
    )
    value = f"x[{' + '.join(['params.offset_x', *terms])}]"

    def source(name: str, axis: int, place: str) -> str:
        return (
            f"let {name} = bitcast<u32>"
            f"(source_of(bitcast<i32>({place} - before_at({axis}u)), bitcast<i32>(sizes_at({axis}u))));"
        )

    body = [
        "if (thread >= params.count) {\n    return;\n}",
        f"let first = thread * {width}u;",
        coordinates("first", rank),
        *(source(f"m{axis}", axis, f"c{axis}") for axis in range(last)),
        f"for (var n = 0u; n < {width}u; n++) {{",
        source("m", last, f"c{last} + n"),
        f"out[first + n] = select({fill}, {value}, {inside});" if fill else f"out[first + n] = {value};",
        "}",
    ]
    return KernelSpec(
        "pad",
        (Binding("x", type),),
        (Binding("out", type, "read_write"),),
        "\n".join(body),
        (
            *map(Param, ("count", "offset_x")),
            *stride_params(["shape", "strides_x", "sizes", "before"], rank),
        ),
        functions=with_helpers(_SOURCE.format(_MODES[mode]), body=fill),
    )
