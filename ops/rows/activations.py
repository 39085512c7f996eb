"""Elementwise rows: activations of neural networks."""

from __future__ import annotations

from ops.rows.elementwise import activation, number, smooth, unary
from ops.spec import FLOATS, NUMBERS_64, Attribute, OpSpec

_APPROXIMATE = Attribute(
    "approximate", "text", "none", ("none", "tanh"), "`none` is exact by erf, `tanh` the approximation."
)
_ALPHA = number("alpha", 1.0)
_LAMBDA = number("lambd", 0.5)
_TINY = "maximum(abs(result), 1e-29)"
_SELU = (1.0507009873554804934, 1.7580993408473768)

ROWS = (
    smooth("sigmoid", "sigmoid(x)", "`1 / (1 + exp(-x))`.", "expit", tolerance=6e-7),
    activation("logsigmoid", "-softplus(-x)", "`log(sigmoid(x))`, for any size.", tolerance=6e-7,
               aliases=("log_sigmoid",)),
    unary("relu", "maximum(x, 0)", "`maximum(x, 0)`.", gradients=("0.0 if x <= 0 else grad",)),
    unary("relu6", "minimum(maximum(x, 0), 6)", "`x` between 0 and 6.",
          gradients=("0.0 if x <= 0 or x >= 6 else grad",)),
    activation(
        "hardtanh", "minimum(maximum(x, min_val), max_val)", "`x` between `min_val` and `max_val`.",
        number("min_val", -1), number("max_val", 1), dtypes=NUMBERS_64,
        gradients=("0.0 if x <= min_val or x >= max_val else grad",),
    ),
    activation("leaky_relu", "x if x > 0 else x * negative_slope", "`x`, below 0 times `negative_slope`.",
               number("negative_slope", 0.01)),
    OpSpec("prelu", "elementwise", ("x", "weight"), "`x`, below 0 times `weight`.", "x if x > 0 else weight * x",
           dtypes=FLOATS),
    activation("threshold", "value if x <= threshold else x", "`x`, and `value` up to `threshold`.",
               number("threshold", 0), number("value", 0), dtypes=NUMBERS_64),
    activation("elu", "alpha * expm1(x) if x <= 0 else x", "`x`, below 0 `alpha * expm1(x)`.", _ALPHA, tolerance=6e-7),
    activation("celu", "alpha * expm1(x / alpha) if x <= 0 else x", "`x`, below 0 `alpha * expm1(x / alpha)`.", _ALPHA,
               tolerance=6e-7),
    activation("selu", f"{_SELU[1]!r} * expm1(x) if x <= 0 else {_SELU[0]!r} * x",
               "The self-normalising `elu`, of scale 1.0507 and alpha 1.6733.", tolerance=6e-7),
    activation(
        "softplus", "x if x * beta > threshold else softplus(x * beta) / beta",
        "`log1p(exp(beta * x)) / beta`; `x` itself where `beta * x` is above `threshold`.", number("beta", 1.0),
        number("threshold", 20.0), tolerance=6e-7,
    ),
    activation("softsign", "x / (1 + abs(x))", "`x / (1 + abs(x))`.", tolerance=4e-7,
               gradients=("grad / ((1 + abs(x)) * (1 + abs(x)))",)),
    smooth("tanhshrink", "x - tanh(x)", "`x - tanh(x)`.", tolerance=4e-7, relative="x"),
    activation("hardshrink", "0.0 if x >= -lambd and x <= lambd else x", "`x`, and 0 within `lambd` of 0.", _LAMBDA),
    activation("softshrink", "x - lambd if x > lambd else x + lambd if x < -lambd else x if is_nan(x) else 0.0",
               "`x` moved towards 0 by `lambd`.", _LAMBDA),
    activation(
        "hardsigmoid", "minimum(maximum(x * alpha + beta, 0.0), 1.0)", "`alpha * x + beta` between 0 and 1.",
        number("alpha", 1 / 6), number("beta", 0.5), tolerance=4e-7, relative="abs(x) + 1", aliases=("hard_sigmoid",),
        gradients=("alpha * grad if x * alpha + beta > 0 and x * alpha + beta < 1 else 0.0",),
    ),
    activation(
        "hardswish", "x * (minimum(maximum(x + 3, 0.0), 6.0) / 6)", "`x * relu6(x + 3) / 6`.", tolerance=6e-7,
        relative="x", aliases=("hard_swish",),
        gradients=("0.0 if x <= -3 else grad * (x / 3 + 0.5) if x < 3 else grad",),
    ),
    activation("silu", "x / (1 + exp(-x))", "`x * sigmoid(x)`.", tolerance=8e-7, aliases=("swish",),
               relative=_TINY,
               gradients=("grad * sigmoid(x) * (1 + x * sigmoid(-x))",)),
    activation("mish", "x * tanh(softplus(x))", "`x * tanh(softplus(x))`.", tolerance=1e-6,
               relative=_TINY),
    activation(
        "gelu",
        "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) if approximate == 'tanh'"
        " else 0.5 * x * erfc(x * -0.7071067811865476)",
        "Gaussian error linear unit.", _APPROXIMATE, tolerance=1e-6, relative="x",
    ),
)  # fmt: skip
