"""`ndarray`: a view of a flat buffer, and how buffers are read, packed and written.

Owns storage. The buffer of an array never changes its size and is never handed out. What computes with arrays lives
in other modules; `methods.py` gives the class its methods and operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Result, ShapeLike
from sandbox.library.numpy.dtypes import FLOAT16, Buffer, dtype, dtype_of
from sandbox.library.numpy.halves import packed, rounded
from sandbox.library.numpy.shapes import Shape

Elements = Any
"""An `array.array` of elements. It may be an array's own buffer: who changes one copies it first."""


class ndarray:  # noqa: N801
    """An array of numbers or bools."""

    __slots__ = ("_data", "_dtype", "_offset", "_shape", "_strides")
    _data: Elements
    _dtype: dtype
    _offset: int
    _shape: Shape
    _strides: Shape

    def __new__(cls, shape: ShapeLike, dtype: DTypeLike = None) -> ndarray:
        sizes = shapes.shape_of(shape)
        row = dtype_of(dtype)
        return new(zeros(shapes.check(sizes), row), row, sizes)

    @property
    def shape(self) -> Shape:
        """The sizes, from the outermost axis."""
        return self._shape

    @shape.setter
    def shape(self, shape: ShapeLike) -> None:
        """Read the same elements in another shape."""
        sizes = shapes.resolve(shape if isinstance(shape, tuple | list) else (shape,), self.size)
        strides = in_place(self, sizes)
        if strides is None:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy."
            )
        self._shape, self._strides = sizes, strides

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self._shape)

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype._size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._dtype._size

    @property
    def strides(self) -> Shape:
        """Bytes from an element to the next, along each axis."""
        return tuple(stride * self._dtype._size for stride in self._strides)

    @property
    def T(self) -> ndarray:  # noqa: N802
        """All axes in reverse order."""
        return new(self._data, self._dtype, self._shape[::-1], self._strides[::-1], self._offset)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self) -> Iterator[Result]:
        return each(self)

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        if not self.size:
            raise ValueError(
                "The truth value of an empty array is ambiguous. "
                "Use `array.size > 0` to check that an array is not empty."
            )
        return bool(values(self)[0])

    def _one(self) -> Any:
        if self._shape:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self._data[self._offset]

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __index__(self) -> int:
        if self._shape or self._dtype._kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self._one())

    def __copy__(self) -> ndarray:
        return copy_of(self)

    def __deepcopy__(self, _memo: Any) -> ndarray:
        return copy_of(self)

    def __bytes__(self) -> bytes:
        return self.tobytes()

    def tolist(self) -> Result:
        """The elements as nested lists of Python's numbers, or a number for rank 0."""
        return nested(plain(self), self._shape)

    def tobytes(self) -> bytes:
        """The elements' bytes, in order."""
        found = values(self)
        return packed(found) if self._dtype is FLOAT16 else bytes(found.tobytes())


ndarray.__module__ = "numpy"


def new(data: Elements, row: dtype, shape: Shape, strides: Shape | None = None, offset: int = 0) -> ndarray:
    """The array that reads `data` so; without `strides`, in order."""
    result: ndarray = object.__new__(ndarray)
    result._data, result._dtype, result._shape, result._offset = data, row, shape, offset
    result._strides = shapes.contiguous_strides(shape) if strides is None else strides
    return result


def make(items: Iterable[Any], row: dtype, shape: Shape) -> ndarray:
    """A new array of `items`, numbers that `row` can hold; integers wrap around."""
    return new(pack(items, row), row, shape)


def zeros(count: int, row: dtype) -> Elements:
    """A buffer of zeros."""
    return Buffer(row._code, [0]) * count


def pack(items: Iterable[Any], row: dtype) -> Elements:
    """A new buffer of `items`; integers wrap around."""
    if row is FLOAT16:
        return Buffer(row._code, rounded(items))
    if row._kind not in "iu":
        return Buffer(row._code, items if isinstance(items, list) else list(items))
    items = items if isinstance(items, list | Buffer) else list(items)
    try:
        return Buffer(row._code, items)
    except OverflowError:
        low, span = row._low, row._high - row._low + 1
        return Buffer(row._code, [(item - low) % span + low for item in items])


def values(a: ndarray) -> Elements:
    """The elements in order: not to be changed."""
    data, shape = a._data, a._shape
    if shapes.is_contiguous(shape, a._strides):
        count = a.size
        return data if len(data) == count else data[a._offset : a._offset + count]
    *outer, size = shape
    *steps, step = a._strides
    if not a.size:
        return data[:0]
    starts = shapes.offsets(outer, steps, a._offset)
    if size < 6:  # too short for slices to pay
        spread = [number * step for number in range(size)]
        return Buffer(data.typecode, [data[start + place] for start in starts for place in spread])
    result = Buffer(data.typecode)
    for start in starts:
        result.extend(data[_along(start, size, step)] if step else data[start : start + 1] * size)
    return result


