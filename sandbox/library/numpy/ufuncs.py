"""The functions of elements that scripts have, as a table of loops.

Owns what each computes, at the edges too: where Python raises, NumPy gives an infinity or a NaN. Must not know how
operands meet.
"""

from __future__ import annotations

import math
import operator as op
from collections.abc import Callable
from typing import Any

from sandbox.library.numpy.dtypes import BOOL, FLOAT64, UINT8
from sandbox.library.numpy.errors import UFuncTypeError
from sandbox.library.numpy.ufunc import Loop, define, ufunc

inf, nan = math.inf, math.nan
FUNCTIONS: dict[str, ufunc] = {}
"""By name, aliases too."""


def _add(names: str, doc: str, nin: int, identity: Any = None, **loops: Loop | None) -> ufunc:
    name, *aliases = names.split()
    made = define(name, doc, nin, {kind: loop for kind, loop in loops.items() if loop is not None}, identity)
    for each in (name, *aliases):
        FUNCTIONS[each] = made
    return made


def _real(names: str, doc: str, quick: Any, safe: Any = None, nin: int = 1) -> ufunc:
    """A function of floats only."""
    return _add(names, doc, nin, f=Loop(quick, safe))


# ---------------------------------------------------------------------- arithmetic
def _refuse_minus(_a: int, _b: int) -> int:
    raise TypeError(
        "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
        "or the logical_xor function instead."
    )


def _refuse_negative(_a: int) -> int:
    raise TypeError(
        "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
        "function instead."
    )


def _refuse_sign(_a: int) -> int:
    raise UFuncTypeError("bools have no sign here: use the logical functions, or numbers")


def _over(a: float, b: float) -> float:
    """`a / b` as in IEEE 754."""
    if b:
        return a / b
    return nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1, b)


def _remainder(a: float, b: float) -> float:
    return nan if not b or math.isinf(a) else a % b


def _fmod(a: float, b: float) -> float:
    return nan if not b or math.isinf(a) or a != a else math.fmod(a, b)


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -inf if a < 0 and b % 2 == 1 else inf
    except ValueError:
        if a == 0:
            return math.copysign(inf, a) if b % 2 == 1 else inf
        return nan


def _whole_power(a: int, b: int) -> int:
    if b < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return pow(a, b) if b < 64 or -2 < a < 2 else pow(a, b, 1 << 64)


def _max(a: float, b: float) -> float:
    return a if a >= b or a != a else b


def _min(a: float, b: float) -> float:
    return a if a <= b or a != a else b


def _fmax(a: float, b: float) -> float:
    return a if a >= b or b != b else b


def _fmin(a: float, b: float) -> float:
    return a if a <= b or b != b else b


def _sign(a: float) -> float:
    return float((a > 0) - (a < 0)) if a == a else nan


