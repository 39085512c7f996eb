"""Composites that read and write at positions."""

from __future__ import annotations

from math import prod

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import axis as counted
from ops.shapes import broadcast, own_axis, text


def _along(do: Parts, index: Value, x: Value, axis: int) -> Value:
    """A flat `index` as one of the rank of `x`, which stands for all other coordinates."""
    if index.rank > 1:
        raise ShapeError(f"positions along one axis must be flat, not of shape {text(index.shape)}")
    count = index.shape[0] if index.rank else 1
    shape = [count if number == axis else 1 for number in range(x.rank)]
    sizes = [count if number == axis else size for number, size in enumerate(x.shape)]
    return do("expand", do.reshape(index, *shape), shape=sizes)


def index_select(do: Parts, x: Value, index: Value, axis: int) -> Value:
    """The parts of `x` at positions along an axis, which may be of any rank: it takes the place of the axis."""
    if not x.rank:
        x = do.reshape(x, 1)
    where = counted(axis, x.rank)
    taken = do("gather", x, _along(do, do.reshape(index, prod(index.shape)), x, where), axis=where)
    return do.reshape(taken, *x.shape[:where], *index.shape, *x.shape[where + 1 :])


def take_along_dim(do: Parts, x: Value, index: Value, axis: int | None) -> Value:
    """As `gather`, where the other axes broadcast; of the flattened tensor for None."""
    if axis is None:
        x, index = (do("reshape", each, shape=[-1]) for each in (x, index))
    where = own_axis(axis or 0, x.rank)
    if index.rank != x.rank:
        raise ShapeError(
            f"take_along_dim takes shapes of one rank, not {text(x.shape)} and {text(index.shape)}"
        )
    others = broadcast(*((*each.shape[:where], 1, *each.shape[where + 1 :]) for each in (x, index)))
    x, index = (
        do("expand", each, shape=[*others[:where], each.shape[where], *others[where + 1 :]])
        for each in (x, index)
    )
    return do("gather", x, index, axis=where)


def scatter_add(do: Parts, x: Value, index: Value, value: Value, axis: int) -> Value:
    """`scatter` that adds."""
    return do("scatter", x, index, value, axis=axis, reduce="add")


def index_add(do: Parts, x: Value, index: Value, value: Value, axis: int, alpha: float) -> Value:
    """`x` with the parts of `value` added at positions along an axis."""
    where = counted(axis, x.rank)
    added = value if alpha == 1 else value * alpha
    return do("scatter", x, _along(do, index, value, where), added, axis=where, reduce="add")


def index_copy(do: Parts, x: Value, index: Value, value: Value, axis: int) -> Value:
    """`x` with the parts of `value` in place of its own at positions along an axis."""
    where = counted(axis, x.rank)
    return do("scatter", x, _along(do, index, value, where), value, axis=where)


def index_fill(do: Parts, x: Value, index: Value, axis: int, value: float) -> Value:
    """`x` with one value at positions along an axis."""
    where = counted(axis, x.rank)
    return do("scatter", x, _along(do, index, x, where), do.full((), value, x.dtype), axis=where)


def masked_scatter(do: Parts, x: Value, mask: Value, value: Value) -> Value:
    """`x` with the elements of `value`, in order, where `mask` is true."""
    shown = do.cast(do("expand", mask, shape=list(x.shape)), "bool")
    flags = do.cast(do("reshape", shown, shape=[-1]), "i32")
    places = do.cast(do("cumsum", flags, axis=0, exclusive=True), "u32")
    taken = do("take", do("reshape", value, shape=[-1]), places)
    return do("where", shown, do.reshape(do.cast(taken, x.dtype), *x.shape), x)


def one_hot(do: Parts, x: Value, num_classes: int) -> Value:
    """1 at each number's own place along a new last axis, else 0."""
    if num_classes < 0:
        raise AttributeValueError(f"one_hot: num_classes is {num_classes}, but must be from 0")
    places = do.numbers(num_classes, x.dtype)
    return do.cast(do("eq", do.reshape(x, *x.shape, 1), places), "i32")


MEANINGS: dict[str, Meaning] = {
    "index_select": index_select,
    "take_along_dim": take_along_dim,
    "scatter_add": scatter_add,
    "index_add": index_add,
    "index_copy": index_copy,
    "index_fill": index_fill,
    "masked_scatter": masked_scatter,
    "one_hot": one_hot,
}