def _along(start: int, size: int, step: int) -> slice:
    stop = start + size * step
    return slice(start, stop if stop >= 0 else None, step)


def store(a: ndarray, items: Elements) -> None:
    """Write `items`, a buffer of `a`'s type and size that is not its own, into `a`."""
    data, shape = a._data, a._shape
    if 0 in a._strides and any(size > 1 and not step for size, step in zip(shape, a._strides, strict=True)):
        raise ValueError("assignment destination is read-only")
    if shapes.is_contiguous(shape, a._strides):
        data[a._offset : a._offset + len(items)] = items
        return
    size, step = shape[-1], a._strides[-1]
    position = 0
    for start in shapes.offsets(shape[:-1], a._strides[:-1], a._offset) if len(items) else ():
        data[_along(start, size, step or 1)] = items[position : position + size]
        position += size


def own_values(a: ndarray) -> Elements:
    """The elements in order, in a buffer that the caller may change."""
    found = values(a)
    return found[:] if found is a._data else found


def copy_of(a: ndarray) -> ndarray:
    """A copy of `a`, in order."""
    return new(own_values(a), a._dtype, a._shape)


def cast(items: Elements, source: dtype, target: dtype) -> Elements:
    """`items` of type `source` as `target`; the same buffer where nothing changes."""
    if source is target:
        return items
    if target._kind == "f":
        return pack(items, target)
    if target._kind == "b":
        return Buffer(target._code, map(bool, items))
    if source._kind != "f":
        return pack(items, target)
    try:
        return pack(list(map(int, items)), target)
    except (ValueError, OverflowError):
        return pack([_whole(item) for item in items], target)


def _whole(item: float) -> int:
    """What a float becomes as an integer of 64 bits, also where there is none."""
    return int(item) if -9.3e18 < item < 9.3e18 else -(1 << 63)


def view(a: ndarray, shape: Shape, strides: Shape, offset: int | None = None) -> ndarray:
    """`a`'s buffer, read otherwise."""
    return new(a._data, a._dtype, shape, strides, a._offset if offset is None else offset)


def in_place(a: ndarray, shape: Shape) -> Shape | None:
    """The strides that read `a` as `shape`, or None where only a copy does."""
    if shapes.is_contiguous(a._shape, a._strides):
        return shapes.contiguous_strides(shape)
    return shapes.regroup(a._shape, a._strides, shape) if a.size else shapes.contiguous_strides(shape)


def reshaped(a: ndarray, shape: Shape) -> ndarray:
    """`a` as `shape`, which has as many elements: a view where that works."""
    strides = in_place(a, shape)
    return new(values(a), a._dtype, shape) if strides is None else view(a, shape, strides)


def broadcasted(a: ndarray, shape: Shape) -> ndarray:
    """`a` stretched to `shape`, without a copy. Raises `ValueError`."""
    shapes.check(shape)
    strides = shapes.stretch(a._shape, a._strides, shape)
    if strides is None:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{shapes.text(a._shape)}  and requested shape {shapes.text(shape)}"
        )
    return view(a, shape, strides)


def plain(a: ndarray) -> list[Any]:
    """The elements in order, as Python's numbers."""
    found = values(a)
    return list(map(bool, found)) if a._dtype._kind == "b" else list(found)


def nested(items: list[Any], shape: Shape) -> Result:
    """`items` as nested lists of `shape`."""
    if not shape:
        return items[0]
    for size in reversed(shape[1:]):
        if not size:
            return _hollow(shape)
        items = [items[start : start + size] for start in range(0, len(items), size)]
    return items


def _hollow(shape: Shape) -> list[Any]:
    return [_hollow(shape[1:]) for _ in range(shape[0])] if shape[0] and len(shape) > 1 else []


def box(a: ndarray) -> Result:
    """`a`, or the scalar in it for rank 0."""
    return a if a._shape else a._dtype._box(a._data[a._offset])


def boxed(items: Iterable[Any], row: dtype, shape: Shape) -> Result:
    """A new array of `items`, or the scalar for rank 0."""
    return box(make(items, row, shape))


def each(a: ndarray) -> Iterator[Any]:
    """The entries along the first axis: scalars of rank 1, else views."""
    if not a._shape:
        raise TypeError("iteration over a 0-d array")
    if len(a._shape) == 1:
        start, step, data, wrap = a._offset, a._strides[0], a._data, a._dtype._box
        return (wrap(data[start + number * step]) for number in range(a._shape[0]))
    step, shape, strides = a._strides[0], a._shape[1:], a._strides[1:]
    return (view(a, shape, strides, a._offset + number * step) for number in range(a._shape[0]))


def filled(value: ArrayLike, row: dtype, shape: Shape) -> ndarray:
    """A new array of one value, which `row` can hold."""
    return new(pack([value], row) * shapes.check(shape), row, shape)
