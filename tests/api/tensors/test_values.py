"""`api/tensors/values.py`: the tagged JSON of inputs and results."""

from __future__ import annotations

import base64
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.errors import InvalidRequest, MalformedTensor, ResultTooLarge
from api.tensors import values
from api.tensors.values import InlineTensor, TensorId
from kernelgate.values import decode, encode
from ops.graph import TensorRef
from sandbox.errors import ValueFormError

LIMIT = 1 << 20
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.just("$tensor"), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_what_the_client_encodes_is_parsed_and_rendered_to_what_it_decodes(value: Any) -> None:
    parsed = values.parse(encode(value), "inputs", LIMIT)
    assert parsed == value
    assert decode(values.render(parsed, {})) == value


def test_nan_crosses_as_a_tag() -> None:
    assert math.isnan(values.parse({"$float": "NaN"}, "x", LIMIT))
    assert values.render([math.nan, -math.inf], {}) == [{"$float": "NaN"}, {"$float": "-Infinity"}]


def test_tensors_are_found_by_value_and_by_id() -> None:
    wire = {
        "a": [{"$tensor": {"id": "ten_1"}}],
        "b": {"$tensor": {"shape": [1], "dtype": "float32", "data": [1]}},
    }
    parsed = values.parse(wire, "inputs", LIMIT)
    assert values.tensors_in(parsed) == [TensorId("ten_1"), InlineTensor((1,), "f32", b"\0\0\x80?")]
    replaced = values.map_tensors(parsed, lambda tensor: type(tensor).__name__)
    assert replaced == {"a": ["TensorId"], "b": "InlineTensor"}


def test_a_result_names_its_tensors_in_order_and_shows_their_json() -> None:
    first, second = TensorRef(1, (), "f32"), TensorRef(2, (), "f32")
    result = {"x": [first, (second,)], "y": first}
    assert values.refs_in(result) == [first, second, first]
    assert values.render(result, {1: "one", 2: "two"}) == {"x": ["one", ["two"]], "y": "one"}


def test_an_int_that_readers_of_json_refuse_is_an_error_and_the_largest_other_is_not() -> None:
    assert msgspec.json.encode(values.render([10**4300 - 1], {})) == b"[%s]" % (b"9" * 4300)
    for value in (10**4300, -(10**4300)):
        with pytest.raises(ValueFormError, match="4300 digits"):
            values.render({"a": [value]}, {})


@given(st.integers(-(10**600), 10**600))
def test_an_int_of_a_result_is_written_as_it_is(value: int) -> None:
    assert msgspec.json.encode(values.render({"a": value}, {})) == b'{"a":%d}' % value


@pytest.mark.parametrize(
    ("wire", "error", "says"),
    [
        ({"$tensor": 1}, MalformedTensor, "inputs.x: a $tensor is an object"),
        ({"$tensor": {"id": 1}}, MalformedTensor, "a tensor's id is a string"),
        ({"$tensor": {"shape": [1], "dtype": "f32"}}, MalformedTensor, "lacks data"),
        (
            {"$tensor": {"shape": [1], "dtype": "f32", "data": [1], "x": 1}},
            MalformedTensor,
            "unknown field 'x'",
        ),
        (
            {"$tensor": {"shape": [2], "dtype": "f32", "data": [1]}},
            MalformedTensor,
            "inputs.x: the shape [2]",
        ),
        ({"$bytes": "***"}, InvalidRequest, "base64"),
        ({"$bytes": 5}, InvalidRequest, "base64"),
        ({"$float": "1.5"}, InvalidRequest, "$float is"),
        ({"$other": 1}, InvalidRequest, "'$other', which is no tag"),
        ({"a": 1, "$tensor": 2}, InvalidRequest, "'$tensor', which is no tag"),
    ],
)
def test_a_tag_that_is_wrong_is_refused_with_its_path(wire: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        values.parse({"x": wire}, "inputs", LIMIT)
    assert says in str(caught.value)


def test_values_nested_too_deeply_are_refused_both_ways() -> None:
    deep: Any = 1
    for _ in range(values.MAX_DEPTH + 2):
        deep = [deep]
    with pytest.raises(InvalidRequest, match="nested deeper"):
        values.parse(deep, "inputs", LIMIT)
    with pytest.raises(ResultTooLarge, match="nested deeper"):
        values.render(deep, {})


def test_bytes_are_base64() -> None:
    assert values.render(b"\0\xff", {}) == {"$bytes": base64.b64encode(b"\0\xff").decode()}
