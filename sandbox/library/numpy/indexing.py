"""What `a[…]` means: reading and writing by ints, slices, masks and arrays of indices.

Owns the reading of an index and the places that it chooses. Must not know functions of arrays.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from itertools import compress
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import box, broadcasted, cast, make, ndarray, new, store, values, view
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import BOOL, Buffer
from sandbox.library.numpy.scalars import bool_
from sandbox.library.numpy.shapes import Shape

_INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


@dataclass(slots=True)
class _Basic:
    """What ints, slices, `None` and `...` leave: a view; and the arrays of indices, by its axes.

    `together`: nothing stands between the arrays, so that what they choose takes their place; else it comes first.
    """

    shape: list[int]
    strides: list[int]
    offset: int
    arrays: dict[int, tuple[Shape, list[int], int]]
    together: bool


def get(a: ndarray, key: object) -> Result:
    """`a[key]`: a scalar, a view, or a copy where `key` has arrays."""
    if type(key) is int and len(a._shape) == 1:
        size = a._shape[0]
        if -size <= key < size:
            return a._dtype._box(a._data[a._offset + key % size * a._strides[0]])
    elif type(key) is tuple and len(key) == len(a._shape) and all(type(item) is int for item in key):
        return a._dtype._box(a._data[_place(a, key)])
    mask = _full_mask(a, key)
    if mask is not None:
        items = Buffer(a._data.typecode, compress(values(a), values(mask)))
        return new(items, a._dtype, (len(items),))
    basic = _parse(a, key)
    if basic.arrays:
        shape, places = _chosen(basic)
        data = a._data
        return new(Buffer(data.typecode, [data[place] for place in places]), a._dtype, shape)
    found = view(a, tuple(basic.shape), tuple(basic.strides), basic.offset)
    return found if found._shape or _has_ellipsis(key) else box(found)


def put(a: ndarray, key: object, value: ArrayLike) -> None:
    """`a[key] = value`."""
    if 0 in a._strides and any(
        size > 1 and not step for size, step in zip(a._shape, a._strides, strict=True)
    ):
        raise ValueError("assignment destination is read-only")
    place = _single_place(a, key)
    if place is not None and (isinstance(value, list | tuple) or (type(value) is ndarray and value._shape)):
        raise ValueError("setting an array element with a sequence.")
    if place is not None and type(value) in (int, float):
        a._data[place] = values(asarray(value, a._dtype))[0]
        return
    source = value if type(value) is ndarray else asarray(value, None if _is_typed(value) else a._dtype)
    mask = _full_mask(a, key)
    if mask is not None:
        every = shapes.offsets(a._shape, a._strides, a._offset)
        places = list(compress(every, values(mask)))
        _put_places(a, places, (len(places),), source)
        return
    basic = _parse(a, key)
    if basic.arrays:
        shape, places = _chosen(basic)
        _put_places(a, places, shape, source)
        return
    target = view(a, tuple(basic.shape), tuple(basic.strides), basic.offset)
    if source is not value and len(source._shape) > len(target._shape):
        raise ValueError(
            "setting an array element with a sequence. The requested array would exceed the maximum number of "
            f"dimension of {len(target._shape)}."
        )
    assign(target, source)


def assign(target: ndarray, source: ndarray) -> None:
    """Write `source`, stretched, into all of `target`."""
    items = _fitted(source, target._shape, target)
    store(target, items[:] if source._data is target._data else items)


def _is_typed(value: Any) -> bool:
    return value is not None and not isinstance(value, int | float | list | tuple | str)


def _single_place(a: ndarray, key: object) -> int | None:
    """Where the only element is that a key of plain ints means."""
    if type(key) is int:
        key = (key,)
    if type(key) is tuple and len(key) == len(a._shape) and all(type(item) is int for item in key):
        return _place(a, key)
    return None


def _place(a: ndarray, key: tuple[int, ...]) -> int:
    place = a._offset
    for axis, (number, size, stride) in enumerate(zip(key, a._shape, a._strides, strict=True)):
        place += _within(number, size, axis) * stride
    return place


def _within(number: int, size: int, axis: int) -> int:
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {size}")
    return number + size if number < 0 else number


def _has_ellipsis(key: object) -> bool:
    return key is ... or (isinstance(key, tuple) and any(item is ... for item in key))


def _full_mask(a: ndarray, key: object) -> ndarray | None:
    """`key` as an array, if it is one bool for each element of `a`."""
    if type(key) is ndarray and key._dtype is BOOL and key._shape == a._shape and a._shape:
        return key
    return None


def _fitted(source: ndarray, shape: Shape, target: ndarray) -> Any:
    """The elements of `source` stretched to `shape`, as `target`'s type. Raises `ValueError`."""
    extra = len(source._shape) - len(shape)
    if extra > 0 and all(size == 1 for size in source._shape[:extra]):
        source = view(source, source._shape[extra:], source._strides[extra:])
    if source._shape == shape:
        return cast(values(source), source._dtype, target._dtype)
    if shapes.stretch(source._shape, source._strides, shape) is None:
        raise ValueError(
            f"could not broadcast input array from shape {shapes.text(source._shape)} into shape {shapes.text(shape)}"
        )
    if source.size == 1:
        return cast(values(source), source._dtype, target._dtype) * shapes.check(shape)
    return cast(values(broadcasted(source, shape)), source._dtype, target._dtype)


def _put_places(a: ndarray, places: list[int], shape: Shape, source: ndarray) -> None:
    if len(source._shape) == len(shape) == 1 and source.size not in (1, shape[0]):
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {source.size} input values to the {shape[0]} "
            "output values where the mask is true"
        )
    data = a._data
    for place, item in zip(places, list(_fitted(source, shape, a)), strict=True):
        data[place] = item


