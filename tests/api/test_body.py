"""`api/body.py`: what is JSON, and what is refused with a reason."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from api.body import RequestModel, parse_json, validate
from api.errors import InvalidRequest, MalformedJson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(VALUES)
def test_every_json_value_is_read_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert parse_json(text.encode()) == json.loads(text)
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b'{"a": 1,}', ""),
        (b'{"a": 1, "a": 2}', "the key 'a' appears twice"),
        (b'{"x": [{"a": {"b": 1, "b": 1}}]}', "the key 'b' appears twice"),
        (b'{"a": ":", "a": 2}', "appears twice"),
        (b"NaN", "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b"1e999", "out of range"),
        (b'"\\ud800 x"', ""),
        (b'"\xff"', "byte 1 of the body is not UTF-8"),
        (b"\xef\xbb\xbf1", ""),
        (b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested too deeply"),
        (b"1" * 5000, "limit"),
        (b"[1] [2]", "Extra data"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_a_reason(body: bytes, says: str) -> None:
    with pytest.raises(MalformedJson, match=None) as caught:
        parse_json(body)
    assert says in caught.value.message


def test_a_syntax_error_carries_line_and_column() -> None:
    with pytest.raises(MalformedJson) as caught:
        parse_json(b'{\n "a": oops}')
    assert (caught.value.line, caught.value.column) == (2, 7)


def test_colons_and_quotes_inside_strings_are_no_keys() -> None:
    assert parse_json(b'{"a\\":": ":\\":", "b": "\\\\"}') == {'a":': ':":', "b": "\\"}


class Thing(RequestModel):
    count: int
    names: list[str] = Field(default=[])


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "must be a JSON object"),
        ({}, "count is missing"),
        ({"count": "1"}, "count: Input should be a valid integer"),
        ({"count": True}, "count: Input should be a valid integer"),
        ({"count": 1, "names": [1]}, "names.0: Input should be a valid string"),
        ({"count": 1, "more": 2}, "more is not a field of this request"),
    ],
)
def test_a_field_that_does_not_fit_is_named(value: object, says: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        validate(Thing, value)
    assert says in caught.value.message
