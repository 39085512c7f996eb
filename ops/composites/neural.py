"""Composites of neural networks: embeddings, and attention as PyTorch has it."""

from __future__ import annotations

from math import inf, prod

from ops.composite import Meaning, Parts, Value
from ops.errors import ShapeError
from ops.shapes import axis as counted
from ops.shapes import text


def embedding(
    do: Parts, index: Value, weight: Value, padding_idx: int | None, scale_grad_by_freq: bool
) -> Value:
    """The rows of `weight` at positions; the row `padding_idx` gets no gradient."""
    if weight.rank != 2:
        raise ShapeError(f"embedding takes a matrix of weights, not {text(weight.shape)}")
    if padding_idx is not None:
        rows = do.reshape(do.numbers(weight.shape[0]), weight.shape[0], 1)
        is_padding = do("eq", rows, padding_idx % max(weight.shape[0], 1))
        weight = do("where", is_padding, do("stop_gradient", weight), weight)
    if scale_grad_by_freq:
        weight = do("scale_gradient", weight, do("reciprocal", _frequency(do, index, weight)))
    return do("index_select", weight, index, axis=0)


def _frequency(do: Parts, index: Value, weight: Value) -> Value:
    """How often each row is looked up, at least once, beside the rows."""
    places = do.reshape(index, prod(index.shape))
    none, ones = do.full((), 0.0, "f32"), do.full((), 1.0, "f32")
    start = do("expand", none, shape=[weight.shape[0]])
    counts = do("scatter", start, places, do("expand", ones, shape=[places.shape[0]]), axis=0, reduce="add")
    return do.reshape(do("maximum", counts, 1.0), weight.shape[0], 1)


def glu(do: Parts, x: Value, axis: int) -> Value:
    """The first half of an axis times `sigmoid` of the second."""
    where = counted(axis, x.rank)
    if not x.rank or x.shape[where] % 2:
        raise ShapeError(f"glu halves axis {axis} of {text(x.shape)}, whose size is odd")
    half = x.shape[where] // 2
    return do.slice(x, where, 0, half) * do("sigmoid", do.slice(x, where, half, 2 * half))


def scaled_dot_product_attention(
    do: Parts,
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None = None,
    *,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Value:
    """`attention` with masks of bools, and with heads of keys that several heads of queries share."""
    attributes = {"is_causal": is_causal, "scale": scale}
    shape = (*query.shape[:-1], value.shape[-1]) if query.rank and value.rank else ()
    if enable_gqa:
        query, key, value, mask = _grouped(do, query, key, value, mask)
    if mask is None:
        made = do("attention", query, key, value, **attributes)
    else:
        seen, hidden = (do.full((), number, query.dtype) for number in (0.0, -inf))
        added = do("where", mask, seen, hidden) if mask.dtype == "bool" else mask
        sees = do("any", do("ne", added, -inf), axes=[-1], keepdim=True)
        made = do("attention", query, key, value, do("where", sees, added, 0.0), **attributes)
        made = do("where", sees, made, 0.0)
    return do.reshape(made, *shape) if enable_gqa else made


def _grouped(
    do: Parts, query: Value, key: Value, value: Value, mask: Value | None
) -> tuple[Value, Value, Value, Value | None]:
    """The operands with an axis for the heads of queries that share a head of keys."""
    heads, groups = (each.shape[-3] if each.rank > 2 else 0 for each in (query, key))
    if not groups or heads % groups or value.shape[-3:-2] != (groups,):
        raise ShapeError(
            f"{heads} heads of queries cannot share {groups} heads of keys evenly", hint="Heads are axis -3."
        )

    def split(x: Value, count: int, each: int) -> Value:
        return do.reshape(x, *x.shape[:-3], count, each, *x.shape[-2:])

    if mask is not None and mask.rank > 2:
        mask = split(mask, groups, heads // groups) if mask.shape[-3] == heads else split(mask, 1, 1)
    return split(query, groups, heads // groups), split(key, groups, 1), split(value, groups, 1), mask


MEANINGS: dict[str, Meaning] = {
    "embedding": embedding,
    "glu": glu,
    "scaled_dot_product_attention": scaled_dot_product_attention,
}
