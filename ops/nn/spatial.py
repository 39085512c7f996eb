"""Layers of `torch.nn` over axes of space.

Owns their classes: one for each number of axes, by a base that all share. Must not know engines.
"""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from ops.draws import uniform
from ops.errors import AttributeValueError
from ops.nn.module import Module
from ops.spatial_functions import FUNCTIONAL, Sizes
from ops.tensor import Tensor, apply

_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Spatial(Module):
    """Base of layers that call a function with the arguments that each was made with."""

    function: ClassVar = ""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()
        self._args, self._named = args, named

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONAL[self.function](input, *self._args, **self._named)


def _layers(name: str, function: str, base: type[Module] = _Spatial) -> tuple[type[Module], ...]:
    """The classes `name` 1d to 3d of layers that only call `function` 1d to 3d."""
    return tuple(
        type(f"{name}{rank}d", (base,), {"__doc__": f"`{function}{rank}d` as a layer.",
                                             "function": f"{function}{rank}d"})
        for rank in (1, 2, 3)
    )  # fmt: skip


class _Convolution(Module):
    """Base of convolutions; weights start uniform within 1 / sqrt(the elements that one of them is summed over)."""

    rank: ClassVar = 0
    is_transposed: ClassVar = False

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
        self.kernel_size = _each(kernel_size, self.rank)
        self.stride, self.dilation = _each(stride, self.rank), _each(dilation, self.rank)
        self.padding, self.output_padding = padding, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        first, second = (in_channels, out_channels) if self.is_transposed else (out_channels, in_channels)
        fan = second // groups * prod(self.kernel_size)
        bound = fan**-0.5 if fan > 0 else 0.0
        self.weight = uniform([first, second // groups, *self.kernel_size], -bound, bound)
        self.bias = uniform([out_channels], -bound, bound) if bias else None

    def forward(self, input: Tensor) -> Any:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input), 0
        return FUNCTIONAL[f"conv{self.rank}d"](
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _padded(self, input: Tensor) -> Tensor:
        """`input` with what its own elements give around it."""
        none = [0] * (input.ndim - self.rank)
        if self.padding == "same":
            ends = [far * (k - 1) for far, k in zip(self.dilation, self.kernel_size, strict=True)]
        else:
            ends = [
                2 * more for more in _each(0 if isinstance(self.padding, str) else self.padding, self.rank)
            ]
        before, after = [n // 2 for n in ends], [n - n // 2 for n in ends]
        mode = _MODES[self.padding_mode]
        return apply("pad", [input], before=none + before, after=none + after, mode=mode)


class _Transposed(_Convolution):
    """Base of transposed convolutions, which have their arguments in another order."""

    is_transposed: ClassVar = True

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

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONAL[f"conv_transpose{self.rank}d"](
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )


def _each(value: Sizes, rank: int) -> list[int]:
    return [value] * rank if isinstance(value, int) else list(value)


class Conv1d(_Convolution):
    """`conv1d` with a weight and a bias of its own."""

    rank = 1


class Conv2d(_Convolution):
    """`conv2d` with a weight and a bias of its own."""

    rank = 2


class Conv3d(_Convolution):
    """`conv3d` with a weight and a bias of its own."""

    rank = 3


class ConvTranspose1d(_Transposed):
    """`conv_transpose1d` with a weight and a bias of its own."""

    rank = 1


class ConvTranspose2d(_Transposed):
    """`conv_transpose2d` with a weight and a bias of its own."""

    rank = 2


class ConvTranspose3d(_Transposed):
    """`conv_transpose3d` with a weight and a bias of its own."""

    rank = 3


class Upsample(_Spatial):
    """`interpolate` as a layer."""

    function = "interpolate"


class Unfold(_Spatial):
    """`unfold` as a layer."""

    function = "unfold"


class Fold(_Spatial):
    """`fold` as a layer."""

    function = "fold"


class PixelShuffle(_Spatial):
    """`pixel_shuffle` as a layer."""

    function = "pixel_shuffle"


class PixelUnshuffle(_Spatial):
    """`pixel_unshuffle` as a layer."""

    function = "pixel_unshuffle"


class UpsamplingNearest2d(_Spatial):
    """`upsample_nearest` as a layer."""

    function = "upsample_nearest"


class UpsamplingBilinear2d(_Spatial):
    """`upsample_bilinear` as a layer."""

    function = "upsample_bilinear"


class ChannelShuffle(_Spatial):
    """`channel_shuffle` as a layer."""

    function = "channel_shuffle"


class _Unpooling(_Spatial):
    """Base of layers that also take the places that pooling gave."""

    def forward(self, input: Tensor, indices: Any = None, output_size: Any = None) -> Any:
        function = FUNCTIONAL[self.function]
        return function(input, indices, *self._args, **self._named, output_size=output_size)


LAYERS: tuple[type[Module], ...] = (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    *_layers("MaxPool", "max_pool"),
    *_layers("AvgPool", "avg_pool"),
    *_layers("LPPool", "lp_pool"),
    *_layers("MaxUnpool", "max_unpool", _Unpooling),
    *_layers("AdaptiveMaxPool", "adaptive_max_pool"),
    *_layers("AdaptiveAvgPool", "adaptive_avg_pool"),
    Upsample,
    Unfold,
    Fold,
    PixelShuffle,
    PixelUnshuffle,
    UpsamplingNearest2d,
    UpsamplingBilinear2d,
    ChannelShuffle,
)
