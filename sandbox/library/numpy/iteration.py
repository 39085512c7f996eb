"""Walking through arrays, and functions of Python spread over them.

Owns `ndenumerate`, `ndindex`, `flat` and `vectorize`. Must not know arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from sandbox.library.numpy import shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Kept, Result, Scalar, ShapeLike
from sandbox.library.numpy.array import box, each, make, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.dtypes import dtype_of
from sandbox.library.numpy.indexing import get, put
from sandbox.library.numpy.shaping import broadcast_arrays


def ndindex(*shape: ShapeLike) -> Iterator[tuple[int, ...]]:
    """The indices of each element of a shape."""
    sizes = shapes.shape_of(shape[0] if len(shape) == 1 else shape)
    return product(*map(range, sizes))


def ndenumerate(arr: ArrayLike) -> Iterator[tuple[tuple[int, ...], Scalar]]:
    """The elements with their indices."""
    source = asarray(arr)
    return zip(ndindex(source._shape), map(source._dtype._box, values(source)[:]), strict=True)


class flatiter:  # noqa: N801
    """The elements of an array in one row: `a.flat`."""

    __slots__ = ("_array",)

    def __init__(self, a: ndarray) -> None:
        if not isinstance(a, ndarray):
            raise TypeError("a flat iterator is made by a.flat")
        self._array = a

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Result]:
        return each(reshaped(self._array, (self._array.size,)))

    def __getitem__(self, key: object) -> Result:
        return get(reshaped(self._array, (self._array.size,)), key)

    def __setitem__(self, key: object, value: ArrayLike) -> None:
        row = make(values(self._array)[:], self._array._dtype, (self._array.size,))
        put(row, key, value)
        put(self._array, ..., reshaped(row, self._array._shape))


class vectorize:  # noqa: N801
    """A function of Python for whole arrays, element by element."""

    __slots__ = ("_excluded", "_function", "_types")

    def __init__(
        self,
        pyfunc: Callable[..., object],
        otypes: DTypeLike = None,
        doc: str | None = None,
        excluded: object = None,
        cache: bool = False,
        signature: None = None,
    ) -> None:
        self._function = pyfunc
        self._types = [dtype_of(item) for item in otypes] if otypes else None

    def __call__(self, *args: ArrayLike, **kwargs: Kept) -> Result:
        arrays = broadcast_arrays(*args)
        boxes = [a._dtype._box for a in arrays]
        rows = zip(*[values(a) for a in arrays], strict=True)
        found = [
            self._function(*[wrap(item) for wrap, item in zip(boxes, row, strict=True)], **kwargs)
            for row in rows
        ]
        shape = arrays[0]._shape
        if not found and self._types is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if found and isinstance(found[0], tuple):
            columns = list(zip(*found, strict=True))
            return tuple(self._column(list(column), number, shape) for number, column in enumerate(columns))
        return self._column(found, 0, shape)

    def _column(self, items: list[Any], number: int, shape: tuple[int, ...]) -> Any:
        row = self._types[number] if self._types else None
        if row is None and items:
            row = asarray(items[0])._dtype
        return box(reshaped(asarray(items, row), shape))


for _cls in (flatiter, vectorize):
    _cls.__module__ = "numpy"