add = _add("add", "The sum.", 2, 0, b=Loop(op.or_), i=Loop(op.add), f=Loop(op.add))
subtract = _add("subtract", "The difference.", 2, None, b=Loop(_refuse_minus), i=Loop(op.sub), f=Loop(op.sub))
multiply = _add("multiply", "The product.", 2, 1, b=Loop(op.and_), i=Loop(op.mul), f=Loop(op.mul))
divide = _real("divide true_divide", "The quotient, a float.", op.truediv, _over, 2)
floor_divide = _add(
    "floor_divide",
    "The quotient, rounded down.",
    2,
    i=Loop(op.floordiv, lambda a, b: a // b if b else 0),
    f=Loop(op.floordiv, lambda a, b: a // b if b else _over(a, b)),
)
remainder = _add(
    "remainder mod",
    "What division leaves, with the divisor's sign.",
    2,
    i=Loop(op.mod, lambda a, b: a % b if b else 0),
    f=Loop(op.mod, _remainder),
)
fmod = _add(
    "fmod",
    "What division leaves, with the dividend's sign.",
    2,
    i=Loop(lambda a, b: (abs(a) % abs(b)) * (-1 if a < 0 else 1) if b else 0),
    f=Loop(math.fmod, _fmod),
)
power = _add(
    "power pow", "The first to the power of the second.", 2, i=Loop(_whole_power), f=Loop(math.pow, _power)
)
float_power = _real("float_power", "The first to the power of the second, a float.", math.pow, _power, 2)
negative = _add("negative", "The opposite.", 1, b=Loop(_refuse_negative), i=Loop(op.neg), f=Loop(op.neg))
positive = _add("positive", "The same.", 1, b=Loop(_refuse_sign), i=Loop(op.pos), f=Loop(op.pos))
absolute = _add("absolute abs", "The size without the sign.", 1, b=Loop(bool), i=Loop(abs), f=Loop(abs))
fabs = _real("fabs", "The size without the sign, a float.", abs)
sign = _add(
    "sign", "-1, 0 or 1.", 1, b=Loop(_refuse_sign), i=Loop(lambda a: (a > 0) - (a < 0)), f=Loop(_sign)
)
square = _add("square", "The product with itself.", 1, i=Loop(lambda a: a * a), f=Loop(lambda a: a * a))
reciprocal = _add(
    "reciprocal",
    "One divided by it.",
    1,
    i=Loop(lambda a: (0 if abs(a) != 1 else a) if a else -(1 << 63)),
    f=Loop(lambda a: 1 / a, lambda a: _over(1.0, a)),
)
maximum = _add("maximum", "The greater; NaN if any is.", 2, b=Loop(op.or_), i=Loop(max), f=Loop(_max))
minimum = _add("minimum", "The lesser; NaN if any is.", 2, b=Loop(op.and_), i=Loop(min), f=Loop(_min))
fmax = _add("fmax", "The greater; NaN if both are.", 2, b=Loop(op.or_), i=Loop(max), f=Loop(_fmax))
fmin = _add("fmin", "The lesser; NaN if both are.", 2, b=Loop(op.and_), i=Loop(min), f=Loop(_fmin))
gcd = _add("gcd", "The greatest common divisor.", 2, 0, i=Loop(math.gcd))
lcm = _add("lcm", "The least common multiple.", 2, i=Loop(math.lcm))

# ---------------------------------------------------------------------- floats
Real = Callable[[float], float]


def _guarded(function: Real, edges: Callable[[float], float]) -> Real:
    """`function`, and `edges` where it raises."""

    def guarded(a: float) -> float:
        try:
            return function(a)
        except (ValueError, OverflowError):
            return edges(a)

    return guarded


def _big(_a: float) -> float:
    return inf


def _big_signed(a: float) -> float:
    return math.copysign(inf, a)


def _none(_a: float) -> float:
    return nan


def _log_edge(a: float) -> float:
    return -inf if a == 0 else nan


def _rounder(function: Callable[[float], int]) -> Real:
    """A rounding to a whole number that keeps zeros' signs, infinities and NaN."""

    def rounded(a: float) -> float:
        return math.copysign(float(function(a)), a) if -1e16 < a < 1e16 else a

    return rounded


def _log_sum(a: float, b: float) -> float:
    if a == b:
        return a + math.log(2)
    high, low = (a, b) if a > b else (b, a)
    return high + math.log1p(math.exp(low - high)) if high == high and low == low else nan


_UNARY: tuple[tuple[str, str, Real, Callable[[float], float] | None], ...] = (
    ("sqrt", "The square root.", math.sqrt, _none),
    ("cbrt", "The cube root.", math.cbrt, None),
    ("exp", "e to its power.", math.exp, _big),
    ("exp2", "2 to its power.", math.exp2, _big),
    ("expm1", "e to its power, less 1.", math.expm1, _big),
    ("log", "The natural logarithm.", math.log, _log_edge),
    ("log2", "The logarithm to base 2.", math.log2, _log_edge),
    ("log10", "The logarithm to base 10.", math.log10, _log_edge),
    ("log1p", "The natural logarithm of it and 1.", math.log1p, lambda a: -inf if a == -1 else nan),
    ("sin", "The sine.", math.sin, _none),
    ("cos", "The cosine.", math.cos, _none),
    ("tan", "The tangent.", math.tan, _none),
    ("arcsin asin", "The angle of a sine.", math.asin, _none),
    ("arccos acos", "The angle of a cosine.", math.acos, _none),
    ("arctan atan", "The angle of a tangent.", math.atan, None),
    ("sinh", "The hyperbolic sine.", math.sinh, _big_signed),
    ("cosh", "The hyperbolic cosine.", math.cosh, _big),
    ("tanh", "The hyperbolic tangent.", math.tanh, None),
    ("arcsinh asinh", "The inverse of the hyperbolic sine.", math.asinh, None),
    ("arccosh acosh", "The inverse of the hyperbolic cosine.", math.acosh, _none),
    (
        "arctanh atanh",
        "The inverse of the hyperbolic tangent.",
        math.atanh,
        lambda a: _big_signed(a) if abs(a) == 1 else nan,
    ),
    ("deg2rad radians", "Degrees as radians.", lambda a: a * (math.pi / 180.0), None),
    ("rad2deg degrees", "Radians as degrees.", lambda a: a * (180.0 / math.pi), None),
)
for _names, _doc, _function, _edges in _UNARY:
    _real(_names, _doc, _function, None if _edges is None else _guarded(_function, _edges))

sqrt, exp, log, log10, sin, cos = (FUNCTIONS[name] for name in ("sqrt", "exp", "log", "log10", "sin", "cos"))
arctan2 = _real("arctan2 atan2", "The angle of a point (y, x).", math.atan2, nin=2)
hypot = _real("hypot", "The length of (x, y).", math.hypot, nin=2)
copysign = _real("copysign", "The first with the sign of the second.", math.copysign, nin=2)
nextafter = _real("nextafter", "The next float towards the second.", math.nextafter, nin=2)
logaddexp = _real("logaddexp", "The logarithm of the sum of two exponentials.", _log_sum, nin=2)
heaviside = _real(
    "heaviside",
    "0 below zero, 1 above, else the second.",
    lambda a, b: b if a == 0 else a if a != a else float(a > 0),
    nin=2,
)
ldexp = _real("ldexp", "The first times 2 to the second.", lambda a, b: a * 2.0**b, nin=2)

for _name, _doc, _round in (
    ("floor", "The whole number below.", math.floor),
    ("ceil", "The whole number above.", math.ceil),
    ("trunc", "The whole number towards zero.", math.trunc),
    ("rint", "The nearest whole number, even of two.", round),
):
    _keep = None if _name == "rint" else Loop(op.pos)
    _add(_name, _doc, 1, i=_keep, b=_keep and Loop(bool), f=Loop(_rounder(_round)))
floor, rint = FUNCTIONS["floor"], FUNCTIONS["rint"]

# ---------------------------------------------------------------------- truth
for _names, _doc, _compare in (
    ("equal", "Whether they are equal.", op.eq),
    ("not_equal", "Whether they differ.", op.ne),
    ("less", "Whether the first is less.", op.lt),
    ("less_equal", "Whether the first is less or equal.", op.le),
    ("greater", "Whether the first is greater.", op.gt),
    ("greater_equal", "Whether the first is greater or equal.", op.ge),
):
    _loop = Loop(_compare, gives=BOOL)
    _add(_names, _doc, 2, b=_loop, i=_loop, f=_loop)
equal, not_equal = FUNCTIONS["equal"], FUNCTIONS["not_equal"]


def _truth(names: str, doc: str, nin: int, function: Any, identity: Any = None) -> ufunc:
    loop = Loop(function, takes=BOOL, gives=BOOL)
    return _add(names, doc, nin, identity, b=loop, i=loop, f=loop)


logical_and = _truth("logical_and", "Whether both are true.", 2, op.and_, True)
logical_or = _truth("logical_or", "Whether any is true.", 2, op.or_, False)
logical_xor = _truth("logical_xor", "Whether one is true.", 2, op.xor, False)
logical_not = _truth("logical_not", "Whether it is false.", 1, op.not_)
for _name, _doc, _test in (
    ("isnan", "Whether it is NaN.", math.isnan),
    ("isinf", "Whether it is an infinity.", math.isinf),
    ("isfinite", "Whether it is neither NaN nor an infinity.", math.isfinite),
    ("signbit", "Whether its sign is minus.", lambda a: math.copysign(1, a) < 0),
):
    _add(_name, _doc, 1, f=Loop(_test, takes=FLOAT64, gives=BOOL))
isnan, isfinite = FUNCTIONS["isnan"], FUNCTIONS["isfinite"]

# ---------------------------------------------------------------------- bits
bitwise_and = _add("bitwise_and", "The bits of both.", 2, -1, b=Loop(op.and_), i=Loop(op.and_))
bitwise_or = _add("bitwise_or", "The bits of any.", 2, 0, b=Loop(op.or_), i=Loop(op.or_))
bitwise_xor = _add("bitwise_xor", "The bits of one.", 2, 0, b=Loop(op.xor), i=Loop(op.xor))
invert = _add("invert bitwise_not bitwise_invert", "The other bits.", 1, b=Loop(op.not_), i=Loop(op.invert))


def _shifted(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _lowered(a: int, b: int) -> int:
    return a >> b if 0 <= b < 64 else (-1 if a < 0 else 0)


left_shift = _add("left_shift bitwise_left_shift", "The bits moved up.", 2, i=Loop(_shifted))
right_shift = _add("right_shift bitwise_right_shift", "The bits moved down.", 2, i=Loop(_lowered))
bitwise_count = _add(
    "bitwise_count", "How many bits are set.", 1, i=Loop(lambda a: abs(a).bit_count(), gives=UINT8)
)
