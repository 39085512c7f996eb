"""Composites that are losses of margins: how far one is from being larger than another by enough."""

from __future__ import annotations

from math import prod

from ops.composite import Meaning, Parts, Value
from ops.composites.losses import hinge, reduced
from ops.errors import ShapeError
from ops.shapes import text


def triplet_margin_loss(
    do: Parts,
    x: Value,
    positive: Value,
    negative: Value,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    reduction: str,
) -> Value:
    """How far `positive` is from being nearer than `negative` by the margin."""
    near, far = (do("pairwise_distance", x, each, p=p, eps=eps) for each in (positive, negative))
    if swap:
        far = do("minimum", far, do("pairwise_distance", positive, negative, p=p, eps=eps))
    return reduced(do, hinge(do, near - far + margin), reduction)


def _rows(op: str, do: Parts, x: Value, target: Value, each: int) -> tuple[Value, Value]:
    """`x` as [batch, classes], and `target` as [batch, targets]: so many `each`, for no batch too."""
    batch, count = (x.shape[0] if x.rank == 2 else 1), x.shape[-1] if x.rank else 1
    if x.rank > 2 or prod(target.shape) != batch * each or target.rank > 2:
        raise ShapeError(
            f"{op} takes [batch, classes] or [classes], and {each} targets for each, not {text(x.shape)} and"
            f" {text(target.shape)}"
        )
    return do.reshape(x, batch, count), do.cast(do.reshape(target, batch, each), "i32")


def _ended(do: Parts, loss: Value, x: Value, reduction: str) -> Value:
    """Losses [batch] reduced; without a batch the one is of rank 0."""
    return reduced(do, loss if x.rank == 2 else do.reshape(loss), reduction)


def multi_margin_loss(
    do: Parts,
    x: Value,
    target: Value,
    weight: Value | None = None,
    *,
    p: float,
    margin: float,
    reduction: str,
) -> Value:
    """How far each other class is from being below the right one by the margin, by the number of classes."""
    rows, index = _rows("multi_margin_loss", do, x, target, 1)
    over = do("relu", rows - do("gather", rows, index, axis=1) + margin)
    powers = over if p == 1 else do("pow", over, float(p))
    if weight is not None:
        powers = powers * do("index_select", weight, index)
    others = do("where", do("eq", do.numbers(rows.shape[1]), index), 0.0, powers)
    return _ended(do, do("sum", others, axes=[1]) / max(rows.shape[1], 1), x, reduction)


def multilabel_margin_loss(do: Parts, x: Value, target: Value, reduction: str) -> Value:
    """How far each class that is no target is from being below each that is by 1; targets end with the first -1."""
    rows, listed = _rows("multilabel_margin_loss", do, x, target, x.shape[-1] if x.rank else 1)
    ended = do("cumsum", do.cast(do("lt", listed, 0), "i32"), axis=1)
    is_meant = do("eq", ended, 0)
    classes = do("where", is_meant, listed, 0)
    none = do("expand", do.full((), 0, "i32"), shape=list(rows.shape))
    is_target = do("scatter", none, classes, do.cast(is_meant, "i32"), axis=1, reduce="max")
    own = do("unsqueeze", do("gather", rows, classes, axis=1), axis=2)
    over = do("relu", do("unsqueeze", rows, axis=1) - own + 1.0)
    counts = do(
        "logical_and", do("unsqueeze", is_meant, axis=2), do("eq", do("unsqueeze", is_target, axis=1), 0)
    )
    total = do("sum", do("where", counts, over, 0.0), axes=[1, 2])
    return _ended(do, total / max(rows.shape[1], 1), x, reduction)


def multilabel_soft_margin_loss(
    do: Parts, x: Value, target: Value, weight: Value | None = None, *, reduction: str
) -> Value:
    """The mean over classes of `binary_cross_entropy_with_logits`."""
    loss = do("binary_cross_entropy_with_logits", x, target, reduction="none")
    return reduced(do, do("mean", loss if weight is None else loss * weight, axes=[-1]), reduction)


MEANINGS: dict[str, Meaning] = {
    function.__name__: function
    for function in (
        triplet_margin_loss,
        multi_margin_loss,
        multilabel_margin_loss,
        multilabel_soft_margin_loss,
    )
}
