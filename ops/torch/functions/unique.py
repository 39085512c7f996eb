"""`unique` and `unique_consecutive`: distinct elements, or parts along an axis, with PyTorch's arguments.

Owns how parts of several elements are told apart: each gets a rank among all, in rounds that pair columns, so that a
part of m elements takes log2(m) rounds of sorting. Must not know kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.loose import OneOrMore
from ops.torch.advanced import positions
from ops.torch.functions.shape import movedim
from ops.torch.operands import operands
from ops.torch.tensor import Tensor, apply


def written_by_hand() -> dict[str, Callable[..., Any]]:
    """These functions by their names."""
    return {"unique": unique, "unique_consecutive": unique_consecutive}


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> OneOrMore:
    """The distinct elements, or parts along an axis, in ascending order.

    Where each went, and how often it is there, if asked for.
    """
    flat = _parts(input, dim)
    ranks = flat if dim is None else _ranks(flat)
    order = apply("argsort", [ranks], axis=0)
    starts = _starts(apply("gather", [ranks, order], axis=0))
    places, groups, counts = _runs(starts)
    values = _back(apply("index_select", [flat, apply("take", [order, places])], axis=0), input, dim)
    inverse = apply("scatter", [groups, order.int(), groups], axis=0) if return_inverse else groups
    return _asked(values, _shaped(inverse, input, dim), counts, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> OneOrMore:
    """The elements, or parts along an axis, without repeats of neighbours.

    Where each went, and how often it stood there, if asked for.
    """
    flat = _parts(input, dim)
    places, groups, counts = _runs(_starts(flat))
    values = _back(apply("index_select", [flat, places], axis=0), input, dim)
    return _asked(values, _shaped(groups, input, dim), counts, return_inverse, return_counts)


def _asked(
    values: Tensor, inverse: Tensor, counts: Tensor, want_inverse: bool, want_counts: bool
) -> OneOrMore:
    result = [values, *[inverse] * want_inverse, *[counts] * want_counts]
    return values if len(result) == 1 else tuple(result)


def _parts(input: Tensor, dim: int | None) -> Tensor:
    """The elements in a row, or a matrix of a part a row."""
    if dim is None:
        return input.reshape(-1)
    turned = movedim(input, dim, 0) if input.ndim else input.reshape(1)
    size = turned.shape[0]
    return turned.reshape([size, turned.numel() // size if size else 0])


def _back(values: Tensor, input: Tensor, dim: int | None) -> Tensor:
    """The distinct parts as they lay in `input`."""
    if dim is None or not input.ndim:
        return values if dim is None else values.reshape(-1)
    turned = movedim(input, dim, 0)
    return movedim(values.reshape([values.shape[0], *turned.shape[1:]]), 0, dim)


def _shaped(inverse: Tensor, input: Tensor, dim: int | None) -> Tensor:
    return inverse.reshape(input.shape) if dim is None or not input.ndim else inverse


def _starts(rows: Tensor) -> Tensor:
    """Where an element or a row of a matrix differs from the one before it; the first does."""
    if not rows.shape[0]:
        return rows.reshape(-1)[:0].bool()
    differs = apply("ne", [rows[1:], rows[:-1]])
    if differs.ndim > 1:
        differs = apply("any", [differs], axes=1)
    return apply("concat", [apply("full", [], shape=[1], value=True, dtype="bool"), differs], axis=0)


def _runs(starts: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Where runs begin, the number of the run of each element, and how long each run is."""
    size = starts.shape[0]
    begins = positions(starts)
    groups = apply("sub", operands([apply("cumsum", [starts.int()], axis=0), 1]))
    end = apply("full", [], shape=[min(size, 1)], value=size, dtype="i32")
    ends = apply("concat", [begins.int()[1:], end], axis=0)
    return begins, groups, apply("sub", [ends, begins.int()])


def _ranks(rows: Tensor) -> Tensor:
    """The rank of each row of a matrix among all of them, equal ones alike, by the first column that differs."""
    count, width = rows.shape
    if not count or not width:
        return apply("full", [], shape=[count], value=0, dtype="i32")
    ranks = _dense([rows])
    while width > 1:
        spare = ranks[:, width - 1 :] if width % 2 else None
        paired = _dense([ranks[:, : width - 1 : 2], ranks[:, 1:width:2]])
        ranks = paired if spare is None else apply("concat", [paired, spare], axis=1)
        width = ranks.shape[1]
    return ranks.reshape(-1)


def _dense(keys: list[Tensor]) -> Tensor:
    """The rank of each element along the first axis by the first of `keys` that differs, equal ones alike (i32)."""
    order: Tensor | None = None
    for key in reversed(keys):  # sorting is stable: the last sorted counts most
        moved = key if order is None else apply("gather", [key, order], axis=0)
        step = apply("argsort", [moved], axis=0)
        order = step if order is None else apply("gather", [order, step], axis=0)
    assert order is not None
    changed: Tensor | None = None
    for key in keys:
        moved = apply("gather", [key, order], axis=0)
        differs = apply("ne", [moved[1:], moved[:-1]])
        changed = differs if changed is None else apply("logical_or", [changed, differs])
    assert changed is not None
    first = apply("full", [], shape=[1, keys[0].shape[1]], value=0, dtype="i32")
    ranks = apply("cumsum", [apply("concat", [first, changed.int()], axis=0)], axis=0)
    return apply("scatter", [ranks, order.int(), ranks], axis=0)
