"""`api/http/body.py`: what is JSON, and what is refused with a reason."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import msgspec
import numpy as np
import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from api.errors import InvalidRequest, MalformedJson
from api.http import body
from api.http.body import (
    MAX_DIGITS,
    MAX_ITEMS,
    RequestModel,
    has_run,
    parse_json,
    read_json,
    structure,
    validate,
)

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
        (b'{"a": [{"b": [1, -1e999]}]}', "out of range"),
        (b'"\\ud800 x"', "half of a surrogate pair"),
        (b'{"a": "\\udc00"}', "half of a surrogate pair"),
        (b'"\xff"', "byte 1 of the body is not UTF-8"),
        (b"\xef\xbb\xbf1", ""),
        (b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested too deeply"),
        (b"1" * 5000, "more than 1000 digits"),
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
        ({"count": 1, "a": 2, "b": 3}, "a and b are not fields of this request"),
        ({"count": 1, "x" * 1000: 2}, f"{'x' * 40} is not a field of this request"),
    ],
)
def test_a_field_that_does_not_fit_is_named(value: object, says: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        validate(Thing, value)
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({"count": 1, "name": []}, "Did you mean names?"),
        ({"Count": 1}, "Did you mean count?"),
        ({"colour": 1}, "There are count, names."),
    ],
)
def test_an_unknown_field_comes_with_those_that_may_be_meant(value: object, hint: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        validate(Thing, value)
    assert caught.value.hint == hint


def test_unknown_fields_are_named_by_the_first_few_however_many_there_are() -> None:
    fields: dict[str, Any] = {f"field{n}": n for n in range(10_000)}
    with pytest.raises(InvalidRequest) as caught:
        validate(Thing, {"count": 1, **fields})
    assert caught.value.message == "field0, field1 and field2 are not fields of this request"


def _nodes(value: object) -> tuple[int, int]:
    """Containers and keys inside `value`, counted one by one."""
    children: list[object] = (
        list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    )
    below = [_nodes(child) for child in children]
    here = isinstance(value, dict | list), len(value) if isinstance(value, dict) else 0
    return sum(n for n, _ in below) + here[0], sum(k for _, k in below) + here[1]


DIGITS = "7" * MAX_DIGITS


@pytest.mark.parametrize(
    "number", [f"-{DIGITS}", f"0.{DIGITS}", f'"{DIGITS}7"', f'"\\"{DIGITS}7"', f"[{DIGITS}, 1]"]
)
def test_a_number_of_as_many_digits_as_may_be_is_read_and_so_is_text_of_more(number: str) -> None:
    assert parse_json(number.encode()) == json.loads(number)


@pytest.mark.parametrize(
    "number", [f"-7{DIGITS}", f"0.7{DIGITS}", f'{{"a": ["\\"", {DIGITS}7]}}', f"{DIGITS}7e1"]
)
def test_a_number_of_more_digits_is_refused_before_any_is_decoded(
    monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    monkeypatch.setattr(body, "from_json", lambda *_, **__: pytest.fail("it was decoded"))
    with pytest.raises(MalformedJson, match="a number has more than 1000 digits"):
        parse_json(number.encode())


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 20))
def test_a_run_is_found_where_there_is_one(marks: list[bool], length: int) -> None:
    assert has_run(np.array(marks, bool), length) == ("1" * length in "".join("01"[mark] for mark in marks))


@given(VALUES | st.text(alphabet='[]{}":\\,'))
def test_lists_objects_and_keys_are_counted_without_decoding(value: object) -> None:
    assert structure(json.dumps(value).encode())[:2] == _nodes(value)


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b"[]," * MAX_ITEMS + b"0]",
        b"[" + b"{}," * MAX_ITEMS + b"0]",
        b"{" + b",".join(b'"%x":1' % n for n in range(MAX_ITEMS)) + b"}",
    ],
    ids=["lists", "objects", "keys"],
)
def test_a_body_of_too_many_nodes_is_refused_before_it_is_decoded(
    text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(msgspec.json, "decode", lambda _: pytest.fail("it was decoded"))
    with pytest.raises(InvalidRequest, match="over the limit of 250000"):
        parse_json(text)


def test_brackets_inside_a_string_are_no_nodes() -> None:
    text = '[{":' * MAX_ITEMS
    assert parse_json(json.dumps(text).encode()) == text


class Counted(str):
    """A string that counts how often it is compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)


def test_a_repeated_key_is_found_in_linear_time() -> None:
    count = 5000
    pairs: list[tuple[str, Any]] = [(Counted(n), n) for n in [*range(count), count - 1]]
    with pytest.raises(MalformedJson, match=f"the key '{count - 1}' appears twice"):
        body._unique(pairs)
    assert Counted.comparisons < 10 * count


def test_no_number_takes_long_to_be_read() -> None:
    count = 100_000
    for text in (b"1.23456789e300", b"1.5e-300", b"9" * 100):
        began = time.process_time()
        assert len(parse_json(b"[" + b",".join([text] * count) + b"]")) == count
        assert time.process_time() - began < 5e-5 * count


def test_a_large_body_that_is_wrong_is_not_parsed_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed again"))
    for text in (
        b'["' + b"x" * body.EXPLAINED + b'", oops]',
        b'{"a":1,"a":"' + b"x" * body.EXPLAINED + b'"}',
    ):
        with pytest.raises(MalformedJson):
            parse_json(text)


@pytest.mark.parametrize(("size", "aside"), [(100, False), (body.IN_THREAD + 1, True)])
def test_a_large_body_is_worked_on_outside_the_event_loop(size: int, aside: bool) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps("x" * size).encode(), "more_body": False}

    async def scenario() -> threading.Thread:
        request = Request({"type": "http", "headers": []}, receive)
        return await read_json(request, 1 << 20, lambda _: threading.current_thread())

    assert (asyncio.run(scenario()) is not threading.current_thread()) == aside
