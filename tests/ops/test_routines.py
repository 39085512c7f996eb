"""`routines` as scripts see it."""

from __future__ import annotations

from typing import Any

import pytest

from ops import routines
from ops.errors import AttributeValueError
from ops.table import TABLE
from ops.torch.creation import tensor


@pytest.fixture
def names(numpy_engine: Any) -> dict[str, Any]:
    return routines.namespace()


def test_every_routine_has_a_function(names: dict[str, Any]) -> None:
    rows = [row for row in TABLE.values() if row.kind == "routine" and row.namespace != "hash"]
    assert {row.name for row in rows} <= names.keys()
    assert len(rows) > 20
    assert names["prefix_sum"](tensor([1, 2, 3]), exclusive=True).tolist() == [0, 1, 3]
    assert names["philox"](count=4, key=[0, 0]).tolist()[0] == 0x6627E8D5


def test_sizes_follow_the_data(names: dict[str, Any]) -> None:
    x = tensor([3, 1, 3, 2, 3, 1])
    assert names["compact"](x, x > 1).tolist() == [3, 3, 2, 3]
    assert names["nonzero"](x == 3).tolist() == [0, 2, 4]
    assert [part.tolist() for part in names["unique"](x)] == [[1, 2, 3], [2, 1, 3]]
    assert [part.tolist() for part in names["runs"](tensor([7, 7, 5]))] == [[7, 5], [2, 1]]
    assert [part.tolist() for part in names["sort_by"](x, tensor([0, 1, 2, 3, 4, 5]))][1] == [
        1,
        5,
        3,
        0,
        2,
        4,
    ]
    assert [part.tolist() for part in names["unique"](x[:0])] == [[], []]


def test_text(names: dict[str, Any]) -> None:
    assert names["find"]("a bad cab", ["cab", "a"]) == [(0, 1), (3, 1), (6, 0), (7, 1)]
    assert names["find"](b"abc", b"d") == []
    assert names["levenshtein"](["kitten", "", "flaw"], ["sitting", "ab", "lawn"]) == [3, 2, 2]
    assert names["levenshtein"]([], []) == []
    with pytest.raises(AttributeValueError, match="as many"):
        names["levenshtein"](["a"], [])


def test_ciphers_there_and_back(names: dict[str, Any]) -> None:
    text = b"any text of some bytes"
    for cipher, key, other in (("chacha20", bytes(32), bytes(12)), ("aes_ctr", bytes(16), bytes(16))):
        encrypted = names[cipher](text, key, other)
        assert encrypted != text
        assert names[cipher](encrypted, key, other) == text
    with pytest.raises(AttributeValueError, match="does not fit"):
        names["chacha20"](text, bytes(31), bytes(12))
