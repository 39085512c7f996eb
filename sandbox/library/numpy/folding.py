"""What a function of two elements does to a whole array: `np.add.reduce` and its kin.

Owns `reduce`, `accumulate`, `outer` and `at`, which `methods.py` gives to `ufunc`. Must not know which functions
there are.
"""

from __future__ import annotations

from functools import reduce as fold
from typing import Any

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Axes, DTypeLike, Out, Result
from sandbox.library.numpy.array import broadcasted, cast, copy_of, ndarray, reshaped, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.indexing import get, put
from sandbox.library.numpy.shapes import axes_of
from sandbox.library.numpy.shaping import moveaxis
from sandbox.library.numpy.ufunc import ufunc

_REDUCTIONS: dict[str, Any] = {
    "add": reductions.sum,
    "multiply": reductions.prod,
    "maximum": reductions.max,
    "minimum": reductions.min,
    "logical_and": reductions.all,
    "logical_or": reductions.any,
}


def _check(function: ufunc) -> None:
    if function._nin != 2:
        raise ValueError("reduce only supported for binary functions")


def reduce(
    self: ufunc,
    array: ArrayLike,
    axis: Axes = 0,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
) -> Result:
    """The elements along an axis, taken together one after another."""
    _check(self)
    known = _REDUCTIONS.get(self._name)
    source = asarray(array)
    if known is not None:
        return known(source if dtype is None else asarray(source, dtype), axis, out=out, keepdims=keepdims)
    axes = axes_of(axis, source.ndim)
    moved = moveaxis(source, axes, range(len(axes)))
    count = shapes.prod(source._shape[x] for x in axes)
    rest = moved._shape[len(axes) :]
    rows = reshaped(copy_of(moved), (count, *rest))
    if not count:
        if self._identity is None:
            raise ValueError(f"zero-size array to reduction operation {self._name} which has no identity")
        return asarray(self._identity)
    found = asarray(fold(self, [get(rows, number) for number in range(count)]))
    return (
        reshaped(found, shapes.without(source._shape, axes, True))
        if keepdims
        else get(found, ...)
        if rest
        else found._dtype._box(values(found)[0])
    )


def accumulate(
    self: ufunc, array: ArrayLike, axis: int = 0, dtype: DTypeLike = None, out: Out = None
) -> Result:
    """The elements along an axis, taken together so far."""
    _check(self)
    source = asarray(array, dtype)
    moved = moveaxis(source, axis, 0)
    parts: list[Any] = []
    for number in range(moved._shape[0]):
        entry = get(moved, number)
        parts.append(self(parts[-1], entry) if parts else entry)
    if not parts:
        return copy_of(source)
    found = copy_of(asarray([asarray(part) for part in parts]))
    return copy_of(moveaxis(found, 0, axis))


def outer(self: ufunc, A: ArrayLike, B: ArrayLike) -> Result:  # noqa: N803
    """The function of each element of `A` and each of `B`."""
    _check(self)
    first, second = asarray(A), asarray(B)
    return self(reshaped(first, first._shape + (1,) * second.ndim), second)


def at(self: ufunc, a: ndarray, indices: ArrayLike, b: ArrayLike | None = None) -> None:
    """Change the chosen elements in place, also those chosen several times."""
    places = asarray(list(range(a.size)))
    numbers = asarray(get(reshaped(places, a._shape), indices))
    flat = reshaped(a, (a.size,)) if a._strides == shapes.contiguous_strides(a._shape) else None
    target = flat if flat is not None else reshaped(copy_of(a), (a.size,))
    others = None if b is None else asarray(b)
    if others is not None:
        others = asarray(broadcasted(others, numbers._shape))
    second = [None] * numbers.size if others is None else cast(values(others), others._dtype, others._dtype)
    for number, other in zip(values(numbers), second, strict=True):
        item = get(target, number)
        put(target, number, self(item) if other is None else self(item, others._dtype._box(other)))  # type: ignore[union-attr]
    if flat is None:
        put(a, ..., reshaped(target, a._shape))
