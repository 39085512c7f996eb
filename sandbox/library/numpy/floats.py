"""Digits of floats, as NumPy prints them.

Owns single numbers: the shortest digits that mean a float, cut to a precision. Must not know arrays.
"""

from __future__ import annotations

import math
from decimal import Decimal

from sandbox.library.numpy.dtypes import Buffer


def digits32(value: float) -> str:
    """The shortest digits that mean `value` among floats of 32 bits, in Python's form of some size."""
    for count in range(1, 10):
        text = f"{value:.{count}g}"
        if Buffer("f", [float(text)])[0] == value:
            return text
    return repr(value)


def shortest(value: float, narrow: bool) -> Decimal:
    """The shortest decimal number that means the finite `value`, of 32 bits if `narrow`."""
    return Decimal(digits32(value) if narrow else repr(value))


def shortest32(value: float) -> str:
    """A float of 32 bits as Python writes its own."""
    if not math.isfinite(value):
        return float.__repr__(value)
    return repr(float(digits32(float(value))))


def positional(value: float, precision: int, narrow: bool) -> tuple[str, str]:
    """The finite `value` as digits before and after the point, of these at most `precision`, none if zero."""
    number = shortest(value, narrow)
    text = f"{number:f}"
    whole, _, fraction = text.partition(".")
    if len(fraction) > precision:
        whole, _, fraction = f"{value:.{precision}f}".partition(".")
    return whole, fraction.rstrip("0")


def scientific(value: float, precision: int, narrow: bool, least: int = 0) -> tuple[str, str, str]:
    """The finite `value` as the digit before the point, those after (at most `precision`), and the exponent.

    `least`: so many digits after the point at any rate.
    """
    sign, digits, exponent = shortest(value, narrow).as_tuple()
    if not least <= len(digits) - 1 <= precision:
        mantissa, _, power = f"{abs(value):.{max(least, min(precision, len(digits) - 1))}e}".partition("e")
        first, _, rest = mantissa.partition(".")
        rest = rest.rstrip("0").ljust(least, "0")
    else:
        shown = "".join(map(str, digits))
        first, rest, power = shown[0], shown[1:], str(int(exponent) + len(digits) - 1 if value else 0)
    number = int(power)
    return (
        ("-" if sign else "") + first,
        rest if least else rest.rstrip("0"),
        f"{'-' if number < 0 else '+'}{abs(number):02d}",
    )
