"""What `tensor[index]` means: a slice and a shape.

Owns integers, slices, `None` and `...` as indices. Must not know tensors.
"""

from __future__ import annotations

from dataclasses import dataclass

from ops.errors import GraphError, ShapeError
from ops.shapes import Shape, text

TO_THE_START = -(1 << 31)
"""A stop that lies before every first element, for negative steps."""


class IndexRangeError(ShapeError, IndexError):
    """An index beyond a tensor's size. Also an `IndexError`, for loops that end by it."""

    remedy = "Positions count from 0, negative ones from the end; x.shape says how many there are."


@dataclass(frozen=True, slots=True)
class Selection:
    """The attributes of the `slice`, None where nothing is sliced, and the shape that the result is reshaped to."""

    starts: list[int]
    stops: list[int]
    steps: list[int]
    shape: Shape


def select(index: object, shape: Shape) -> Selection:
    """What `index` takes of a tensor of `shape`. Raises `IndexRangeError`, or `GraphError` on other kinds of index."""
    items = _filled(index if isinstance(index, tuple) else (index,), len(shape))
    starts, stops, steps, sizes = [], [], [], []
    axis = 0
    for item in items:
        if item is None:
            sizes.append(1)
            continue
        if isinstance(item, slice):
            start, stop, step = _bounds(item, shape[axis])
            sizes.append(len(range(start, stop, step)))
            if not sizes[-1]:
                start, stop, step = 0, 0, 1
        else:
            start = _position(item, axis, shape)
            stop, step = start + 1, 1
        starts.append(start)
        stops.append(stop if stop >= 0 else TO_THE_START)
        steps.append(step)
        axis += 1
    return Selection(starts, stops, steps, tuple(sizes))


def _filled(items: tuple[object, ...], rank: int) -> list[object]:
    """`items` with `...` replaced by whole slices, one for each axis that is not named."""
    named = sum(item is not None and item is not Ellipsis for item in items)
    if named > rank:
        raise IndexRangeError(f"{named} indices are too many for a tensor of {rank} axes")
    ellipses = [number for number, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ShapeError("an index may have only one `...`")
    where = ellipses[0] if ellipses else len(items)
    rest = items[where + 1 :]
    return [*items[:where], *[slice(None)] * (rank - named), *rest]


def _bounds(item: slice, size: int) -> tuple[int, int, int]:
    for bound in (item.start, item.stop, item.step):
        if bound is not None and not hasattr(bound, "__index__"):
            raise GraphError(f"a slice takes integers, not {type(bound).__name__}")
    if item.step == 0:
        raise ShapeError("a slice cannot have step 0")
    return item.indices(size)


def _position(item: object, axis: int, shape: Shape) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        raise GraphError(
            f"a tensor cannot be indexed with {type(item).__name__} yet",
            hint="Use integers, slices, None and `...`; pick by a condition with torch.where.",
        )
    size = shape[axis]
    if not -size <= item < size:
        raise IndexRangeError(f"index {item} is out of range for axis {axis} of shape {text(shape)}")
    return item % size
