"""Layers of `torch.nn` over axes of space.

Owns their classes: one for each number of axes, by a base that all share. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from ops.errors import AttributeValueError
from ops.torch.draws import uniform
from ops.torch.functions.spatial import FUNCTIONAL, each_axis
from ops.torch.nn.module import Applied, Module, layer
from ops.torch.tensor import Tensor, apply
from ops.torch.typenames import Sizes

_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Unpooling(Applied):
    """Base of layers that also take the places that pooling gave."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        result: Tensor = super().forward(input, indices, output_size=output_size)
        return result


class _Convolution(Module):
    """Base of convolutions; weights start uniform within 1 / sqrt(the elements that one of them is summed over)."""

    _rank: ClassVar = 0
    _is_transposed: ClassVar = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        output_padding: Sizes = 0,
    ) -> None:
        super().__init__()
        if padding_mode not in _MODES:
            raise AttributeValueError(
                f"padding_mode is {padding_mode[:32]!r}, but must be one of {', '.join(_MODES)}"
            )
        self.kernel_size = each_axis(kernel_size, self._rank)
        self.stride = each_axis(stride, self._rank)
        self.dilation = each_axis(dilation, self._rank)
        self.padding, self.output_padding = padding, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        first, second = (in_channels, out_channels) if self._is_transposed else (out_channels, in_channels)
        fan = second // groups * prod(self.kernel_size)
        bound = fan**-0.5 if fan > 0 else 0.0
        self.weight = uniform([first, second // groups, *self.kernel_size], -bound, bound)
        self.bias = uniform([out_channels], -bound, bound) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input), 0
        result: Tensor = FUNCTIONAL[f"conv{self._rank}d"](
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
        return result

    def _padded(self, input: Tensor) -> Tensor:
        """`input` with what its own elements give around it."""
        none = [0] * (input.ndim - self._rank)
        if self.padding == "same":
            ends = [far * (k - 1) for far, k in zip(self.dilation, self.kernel_size, strict=True)]
        else:
            ends = [
                2 * more
                for more in each_axis(0 if isinstance(self.padding, str) else self.padding, self._rank)
            ]
        before, after = [n // 2 for n in ends], [n - n // 2 for n in ends]
        mode = _MODES[self.padding_mode]
        return apply("pad", [input], before=none + before, after=none + after, mode=mode)


class _Transposed(_Convolution):
    """Base of transposed convolutions, which have their arguments in another order."""

    _is_transposed: ClassVar = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            "zeros",
            output_padding,
        )

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = FUNCTIONAL[f"conv_transpose{self._rank}d"](
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )
        return result


class Conv1d(_Convolution):
    """`conv1d` with a weight and a bias of its own."""

    _rank = 1


class Conv2d(_Convolution):
    """`conv2d` with a weight and a bias of its own."""

    _rank = 2


class Conv3d(_Convolution):
    """`conv3d` with a weight and a bias of its own."""

    _rank = 3


class ConvTranspose1d(_Transposed):
    """`conv_transpose1d` with a weight and a bias of its own."""

    _rank = 1


class ConvTranspose2d(_Transposed):
    """`conv_transpose2d` with a weight and a bias of its own."""

    _rank = 2


class ConvTranspose3d(_Transposed):
    """`conv_transpose3d` with a weight and a bias of its own."""

    _rank = 3


_LAYERS = {
    "MaxPool": ("max_pool", "kernel_size stride padding dilation return_indices ceil_mode"),
    "AvgPool": ("avg_pool", "kernel_size stride padding ceil_mode count_include_pad divisor_override"),
    "LPPool": ("lp_pool", "norm_type kernel_size stride ceil_mode"),
    "AdaptiveMaxPool": ("adaptive_max_pool", "output_size return_indices"),
    "AdaptiveAvgPool": ("adaptive_avg_pool", "output_size"),
}
"""For each number of axes: the function that a layer calls, and its options in PyTorch's order."""
_OTHERS = {
    "Upsample": ("interpolate", "size scale_factor mode align_corners recompute_scale_factor"),
    "UpsamplingNearest2d": ("upsample_nearest", "size scale_factor"),
    "UpsamplingBilinear2d": ("upsample_bilinear", "size scale_factor"),
    "Unfold": ("unfold", "kernel_size dilation padding stride"),
    "Fold": ("fold", "output_size kernel_size dilation padding stride"),
    "PixelShuffle": ("pixel_shuffle", "upscale_factor"),
    "PixelUnshuffle": ("pixel_unshuffle", "downscale_factor"),
    "ChannelShuffle": ("channel_shuffle", "groups"),
}
_RANKS = (1, 2, 3)
LAYERS: tuple[type[Module], ...] = (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    *(
        layer(f"{title}{rank}d", FUNCTIONAL[f"{name}{rank}d"], options)
        for title, (name, options) in _LAYERS.items()
        for rank in _RANKS
    ),
    *(
        layer(f"MaxUnpool{rank}d", FUNCTIONAL[f"max_unpool{rank}d"], "kernel_size stride padding", _Unpooling)
        for rank in _RANKS
    ),
    *(layer(title, FUNCTIONAL[name], options) for title, (name, options) in _OTHERS.items()),
)
