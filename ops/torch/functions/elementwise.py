"""Functions of `torch` that are elementwise rows with more to their arguments.

Owns what PyTorch lets one function do and the table has as several rows. Must not know how rows become functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.errors import AttributeValueError
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply

Function = Callable[..., Any]
_ROUNDED = {None: "div", "floor": "floor_divide", "trunc": "trunc_divide"}


def written_by_hand() -> dict[str, Function]:
    """These functions by their names."""
    return {
        **dict.fromkeys(("div", "divide", "true_divide"), div),
        **dict.fromkeys(("clamp", "clip"), clamp),
        "clamp_min": clamp_min,
        "clamp_max": clamp_max,
        "round": round_,
        "prelu": prelu,
        "masked_fill": masked_fill,
        "pow": pow_,
        "power": pow_,
        "allclose": allclose,
    }


def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """Quotient; `rounding_mode` "floor" rounds it down, "trunc" towards 0."""
    if rounding_mode not in _ROUNDED:
        raise AttributeValueError(
            f"there is no rounding mode {str(rounding_mode)[:24]!r}", hint="floor or trunc"
        )
    return apply(_ROUNDED[rounding_mode], operands([input, other], to_float=rounding_mode is None))


def pow_(input: Operand, exponent: Operand) -> Tensor:
    """`input` to the power `exponent`."""
    base, power = operands([input, exponent])
    if not isinstance(exponent, Tensor) and exponent < 0 and not power.is_floating_point():
        raise AttributeValueError(
            f"integers to the power {exponent} are none",
            hint="Make them floats first, or give the exponent as one.",
        )
    return apply("pow", [base, power])


def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """`input`, but at least `min` and at most `max`, numbers or tensors."""
    if min is None and max is None:
        raise AttributeValueError("clamp takes a min, a max or both")
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return apply("clamp", [input], min=min, max=max)
    above = input if min is None else _bounded(input, min, "lt")
    return above if max is None else _bounded(above, max, "gt")


def _bounded(input: Tensor, bound: Operand, beyond: str) -> Tensor:
    """`bound` where `input` is beyond it; an equal one stays, and has all of the gradient."""
    tensor, limit = operands([input, bound])
    is_out = apply("logical_or", [apply(beyond, [tensor, limit]), apply("isnan", [limit])])
    return apply("where", [is_out, limit, tensor])


def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """`input`, but at least `min`."""
    return clamp(input, min=min)


def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """`input`, but at most `max`."""
    return clamp(input, max=max)


def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integer, or number with `decimals` digits behind the point."""
    if not decimals:
        return apply("round", [input])
    scale = operands([input, 10.0 ** abs(decimals)])[1]
    there, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    return apply(back, [apply("round", [apply(there, [input, scale])]), scale])


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`input`, below 0 times `weight`: one number, or one for each channel (axis 1)."""
    if weight.numel() == 1:
        weight = weight.reshape([])
    elif input.ndim > 1:
        weight = weight.reshape([-1, *[1] * (input.ndim - 2)])
    return apply("prelu", [input, weight])


def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """`value`, a number or a tensor of rank 0, where `mask` is true, else `input`."""
    if not isinstance(value, Tensor):
        return apply("masked_fill", [input, mask], value=value)
    return apply("where", [mask, value.type(input.dtype), input])


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements are close."""
    close = apply("isclose", [input, other], rtol=rtol, atol=atol, equal_nan=equal_nan)
    return not close.numel() or bool(apply("min", [close]))
