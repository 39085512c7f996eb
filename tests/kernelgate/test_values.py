"""The client's half of the wire form."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelgate.values import Tensor, decode, encode, from_npy, to_npy

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(plain)
def test_what_is_encoded_decodes_to_itself(value: object) -> None:
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (b"abc", {"$bytes": "YWJj"}),
        (math.inf, {"$float": "Infinity"}),
        (-math.inf, {"$float": "-Infinity"}),
        ({"$tensor": 1}, {"$$tensor": 1}),
        ((1, 2), [1, 2]),
        (Tensor((2,), "f32", id="t1"), {"$tensor": {"id": "t1"}}),
        (
            Tensor((2,), "f32", [1.5, -math.inf]),
            {"$tensor": {"shape": [2], "dtype": "f32", "data": [1.5, "-Infinity"]}},
        ),
        (np.float32(1.5), 1.5),
        (np.array([[True, False]]), {"$tensor": {"shape": [1, 2], "dtype": "bool", "data": [True, False]}}),
    ],
)
def test_a_value_has_the_form_that_the_wire_prescribes(value: object, wire: object) -> None:
    assert encode(value) == wire


def test_nan_survives() -> None:
    assert encode(math.nan) == {"$float": "NaN"}
    assert math.isnan(decode({"$float": "NaN"}))


def test_integers_beyond_doubles_travel_as_text_inside_tensors() -> None:
    wire = encode(Tensor((1,), "i64", [2**60]))
    assert wire["$tensor"]["data"] == [str(2**60)]
    assert decode(wire).data == [2**60]


def test_a_tensor_becomes_an_array_of_its_dtype_and_shape() -> None:
    array = decode({"$tensor": {"shape": [2, 1], "dtype": "f32", "data": [1, "NaN"], "id": "t"}}).numpy()
    assert array.dtype == np.float32
    assert array.shape == (2, 1)
    assert np.isnan(array[1, 0])


def test_a_tensor_without_its_elements_says_where_to_get_them() -> None:
    with pytest.raises(ValueError, match=r"Client\.download"):
        Tensor((2,), "f32", id="t").numpy()


def test_what_cannot_be_sent_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="a value of type set cannot be sent"):
        encode({1, 2})
    with pytest.raises(TypeError, match="a key must be text"):
        encode({1: 2})
    with pytest.raises(ValueError, match=r"Client\.upload"):
        encode(np.zeros(65_537, np.float32))


@pytest.mark.parametrize("send", [encode, lambda array: encode(array, [])])
@pytest.mark.parametrize("array", [np.zeros(3), np.zeros(65_537), np.zeros(2, "uint64"), np.array(["a"])])
def test_an_array_of_a_dtype_that_no_tensor_has_is_refused_with_what_to_do(
    send: Callable[[object], object], array: object
) -> None:
    with pytest.raises(TypeError, match=r"cannot be sent: convert it, as with .astype\('float32'\)"):
        send(array)


def test_npy_goes_there_and_back_without_pickle() -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert np.array_equal(from_npy(to_npy(array)), array)
    with pytest.raises(ValueError, match="allow_pickle"):
        to_npy(np.array([object()]))
