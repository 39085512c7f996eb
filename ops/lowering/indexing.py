"""Reading at positions that a tensor gives, and padding: any layouts.

Owns the kernels. A position below 0 counts from the end; one outside reads 0, as no error can be told once it is known.
Must not know op names; `scatter.py` writes at positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from ops.expression import constant
from ops.layout import Layout
from ops.lowering import elementwise, windows
from ops.lowering.addressing import address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.builder import BOUNDS_CHECK, Builder, Params
from ops.lowering.operands import Source, Target
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
    if not target.layout.count:
        return
    if not x.layout.count:
        elementwise.emit(builder, constant(0, target.dtype), (), target)
        return
    layout, there = _vector(x.layout), _vector(target.layout)
    ranges = [range(size if n == axis else wanted) for n, (size, wanted) in _sizes(layout, there)]
    x = windows.seen(builder.device, Source(x.operand, layout, x.dtype), layout.slice(ranges))
    index = Source(index.operand, index.layout.expand(there.shape), index.dtype)
    _gather(builder, x, index, axis, Target(target.operand, there, target.dtype))


def _sizes(*layouts: Layout) -> enumerate[tuple[int, ...]]:
    return enumerate(zip(*(layout.shape for layout in layouts), strict=True))


def _gather(builder: Builder, x: Source, index: Source, axis: int, target: Target) -> None:
    """Gather in parts that can be bound: of the target first, then of what is along `axis`."""
    line = windows.narrowed(x, axis, range(1))
    cut = windows.longest(builder.device, [target, index, line])
    if cut is None:
        _gather_from(builder, x, index, axis, target, range(x.layout.shape[axis]), x.layout.shape[axis])
        return

    def write(part: range, place: Target) -> None:
        shown = x if cut == axis else windows.narrowed(x, cut, part)
        _gather(builder, shown, windows.narrowed(index, cut, part), axis, place)

    elementwise.by_halves(builder, target, cut, write)


def _gather_from(
    builder: Builder, x: Source, index: Source, axis: int, target: Target, seen: range, size: int
) -> None:
    """Gather from the elements `seen` of `size` along `axis`; what is at others stays as it is, or is 0."""
    if windows.longest(builder.device, [x]) is not None:
        for part in windows.halves(len(seen)):
            shown = windows.narrowed(x, axis, part)
            _gather_from(builder, shown, index, axis, target, seen[part.start : part.stop], size)
        return
    rank = bucket(len(target.layout.shape))
    own = [0 if number == axis else stride for number, stride in enumerate(x.layout.strides)]
    params: Params = {
        "count": target.layout.count,
        "size": size,
        "first": seen.start,
        "extent": len(seen),
        "step": wrapped(x.layout.strides[axis]),
        "shape": padded(target.layout.shape, rank, 1),
        "offset_x": x.layout.offset,
        "strides_x": padded(own, rank, 0),
        "offset_index": index.layout.offset,
        "strides_index": padded(index.layout.strides, rank, 0),
    }
    operands = [x.operand, index.operand, target.operand]
    builder.spread(_gather_spec(word(x.dtype), index.dtype, rank), target.layout.count, operands, params)


def word(dtype: str) -> str:
    """The WGSL type as which an element is moved: any word is a u32."""
    return storage(dtype) if dtype == "i64" else "u32"


def _vector(layout: Layout) -> Layout:
    """A layout of at least one axis."""
    return layout if layout.shape else layout.expand((1,))


@lru_cache(maxsize=16)
def _gather_spec(type: str, dtype: str, rank: int) -> KernelSpec:
    body = [
        BOUNDS_CHECK,
        coordinates("thread", rank),
        f"let place = place_of(index[{address('index', rank)}], params.size) - params.first;",
        f"let at = {address('x', rank)};",
        "let value = x[at + min(place, params.extent - 1u) * params.step];",
        "if (place < params.extent || params.first == 0u) {",
        f"    out[thread] = select({type}(), value, place < params.extent);\n}}",
    ]
    names = ("count", "size", "first", "extent", "step", "offset_x", "offset_index")
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
    "circular": "remainder_i32(p, n)",
    "reflect": "n - 1i - abs(remainder_i32(p, max(2i * n - 2i, 1i)) - n + 1i)",
}
"""Which element of an axis of `n` stands at position `p`."""
_SOURCES: dict[str, Callable[[int, int], int]] = {
    "replicate": lambda p, n: min(max(p, 0), n - 1),
    "circular": lambda p, n: p % n,
    "reflect": lambda p, n: n - 1 - abs(p % max(2 * n - 2, 1) - n + 1),
}
"""The same in numbers."""
_SOURCE = "fn source_of(p: i32, n: i32) -> i32 {{\n  return {};\n}}"


def pad(builder: Builder, x: Source, before: Sequence[int], mode: str, value: float, target: Target) -> None:
    """Write `x` to `target` from position `before` on, and around it what `mode` says, `value` for `constant`."""
    if not target.layout.count:
        return
    if not x.layout.count:
        elementwise.emit(builder, constant(value, target.dtype), (), target)
        return
    x = Source(x.operand, _vector(x.layout), x.dtype)
    target = Target(target.operand, _vector(target.layout), target.dtype)
    _pad(builder, x, [-number for number in before] or [0], mode, value, target)


def _pad(builder: Builder, x: Source, first: Sequence[int], mode: str, value: float, target: Target) -> None:
    """Write a part of what is padded: its first element is at position `first` of `x`."""
    seen, ranges = x, [range(size) for size in x.layout.shape]
    if windows.longest(builder.device, [x]) is not None:
        spans = [range(begin, begin + count) for begin, count in zip(first, target.layout.shape, strict=True)]
        ranges = [_needed(mode, *each) for each in zip(spans, x.layout.shape, strict=True)]
        if not all(ranges):
            elementwise.emit(builder, constant(value, target.dtype), (), target)
            return
        seen = Source(*windows.through(x.operand, x.layout.slice(ranges), x.dtype), x.dtype)
    cut = windows.longest(builder.device, [target])
    cut = windows.longest(builder.device, [seen]) if cut is None else cut
    if cut is not None:

        def write(part: range, place: Target) -> None:
            begins = [begin + part.start * (axis == cut) for axis, begin in enumerate(first)]
            _pad(builder, x, begins, mode, value, place)

        elementwise.by_halves(builder, target, cut, write)
        return
    rank = bucket(len(first))
    width = next(w for w in _PAD_WIDTHS[builder.device.kind] if target.layout.shape[-1] % w == 0)
    count = target.layout.count // width
    params: Params = {
        "count": count,
        "offset_x": seen.layout.offset,
        "strides_x": padded(seen.layout.strides, rank, 0),
        "sizes": padded(x.layout.shape, rank, 1),
        "shape": padded(target.layout.shape, rank, 1),
        "before": padded([-begin for begin in first], rank, 0),
        "first": padded([each.start for each in ranges], rank, 0),
        "extent": padded([len(each) for each in ranges], rank, 1),
    }
    fill = stored(value, target.dtype)
    spec = _pad_spec(mode, fill if mode == "constant" else "", storage(target.dtype), rank, width)
    builder.spread(spec, count, [seen.operand, target.operand], params)


_PAD_WIDTHS = {"cpu": (16, 12, 8, 4, 1), "gpu": (1,)}
"""Of how many elements side by side an invocation finds the place once, which takes it longer than to copy one."""


def _needed(mode: str, positions: range, size: int) -> range:
    """Which of `size` elements along an axis stand at `positions`."""
    if mode == "constant":
        return range(max(positions.start, 0), min(positions.stop, size))
    if len(positions) > 2 * size:
        return range(size)
    turn = {"circular": size, "reflect": max(size - 1, 1)}.get(mode, len(positions))
    turns = range(-(-positions.start // turn) * turn, positions.stop, turn)
    ends = {positions[0], positions[-1], *turns, *(place - 1 for place in turns if place > positions.start)}
    found = [_SOURCES[mode](position, size) for position in ends]
    return range(min(found), max(found) + 1)


@lru_cache(maxsize=64)
def _pad_spec(mode: str, fill: str, type: str, rank: int, width: int) -> KernelSpec:
    last = rank - 1

    def source(name: str, axis: int, place: str) -> str:
        return (
            f"let {name} = bitcast<u32>"
            f"(source_of(bitcast<i32>({place} - before_at({axis}u)), bitcast<i32>(sizes_at({axis}u))));"
        )

    def step(name: str, axis: int) -> str:
        return f"min({name} - first_at({axis}u), extent_at({axis}u) - 1u) * strides_x_at({axis}u)"

    outer = [(f"m{axis}", axis) for axis in range(last)]
    value = f"x[row + {step('m', last)}]"
    body = [
        BOUNDS_CHECK,
        f"let begin = thread * {width}u;",
        coordinates("begin", rank),
        *(source(name, axis, f"c{axis}") for name, axis in outer),
        f"let row = {' + '.join(['params.offset_x', *(step(*each) for each in outer)])};",
        *[f"let seen = {' && '.join(f'{name} < sizes_at({axis}u)' for name, axis in outer)};"] * bool(fill),
        f"for (var n = 0u; n < {width}u; n++) {{",
        source("m", last, f"c{last} + n"),
        f"out[begin + n] = {f'select({fill}, {value}, seen && m < sizes_at({last}u))' if fill else value};",
        "}",
    ]
    return KernelSpec(
        "pad",
        (Binding("x", type),),
        (Binding("out", type, "read_write"),),
        "\n".join(body),
        (
            *map(Param, ("count", "offset_x")),
            *stride_params(["shape", "strides_x", "sizes", "before", "first", "extent"], rank),
        ),
        functions=with_helpers(_SOURCE.format(_MODES[mode]), body=fill),
    )
