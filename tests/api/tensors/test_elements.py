"""`api/tensors/elements.py`: numbers in and out, exactly."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.errors import MalformedTensor
from api.tensors import elements
from ops.dtypes import BY_NAME

CODES = {
    "f32": "f",
    "f16": "e",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u8": "B",
    "i8": "b",
    "i16": "h",
    "bool": "?",
}
SINGLE = st.floats(width=32)


@given(st.lists(SINGLE))
def test_floats_go_to_the_wire_and_back_with_nan_and_infinities_as_strings(values: list[float]) -> None:
    row = BY_NAME["f32"]
    written = [v if math.isfinite(v) else elements.special_name(v) for v in values]
    raw = elements.from_list(written, (len(values),), row)
    assert len(raw) == 4 * len(values)
    for number, value in zip(struct.unpack(f"<{len(values)}f", raw), values, strict=True):
        assert number == value or (math.isnan(number) and math.isnan(value))
    assert elements.to_list(raw, row) == written


@given(st.sampled_from(["i32", "u32", "i16", "i8", "u8", "bool"]), st.data())
def test_whole_numbers_and_bools_go_to_the_wire_and_back(name: str, data: st.DataObject) -> None:
    bounds = {
        "i32": st.integers(-(2**31), 2**31 - 1),
        "u32": st.integers(0, 2**32 - 1),
        "i16": st.integers(-(2**15), 2**15 - 1),
        "i8": st.integers(-128, 127),
        "u8": st.integers(0, 255),
        "bool": st.booleans(),
    }
    values = data.draw(st.lists(bounds[name]))
    raw = elements.from_list(values, (len(values),), BY_NAME[name])
    assert raw == struct.pack(f"<{len(values)}{CODES[name]}", *values)
    assert elements.to_list(raw, BY_NAME[name]) == values


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("f32", [1.0], "holds 2 elements, but data has 1"),
        ("f32", [[1.0], [2.0]], "must be flat"),
        ("f32", "12", "must be a list"),
        ("f32", [1.0, "nan"], "index 1 is 'nan'"),
        ("f32", [1.0, None], "index 1 is None"),
        ("f32", [True, 1.0], "index 0 is True"),
        ("f32", [1.0, 1e39], "1e+39 at index 1 of data is beyond f32"),
        ("f16", [1.0, 65520], "65520 at index 1 of data is beyond f16"),
        ("f32", [1.0, 10**400], "far beyond f32"),
        ("i32", [1, 2**31], "2147483648 at index 1 of data does not fit i32"),
        ("u32", [-1, 1], "-1 at index 0 of data does not fit u32 (less than 0)"),
        ("i32", [2**31, 2**31], "2147483648 at index 0 of data does not fit i32 (more than 2147483647)"),
        ("u32", [1, 2.0], "index 1 is 2.0"),
        ("u32", [10**30, 1], "does not fit u32"),
        ("i32", [True, 1], "index 0 is True"),
        ("bool", [True, 1], "index 1 is 1"),
    ],
)
def test_an_element_that_does_not_fit_is_named(name: str, data: object, says: str) -> None:
    with pytest.raises(MalformedTensor) as caught:
        elements.from_list(data, (2,), BY_NAME[name])
    assert says in caught.value.message


@pytest.mark.parametrize("shape", [[1.0], [True], "12", {"a": 1}, None, [[1]]])
def test_a_shape_is_a_list_of_whole_numbers(shape: object) -> None:
    with pytest.raises(MalformedTensor):
        elements.parse_shape(shape)


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ((-1,), "negative"),
        ((1,) * 9, "9 dimensions"),
        ((1 << 40, 1 << 40), "over this server's limit of 1024"),
    ],
)
def test_a_tensor_that_cannot_be_is_refused_before_it_is_made(shape: tuple[int, ...], says: str) -> None:
    with pytest.raises(MalformedTensor) as caught:
        elements.size_of(shape, BY_NAME["f32"], 1024)
    assert says in caught.value.message


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)))
def test_i64_beyond_what_doubles_hold_is_text_in_json(values: list[int]) -> None:
    row = BY_NAME["i64"]
    raw = elements.from_list(values, (len(values),), row)
    assert raw == struct.pack(f"<{len(values)}q", *values)
    written = elements.to_list(raw, row)
    assert written == [value if abs(value) <= 1 << 53 else str(value) for value in values]
    assert elements.from_list(written, (len(values),), row) == raw


@pytest.mark.parametrize("data", [["1.5"], ["x"], ["1" * 20], [1 << 63], [str(1 << 63)], ["-"]])
def test_text_that_is_no_i64_is_refused(data: list[object]) -> None:
    with pytest.raises(MalformedTensor):
        elements.from_list(data, (1,), BY_NAME["i64"])


def test_bf16_is_rounded_to_the_nearest_and_refused_beyond_its_range() -> None:
    row = BY_NAME["bf16"]
    raw = elements.from_list([1, 1.00390625, -0.1, "NaN", "Infinity"], (5,), row)
    assert elements.to_list(raw, row) == [1, 1, -0.10009765625, "NaN", "Infinity"]
    with pytest.raises(MalformedTensor, match="is beyond bf16"):
        elements.from_list([3.4e38], (1,), row)
