"""Digits of floats, as NumPy prints them.

Owns single numbers: the shortest digits that mean a float, cut to a precision. Must not know arrays.
"""

from __future__ import annotations

import math
from decimal import Decimal

from sandbox.library.numpy.dtypes import Buffer
from sandbox.library.numpy.halves import rounded

WIDE = {2: 1e3, 4: 1e6, 8: 1e8}
"""From which size on floats of so many bytes are written with exponents."""


def nearest(value: float, size: int) -> float:
    """`value` rounded to a float of `size` bytes."""
    if size == 8:
        return value
    return float(rounded([value])[0] if size == 2 else Buffer("f", [value])[0])


def shortest(value: float, size: int) -> Decimal:
    """The shortest decimal number that means the finite `value` among floats of `size` bytes."""
    return Decimal(_digits(value, size))


def _digits(value: float, size: int) -> str:
    """The same in Python's form of some size."""
    if size < 8:
        for count in range(1, 10):
            text = f"{value:.{count}g}"
            if nearest(float(text), size) == value:
                return text
    return repr(value)


def written(value: float, size: int) -> str:
    """A float of `size` bytes as the text of a scalar."""
    if size == 8 or not math.isfinite(value):
        return float.__repr__(value)
    if not value or 1e-4 <= abs(value) < WIDE[size]:
        return repr(float(_digits(value, size)))
    first, rest, exponent = scientific(value, 400, size)
    return f"{first}{'.' * bool(rest)}{rest}e{exponent}"


def positional(value: float, precision: int, size: int) -> tuple[str, str]:
    """The finite `value` as digits before and after the point, of these at most `precision`, none if zero."""
    number = shortest(value, size)
    text = f"{number:f}"
    whole, _, fraction = text.partition(".")
    if len(fraction) > precision:
        whole, _, fraction = f"{value:.{precision}f}".partition(".")
    return whole, fraction.rstrip("0")


def scientific(value: float, precision: int, size: int, least: int = 0) -> tuple[str, str, str]:
    """The finite `value` as the digit before the point, those after (at most `precision`), and the exponent.

    `least`: so many digits after the point at any rate.
    """
    sign, digits, exponent = shortest(value, size).as_tuple()
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
