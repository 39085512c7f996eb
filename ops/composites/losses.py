"""Composites that are losses."""

from __future__ import annotations

from math import log, pi

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import text
from ops.spec import FLOATS

_LEAST_LOG = -100.0


def reduced(do: Parts, loss: Value, reduction: str) -> Value:
    """What becomes of the losses of all elements."""
    match reduction:
        case "none":
            return loss
        case "batchmean":
            return do("sum", loss) / (loss.shape[0] if loss.rank else 1)
    return do(reduction, loss)


def hinge(do: Parts, x: Value) -> Value:
    """`x`, but at least 0; at 0 its slope is still 1, as in PyTorch's losses."""
    return do("clamp", x, min=0)


def mse_loss(do: Parts, x: Value, target: Value, reduction: str) -> Value:
    """`(x - target) ** 2`."""
    return reduced(do, do("square", x - target), reduction)


def l1_loss(do: Parts, x: Value, target: Value, reduction: str) -> Value:
    """`abs(x - target)`."""
    return reduced(do, do("abs", x - target), reduction)


def smooth_l1_loss(do: Parts, x: Value, target: Value, beta: float, reduction: str) -> Value:
    """A parabola below `beta`, then a line of slope 1."""
    if not beta >= 0:
        raise AttributeValueError(f"smooth_l1_loss: beta is {beta:g}, but must be from 0")
    if not beta:
        return l1_loss(do, x, target, reduction)
    return huber_loss(do, x, target, beta, reduction) / float(beta)


def huber_loss(do: Parts, x: Value, target: Value, delta: float, reduction: str) -> Value:
    """A parabola below `delta`, then a line of slope `delta`."""
    if not delta > 0:
        raise AttributeValueError(f"huber_loss: delta is {delta:g}, but must be above 0")
    distance = do("abs", x - target)
    curve, line = distance * distance * 0.5, (distance - 0.5 * delta) * float(delta)
    loss = do("where", do("lt", distance, float(delta)), curve, line)
    return reduced(do, loss, reduction)


def _classes(op: str, x: Value) -> int:
    """The axis of the classes."""
    if not x.rank:
        raise ShapeError(f"{op} takes at least 1 axis, that of the classes")
    return min(1, x.rank - 1)


def _chosen(do: Parts, x: Value, target: Value, axis: int) -> Value:
    """The elements of `x` at the classes `target`."""
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    if target.shape != shape:
        raise ShapeError(
            f"classes of shape {text(target.shape)} do not fit to predictions of {text(x.shape)}"
        )
    index = do.reshape(target, *x.shape[:axis], 1, *x.shape[axis + 1 :])
    return do.reshape(do("gather", x, index, axis=axis), *shape)


def nll_loss(
    do: Parts, x: Value, target: Value, weight: Value | None = None, *, ignore_index: int, reduction: str
) -> Value:
    """The negative log-probability of each one's class."""
    axis = _classes("nll_loss", x)
    return _by_class(do, x, target, weight, axis, ignore_index, 0.0, reduction)


def _by_class(
    do: Parts,
    x: Value,
    target: Value,
    weight: Value | None,
    axis: int,
    ignored: int,
    smoothing: float,
    reduction: str,
) -> Value:
    """The loss of log-probabilities `x`, a part `smoothing` of which is that of all classes evenly."""
    target = do.cast(target, "i32")
    kept = do("ne", target, ignored)
    classes = do("where", kept, target, 0)
    loss = -_chosen(do, x, classes, axis)
    share = do.cast(kept, x.dtype)
    if weight is not None:
        share = do("where", kept, do("index_select", weight, classes), 0.0)
        loss = loss * share
    if smoothing:
        all_ = x if weight is None else x * do.reshape(weight, -1, *[1] * (x.rank - 1 - axis))
        even = -do("sum", all_, axes=[axis]) * (smoothing / x.shape[axis])
        loss = loss * (1.0 - smoothing) + even
    loss = do("where", kept, loss, 0.0)
    return do("sum", loss) / do("sum", share) if reduction == "mean" else reduced(do, loss, reduction)


def cross_entropy(
    do: Parts,
    x: Value,
    target: Value,
    weight: Value | None = None,
    *,
    ignore_index: int,
    label_smoothing: float,
    reduction: str,
) -> Value:
    """The loss of scores, for classes or for probabilities of classes."""
    if not 0 <= label_smoothing <= 1:
        raise AttributeValueError(f"cross_entropy: label_smoothing is {label_smoothing:g}, not from 0 to 1")
    axis = _classes("cross_entropy", x)
    logs = do("log_softmax", x, axis=axis)
    if target.dtype not in FLOATS:
        return _by_class(do, logs, target, weight, axis, ignore_index, label_smoothing, reduction)
    if target.shape != x.shape:
        raise ShapeError(
            f"probabilities of shape {text(target.shape)} do not fit to scores of {text(x.shape)}"
        )
    count = x.shape[axis]
    even = label_smoothing / max(count, 1)
    shares = target if not even else target * (1.0 - label_smoothing) + even
    if weight is not None:
        shares = shares * do.reshape(weight, count, *[1] * (x.rank - 1 - axis))
    return reduced(do, -do("sum", shares * logs, axes=[axis]), reduction)


