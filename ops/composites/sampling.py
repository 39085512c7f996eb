"""Composites that take images at places which a tensor gives.

Each axis gives taps: positions with weights. What a place gets is the sum over all combinations of taps of the axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import prod

from ops.composite import Meaning, Parts, Value
from ops.composites.resizing import inner_weight, outer_weight
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import Shape, text
from ops.space import MAX_AXES

Tap = tuple[Value, Value | None]
"""Positions, which are whole, and their weights; None for 1."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """An axis of `size` elements, whose ends are in the middle of elements if `aligned`, else at their edges."""

    do: Parts
    size: int
    aligned: bool
    padding: str

    def position(self, place: Value) -> Value:
        """Places from -1 to 1 in elements."""
        if self.aligned:
            return (place + 1.0) * (0.5 * (self.size - 1))
        return place * (0.5 * self.size) + 0.5 * (self.size - 1)

    def within(self, position: Value) -> Value:
        """Positions moved into the image, but for padding of zeros."""
        if self.padding == "zeros":
            return position
        inside = self._reflected(position) if self.padding == "reflection" else position
        return self.do("clamp", inside, min=0.0, max=float(max(self.size - 1, 0)))

    def _reflected(self, position: Value) -> Value:
        low, span = (0.0, float(self.size - 1)) if self.aligned else (-0.5, float(self.size))
        if span <= 0:
            return position * 0.0
        far = self.do("remainder", position - low, 2 * span)
        return self.do("minimum", far, -far + 2 * span) + low

    def is_inside(self, position: Value) -> Value:
        """Where whole positions are those of elements."""
        return self.do(
            "logical_and", self.do("ge", position, 0.0), self.do("le", position, float(self.size - 1))
        )


def _nearest(do: Parts, axis: _Axis, position: Value) -> list[Tap]:
    return [(do("round", axis.within(position)), None)]


def _linear(do: Parts, axis: _Axis, position: Value) -> list[Tap]:
    place = axis.within(position)
    low = do("floor", place)
    return [(low, low - place + 1.0), (low + 1.0, place - low)]


def _cubic(do: Parts, axis: _Axis, position: Value) -> list[Tap]:
    low = do("floor", position)
    near = position - low
    far = -near + 1.0
    weights = (
        outer_weight(do, near + 1.0),
        inner_weight(do, near),
        inner_weight(do, far),
        outer_weight(do, far + 1.0),
    )
    return [(axis.within(low + float(step)), weight) for step, weight in enumerate(weights, -1)]


_TAPS: dict[str, Callable[[Parts, _Axis, Value], list[Tap]]] = {
    "nearest": _nearest,
    "bilinear": _linear,
    "bicubic": _cubic,
}


def grid_sample(do: Parts, x: Value, grid: Value, mode: str, padding_mode: str, align_corners: bool) -> Value:
    """Images at places; the last number of a place is along the first axis of space."""
    rank = x.rank - 2
    if (
        not 1 < rank <= MAX_AXES
        or grid.rank != x.rank
        or grid.shape[0] != x.shape[0]
        or grid.shape[-1] != rank
    ):
        raise ShapeError(
            "grid_sample takes images [batch, channels, *space] over 2 or 3 axes and places [batch, *out, axes], not"
            f" {text(x.shape)} and {text(grid.shape)}"
        )
    if mode == "bicubic" and rank != 2:
        raise AttributeValueError(
            "grid_sample: bicubic is over 2 axes of space", hint="bilinear is over any."
        )
    sizes = x.shape[2:]
    axes = [_Axis(do, size, align_corners, padding_mode) for size in sizes]
    places = do.cast(grid, "f32")
    taps = [
        _TAPS[mode](do, axis, axis.position(_number(do, places, rank - 1 - number)))
        for number, axis in enumerate(axes)
    ]
    flat, total = do.reshape(x, *x.shape[:2], prod(sizes)), None
    for chosen in product(*taps):
        part = _taken(do, flat, axes, chosen)
        total = part if total is None else total + part
    assert total is not None, "each axis has taps"
    return do.cast(do.reshape(total, *x.shape[:2], *grid.shape[1:-1]), x.dtype)


def _number(do: Parts, places: Value, number: int) -> Value:
    """One number of each place, [batch, 1, places]."""
    line = do.slice(places, places.rank - 1, number, number + 1)
    return do.reshape(line, places.shape[0], 1, prod(places.shape[1:-1]))


def _taken(do: Parts, flat: Value, axes: list[_Axis], chosen: tuple[Tap, ...]) -> Value:
    """The elements at one combination of taps, times their weights; 0 where it is outside."""
    index, weight, inside = None, None, None
    for axis, (position, each) in zip(axes, chosen, strict=True):
        whole = do.cast(do("clamp", position, min=0.0, max=float(axis.size - 1)), "i32")
        index = whole if index is None else index * axis.size + whole
        if each is not None:
            weight = each if weight is None else weight * each
        is_in = axis.is_inside(position)
        inside = is_in if inside is None else do("logical_and", inside, is_in)
    assert index is not None, "there is an axis"
    assert inside is not None, "there is an axis"
    shape = [*flat.shape[:2], index.shape[-1]]
    found = do("where", inside, do("gather", flat, do("expand", index, shape=shape), axis=-1), 0.0)
    return found if weight is None else found * weight


def affine_grid(do: Parts, x: Value, size: Shape, align_corners: bool) -> Value:
    """The places that matrices [batch, axes, axes + 1] give the elements of images of `size`."""
    rank = len(size) - 2
    if not 1 < rank <= MAX_AXES or x.shape != (size[0], rank, rank + 1):
        raise ShapeError(
            f"affine_grid to {text(size)} takes matrices [batch, axes, axes + 1], not {text(x.shape)}"
        )
    lines = []
    for number, count in enumerate(size[2:]):
        step = (2.0 / (count - 1) if count > 1 else 0.0) if align_corners else 2.0 / max(count, 1)
        first = (-1.0 if count > 1 else 0.0) if align_corners else step / 2 - 1.0
        line = do.cast(do.numbers(count), "f32") * step + first
        wide = do.along(line, number, rank)
        lines.append(do.reshape(do("expand", wide, shape=list(size[2:])), prod(size[2:]), 1))
    ones = do("expand", do.full((), 1.0, "f32"), shape=[prod(size[2:]), 1])
    places = do("concat", *lines[::-1], ones, axis=1)
    made = do("matmul", places, do("transpose", do.cast(x, "f32"), axis0=1, axis1=2))
    return do.cast(do.reshape(made, size[0], *size[2:], rank), x.dtype)


MEANINGS: dict[str, Meaning] = {"grid_sample": grid_sample, "affine_grid": affine_grid}
