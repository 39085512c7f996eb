"""Whether a result agrees with its reference, by the tolerance of its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ops import reference
from ops.expression import bind, input_term, parse
from ops.reference import dtype_name
from ops.reference.bfloat import BF16, opened
from ops.spec import OpSpec

TINY = float(np.finfo(np.float32).smallest_normal)
HUGE = float(np.finfo(np.float32).max)


def error_scale(
    row: OpSpec, attributes: Mapping[str, Any], arrays: Sequence[np.ndarray], expected: np.ndarray
) -> np.ndarray | None:
    """What the errors of an elementwise row are relative to; None for the result."""
    if row.kind != "elementwise" or row.relative == "result":
        return None
    types = [dtype_name(array.dtype) for array in arrays]
    names: dict[str, Any] = {
        name: input_term(number, type)
        for number, (name, type) in enumerate(zip(row.inputs, types, strict=True))
    } | {"result": input_term(len(arrays), "f32")}
    term = bind(parse(row.relative), names)
    with np.errstate(all="ignore"):
        scale = reference.run(term, [*map(np.asarray, arrays), expected], np.zeros(()))
    return np.broadcast_to(scale, expected.shape)


def agree(
    actual: np.ndarray, expected: np.ndarray, tolerance: float, scale: np.ndarray | None = None
) -> np.ndarray:
    """Where two arrays of one type agree: bits for integers, NaN with NaN, floats within the tolerance.

    Where the scale is beyond f32, some step of the row was infinite, and so may be the result, or NaN.
    """
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    if actual.dtype in _STEPS:
        return agree_in_half(actual, expected, tolerance, scale)
    if actual.dtype != np.float32:
        return np.asarray(actual == expected)
    wide = expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        bound = tolerance * np.abs(wide if scale is None else scale) + TINY * bool(np.size(wide))
        exact = actual == expected
        near = np.isfinite(wide) & (np.abs(actual - wide) <= np.where(np.isfinite(bound), bound, 0))
        subnormal = (np.abs(wide) < TINY) & (np.abs(actual) < TINY)
        overflows = False if scale is None else (np.abs(scale) > HUGE) & ~np.isfinite(actual)
    both_nan = np.isnan(actual) & np.isnan(expected)
    return np.asarray(exact | (near & (tolerance > 0)) | subnormal | both_nan | overflows)


_STEPS = {
    np.dtype(np.float16): (2.0**-10, 2.0**-24, 2.0**16),
    BF16: (2.0**-7, TINY, 2.0**128),
}
"""Of dtypes of two bytes: the relative distance of neighbours, the absolute one below, and what rounds to infinity."""


def agree_in_half(
    actual: np.ndarray, expected: np.ndarray, tolerance: float, scale: np.ndarray | None
) -> np.ndarray:
    """As `agree`: what is exact is rounded right, else the next number will do, and infinity is next to the largest."""
    step, least, beyond = _STEPS[actual.dtype]
    actual, expected = opened(actual), opened(expected)
    both_nan = np.isnan(actual) & np.isnan(expected)
    subnormal = (np.abs(actual) < TINY) & (np.abs(expected) < TINY)
    if not tolerance:
        return np.asarray((actual == expected) | both_nan | subnormal)
    got, wanted = (np.clip(each.astype(np.float64), -beyond, beyond) for each in (actual, expected))
    with np.errstate(invalid="ignore", over="ignore"):
        bound = tolerance * np.abs(wanted if scale is None else scale)
        near = np.abs(got - wanted) <= bound + step * np.abs(wanted) + least
        overflows = False if scale is None else (np.abs(scale) > HUGE) & ~np.isfinite(actual)
    return np.asarray(near | both_nan | overflows)


def has_subnormals(array: np.ndarray) -> bool:
    """Whether some element is subnormal."""
    return bool(np.any(flush(array) != array)) if array.dtype == np.float32 else False


def flush(array: np.ndarray) -> np.ndarray:
    """`array` with its subnormal elements as zeros."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < TINY, np.copysign(np.float32(0), array), array).astype(np.float32)