# ---------------------------------------------------------------------- reading an index
def _parse(a: ndarray, key: object) -> _Basic:
    items = [_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    if sum(item is ... for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    taken = sum(_consumes(item) for item in items)
    rank = len(a._shape)
    if taken > rank:
        raise IndexError(f"too many indices for array: array is {rank}-dimensional, but {taken} were indexed")
    chosen = [number for number, item in enumerate(items) if isinstance(item, ndarray | int)]
    together = not chosen or chosen[-1] - chosen[0] == len(chosen) - 1
    position = next((number for number, item in enumerate(items) if item is ...), len(items))
    items[position : position + 1] = [slice(None)] * (rank - taken)
    basic = _Basic([], [], a._offset, {}, together)
    mixed = any(isinstance(item, ndarray) for item in items)
    axis = 0
    for item in items:
        axis += _apply(basic, a, axis, item, mixed)
    return basic


def _item(item: Any) -> Any:
    """One part of an index: an int, a slice, None, `...`, or an array of ints or bools. Raises `IndexError`."""
    if item is None or item is ... or isinstance(item, slice):
        return item
    if isinstance(item, bool | bool_):
        return asarray(bool(item))
    if isinstance(item, ndarray | list):
        found = asarray(item)
        if found._dtype._kind == "f":
            if found.size or isinstance(item, ndarray):
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            return make([], asarray(0)._dtype, found._shape)
        return found if found._shape or found._dtype is BOOL else int(found)
    try:
        return operator.index(item)
    except TypeError:
        raise IndexError(_INVALID) from None


def _consumes(item: Any) -> int:
    if item is None or item is ...:
        return 0
    return len(item._shape) if isinstance(item, ndarray) and item._dtype is BOOL else 1


def _apply(basic: _Basic, a: ndarray, axis: int, item: Any, mixed: bool) -> int:
    """Take `item` at `axis` of `a`; how many axes that used up."""
    if item is None:
        basic.shape.append(1)
        basic.strides.append(0)
        return 0
    if isinstance(item, ndarray):
        return _apply_array(basic, a, axis, item)
    size, stride = a._shape[axis], a._strides[axis]
    if isinstance(item, slice):
        numbers = range(size)[_bounds(item)]
        basic.shape.append(len(numbers))
        basic.strides.append(numbers.step * stride)
        basic.offset += numbers.start * stride if len(numbers) else 0
    elif mixed:
        basic.arrays[len(basic.shape)] = ((), [_within(item, size, axis)], axis)
        basic.shape.append(size)
        basic.strides.append(stride)
    else:
        basic.offset += _within(item, size, axis) * stride
    return 1


def _bounds(item: slice) -> slice:
    """`item` with ints for whatever has them: Python's `range` asks for no more."""
    parts = [None if part is None else operator.index(part) for part in (item.start, item.stop, item.step)]
    return slice(*parts)


def _apply_array(basic: _Basic, a: ndarray, axis: int, item: ndarray) -> int:
    if item._dtype is not BOOL:
        _add_array(basic, a, axis, item._shape, list(values(item)))
        return 1
    for number, size in enumerate(item._shape):
        if size != a._shape[axis + number]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + number}; size of axis is "
                f"{a._shape[axis + number]} but size of corresponding boolean axis is {size}"
            )
    if not item._shape:
        basic.arrays[len(basic.shape)] = ((int(bool(item)),), [0] * bool(item), 0)
        basic.shape.append(1)
        basic.strides.append(0)
        return 0
    found = true_places(item)
    for number, column in enumerate(found):
        _add_array(basic, a, axis + number, (len(column),), column)
    return len(item._shape)


def _add_array(basic: _Basic, a: ndarray, axis: int, shape: Shape, numbers: list[int]) -> None:
    basic.arrays[len(basic.shape)] = (shape, numbers, axis)
    basic.shape.append(a._shape[axis])
    basic.strides.append(a._strides[axis])


def true_places(mask: ndarray) -> list[list[int]]:
    """The indices of the elements of `mask` that are true, along each axis."""
    flat = list(compress(range(mask.size), values(mask)))
    columns = []
    inner = mask.size
    for size in mask._shape:
        inner //= size or 1
        columns.append([number // inner % size for number in flat])
    return columns


def _chosen(basic: _Basic) -> tuple[Shape, list[int]]:
    """The shape of what the arrays choose, and the places, in order."""
    axes = sorted(basic.arrays)
    try:
        wide = shapes.broadcast(*[basic.arrays[axis][0] for axis in axes])
    except ValueError:
        shown = " ".join(shapes.text(basic.arrays[axis][0]) for axis in axes)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shown} "
        ) from None
    steps = [0] * shapes.check(wide)
    for axis in axes:
        shape, numbers, place = basic.arrays[axis]
        if steps:  # nothing is asked of an index that chooses nothing
            numbers = [_within(number, basic.shape[axis], place) for number in numbers]
        stretched = shapes.stretch(shape, shapes.contiguous_strides(shape), wide) or ()
        stride = basic.strides[axis]
        steps = [
            step + numbers[number] * stride
            for step, number in zip(steps, shapes.offsets(wide, stretched, 0) if steps else (), strict=True)
        ]
    front = [axis for axis in range(axes[0]) if basic.together]
    back = [axis for axis in range(len(basic.shape)) if axis not in front and axis not in basic.arrays]
    before = shapes.offsets([basic.shape[x] for x in front], [basic.strides[x] for x in front], basic.offset)
    after = shapes.offsets([basic.shape[x] for x in back], [basic.strides[x] for x in back], 0)
    shape = (*[basic.shape[x] for x in front], *wide, *[basic.shape[x] for x in back])
    shapes.check(shape)
    return shape, [place + step + rest for place in before for step in steps for rest in after]