def _log(do: Parts, x: Value) -> Value:
    """The logarithm, as if `x` were not 0, whose slope would spoil every gradient."""
    is_zero = do("eq", x, 0.0)
    return do("where", is_zero, _LEAST_LOG, do("log", do("where", is_zero, 1.0, x)))


def binary_cross_entropy(
    do: Parts, x: Value, target: Value, weight: Value | None = None, *, reduction: str
) -> Value:
    """The loss of probabilities of two classes."""
    yes, no = (_log(do, each) for each in (x, -x + 1.0))
    loss = -(target * yes + (-target + 1.0) * no)
    return reduced(do, loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(
    do: Parts, x: Value, target: Value, pos_weight: Value | None = None, *, reduction: str
) -> Value:
    """`(1 - target) * x - (1 + (pos_weight - 1) * target) * log(sigmoid(x))`."""
    logs = do("logsigmoid", x)
    if pos_weight is not None:
        logs = logs * ((pos_weight - 1.0) * target + 1.0)
    return reduced(do, (-target + 1.0) * x - logs, reduction)


def kl_div(do: Parts, x: Value, target: Value, log_target: bool, reduction: str) -> Value:
    """The divergence of `x` (log-probabilities) from `target`."""
    loss = do("exp", target) * (target - x) if log_target else do("xlogy", target, target) - target * x
    return reduced(do, loss, reduction)


def poisson_nll_loss(
    do: Parts, x: Value, target: Value, log_input: bool, full: bool, eps: float, reduction: str
) -> Value:
    """The loss of a rate, or of its logarithm, for counts."""
    loss = do("exp", x) - target * x if log_input else x - target * do("log", x + eps)
    if full:
        safe = do("maximum", target, 1.0)
        logs = do("log", safe)
        stirling = safe * logs - safe + logs * 0.5 + 0.5 * log(2 * pi)
        loss = loss + do("where", do("gt", target, 1.0), stirling, 0.0)
    return reduced(do, loss, reduction)


def gaussian_nll_loss(
    do: Parts, x: Value, target: Value, var: Value, full: bool, eps: float, reduction: str
) -> Value:
    """The loss of a mean and a variance, for numbers."""
    if var.shape == x.shape[:-1]:
        var = do("unsqueeze", var, axis=-1)
    safe = do("maximum", var, float(eps))
    loss = (do("log", safe) + do("square", x - target) / safe) * 0.5
    return reduced(do, loss + 0.5 * log(2 * pi) if full else loss, reduction)


def soft_margin_loss(do: Parts, x: Value, target: Value, reduction: str) -> Value:
    """`log(1 + exp(-target * x))`."""
    return reduced(do, -do("logsigmoid", target * x), reduction)


def hinge_embedding_loss(do: Parts, x: Value, target: Value, margin: float, reduction: str) -> Value:
    """`x` for 1, how far `x` is below the margin for -1; both for what is neither."""
    near = do("where", do("ne", target, -1.0), x, 0.0)
    far = do("where", do("ne", target, 1.0), hinge(do, -x + margin), 0.0)
    return reduced(do, near + far, reduction)


def margin_ranking_loss(do: Parts, x: Value, y: Value, target: Value, margin: float, reduction: str) -> Value:
    """How far the one that should be larger is from being so by the margin."""
    return reduced(do, hinge(do, -target * (x - y) + margin), reduction)


def cosine_embedding_loss(
    do: Parts, x: Value, y: Value, target: Value, margin: float, reduction: str
) -> Value:
    """`1 - cosine` for 1, how far the cosine is above the margin for -1."""
    cosine = do("cosine_similarity", x, y, axis=-1)
    near = do("where", do("eq", target, 1.0), -cosine + 1.0, 0.0)
    far = do("where", do("eq", target, -1.0), hinge(do, cosine - margin), 0.0)
    return reduced(do, near + far, reduction)


MEANINGS: dict[str, Meaning] = {
    function.__name__: function
    for function in (
        mse_loss,
        l1_loss,
        smooth_l1_loss,
        huber_loss,
        nll_loss,
        cross_entropy,
        binary_cross_entropy,
        binary_cross_entropy_with_logits,
        kl_div,
        poisson_nll_loss,
        gaussian_nll_loss,
        soft_margin_loss,
        hinge_embedding_loss,
        margin_ranking_loss,
        cosine_embedding_loss,
    )
}
