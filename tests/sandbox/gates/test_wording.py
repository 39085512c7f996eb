"""What is wrong with a document is told by its place, without the words of msgspec."""

from typing import Annotated, Literal

import msgspec
import pytest

from sandbox.gates.wording import told


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    word: Literal["a", "b"]
    ports: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "entries: wanted list, got object"),
        ([{}], "entries[0]: word is missing"),
        ([{"word": "c"}], "entries[0].word: 'c' is not one of the words for it"),
        ([{"word": "a", "port": 1}], "entries[0]: port is not a field"),
        ([{"word": "a", "ports": [1, "2"]}], "entries[0].ports[1]: wanted int, got str"),
        ([{"word": "a", "ports": [0]}], "entries[0].ports[0]: wanted int >= 1"),
    ],
)
def test_a_wrong_document_is_told_by_its_place(document: object, words: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(document, list[Entry])
    assert told(caught.value, "entries") == words
