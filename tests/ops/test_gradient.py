"""Gradients of elementwise rows: by finite differences in f64, and their kernels on the device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.backward import backward, has_gradient
from ops.derivative import ZERO, derivative, text
from ops.errors import GraphError
from ops.expression import ExpressionError, input_term, parse
from ops.gradient import is_differentiable
from ops.graph import TensorType
from ops.spec import OpSpec
from ops.table import TABLE, find, gradient
from ops.terms import term
from tests.ops.test_elementwise import attribute_choices

ROWS = [row for row in TABLE.values() if is_differentiable(row)]
NONE = {"floor", "ceil", "round", "trunc", "sign", "floor_divide", "trunc_divide", "heaviside"}
"""Rows of floats whose gradient is 0 everywhere."""
FIRST = {"fmax", "fmin"}
"""Rows that give all of the gradient to the first of equal ones, which is no limit of differences."""


def cases() -> Iterator[Any]:
    for row in ROWS:
        for number, name in enumerate(row.inputs):
            yield pytest.param(row, number, id=f"{row.name}.d{name}")


def value(row: OpSpec, attributes: dict[str, Any], arrays: list[np.ndarray]) -> np.ndarray:
    """The row in f64, of f64."""
    dtypes = ["bool" if array.dtype == np.bool_ else "f32" for array in arrays]
    inputs = [input_term(number, dtype) for number, dtype in enumerate(dtypes)]
    with np.errstate(all="ignore"):
        return reference.run(term(row.name, attributes, inputs, "f32"), arrays, np.zeros(()))


def points(row: OpSpec) -> list[np.ndarray]:
    """Arguments on both sides of 0 and of 1, and for masks and conditions bools."""
    draw = np.random.default_rng(len(row.name))
    spread = [draw.uniform(low, high, 200) for low, high in ((-4, 4), (-1, 1), (0.02, 0.98), (1.05, 6))]
    arrays = []
    for name in row.inputs:
        values = np.concatenate(spread)
        values[np.abs(values) < 0.02] = 0.55
        draw.shuffle(values)
        arrays.append(values > 0 if name in ("condition", "mask") else values)
    return arrays


@pytest.mark.parametrize(("row", "number"), list(cases()))
def test_a_gradient_is_the_limit_of_differences(row: OpSpec, number: int) -> None:
    if row.inputs[number] in ("condition", "mask") or row.name in NONE:
        assert gradient(row, number) is None
        return
    for attributes in attribute_choices(row):
        arrays = points(row)
        differences = []
        for step in (1e-5, 1e-6):
            ends = [
                [*arrays[:number], arrays[number] + sign * step, *arrays[number + 1 :]] for sign in (1, -1)
            ]
            high, low = (value(row, attributes, end) for end in ends)
            differences.append((high - low) / (2 * step))
        steady = np.isclose(*differences, rtol=1e-4, atol=1e-6) & (np.abs(differences[1]) < 1e6)
        if row.name in FIRST:
            steady &= arrays[0] != arrays[1]
        assert steady.sum() > 60
        made = gradient(row, number)
        expected = differences[1][steady]
        if row.name in ("stop_gradient", "scale_gradient"):
            continue  # that is what they are for
        if made is None:
            np.testing.assert_array_equal(expected, 0)
            continue
        actual = value(made, attributes, [*arrays, np.full(arrays[0].shape, 2.0)])[steady]
        np.testing.assert_allclose(actual, 2 * expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("row", "number"), list(cases()))
def test_a_gradient_has_a_kernel(row: OpSpec, number: int, check: Any) -> None:
    made = gradient(row, number)
    if made is None:
        return
    assert find(made.name) is made
    for attributes in attribute_choices(row):
        arrays = [array.astype(np.float32) for array in points(row)]
        check(made.name, attributes, [*arrays, np.linspace(-2, 2, arrays[0].size, dtype=np.float32)])


def test_a_derivative_is_short_and_can_be_read_back() -> None:
    assert text(derivative(parse("exp(x) * 2 + y"), "x")) == "mul(2, exp(x))"
    assert derivative(parse("floor(x) + (1 if x > 0 else 2)"), "x") == ZERO
    for row in ROWS:
        tree = parse(row.expression)
        assert parse(text(tree)) == tree


def test_a_function_without_a_rule_is_no_constant() -> None:
    with pytest.raises(ExpressionError, match=r"tetragamma\(\) has no derivative"):
        derivative(parse("tetragamma(x)"), "x")


def test_a_gradient_that_is_not_known_is_an_error() -> None:
    row = find("trigamma.dx")
    assert not has_gradient(row)
    for ask in (lambda: gradient(row, 0), lambda: backward(row.name, {}, [TensorType((3,), "f32")] * 2)):
        with pytest.raises(GraphError, match=r"the gradient of trigamma\.dx is not known"):
            ask()


INF, NAN = float("inf"), float("nan")
KINKS = [
    ("relu.dx", (0.0,), 0.0),
    ("relu6.dx", (6.0,), 0.0),
    *((f"{name}.dx", (NAN,), 1.0) for name in ("relu", "relu6", "hardtanh", "hardswish", "elu", "celu")),
    ("abs.dx", (0.0,), 0.0),
    ("hypot.dx", (0.0, 0.0), 0.0),
    ("atan2.dy", (0.0, 0.0), 0.0),
    ("maximum.dx", (1.0, 1.0), 0.5),
    ("minimum.dy", (1.0, 1.0), 0.5),
    *((f"{name}.d{by}", (NAN, 1.0), 1.0) for name in ("maximum", "minimum") for by in "xy"),
    *((f"{name}.d{by}", (1.0, NAN), 1.0) for name in ("maximum", "minimum") for by in "xy"),
    *((f"{name}.d{by}", (1.0, 1.0), float(by == "x")) for name in ("fmax", "fmin") for by in "xy"),
    *((f"{name}.d{by}", (1.0, NAN), float(by == "x")) for name in ("fmax", "fmin") for by in "xy"),
    *((f"{name}.d{by}", (NAN, 1.0), float(by == "y")) for name in ("fmax", "fmin") for by in "xy"),
    ("logit.dx", (-0.5,), NAN),
    ("logit.dx", (0.0,), INF),
    ("logit.dx", (0.5,), 4.0),
    ("logit.dx", (1.0,), INF),
    ("logit.dx", (1.5,), NAN),
    ("div.dy", (INF, 1e30), -INF),
    ("div.dy", (0.0, 2.0**-80), 0.0),
    ("div.dy", (2.0**100, 2.0**80), -(2.0**-60)),
    ("remainder.dy", (-35.0, INF), 1.0),
    ("remainder.dy", (35.0, INF), 0.0),
    ("xlogy.dx", (0.0, 0.0), 0.0),
    ("pow.dx", (0.0, 0.0), 0.0),
    ("pow.dy", (0.0, 2.0), 0.0),
    ("sigmoid.dx", (-200.0,), 0.0),
    ("softplus.dx", (-200.0,), 0.0),
    ("mish.dx", (200.0,), 1.0),
    ("silu.dx", (200.0,), 1.0),
]


@pytest.mark.parametrize(("name", "point", "expected"), KINKS)
def test_kinks_and_far_ends_have_pytorchs_gradients(
    name: str, point: tuple[float, ...], expected: float, check: Any
) -> None:
    found = check(name, {}, [np.float32([each]) for each in (*point, 1)])
    np.testing.assert_array_equal(found, [expected])


@pytest.mark.parametrize("grad", [INF, NAN])
def test_what_was_not_chosen_gets_nothing_of_an_infinite_gradient(grad: float, check: Any) -> None:
    x, last = np.float32([2, 2]), np.float32([grad, grad])
    chosen = np.array([True, False])
    for name, attributes, arrays, expected in (
        ("where.dx", {}, [chosen, x, x], [grad, 0]),
        ("where.dy", {}, [chosen, x, x], [0, grad]),
        ("masked_fill.dx", {}, [x, chosen], [0, grad]),
        ("hardshrink.dx", {"lambd": 1.0}, [np.float32([0, 2])], [0, grad]),
    ):
        np.testing.assert_array_equal(check(name, attributes, [*arrays, last]), np.float32(expected))


def test_a_logit_that_is_kept_from_the_ends_has_no_slope_beyond_them(check: Any) -> None:
    x = np.float32([-1, 0.1, 0.5, 0.9, NAN])
    found = check("logit.dx", {"eps": 0.25}, [x, np.ones(5, np.float32)])
    np.testing.assert_array_equal(found, np.float32([0, 0, 4, 0, NAN]))
