"""In PyTorch's words, what rows mean that its OpInfo samples do not reach: for their gradients.

Owns a function a row, of tensors in f64 and the row's attributes by name, and samples of rows that have none elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.ops.sample import Sample
from tests.ops.test_backward import CALLS, is_smooth

Tensor = torch.Tensor
Axes = tuple[int, ...] | None

POOLS = {1: functional.lp_pool1d, 2: functional.lp_pool2d, 3: functional.lp_pool3d}
CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}


def gemm(
    x: Tensor, y: Tensor, z: Any = 0, *, alpha: float, beta: float, trans_a: bool, trans_b: bool
) -> Tensor:
    return alpha * ((x.T if trans_a else x) @ (y.T if trans_b else y)) + beta * z


def lp_pool(
    x: Tensor, *, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, channels_last: bool
) -> Tensor:
    assert not channels_last
    return POOLS[x.ndim - 2](x, norm_type, kernel_size, stride, ceil_mode)


def narrow(x: Tensor, *, axis: int, start: int, length: int) -> Tensor:
    return torch.narrow(x, axis, start, length)


def scale_gradient(x: Tensor, y: Tensor) -> Tensor:
    return x * y.detach() + (x - x * y).detach() + 0 * y


def rotary_embedding(
    x: Tensor,
    positions: Tensor | None = None,
    *,
    theta: float,
    rotary_dim: int | None,
    interleaved: bool,
    offset: int,
) -> Tensor:
    """Pairs as complex numbers, each multiplied by one of size 1."""
    turned = x.shape[-1] if rotary_dim is None else rotary_dim
    if not turned:
        return x
    if positions is None:
        positions = torch.arange(offset, offset + x.shape[-2])
    rates = theta ** (-torch.arange(0, turned, 2).double() / turned)
    turn = torch.exp(1j * positions[..., None] * rates)
    part = x[..., :turned]
    pairs = part.unflatten(-1, (-1, 2)) if interleaved else part.unflatten(-1, (2, -1)).transpose(-1, -2)
    made = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    made = made if interleaved else made.transpose(-1, -2)
    return torch.cat([made.flatten(-2), x[..., turned:]], -1)


def linear_recurrence(x: Tensor, y: Tensor, *, axis: int) -> Tensor:
    x, y = torch.broadcast_tensors(x, y)
    state, states = torch.zeros(()), []
    for factor, more in zip(x.unbind(axis), y.unbind(axis), strict=True):
        state = factor * state + more
        states.append(state)
    return torch.stack(states, axis) if states else x * y


def selective_scan(
    x: Tensor,
    delta: Tensor,
    decay: Tensor,
    enter: Tensor,
    leave: Tensor,
    skip: Any = 0,
    gate: Tensor | None = None,
    *,
    delta_softplus: bool,
) -> Tensor:
    step = functional.softplus(delta) if delta_softplus else delta
    into = (step * x)[..., None] * enter[..., None, :]
    states = linear_recurrence(torch.exp(step[..., None] * decay), into, axis=-3)
    made = (states * leave[..., None, :]).sum(-1) + skip * x
    return made if gate is None else made * functional.silu(gate)


def expert_weights(x: Tensor, *, k: int, temperature: float) -> Tensor:
    best = x.topk(k).indices
    hidden = torch.full_like(x, -torch.inf).scatter(-1, best, 0)
    return ((x + hidden) / temperature).softmax(-1)


def expert_linear(x: Tensor, share: Tensor, weight: Tensor, bias: Any = 0) -> Tensor:
    each = torch.einsum("...i,eoi->...eo", x, weight) + bias
    return (share[..., None] * each).sum(-2)


def profile(x: Tensor, *, axis: int) -> Tensor:
    return torch.cat([x.amax(axis), x.mean(axis)], 1)


def soft_argmax(x: Tensor, *, axis: int) -> Tensor:
    places = torch.arange(x.shape[axis]).double()
    return (x.softmax(axis).movedim(axis, -1) * places).sum(-1)


def along(line: Tensor, axis: int, rank: int) -> Tensor:
    return line.reshape([-1 if number == axis % rank else 1 for number in range(rank)])


def dequantize_per_channel(x: Tensor, scale: Tensor, zero_point: Tensor, *, axis: int) -> Tensor:
    return (x - along(zero_point, axis, x.ndim)) * along(scale, axis, x.ndim)


def linear_int8(x: Tensor, weight: Tensor, scale: Tensor, *, dynamic: bool) -> Tensor:
    assert not dynamic
    return functional.linear(x, weight * scale[:, None])


def conv_int8(
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    channels_last: bool,
    dynamic: bool,
    **at: Any,
) -> Tensor:
    assert not channels_last
    assert not dynamic
    rank = x.ndim - 2
    return CONVOLUTIONS[rank](x, weight * along(scale, 0, weight.ndim), bias, **at)


MEANINGS: dict[str, Callable[..., Tensor]] = {
    "trigamma": lambda x: torch.special.polygamma(1, x),
    "xlog1py": torch.special.xlog1py,
    "scale_gradient": scale_gradient,
    "std": lambda x, axes, correction, keepdim: torch.std(x, axes, correction=correction, keepdim=keepdim),
    "reduce_l1": lambda x, axes, keepdim: torch.linalg.vector_norm(x, 1, axes, keepdim),
    "reduce_l2": lambda x, axes, keepdim: torch.linalg.vector_norm(x, 2, axes, keepdim),
    "reduce_sum_square": lambda x, axes, keepdim: torch.sum(x * x, axes, keepdim),
    "reduce_log_sum": lambda x, axes, keepdim: torch.sum(x, axes, keepdim).log(),
    "topk": lambda x, k, axis, largest: torch.topk(x, k, axis, largest).values,
    "squeeze": lambda x, axes: torch.squeeze(x) if axes is None else torch.squeeze(x, axes),
    "unsqueeze": lambda x, axis: torch.unsqueeze(x, axis),
    "flatten": lambda x, start, stop: torch.flatten(x, start, stop),
    "narrow": narrow,
    "scatter_add": lambda x, index, value, axis: torch.scatter_add(x, axis, index % x.shape[axis], value),
    "gemm": gemm,
    "lp_pool": lp_pool,
    "global_avg_pool": lambda x: x.mean(tuple(range(2, x.ndim)), keepdim=True),
    "global_max_pool": lambda x: x.amax(tuple(range(2, x.ndim)), keepdim=True),
    "affine_grid": lambda x, size, align_corners: functional.affine_grid(x, size, align_corners),
    "col2im": functional.fold,
    "rotary_embedding": rotary_embedding,
    "linear_recurrence": linear_recurrence,
    "selective_scan": selective_scan,
    "expert_weights": expert_weights,
    "expert_linear": expert_linear,
    "profile": profile,
    "soft_argmax": soft_argmax,
    "dequantize_per_tensor": lambda x, scale, zero_point: (x - zero_point) * scale,
    "dequantize_per_channel": dequantize_per_channel,
    "linear_int8": linear_int8,
    "conv_int8": conv_int8,
}  # fmt: skip

DRAW = np.random.default_rng(4)
X = DRAW.normal(size=(3, 4)).astype(np.float32)
ABOVE = np.abs(X) + np.float32(0.3)
BYTES = DRAW.integers(-127, 128, (6, 4)).astype(np.int8)
TAPS = DRAW.integers(-127, 128, (6, 2, 3, 2)).astype(np.int8)
IMAGES = DRAW.normal(size=(2, 4, 7, 5)).astype(np.float32)
SCALES = DRAW.uniform(0.01, 0.1, 6).astype(np.float32)
POINTS = DRAW.integers(-9, 9, 6).astype(np.int32)
SAMPLES: dict[str, list[Sample]] = {
    "trigamma": [Sample({}, [each], X) for each in (X, ABOVE)],
    "xlog1py": [Sample({}, [X, ABOVE], X), Sample({}, [np.zeros_like(X), ABOVE[:1]], X)],
    "scale_gradient": [Sample({}, [X, ABOVE], X)],
    "dequantize_per_tensor": [Sample({}, [BYTES, SCALES[0], POINTS[0]], X)],
    "dequantize_per_channel": [Sample({"axis": axis}, [BYTES, SCALES[:size], POINTS[:size]], X)
                               for axis, size in ((0, 6), (-1, 4))],
    "linear_int8": [Sample({}, [x, BYTES, SCALES], X) for x in (X, X[0], X[None])],
    "conv_int8": [Sample({"groups": 2, **at}, [IMAGES, TAPS, SCALES, *bias], X)
                  for at in ({}, {"stride": 2, "padding": [1, 2], "dilation": [1, 2]}) for bias in ([], [SCALES])],
}  # fmt: skip


def samples(name: str) -> list[Sample]:
    """Calls of a row that have gradients."""
    return SAMPLES.get(name) or [
        sample for sample in CALLS[name] if is_smooth(sample) and prod(sample.expected.shape)
    ]
