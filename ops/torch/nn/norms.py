"""Norms, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ops.errors import AttributeValueError, ShapeError
from ops.torch.creation import ones, zeros
from ops.torch.nn.module import Module, layer
from ops.torch.tensor import Tensor, apply
from ops.torch.typenames import Sizes, sizes
from ops.torch.writing import become


def _normalised(
    op: str, tensors: Sequence[Tensor], weight: Tensor | None, bias: Tensor | None, **attributes: object
) -> Tensor:
    """A norm that may be scaled; a bias alone stands beside a weight of ones."""
    if weight is None and bias is not None:
        weight = ones(*bias.shape, dtype=bias.dtype)
    given = [each for each in (weight, bias) if each is not None]
    return apply(op, [*tensors, *given], **attributes)


def layer_norm(
    input: Tensor,
    normalized_shape: Sizes,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Standardised over the last axes, whose sizes are given, then scaled."""
    shape = sizes([normalized_shape])
    return _normalised("layer_norm", [input], weight, bias, normalized_shape=shape, eps=eps)


def rms_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divided by the root of the mean square over the last axes, then scaled."""
    return _normalised("rms_norm", [input], weight, None, normalized_shape=sizes([normalized_shape]), eps=eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Standardised over groups of channels, then scaled."""
    return _normalised("group_norm", [input], weight, bias, num_groups=num_groups, eps=eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Standardised a channel by the batch's own statistics when `training`, which also move the running ones; else by
    those. Of nothing there is nothing, and it moves nothing."""
    if not input.numel():
        return input.clone()
    if not training:
        if running_mean is None or running_var is None:
            raise AttributeValueError("batch_norm takes running statistics when it is not training")
        return _normalised("batch_norm", [input, running_mean, running_var], weight, bias, eps=eps)
    if input.ndim < 2 or input.numel() <= input.shape[1]:
        raise ShapeError("batch_norm takes more than one value a channel when training")
    axes = [0, *range(2, input.ndim)]
    mean, var = _statistics(input, axes)
    count = input.numel() // input.shape[1]
    _move(running_mean, mean, momentum)
    _move(running_var, var * (count / (count - 1)), momentum)
    return _normalised("batch_norm", [input, mean, var], weight, bias, eps=eps)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Standardised over all axes behind the channels, then scaled; running statistics are the batch's mean ones."""
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None or running_var is not None:
        mean, var = _statistics(input, list(range(2, input.ndim)))
        count = input.numel() // (input.shape[0] * input.shape[1])
        _move(running_mean, _mean(mean), momentum)
        _move(running_var, _mean(var) * (count / max(count - 1, 1)), momentum)
    return _normalised("instance_norm", [input], weight, bias, eps=eps)


def _statistics(input: Tensor, axes: list[int]) -> tuple[Any, Any]:
    """The mean and the mean square of the distance from it."""
    return apply("mean", [input], axes=axes), apply("var", [input], axes=axes, correction=0)


def _mean(statistic: Tensor) -> Any:
    return apply("mean", [statistic], axes=[0])


def _move(running: Any, found: Any, momentum: float) -> None:
    """Move a running statistic towards that of a batch."""
    if running is not None:
        become(running, running * (1 - momentum) + found * momentum)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divided by a power of the mean square of neighbouring channels."""
    return apply("local_response_norm", [input], size=size, alpha=alpha, beta=beta, k=k)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divided by the p-norm along an axis."""
    return apply("normalize", [input], p=p, axis=dim, eps=eps)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    return apply("cosine_similarity", [x1, x2], axis=dim, eps=eps)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of the difference along the last axis."""
    return apply("pairwise_distance", [x1, x2], p=p, eps=eps, keepdim=keepdim)


class LayerNorm(Module):
    """`layer_norm` as a layer, whose weight begins as ones and whose bias as zeros."""

    def __init__(
        self, normalized_shape: Sizes, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape: tuple[int, ...] = tuple(sizes([normalized_shape]))
        self.eps = eps
        self.weight = ones(*self.normalized_shape) if elementwise_affine else None
        self.bias = zeros(*self.normalized_shape) if elementwise_affine and bias else None

    def forward(self, input: Tensor) -> Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    """`rms_norm` as a layer, whose weight begins as ones."""

    def __init__(
        self, normalized_shape: Sizes, eps: float | None = None, elementwise_affine: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape: tuple[int, ...] = tuple(sizes([normalized_shape]))
        self.eps = eps
        self.weight = ones(*self.normalized_shape) if elementwise_affine else None

    def forward(self, input: Tensor) -> Tensor:
        return rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """`group_norm` as a layer, whose weight begins as ones and whose bias as zeros."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        self.num_groups = num_groups
        self.eps = eps
        self.weight = ones(num_channels) if affine else None
        self.bias = zeros(num_channels) if affine else None

    def forward(self, input: Tensor) -> Tensor:
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _Running(Module):
    """A norm with running statistics; a momentum of None makes them the mean over all batches."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self._batches = 0
        self.weight = ones(num_features) if affine else None
        self.bias = zeros(num_features) if affine else None
        self.register_buffer("running_mean", zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", ones(num_features) if track_running_stats else None)
        self.running_mean: Tensor | None
        self.running_var: Tensor | None

    def _apply(self, function: Callable[..., Tensor], input: Tensor) -> Tensor:
        of_batch = self.training or self.running_mean is None
        self._batches += self.training
        momentum = 1 / max(self._batches, 1) if self.momentum is None else self.momentum
        running = (self.running_mean, self.running_var)
        return function(input, *running, self.weight, self.bias, of_batch, momentum, self.eps)


class BatchNorm1d(_Running):
    """`batch_norm` as a layer, of any number of axes."""

    def forward(self, input: Tensor) -> Tensor:
        return self._apply(batch_norm, input)


class BatchNorm2d(BatchNorm1d):
    """The same."""


class BatchNorm3d(BatchNorm1d):
    """The same."""


class InstanceNorm1d(_Running):
    """`instance_norm` as a layer, of any number of axes."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats)

    def forward(self, input: Tensor) -> Tensor:
        return self._apply(instance_norm, input)


class InstanceNorm2d(InstanceNorm1d):
    """The same."""


class InstanceNorm3d(InstanceNorm1d):
    """The same."""


LAYERS: tuple[type[Module], ...] = (
    LayerNorm,
    RMSNorm,
    GroupNorm,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    layer("LocalResponseNorm", local_response_norm, "size alpha beta k"),
    layer("CosineSimilarity", cosine_similarity, "dim eps"),
    layer("PairwiseDistance", pairwise_distance, "p eps keepdim"),
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        layer_norm,
        rms_norm,
        group_norm,
        batch_norm,
        instance_norm,
        local_response_norm,
        normalize,
        cosine_similarity,
        pairwise_distance,
    )
}
