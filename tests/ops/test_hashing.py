"""Hashing as scripts see it."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ops import hashing
from ops.errors import AttributeValueError


def test_one_message_is_hashed_where_it_is(numpy_engine: Any) -> None:
    assert hashing.sha256("grüße") == hashlib.sha256("grüße".encode()).hexdigest()
    assert hashing.sha256([b"", "a"]) == [hashlib.sha256(text).hexdigest() for text in (b"", b"a")]
    assert hashing.sha256([]) == []
    assert numpy_engine.graphs == []


def test_many_messages_are_hashed_on_the_device(numpy_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_BATCH_BYTES", 20_000)
    messages = [b"x" * (number % 131) for number in range(1_000)]
    assert hashing.sha256(messages) == [hashlib.sha256(message).hexdigest() for message in messages]
    assert len(numpy_engine.graphs) == 4


def test_bytes_are_cut_by_lines_and_by_blocks() -> None:
    names: dict[str, Any] = hashing.namespace()
    assert names["lines"](b"one\ntwo\r\n\nthree") == [b"one", b"two", b"", b"three"]
    assert names["blocks"]("abcdefgh", 3) == [b"abc", b"def", b"gh"]
    assert names["blocks"](b"", 3) == []
    with pytest.raises(AttributeValueError, match="at least one byte"):
        names["blocks"](b"abc", 0)


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(AttributeValueError, match="has no attribute 'seed'"):
        hashing.sha256("a", seed=1)
    with pytest.raises(AttributeValueError, match="not int"):
        hashing.sha256([1])  # type: ignore[list-item]
