"""Expressions: what parses, how it is typed, and what is written."""

from __future__ import annotations

import numpy as np
import pytest

from ops import reference, wgsl
from ops.expression import Call, ExpressionError, Name, Number, bind, cast, input_term, parse, scalar_term
from ops.functions import FUNCTIONS
from ops.numerics import HELPERS, helpers
from ops.reference.functions import FUNCTIONS as MEANINGS


def test_python_syntax_becomes_a_small_tree() -> None:
    assert parse("x + 2 * y") == Call("add", (Name("x"), Call("mul", (Number(2), Name("y")))))
    assert parse("-x if x < 0 else x") == Call(
        "where", (Call("lt", (Name("x"), Number(0))), Call("neg", (Name("x"),)), Name("x"))
    )
    assert parse("not x and y != -1") == Call(
        "and", (Call("not", (Name("x"),)), Call("ne", (Name("y"), Number(-1))))
    )


@pytest.mark.parametrize(
    "text",
    [
        "x +",
        "x @ y",
        "x[0]",
        "f(x)",
        "exp(x, y)",
        "x < y < z",
        "lambda: x",
        "x.real",
        "exp(x=1)",
        "[x]",
        "+x",
        "x and y and z",
    ],
)
def test_other_syntax_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_a_name_that_is_not_given_is_refused() -> None:
    with pytest.raises(ExpressionError, match="has no value"):
        bind(parse("x + y"), {"x": input_term(0, "f32")})


@pytest.mark.parametrize(
    ("text", "dtypes", "result"),
    [
        ("x + y", ("i32", "f32"), "f32"),
        ("x + y", ("bool", "bool"), "i32"),
        ("x + 1", ("u32",), "u32"),
        ("x + 1", ("bool",), "i32"),
        ("x * 0.5", ("i32",), "f32"),
        ("x / y", ("i32", "i32"), "f32"),
        ("exp(x)", ("bool",), "f32"),
        ("x < y", ("i32", "f32"), "bool"),
        ("maximum(x, y)", ("bool", "bool"), "bool"),
        ("maximum(x, 0)", ("f32",), "f32"),
        ("x if y else 0", ("u32", "f32"), "u32"),
        ("not x", ("f32",), "bool"),
        ("2 * 3", (), "i32"),
        ("index * 2", (), "u32"),
    ],
)
def test_terms_have_the_dtype_that_pytorch_gives(text: str, dtypes: tuple[str, ...], result: str) -> None:
    names = {
        name: input_term(number, dtype)
        for number, (name, dtype) in enumerate(zip("xy", dtypes, strict=False))
    }
    assert bind(parse(text), names).dtype == result


def test_a_text_attribute_chooses_when_the_tree_is_bound() -> None:
    tree = parse("exp(x) if mode == 'up' else log(x)")
    x = input_term(0, "f32")
    assert bind(tree, {"x": x, "mode": "up"}).function == "exp"
    assert bind(tree, {"x": x, "mode": "down"}).function == "log"


def test_a_term_that_is_used_twice_is_written_once() -> None:
    x = input_term(0, "f32")
    value = x
    for _ in range(40):
        value = bind(parse("x * x + x"), {"x": value})
    text = wgsl.function("element", value, [("x0", "f32")]).text
    assert len(text) < 4000
    assert text.count("let ") == 39


def test_a_deep_chain_needs_no_recursion() -> None:
    value = input_term(0, "f32")
    for _ in range(5000):
        value = bind(parse("-x"), {"x": value})
    assert wgsl.function("element", value, [("x0", "f32")]).text.count("-") >= 5000
    assert reference.run(value, [np.float32(2)], np.zeros(())) == 2


def test_scalars_travel_as_parameters_and_literals_in_the_text() -> None:
    x = input_term(0, "f32")
    first, second = (
        wgsl.function(
            "element", bind(parse("x * s + 0.1"), {"x": x, "s": scalar_term(value)}), [("x0", "f32")]
        )
        for value in (2.5, 1e39)
    )
    assert first.text == second.text
    assert "0.1f" in first.text
    assert (first.values, second.values) == ({"p0": 2.5}, {"p0": float("inf")})
    assert [param.type for param in first.params] == ["f32"]


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.0, "f32", "1.0f"),
        (-1e-5, "f32", "(-1e-05f)"),
        (float("nan"), "f32", "not_a_number()"),
        (float("-inf"), "f32", "(-infinity())"),
        (3, "i32", "3i"),
        (-3, "i32", "(-3i)"),
        (3, "u32", "3u"),
        (True, "bool", "true"),
    ],
)
def test_literals_are_written_with_their_type(value: float, dtype: str, text: str) -> None:
    assert wgsl.literal(value, dtype) == text


def test_bools_are_stored_as_words() -> None:
    x = input_term(0, "bool")
    text = wgsl.function("element", bind(parse("not x"), {"x": x}), [("x0", "bool")]).text
    assert text == "fn element(x0: u32) -> u32 {\n  return select(0u, 1u, (!(x0 != 0u)));\n}"
    assert cast(x, "bool") is x


def test_every_function_has_a_meaning_in_numpy_and_its_helpers_exist() -> None:
    assert FUNCTIONS.keys() == MEANINGS.keys()
    for row in FUNCTIONS.values():
        for template in row.wgsl.values():
            assert all(f"{{{number}}}" in template for number in range(row.arity))
            name = template.partition("(")[0]
            if "_" in name:
                assert name in HELPERS
    assert helpers("let y = tanh_f32(x);").index("fn exp_f32") < helpers("tanh_f32(x)").index("fn tanh_f32")
    assert helpers("let y = abs(x);") == ""
