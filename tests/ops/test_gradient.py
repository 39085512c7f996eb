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


KINKS = [
    ("relu.dx", (0.0,), 0.0),
    ("relu6.dx", (6.0,), 0.0),
    ("abs.dx", (0.0,), 0.0),
    ("hypot.dx", (0.0, 0.0), 0.0),
    ("atan2.dy", (0.0, 0.0), 0.0),
    ("maximum.dx", (1.0, 1.0), 0.5),
    ("minimum.dy", (1.0, 1.0), 0.5),
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
    assert float(check(name, {}, [np.float32([each]) for each in (*point, 1)])[0]) == expected
