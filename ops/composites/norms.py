"""Composites that bring elements to a common scale."""

from __future__ import annotations

from ops.composite import Meaning, Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import Shape, text
from ops.shapes import axis as counted

_SMALLEST = 2.0**-23


def softmin(do: Parts, x: Value, axis: int) -> Value:
    """`softmax` of `-x`."""
    return do("softmax", -x, axis=axis)


def _last(op: str, x: Value, sizes: Shape) -> list[int]:
    """The last axes, which must have these sizes."""
    if not sizes or x.shape[-len(sizes) :] != sizes:
        raise ShapeError(f"{op}: the last sizes of {text(x.shape)} are not {text(sizes)}")
    return list(range(-len(sizes), 0))


def _channels(op: str, x: Value, least: int = 2) -> int:
    """The number of channels, at axis 1."""
    if x.rank < least:
        raise ShapeError(f"{op} takes at least {least} axes, not {text(x.shape)}")
    return x.shape[1]


def _scaled(x: Value, weight: Value | None, bias: Value | None) -> Value:
    """`x * weight + bias`, as far as they are given."""
    product = x if weight is None else x * weight
    return product if bias is None else product + bias


def _beside(do: Parts, given: Value | None, op: str, x: Value) -> Value | None:
    """One number a channel, to meet `x` at axis 1."""
    if given is None:
        return None
    if given.shape != (x.shape[1],):
        raise ShapeError(f"{op} takes one number for each of {x.shape[1]} channels, not {text(given.shape)}")
    return do.reshape(given, x.shape[1], *[1] * (x.rank - 2))


def pairwise_distance(do: Parts, x: Value, y: Value, p: float, eps: float, keepdim: bool) -> Value:
    """The p-norm of the difference along the last axis."""
    return do("norm", x - y + float(eps), p=p, axes=[-1], keepdim=keepdim)


def layer_norm(
    do: Parts,
    x: Value,
    weight: Value | None = None,
    bias: Value | None = None,
    *,
    normalized_shape: Shape,
    eps: float,
) -> Value:
    """Standardised over the last axes, then scaled."""
    axes = _last("layer_norm", x, normalized_shape)
    return _scaled(do("standardize", x, axes=axes, eps=eps), weight, bias)


def rms_norm(
    do: Parts, x: Value, weight: Value | None = None, *, normalized_shape: Shape, eps: float | None
) -> Value:
    """Divided by the root of the mean square over the last axes, then scaled."""
    axes = _last("rms_norm", x, normalized_shape)
    least = _SMALLEST if eps is None else eps
    return _scaled(do("standardize", x, axes=axes, eps=least, centred=False), weight, None)


def group_norm(
    do: Parts,
    x: Value,
    weight: Value | None = None,
    bias: Value | None = None,
    *,
    num_groups: int,
    eps: float,
) -> Value:
    """Standardised over groups of channels, then scaled."""
    channels = _channels("group_norm", x)
    if num_groups < 1 or channels % num_groups:
        raise AttributeValueError(f"group_norm: {num_groups} groups of {channels} channels are not even")
    each = [num_groups, channels // num_groups]
    grouped = do.reshape(x, x.shape[0], *each, *x.shape[2:])
    made = do("standardize", grouped, axes=list(range(2, grouped.rank)), eps=eps)
    shown = [
        None if beside is None else do.reshape(beside, *each, *[1] * (x.rank - 2))
        for beside in (_beside(do, given, "group_norm", x) for given in (weight, bias))
    ]
    return do.reshape(_scaled(made, *shown), *x.shape)


def instance_norm(
    do: Parts, x: Value, weight: Value | None = None, bias: Value | None = None, *, eps: float
) -> Value:
    """Standardised over all axes behind the channels, then scaled."""
    _channels("instance_norm", x, least=3)
    made = do("standardize", x, axes=list(range(2, x.rank)), eps=eps)
    return _scaled(made, *(_beside(do, given, "instance_norm", x) for given in (weight, bias)))


def batch_norm(
    do: Parts,
    x: Value,
    mean: Value,
    var: Value,
    weight: Value | None = None,
    bias: Value | None = None,
    *,
    eps: float,
) -> Value:
    """Scaled by statistics that are given: the factor is found once a channel, not once an element."""
    _channels("batch_norm", x)
    factor = do("rsqrt", var + eps)
    factor = factor if weight is None else factor * weight
    shift = -mean * factor if bias is None else bias - mean * factor
    return _scaled(x, *(_beside(do, each, "batch_norm", x) for each in (factor, shift)))


def local_response_norm(do: Parts, x: Value, size: int, alpha: float, beta: float, k: float) -> Value:
    """Divided by a power of the mean square of neighbouring channels."""
    channels = _channels("local_response_norm", x)
    if size < 1:
        raise AttributeValueError(f"local_response_norm: size is {size}, but must be from 1")
    before, after = (min(reach, max(channels - 1, 0)) for reach in (size // 2, (size - 1) // 2))
    others = [0] * (x.rank - 2)
    padded = do("pad", do("square", x), before=[0, before, *others], after=[0, after, *others])
    total = do("sum", do("windows", padded, axis=1, size=before + 1 + after), axes=[-1])
    return x / do("pow", total * (alpha / size) + k, float(beta))


def normalize(do: Parts, x: Value, p: float, axis: int, eps: float) -> Value:
    """Divided by the p-norm along an axis."""
    return x / do("maximum", do("norm", x, p=p, axes=[counted(axis, x.rank)], keepdim=True), float(eps))


def cosine_similarity(do: Parts, x: Value, y: Value, axis: int, eps: float) -> Value:
    """The product of vectors by that of their lengths."""
    product = x * y
    where = counted(axis, product.rank)
    lengths = (
        do("maximum", do("norm", each, axes=[where - product.rank]), float(eps))
        for each in (do("expand", given, shape=list(product.shape)) for given in (x, y))
    )
    left, right = lengths
    return do("sum", product, axes=[where]) / (left * right)


MEANINGS: dict[str, Meaning] = {
    "pairwise_distance": pairwise_distance,
    "softmin": softmin,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "batch_norm": batch_norm,
    "local_response_norm": local_response_norm,
    "normalize": normalize,
    "cosine_similarity": cosine_similarity,
}
