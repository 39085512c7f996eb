"""Functions of `torch` over axes of space, with PyTorch's arguments and results.

Owns their forms: a function for each number of axes, and what gives two tensors. Must not know how rows become
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ops.errors import AttributeValueError, ShapeError
from ops.loose import OneOrMore
from ops.torch.tensor import Tensor, apply
from ops.torch.typenames import Sizes

Factors = float | Sequence[float]
Parts = int | Sequence[int | None] | None
"""How many parts adaptive pooling makes along all axes of space, or each; None keeps an axis."""
Function = Callable[..., Any]
_RANKS = (1, 2, 3)


def written_by_hand() -> dict[str, Function]:
    """These functions by their names."""
    made: dict[str, Function] = {"interpolate": interpolate, "upsample": interpolate}
    for name, maker in _MAKERS.items():
        for rank in _RANKS:
            function = made[f"{name}{rank}d"] = maker(rank)
            function.__name__ = function.__qualname__ = f"{name}{rank}d"
    return made


def each_axis(value: Sizes, rank: int) -> list[int]:
    """A number for each of `rank` axes of space, of a list for each or of one for all."""
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * rank if len(numbers) == 1 else numbers


def _weighted(name: str, rank: int, input: Tensor, weight: Tensor, bias: Tensor | None) -> list[Tensor]:
    if weight.ndim != rank + 2:
        raise ShapeError(f"{name}{rank}d takes a weight of {rank + 2} axes, not {weight.ndim}")
    return [input, weight] if bias is None else [input, weight, bias]


def _conv(rank: int) -> Function:
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Tensor:
        """Convolution of images by the weights of each output."""
        if padding == "same" and any(step != 1 for step in each_axis(stride, rank)):
            raise AttributeValueError("padding 'same' is for a stride of 1")
        tensors = _weighted("conv", rank, input, weight, bias)
        return apply("conv", tensors, stride=stride, padding=padding, dilation=dilation, groups=groups)

    return conv


def _conv_transpose(rank: int) -> Function:
    def conv_transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        dilation: Sizes = 1,
    ) -> Tensor:
        """The transpose of a convolution: each element is spread out by the weights of its channel."""
        return apply(
            "conv_transpose",
            _weighted("conv_transpose", rank, input, weight, bias),
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            dilation=dilation,
        )

    return conv_transpose


def _with_indices(op: str, input: Tensor, return_indices: bool, **attributes: object) -> OneOrMore:
    values = apply(op, [input], **attributes)
    return (values, apply(f"{op}_indices", [input], **attributes)) if return_indices else values


def _max_pool(rank: int) -> Function:
    def max_pool(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> OneOrMore:
        """The largest element of each window, and with `return_indices` where each is in the flattened image."""
        return _with_indices(
            "max_pool",
            input,
            return_indices,
            kernel_size=each_axis(kernel_size, rank),
            stride=stride,
            padding=each_axis(padding, rank),
            dilation=dilation,
            ceil_mode=ceil_mode,
        )

    return max_pool


def _avg_pool(rank: int) -> Function:
    def avg_pool(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """The mean of each window."""
        return apply(
            "avg_pool",
            [input],
            kernel_size=each_axis(kernel_size, rank),
            stride=stride,
            padding=each_axis(padding, rank),
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )

    return avg_pool


def _lp_pool(rank: int) -> Function:
    def lp_pool(
        input: Tensor,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        """The p-th root of the sum of the p-th powers of each window."""
        sizes = each_axis(kernel_size, rank)
        return apply(
            "lp_pool", [input], norm_type=norm_type, kernel_size=sizes, stride=stride, ceil_mode=ceil_mode
        )

    return lp_pool


def _max_unpool(rank: int) -> Function:
    def max_unpool(
        input: Tensor,
        indices: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sequence[int] | None = None,
    ) -> Tensor:
        """Zeros with each element where `max_pool` found it; without `output_size`, in the smallest such image."""
        size, around = each_axis(kernel_size, rank), each_axis(padding, rank)
        steps = each_axis(kernel_size if stride is None else stride, rank)
        places = zip(input.shape[-rank:], size, steps, around, strict=True)
        least = [(count - 1) * step - 2 * more + taps for count, taps, step, more in places]
        sizes = least if output_size is None else list(output_size)[-rank:]
        return apply("max_unpool", [input, indices], output_size=sizes)

    return max_unpool


def _output(input: Tensor, output_size: Parts, rank: int) -> list[int]:
    """The sizes that adaptive pooling shall give; None is the input's own."""
    sizes = [output_size] * rank if output_size is None or isinstance(output_size, int) else list(output_size)
    if len(sizes) != rank:
        raise AttributeValueError(f"output_size is {sizes}, but there are {rank} axes of space")
    own = input.shape[-rank:]
    return [mine if size is None else size for size, mine in zip(sizes, own, strict=True)]


