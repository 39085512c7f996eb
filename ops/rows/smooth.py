"""Elementwise rows: exponentials, logarithms, trigonometry and special functions, in f32."""

from __future__ import annotations

from ops.rows.elementwise import binary, number, smooth
from ops.spec import ALL

ROWS = (
    smooth("exp", "exp(x)", "e to the power `x`.", tolerance=3e-7),
    smooth("exp2", "exp2(x)", "2 to the power `x`.", tolerance=3e-7),
    smooth("expm1", "expm1(x)", "`exp(x) - 1`, precise near 0.", tolerance=5e-7),
    smooth("log", "log(x)", "Natural logarithm; -inf at 0, NaN below.", tolerance=3e-7),
    smooth("log2", "log2(x)", "Logarithm to base 2.", tolerance=3e-7),
    smooth("log10", "log10(x)", "Logarithm to base 10.", tolerance=3e-7),
    smooth("log1p", "log1p(x)", "`log(1 + x)`, precise near 0.", tolerance=3e-7),
    smooth("sin", "sin(x)", "Sine, of any f32.", tolerance=3e-7, relative="1"),
    smooth("cos", "cos(x)", "Cosine, of any f32.", tolerance=3e-7, relative="1"),
    smooth("tan", "tan(x)", "Tangent, of any f32.", tolerance=6e-7, relative="1 + result * result"),
    smooth("asin", "asin(x)", "Inverse sine; NaN beyond 1.", "arcsin", tolerance=3e-7),
    smooth("acos", "acos(x)", "Inverse cosine; NaN beyond 1.", "arccos", tolerance=3e-7, relative="1"),
    smooth("atan", "atan(x)", "Inverse tangent.", "arctan", tolerance=3e-7),
    smooth("sinh", "sinh(x)", "Hyperbolic sine.", tolerance=6e-7),
    smooth("cosh", "cosh(x)", "Hyperbolic cosine.", tolerance=6e-7),
    smooth("tanh", "tanh(x)", "Hyperbolic tangent.", tolerance=4e-7),
    smooth("asinh", "asinh(x)", "Inverse hyperbolic sine.", "arcsinh", tolerance=6e-7),
    smooth("acosh", "acosh(x)", "Inverse hyperbolic cosine; NaN below 1.", "arccosh", tolerance=6e-7),
    smooth("atanh", "atanh(x)", "Inverse hyperbolic tangent; NaN beyond 1.", "arctanh", tolerance=6e-7),
    smooth("sinc", "1.0 if x == 0 else sinpi(x) / (3.141592653589793 * x)", "`sin(pi x) / (pi x)`, 1 at 0.",
           tolerance=3e-7, relative="1",
           gradients=(
               "grad * x * (-3.289868133696453 + x * x * (3.246969701133415 - 1.144503402935 * x * x)) if abs(x) < 0.1"
               " else grad * (cos(3.141592653589793 * x) - sinpi(x) / (3.141592653589793 * x)) / x",
           )),
    smooth("erf", "erf(x)", "The error function.", tolerance=4e-7),
    smooth("erfc", "erfc(x)", "`1 - erf(x)`, precise where it is small.", tolerance=1e-6),
    smooth("erfinv", "erfinv(x)", "Inverse of `erf`; NaN beyond 1.", tolerance=2e-6),
    smooth("lgamma", "lgamma(x)", "Logarithm of the absolute value of the gamma function.", "gammaln", tolerance=1e-6,
           relative="maximum(1, abs(result))"),
    smooth("digamma", "digamma(x)", "The derivative of `lgamma`.", "psi", tolerance=2e-6,
           relative="maximum(maximum(1, log(abs(x))), result * result)"),
    smooth("trigamma", "trigamma(x)", "The derivative of `digamma`.", tolerance=3e-6,
           relative="maximum(1, result * result)"),
    smooth(
        "logit", "log(x / (1 - x)) if eps is None else log(minimum(maximum(x, eps), 1 - eps) /"
        " (1 - minimum(maximum(x, eps), 1 - eps)))",
        "`log(x / (1 - x))`; with `eps`, `x` is kept that far from 0 and 1.",
        attributes=(number("eps", None),), tolerance=1e-6, relative="maximum(1, abs(result))",
        gradients=(
            "(log(-1.0) if x < 0 or x > 1 else grad / (x * (1 - x))) if eps is None else"
            " 0.0 if x < eps or x > 1 - eps else grad / (x * (1 - x))",
        ),
    ),
    binary("atan2", "atan2(x, y)", "The angle of the point (`y`, `x`).", "arctan2", dtypes=ALL, result="float",
           tolerance=5e-7,
           gradients=("0.0 if x == 0 and y == 0 else grad * (y / (x * x + y * y))",
                      "0.0 if x == 0 and y == 0 else -grad * (x / (x * x + y * y))")),
    binary("copysign", "copysign(x, y)", "The size of `x` with the sign of `y`.", dtypes=ALL, result="float",
           gradients=("0.0 if x == 0 else grad * copysign(1.0, x) * copysign(1.0, y)", "0.0")),
    binary("hypot", "hypot(x, y)", "`sqrt(x * x + y * y)`, without overflow.", dtypes=ALL, result="float",
           tolerance=6e-7),
    binary("ldexp", "x * exp2(y)", "`x` times 2 to the power `y`.", dtypes=ALL, result="float", tolerance=4e-7),
    binary(
        "logaddexp", "x if x == y and is_inf(x) else maximum(x, y) + log1p(exp(-abs(x - y)))",
        "`log(exp(x) + exp(y))`, for any size.", dtypes=ALL, result="float", tolerance=4e-7,
        relative="maximum(abs(x), abs(y)) + 1",
        gradients=("grad * sigmoid(x - y)", "grad * sigmoid(y - x)"),
    ),
    binary(
        "logaddexp2",
        "x if x == y and is_inf(x) else maximum(x, y) + log1p(exp2(-abs(x - y))) * 1.4426950408889634",
        "`log2(exp2(x) + exp2(y))`, for any size.", dtypes=ALL, result="float", tolerance=4e-7,
        relative="maximum(abs(x), abs(y)) + 1",
        gradients=("grad * sigmoid((x - y) * 0.6931471805599453)", "grad * sigmoid((y - x) * 0.6931471805599453)"),
    ),
    binary(
        "xlogy", "y if is_nan(y) else 0.0 if x == 0 else x * log(y)", "`x * log(y)`; 0 where `x` is 0.", dtypes=ALL,
        result="float", tolerance=4e-7,
        gradients=("0.0 if x == 0 and y <= 0 else grad * log(y)", "grad * x / y"),
    ),
    binary(
        "xlog1py", "y if is_nan(y) else 0.0 if x == 0 else x * log1p(y)", "`x * log1p(y)`; 0 where `x` is 0.",
        dtypes=ALL, result="float", tolerance=4e-7,
        gradients=("0.0 if x == 0 and y <= -1 else grad * log1p(y)", "grad * x / (1 + y)"),
    ),
)  # fmt: skip
