"""Losses, as layers and as functions with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.errors import ShapeError
from ops.shapes import text
from ops.torch.nn.module import layer
from ops.torch.nn.norms import pairwise_distance
from ops.torch.tensor import Tensor, apply


def _weighted(loss: Any, weight: Tensor | None, reduction: str) -> Tensor:
    """Losses one by one times `weight`, reduced."""
    product: Tensor = loss if weight is None else loss * weight
    return product if reduction == "none" else apply(reduction, [product])


def _of_pair(op: str) -> Callable[..., Tensor]:
    """The function of a loss of two tensors."""

    def function(input: Tensor, target: Tensor, *, reduction: str = "mean", **attributes: object) -> Tensor:
        return apply(op, [input, target], reduction=reduction, **attributes)

    return _named(function, op)


def _of_pair_by_weight(op: str) -> Callable[..., Tensor]:
    """The function of a loss of two tensors that may be weighted; its mean is by the sum of weights."""

    def function(
        input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None
    ) -> Tensor:
        if weight is None:
            return apply(op, [input, target], reduction=reduction)
        if weight.shape != input.shape:
            raise ShapeError(f"{op} of shape {text(input.shape)} with weights of {text(weight.shape)}")
        each = apply(op, [input, target], reduction="none")
        if reduction != "mean":
            return _weighted(each, weight, reduction)
        return apply("div", [_weighted(each, weight, "sum"), apply("sum", [weight])])

    return _named(function, op)


def _named(function: Callable[..., Tensor], op: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"As in PyTorch: `{op}`."
    return function


mse_loss = _of_pair_by_weight("mse_loss")
l1_loss = _of_pair_by_weight("l1_loss")
soft_margin_loss = _of_pair("soft_margin_loss")
hinge_embedding_loss = _of_pair("hinge_embedding_loss")
kl_div = _of_pair("kl_div")
poisson_nll_loss = _of_pair("poisson_nll_loss")


def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """A parabola below `beta`, then a line of slope 1."""
    return apply("smooth_l1_loss", [input, target], reduction=reduction, beta=beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """A parabola below `delta`, then a line of slope `delta`."""
    each = apply("huber_loss", [input, target], reduction="none", delta=delta)
    return _weighted(each, weight, reduction)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """The negative log-probability of each one's class."""
    given = [input, target] if weight is None else [input, target, weight]
    return apply("nll_loss", given, ignore_index=ignore_index, reduction=reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss of scores, for classes or for probabilities of classes."""
    given = [input, target] if weight is None else [input, target, weight]
    return apply(
        "cross_entropy",
        given,
        ignore_index=ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """The loss of probabilities of two classes."""
    given = [input, target] if weight is None else [input, target, weight]
    return apply("binary_cross_entropy", given, reduction=reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The same of scores, of any size; `pos_weight` multiplies the part of `target`."""
    given = [input, target] if pos_weight is None else [input, target, pos_weight]
    each = apply("binary_cross_entropy_with_logits", given, reduction="none")
    return _weighted(each, weight, reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, *, reduction: str = "mean"
) -> Tensor:
    """How far the one that should be larger is from being so by the margin."""
    return apply("margin_ranking_loss", [input1, input2, target], margin=margin, reduction=reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, *, reduction: str = "mean"
) -> Tensor:
    """`1 - cosine` for 1, how far the cosine is above the margin for -1."""
    return apply("cosine_embedding_loss", [input1, input2, target], margin=margin, reduction=reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The loss of a mean and a variance, for numbers."""
    spread = var if isinstance(var, Tensor) else apply("full", [], shape=list(input.shape), value=var)
    return apply("gaussian_nll_loss", [input, target, spread], full=full, eps=eps, reduction=reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    *,
    reduction: str = "mean",
) -> Tensor:
    """How far `positive` is from being nearer than `negative` by the margin."""
    given = [anchor, positive, negative]
    return apply("triplet_margin_loss", given, margin=margin, p=p, eps=eps, swap=swap, reduction=reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The same by any distance."""
    distance: Callable[..., Any] = distance_function or pairwise_distance
    far = distance(anchor, negative)
    if swap:
        far = apply("minimum", [far, distance(positive, negative)])
    return _weighted((distance(anchor, positive) - far + margin).relu(), None, reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
) -> Tensor:
    """How far each other class is from being below the right one by the margin."""
    given = [input, target] if weight is None else [input, target, weight]
    return apply("multi_margin_loss", given, p=p, margin=margin, reduction=reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """How far each class that is no target is from being below each that is."""
    return apply("multilabel_margin_loss", [input, target], reduction=reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """The mean over classes of the loss of scores of two."""
    given = [input, target] if weight is None else [input, target, weight]
    return apply("multilabel_soft_margin_loss", given, reduction=reduction)


_CLASSES = "weight ignore_index reduction label_smoothing"
LAYERS = (
    layer("MSELoss", mse_loss, "reduction"),
    layer("L1Loss", l1_loss, "reduction"),
    layer("SmoothL1Loss", smooth_l1_loss, "reduction beta"),
    layer("HuberLoss", huber_loss, "reduction delta"),
    layer("NLLLoss", nll_loss, "weight ignore_index reduction"),
    layer("CrossEntropyLoss", cross_entropy, _CLASSES),
    layer("BCELoss", binary_cross_entropy, "weight reduction"),
    layer("BCEWithLogitsLoss", binary_cross_entropy_with_logits, "weight reduction pos_weight"),
    layer("KLDivLoss", kl_div, "reduction log_target"),
    layer("PoissonNLLLoss", poisson_nll_loss, "log_input full eps reduction"),
    layer("SoftMarginLoss", soft_margin_loss, "reduction"),
    layer("HingeEmbeddingLoss", hinge_embedding_loss, "margin reduction"),
    layer("MarginRankingLoss", margin_ranking_loss, "margin reduction"),
    layer("CosineEmbeddingLoss", cosine_embedding_loss, "margin reduction"),
    layer("GaussianNLLLoss", gaussian_nll_loss, "full eps reduction"),
    layer("TripletMarginLoss", triplet_margin_loss, "margin p eps swap reduction"),
    layer(
        "TripletMarginWithDistanceLoss",
        triplet_margin_with_distance_loss,
        "distance_function margin swap reduction",
    ),
    layer("MultiMarginLoss", multi_margin_loss, "p margin weight reduction"),
    layer("MultiLabelMarginLoss", multilabel_margin_loss, "reduction"),
    layer("MultiLabelSoftMarginLoss", multilabel_soft_margin_loss, "weight reduction"),
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
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
        soft_margin_loss,
        hinge_embedding_loss,
        margin_ranking_loss,
        cosine_embedding_loss,
        gaussian_nll_loss,
        triplet_margin_loss,
        triplet_margin_with_distance_loss,
        multi_margin_loss,
        multilabel_margin_loss,
        multilabel_soft_margin_loss,
    )
}
