"""Composites that fold windows over axes of space.

A window of several axes is folded axis by axis, the last one first: each is a view whose last axis is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, inf, prod

from ops.composite import Meaning, Number, Parts, Value
from ops.composites.folding import power
from ops.composites.spatial import Extents, as_given, channels_first, each, ends, space_of
from ops.dtypes import dtype
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import text
from ops.space import pooled, positive, span


@dataclass(frozen=True, slots=True)
class _Axis:
    """The windows along one axis: `see` gives those of a tensor, their elements last; `place` where in the tensor an
    element of each is, by its number (as many axes as the windows without their elements).
    """

    see: Callable[[Value], Value]
    place: Callable[[Value], Value]


def _rank(op: str, x: Value, size: Extents) -> int:
    """The number of axes of space: that of the numbers of `size`; a single one is for all but batch and channels."""
    return space_of(op, x, x.rank - 2 if isinstance(size, int) or len(size) == 1 < x.rank - 2 else len(size))


@dataclass(frozen=True, slots=True)
class _Pool:
    """The numbers of a pooling, one for each axis of space; `count` is how many windows there are, `over` how far the
    last ones reach beyond the padding."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    count: tuple[int, ...]
    over: tuple[int, ...]

    @staticmethod
    def of(
        op: str,
        image: Value,
        size: Extents,
        stride: Extents | None,
        padding: Extents,
        dilation: Extents,
        ceil: bool,
    ) -> _Pool:
        rank = image.rank - 2
        sizes = each(op, "kernel_size", size, rank)
        steps = each(op, "stride", size if stride in (None, ()) else stride, rank)
        apart = each(op, "dilation", dilation, rank)
        positive(op, kernel_size=sizes, stride=steps, dilation=apart)
        before, after = ends(op, padding, rank)
        counts, over = [], []
        for n, k, step, far, low, high in zip(
            image.shape[2:], sizes, steps, apart, before, after, strict=True
        ):
            counts.append(pooled(op, n, k, step, far, (low, high), ceil))
            over.append(max((counts[-1] - 1) * step + span(k, far) - low - n - high, 0))
        return _Pool(sizes, steps, apart, before, after, tuple(counts), tuple(over))

    def padded(self, do: Parts, image: Value, fill: Number) -> Value:
        """`image` with so much around it that all windows are in it."""
        beyond = [high + over for high, over in zip(self.after, self.over, strict=True)]
        if not any((*self.before, *beyond)):
            return image
        return do("pad", image, before=[0, 0, *self.before], after=[0, 0, *beyond], value=fill)

    def axes(self, do: Parts) -> list[_Axis]:
        """The windows along each axis of a tensor with its padding."""
        return [self._axis(do, number) for number in range(len(self.size))]

    def _axis(self, do: Parts, number: int) -> _Axis:
        size, step, far = self.size[number], self.stride[number], self.dilation[number]

        def see(x: Value) -> Value:
            return do("windows", x, axis=number + 2, size=size, step=step, dilation=far)

        def place(element: Value) -> Value:
            begins = do.numbers(self.count[number]) * step - self.before[number]
            found = do.along(begins, number + 2, element.rank) + element * far
            # padding is found only where nothing is larger: then the first element within is meant
            return do("where", do("lt", found, 0), do("remainder", found, far), found)

        return _Axis(see, place)


def _largest(do: Parts, x: Value, axes: Sequence[_Axis]) -> Value:
    for axis in reversed(axes):
        x = do("max", axis.see(x), axes=[-1])
    return x


def _positions(do: Parts, x: Value, axes: Sequence[_Axis], sizes: Sequence[int]) -> Value:
    """Where in an image of `sizes`, flattened, the first largest element of each window is."""
    found: list[Value] = []
    for axis in reversed(axes):
        windows = axis.see(x)
        element = do("argmax", windows, axis=-1)
        last = do.reshape(element, *element.shape, 1)
        chosen = [do.reshape(do("gather", axis.see(known), last, axis=-1), *element.shape) for known in found]
        found = [axis.place(element), *chosen]
        x = do("max", windows, axes=[-1])
    total = found[0]
    for position, size in zip(found[1:], sizes[1:], strict=True):
        total = total * size + position
    return total