def _adaptive_max_pool(rank: int) -> Function:
    def adaptive_max_pool(input: Tensor, output_size: Parts, return_indices: bool = False) -> OneOrMore:
        """The largest element of each of so many parts, and with `return_indices` where it is."""
        sizes = _output(input, output_size, rank)
        return _with_indices("adaptive_max_pool", input, return_indices, output_size=sizes)

    return adaptive_max_pool


def _adaptive_avg_pool(rank: int) -> Function:
    def adaptive_avg_pool(input: Tensor, output_size: Parts) -> Tensor:
        """The mean of each of so many parts of nearly equal size."""
        return apply("adaptive_avg_pool", [input], output_size=_output(input, output_size, rank))

    return adaptive_avg_pool


_MAKERS: dict[str, Callable[[int], Function]] = {
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "max_pool": _max_pool,
    "avg_pool": _avg_pool,
    "lp_pool": _lp_pool,
    "max_unpool": _max_unpool,
    "adaptive_max_pool": _adaptive_max_pool,
    "adaptive_avg_pool": _adaptive_avg_pool,
}


def interpolate(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: Factors | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """An image in another size."""
    if antialias:
        raise AttributeValueError(
            "interpolate has no antialias", hint="Make images smaller with mode='area' instead."
        )
    if recompute_scale_factor and scale_factor is not None:
        factors = (
            scale_factor if isinstance(scale_factor, list | tuple) else [scale_factor] * (input.ndim - 2)
        )
        size = [int(n * factor) for n, factor in zip(input.shape[2:], factors, strict=True)]
        scale_factor = None
    return apply(
        "interpolate", [input], size=size, scale_factor=scale_factor, mode=mode, align_corners=align_corners
    )


def upsample_nearest(input: Tensor, size: Sizes | None = None, scale_factor: Factors | None = None) -> Tensor:
    """An image in another size, of the elements before."""
    return interpolate(input, size, scale_factor)


def upsample_bilinear(
    input: Tensor, size: Sizes | None = None, scale_factor: Factors | None = None
) -> Tensor:
    """An image in another size, from one element to the next, with the corners' elements at the corners."""
    return interpolate(input, size, scale_factor, "bilinear", True)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of all groups in turn."""
    return apply("channel_shuffle", [input], groups=groups)


def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """Each window of images as a column."""
    numbers = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    return apply("im2col", [input], **numbers)


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Images of the sums of what columns say of each element."""
    numbers = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    return apply("col2im", [input], output_size=output_size, **numbers)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Groups of channels as blocks of pixels."""
    return apply("pixel_shuffle", [input], upscale_factor=upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Blocks of pixels as groups of channels."""
    return apply("pixel_unshuffle", [input], downscale_factor=downscale_factor)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Images at places, whose numbers are from -1 to 1."""
    told = {"mode": mode, "padding_mode": padding_mode, "align_corners": bool(align_corners)}
    return apply("grid_sample", [input, grid], **told)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places for `grid_sample` by which matrices move images of `size`."""
    return apply("affine_grid", [theta], size=list(size), align_corners=bool(align_corners))


FUNCTIONAL: dict[str, Function] = {
    "grid_sample": grid_sample,
    "affine_grid": affine_grid,
    **written_by_hand(),
    "upsample_nearest": upsample_nearest,
    "upsample_bilinear": upsample_bilinear,
    "channel_shuffle": channel_shuffle,
    "unfold": unfold,
    "fold": fold,
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
}
"""What `torch.nn.functional` has of these."""
