"""Composites that give images other sizes: interpolation, windows as columns and back, channels as pixels."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from ops.composite import Meaning, Parts, Value
from ops.composites.spatial import Extents, each, space_of
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import text
from ops.space import count, positive, span

Sizes = tuple[int, ...]
Factors = float | tuple[float, ...]
_MOST_TAPS = 64
_EXACT = 1 << 31
_CUBIC = -0.75
"""The parameter of the kernel of bicubic interpolation, as in PyTorch."""
_AXES_OF = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


class _Grid:
    """Where the results along an axis lie among its `size` elements.

    Result n is at `(n + shift) * ratio - shift` of it, or `n * (size - 1) / (count - 1)` with `aligned` corners. The
    ratio is `size / count`, in whole numbers where these suffice, or 1 / `factor`.
    """

    def __init__(self, do: Parts, size: int, count: int, factor: float | None, aligned: bool) -> None:
        self.do, self.size, self.count = do, size, count
        self.aligned = aligned
        is_ratio = factor is None or factor * size == count
        self.factor = factor if not is_ratio and not aligned else None
        self.is_exact = self.factor is None and 2 * size * count < _EXACT

    def nearest(self, exact: bool) -> Value:
        """The element nearest to each result (i32), by its begin, or by its middle if `exact`."""
        do, shift = self.do, int(exact)
        if self.is_exact:
            return do("floor_divide", (do.numbers(self.count) * 2 + shift) * self.size, 2 * self.count)
        place = do("floor", (do.cast(do.numbers(self.count), "f32") + 0.5 * shift) * self._ratio())
        return self.inside(do.cast(place, "i32"))

    def between(self, inside: bool) -> tuple[Value, Value]:
        """The element before each result (i32), and how far behind it the result is (f32).

        With `inside`, what lies before the first element is at it.
        """
        do = self.do
        if not self.is_exact:
            return self._between_floats(inside)
        if self.aligned:
            over, under = do.numbers(self.count) * (self.size - 1), max(self.count - 1, 1)
        else:
            over, under = (do.numbers(self.count) * 2 + 1) * self.size - self.count, 2 * self.count
        over = do("maximum", over, 0) if inside else over
        weight = do.cast(do("remainder", over, under), "f32") / float(under)
        return do("floor_divide", over, under), weight

    def _between_floats(self, inside: bool) -> tuple[Value, Value]:
        do = self.do
        shift = 0.0 if self.aligned else 0.5
        place = (do.cast(do.numbers(self.count), "f32") + shift) * self._ratio() - shift
        place = do("maximum", place, 0.0) if inside else place
        low = do("floor", place)
        return do.cast(low, "i32"), place - low

    def _ratio(self) -> float:
        if self.aligned:
            return (self.size - 1) / max(self.count - 1, 1)
        return self.size / self.count if self.factor is None else 1 / self.factor

    def inside(self, place: Value) -> Value:
        """Positions moved to the nearest that there is."""
        return self.do("clamp", place, min=0, max=self.size - 1)


def _taken(do: Parts, x: Value, places: Value, axis: int) -> Value:
    return do("index_select", x, places, axis=axis)


def _nearest(exact: bool) -> Callable[[Parts, Value, int, _Grid], Value]:
    def resized(do: Parts, x: Value, axis: int, grid: _Grid) -> Value:
        if grid.factor is None and grid.count % grid.size == 0:
            return do("repeat_interleave", x, repeats=grid.count // grid.size, axis=axis)
        return _taken(do, x, grid.nearest(exact), axis)

    return resized


def _linear(do: Parts, x: Value, axis: int, grid: _Grid) -> Value:
    low, weight = grid.between(inside=True)
    ends = (_taken(do, x, grid.inside(place), axis) for place in (low, low + 1))
    return do("lerp", *ends, do.along(weight, axis, x.rank))


def _cubic(do: Parts, x: Value, axis: int, grid: _Grid) -> Value:
    low, weight = grid.between(inside=False)
    near = weight
    far = do("rsub", weight, 1.0)
    weights = (
        outer_weight(do, near + 1.0),
        inner_weight(do, near),
        inner_weight(do, far),
        outer_weight(do, far + 1.0),
    )
    total = None
    for step, each_weight in enumerate(weights, -1):
        part = _taken(do, x, grid.inside(low + step), axis) * do.along(each_weight, axis, x.rank)
        total = part if total is None else total + part
    assert total is not None, "there are four"
    return total


def inner_weight(do: Parts, t: Value) -> Value:
    """The weight of an element at a distance up to 1."""
    return (t * (_CUBIC + 2) - (_CUBIC + 3)) * t * t + 1.0


def outer_weight(do: Parts, t: Value) -> Value:
    """The weight of an element at a distance from 1 to 2."""
    return ((t * _CUBIC - 5 * _CUBIC) * t + 8 * _CUBIC) * t - 4 * _CUBIC


_MODES: dict[str, Callable[[Parts, Value, int, _Grid], Value]] = {
    "nearest": _nearest(False),
    "nearest-exact": _nearest(True),
    "linear": _linear,
    "bilinear": _linear,
    "trilinear": _linear,
    "bicubic": _cubic,
}


def interpolate(
    do: Parts,
    x: Value,
    size: Extents | None,
    scale_factor: Factors | None,
    mode: str,
    align_corners: bool | None,
) -> Value:
    """An image in another size, axis by axis."""
    rank = space_of("interpolate", x, x.rank - 2)
    wanted, factors = _wanted(x, rank, size, scale_factor)
    if _AXES_OF.get(mode, rank) != rank:
        raise AttributeValueError(
            f"interpolate: {mode} is for {_AXES_OF[mode]} axes of space, not for {rank}"
        )
    if align_corners and mode not in _AXES_OF:
        raise AttributeValueError(f"interpolate: align_corners means nothing for {mode}")
    positive("interpolate", size=wanted)
    if not all(x.shape[2:]):
        raise ShapeError("interpolation of an empty axis has no value")
    if mode == "area":
        return do("adaptive_avg_pool", x, output_size=list(wanted))
    for axis in range(2, x.rank):
        grid = _Grid(do, x.shape[axis], wanted[axis - 2], factors[axis - 2], bool(align_corners))
        x = _MODES[mode](do, x, axis, grid)
    return x


def _wanted(
    x: Value, rank: int, size: Extents | None, scale_factor: Factors | None
) -> tuple[Sizes, tuple[float | None, ...]]:
    """The sizes to come, and the factors that gave them."""
    if (size is None) == (scale_factor is None):
        raise AttributeValueError("interpolate takes size or scale_factor")
    if size is not None:
        return each("interpolate", "size", size, rank), (None,) * rank
    factors = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * rank
    known = tuple(float(factor or 0) for factor in factors)
    if len(known) != rank or not all(0 < factor < _EXACT for factor in known):
        raise AttributeValueError(
            f"interpolate: scale_factor is {scale_factor}, but must be above 0 for {rank} axes"
        )
    return tuple(int(n * factor) for n, factor in zip(x.shape[2:], known, strict=True)), known


def _planes(op: str, x: Value, rank: int) -> Value:
    if x.rank not in (rank - 1, rank):
        raise ShapeError(
            f"{op} takes tensors of {rank} axes, or of {rank - 1} without a batch, not {text(x.shape)}"
        )
    return x


def im2col(
    do: Parts, x: Value, kernel_size: Extents, dilation: Extents, padding: Extents, stride: Extents
) -> Value:
    """Each window of an image as a column."""
    _planes("im2col", x, 4)
    *batch, channels, _, _ = x.shape
    size, apart, around, step = _numbers("im2col", kernel_size, dilation, padding, stride)
    none = [0] * (x.rank - 2)
    seen = do("pad", x, before=[*none, *around], after=[*none, *around]) if any(around) else x
    for axis in (0, 1):
        where = x.rank - 2 + axis
        if count(seen.shape[where], size[axis], step[axis], apart[axis]) < 1:
            raise ShapeError(f"im2col: no window of {text(size)} fits in shape {text(x.shape)}")
        seen = do("windows", seen, axis=where, size=size[axis], step=step[axis], dilation=apart[axis])
    places = seen.shape[x.rank - 2 : x.rank]
    first = list(range(x.rank - 2))
    columns = do("permute", seen, axes=[*first, x.rank, x.rank + 1, x.rank - 2, x.rank - 1])
    return do.reshape(columns, *batch, channels * prod(size), prod(places))


def col2im(
    do: Parts,
    x: Value,
    output_size: Extents,
    kernel_size: Extents,
    dilation: Extents,
    padding: Extents,
    stride: Extents,
) -> Value:
    """The sums of what all columns say of each element of an image."""
    _planes("col2im", x, 3)
    size, apart, around, step = _numbers("col2im", kernel_size, dilation, padding, stride)
    wide = [
        n + 2 * more for n, more in zip(each("col2im", "output_size", output_size, 2), around, strict=True)
    ]
    places = [count(n, k, by, far) for n, k, by, far in zip(wide, size, step, apart, strict=True)]
    *batch, rows, columns = x.shape
    if rows % prod(size) or columns != prod(places) or not columns:
        raise ShapeError(
            f"col2im: {text(x.shape)} are not columns of {prod(size)} elements a channel at {text(places)} places"
        )
    parts = do.reshape(x, *batch, rows // prod(size), *size, *places)
    first = list(range(parts.rank - 4))
    k = len(first)
    image = do("permute", parts, axes=[*first, k + 2, k + 3, k, k + 1])
    image = overlapped(do, image, (*image.shape[: k + 1], wide[1], size[0]), k + 1, step[1], apart[1])
    image = overlapped(do, image, (*image.shape[:k], *wide), k, step[0], apart[0])
    if not any(around):
        return image
    cut = [*[0] * k, *(-more for more in around)]
    return do("pad", image, before=cut, after=cut)


def _numbers(
    op: str, size: Extents, dilation: Extents, padding: Extents, stride: Extents
) -> tuple[Sizes, ...]:
    sizes, apart, around, step = (
        each(op, name, value, 2)
        for name, value in (
            ("kernel_size", size),
            ("dilation", dilation),
            ("padding", padding),
            ("stride", stride),
        )
    )
    positive(op, kernel_size=sizes, dilation=apart, stride=step)
    if min(around) < 0:
        raise AttributeValueError(f"{op}: padding is {text(around)}, but must be from 0")
    return sizes, apart, around, step


def overlapped(do: Parts, given: Value, shape: Sizes, axis: int, step: int, dilation: int) -> Value:
    """The sums, in a tensor of `shape`, of windows along `axis` whose elements are the last axis of `given`."""
    size, places = given.shape[-1], given.shape[axis]
    if size > _MOST_TAPS:
        return _scattered(do, given, shape, axis, step, dilation)
    zeros = do("expand", do.full((), 0.0, given.dtype), shape=list(shape))
    total = None
    for tap in range(size):
        part = do.reshape(do.slice(given, given.rank - 1, tap, tap + 1), *given.shape[:-1])
        start = tap * dilation
        where = {"starts": [start], "stops": [start + span(places, step)], "steps": [step], "axes": [axis]}
        put = do("slice_scatter", zeros, part, **where) if places else zeros
        total = put if total is None else total + put
    assert total is not None, "a window has an element"
    return total


def _scattered(do: Parts, given: Value, shape: Sizes, axis: int, step: int, dilation: int) -> Value:
    """The same by the positions of all elements, for windows of many."""
    numbers = do.reshape(do.numbers(prod(shape)), *shape)
    places = do("windows", numbers, axis=axis, size=given.shape[-1], step=step, dilation=dilation)
    flat = (do("reshape", each_part, shape=[-1]) for each_part in (places, given))
    zeros = do("expand", do.full((), 0.0, given.dtype), shape=[prod(shape)])
    return do.reshape(do("scatter", zeros, *flat, axis=0, reduce="add"), *shape)


def pixel_shuffle(do: Parts, x: Value, upscale_factor: int) -> Value:
    """Groups of channels as blocks of pixels."""
    *batch, channels, rows, columns = _image("pixel_shuffle", x, upscale_factor)
    r = upscale_factor
    if channels % (r * r):
        raise ShapeError(f"pixel_shuffle by {r} takes a multiple of {r * r} channels, not {channels}")
    parts = do.reshape(x, prod(batch), channels // (r * r), r, r, rows, columns)
    turned = do("permute", parts, axes=[0, 1, 4, 2, 5, 3])
    return do.reshape(turned, *batch, channels // (r * r), rows * r, columns * r)


def pixel_unshuffle(do: Parts, x: Value, downscale_factor: int) -> Value:
    """Blocks of pixels as groups of channels."""
    *batch, channels, rows, columns = _image("pixel_unshuffle", x, downscale_factor)
    r = downscale_factor
    if rows % r or columns % r:
        raise ShapeError(f"pixel_unshuffle by {r} takes multiples of it, not {rows} x {columns}")
    parts = do.reshape(x, prod(batch), channels, rows // r, r, columns // r, r)
    turned = do("permute", parts, axes=[0, 1, 3, 5, 2, 4])
    return do.reshape(turned, *batch, channels * r * r, rows // r, columns // r)


def _image(op: str, x: Value, factor: int) -> Sizes:
    positive(op, factor=[factor])
    if x.rank < 3:
        raise ShapeError(f"{op} takes [*batch, channels, rows, columns], not {text(x.shape)}")
    return x.shape


def channel_shuffle(do: Parts, x: Value, groups: int) -> Value:
    """The channels of all groups in turn."""
    positive("channel_shuffle", groups=[groups])
    if x.rank < 3 or x.shape[1] % groups:
        raise ShapeError(f"channel_shuffle of shape {text(x.shape)} in {groups} groups")
    parts = do.reshape(x, x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return do.reshape(do("transpose", parts, axis0=1, axis1=2), *x.shape)


MEANINGS: dict[str, Meaning] = {
    "interpolate": interpolate,
    "im2col": im2col,
    "col2im": col2im,
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
    "channel_shuffle": channel_shuffle,
}