def _max_pool(of: Callable[[Parts, Value, _Pool], Value]) -> Meaning:
    def meaning(
        do: Parts,
        x: Value,
        kernel_size: Extents,
        stride: Extents | None,
        padding: Extents,
        dilation: Extents,
        ceil_mode: bool,
        channels_last: bool,
    ) -> Value:
        rank = _rank("max_pool", x, kernel_size)
        image = channels_first(do, x, rank, channels_last)
        pool = _Pool.of("max_pool", image, kernel_size, stride, padding, dilation, ceil_mode)
        return as_given(do, of(do, image, pool), x, channels_last)

    return meaning


def _values(do: Parts, image: Value, pool: _Pool) -> Value:
    return _largest(do, pool.padded(do, image, dtype(image.dtype).lowest), pool.axes(do))


def _indices(do: Parts, image: Value, pool: _Pool) -> Value:
    padded = pool.padded(do, image, dtype(image.dtype).lowest)
    return _positions(do, padded, pool.axes(do), image.shape[2:])


def avg_pool(
    do: Parts,
    x: Value,
    kernel_size: Extents,
    stride: Extents | None,
    padding: Extents,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    channels_last: bool,
) -> Value:
    """The mean of each window."""
    rank = _rank("avg_pool", x, kernel_size)
    image = channels_first(do, x, rank, channels_last)
    pool = _Pool.of("avg_pool", image, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override == 0:
        raise AttributeValueError("avg_pool: divisor_override is 0")
    sums = pool.padded(do, image, 0.0)
    for axis in reversed(pool.axes(do)):
        sums = do("sum", axis.see(sums), axes=[-1])
    is_whole = not any(pool.over) and (count_include_pad or not any((*pool.before, *pool.after)))
    if divisor_override is not None or is_whole:
        made = sums / float(divisor_override or prod(pool.size))
    else:
        made = sums
        for number in range(rank):
            made = made / _counted(do, pool, number, image.shape[number + 2], count_include_pad, made.rank)
    return as_given(do, made, x, channels_last)


def _counted(do: Parts, pool: _Pool, number: int, length: int, with_padding: bool, rank: int) -> Value:
    """How many elements each window has along an axis, f32."""
    before, after, size = pool.before[number], pool.after[number], pool.size[number]
    begins = do.numbers(pool.count[number]) * pool.stride[number] - before
    low, high = (-before, length + after) if with_padding else (0, length)
    counts = do("minimum", begins + size, high) - do("maximum", begins, low)
    return do.along(do.cast(counts, "f32"), number + 2, rank)


def lp_pool(
    do: Parts,
    x: Value,
    norm_type: float,
    kernel_size: Extents,
    stride: Extents | None,
    ceil_mode: bool,
    channels_last: bool,
) -> Value:
    """The p-th root of the sum of p-th powers in each window; of windows that reach beyond the end, in proportion."""
    if not 0 < norm_type < inf:
        raise AttributeValueError(f"lp_pool: norm_type is {norm_type:g}, but must be above 0 and finite")
    rank = _rank("lp_pool", x, kernel_size)
    powers = do("square", x) if norm_type == 2 else do("pow", x, float(norm_type))
    means = do("avg_pool", powers, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode,
               channels_last=channels_last)  # fmt: skip
    sums = means * float(prod(each("lp_pool", "kernel_size", kernel_size, rank)))
    return power(do, sums, 1 / norm_type)


def max_unpool(do: Parts, x: Value, index: Value, output_size: Extents) -> Value:
    """Zeros with the elements of `x` at their places."""
    rank = _rank("max_unpool", x, output_size)
    sizes = each("max_unpool", "output_size", output_size, rank)
    if index.shape != x.shape or any(size < 0 for size in sizes):
        raise ShapeError(f"max_unpool to {text(sizes)} takes a place for each element of {text(x.shape)}")
    outer, count = x.shape[:-rank], prod(x.shape[-rank:])
    zeros = do("expand", do.full((), 0, x.dtype), shape=[*outer, prod(sizes)])
    flat = (do.reshape(each_, *outer, count) for each_ in (do.cast(index, "i32"), x))
    return do.reshape(do("scatter", zeros, *flat, axis=-1), *outer, *sizes)


def _adapted(do: Parts, axis: int, length: int, count: int) -> tuple[_Axis, Value | None]:
    """The windows of nearly equal size that `count` results take of an axis, and how many elements each has.

    Where sizes differ, the last element of the smaller ones is there twice, and the number is None where they do not.
    """
    if length % count == 0:
        size = length // count

        def see_equal(x: Value) -> Value:
            return do("windows", x, axis=axis, size=size, step=size)

        def place_equal(element: Value) -> Value:
            return do.along(do.numbers(count) * size, axis, element.rank) + element

        return _Axis(see_equal, place_equal), None
    begins = do("floor_divide", do.numbers(count) * length, count)
    stops = do("floor_divide", (do.numbers(count) + 1) * length + (count - 1), count)
    most = 1 - (gcd(length, count) - length) // count
    column = do.reshape(begins, count, 1)
    places = do("minimum", column + do.numbers(most), do.reshape(stops - 1, count, 1))

    def see(x: Value) -> Value:
        taken = do("index_select", x, places, axis=axis)
        order = [number for number in range(taken.rank) if number != axis + 1]
        return do("permute", taken, axes=[*order, axis + 1])

    def place(element: Value) -> Value:
        return do.along(begins, axis, element.rank) + element

    return _Axis(see, place), stops - begins


def _adaptive(of: Callable[[Parts, Value, Sequence[tuple[_Axis, Value | None]]], Value]) -> Meaning:
    def meaning(do: Parts, x: Value, output_size: Extents, channels_last: bool) -> Value:
        rank = _rank("adaptive pooling", x, output_size)
        image = channels_first(do, x, rank, channels_last)
        counts = each("adaptive pooling", "output_size", output_size, rank)
        positive("adaptive pooling", output_size=counts)
        if not all(image.shape[2:]):
            raise ShapeError("adaptive pooling of an empty axis has no value")
        axes = [
            _adapted(do, number, length, count)
            for number, (length, count) in enumerate(zip(image.shape[2:], counts, strict=True), 2)
        ]
        return as_given(do, of(do, image, axes), x, channels_last)

    return meaning


def _means(do: Parts, x: Value, axes: Sequence[tuple[_Axis, Value | None]]) -> Value:
    for number, (axis, counts) in reversed(list(enumerate(axes, 2))):
        windows = axis.see(x)
        if counts is None:
            x = do("mean", windows, axes=[-1])
            continue
        each_count = do.along(counts, number, windows.rank)
        kept = do("where", do("lt", do.numbers(windows.shape[-1]), each_count), windows, 0.0)
        x = do("sum", kept, axes=[-1]) / do.cast(do.along(counts, number, x.rank), "f32")
    return x


def _adaptive_values(do: Parts, x: Value, axes: Sequence[tuple[_Axis, Value | None]]) -> Value:
    return _largest(do, x, [axis for axis, _ in axes])


def _adaptive_indices(do: Parts, x: Value, axes: Sequence[tuple[_Axis, Value | None]]) -> Value:
    return _positions(do, x, [axis for axis, _ in axes], x.shape[2:])


def _global(fold: str) -> Meaning:
    def meaning(do: Parts, x: Value) -> Value:
        if x.rank < 3:
            raise ShapeError("pooling over all of space takes [batch, channels, *space]")
        return do(fold, x, axes=list(range(2, x.rank)), keepdim=True)

    return meaning


MEANINGS: dict[str, Meaning] = {
    "max_pool": _max_pool(_values),
    "max_pool_indices": _max_pool(_indices),
    "avg_pool": avg_pool,
    "lp_pool": lp_pool,
    "max_unpool": max_unpool,
    "adaptive_avg_pool": _adaptive(_means),
    "adaptive_max_pool": _adaptive(_adaptive_values),
    "adaptive_max_pool_indices": _adaptive(_adaptive_indices),
    "global_avg_pool": _global("mean"),
    "global_max_pool": _global("max"),
}
