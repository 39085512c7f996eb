"""What graphs have in common that one plan serves.

Owns the key under which a plan is kept. Graphs differ within a key in handles, in the elements of constants, and in
the numbers and words that ops take as parameters (`scalars`), as long as those are of the same dtypes and equal where
they were equal. Must not know plans.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeGuard

import msgspec

from ops.attributes import U32
from ops.errors import GraphError
from ops.expression import Value, scalar_dtype
from ops.graph import Graph
from ops.table import find
from shaders.spec import Hole

Scalars = tuple[Value, ...]
Words = Mapping[str, tuple[Hole, ...]]
_FREE_KINDS = ("elementwise", "leaf")
_NUMBER = int | float
_DOUBLE = struct.Struct("<d")
_FRAME_INTEGER = 9
_LONGEST_NAME = 64
_encode = msgspec.msgpack.Encoder().encode


class Structure(NamedTuple):
    """A graph's key, its scalars, and what its nodes do, with holes for them.

    `bits` are equal where all scalars are the same to the last bit. `holes` has the holes of node n by attribute,
    `words` those of its lists of words. `forms` has what matters of the attributes of an input, or of a node with
    holes; of all others they matter as they are.
    """

    key: bytes
    scalars: Scalars
    bits: bytes
    holes: Mapping[int, Mapping[str, Hole]]
    words: Mapping[int, Words]
    forms: Mapping[int, tuple[object, ...]]


def structure(graph: Graph) -> Structure:
    """The structure of any graph, valid or not.

    What matters of an input is its type alone, and of a number that travels as a parameter its dtype.
    """
    numbering = _Numbering()
    holes: dict[int, dict[str, Hole]] = {}
    words: dict[int, Words] = {}
    forms: dict[int, tuple[object, ...]] = {}
    nodes: list[object] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        attributes = node.attributes
        if not attributes:
            continue
        op = node.op
        if op == "input":
            form: tuple[object, ...] = ({**attributes, "handle": None},)
        else:
            free = _free(op) if len(op) <= _LONGEST_NAME else ()
            found, lists = numbering.holes(attributes, free) if free else ({}, {})
            if not (found or lists):
                continue
            if found:
                holes[index] = found
            if lists:
                words[index] = lists
            form = _parts(attributes, found, lists, numbering.scalars)
        forms[index] = form
        nodes[index] = (op, node.inputs, *form)
    key = _encode((nodes, graph.outputs, [len(data) for data in graph.constants]))
    return Structure(key, tuple(numbering.scalars), numbering.bits, holes, words, forms)


class _Numbering:
    """The scalars of a graph as they are found. Equal ones are one; lists of words as a whole, since single words may
    well be equal by chance."""

    def __init__(self) -> None:
        self.scalars: list[Value] = []
        self._known: dict[tuple[str, bytes], tuple[Hole, ...]] = {}

    @property
    def bits(self) -> bytes:
        """Those of all scalars."""
        return b"".join([bits for _, bits in self._known])

    def holes(
        self, attributes: Mapping[str, object], free: tuple[tuple[str, str], ...]
    ) -> tuple[dict[str, Hole], Words]:
        """The holes for the `free` ones of a node's attributes, and those for its lists of words."""
        found: dict[str, Hole] = {}
        lists: dict[str, tuple[Hole, ...]] = {}
        for name, type in free:
            value = attributes.get(name)
            if type == "words" and _is_words(value):
                lists[name] = self._of(_identity_of_words(value), value)
            elif type == "number" and isinstance(value, _NUMBER) and not _is_long(value):
                found[name] = self._of(_identity(value), [value])[0]
        return found, lists

    def _of(self, identity: tuple[str, bytes], values: Sequence[Value]) -> tuple[Hole, ...]:
        holes = self._known.get(identity)
        if holes is None:
            first = len(self.scalars)
            holes = self._known[identity] = tuple(Hole(first + place) for place in range(len(values)))
            self.scalars += values
        return holes


def _parts(
    attributes: Mapping[str, object], holes: Mapping[str, Hole], words: Words, scalars: list[Value]
) -> tuple[object, ...]:
    """What of a node's attributes matters: a hole is any number of its dtype, words are any as many."""
    rest = {**attributes}  # and loops: comprehensions took a fifth of a key's time
    free: list[tuple[str, int, str]] = []
    lists: list[tuple[str, int, int]] = []
    for name, hole in holes.items():
        del rest[name]
        free.append((name, hole.number, scalar_dtype(scalars[hole.number])))
    for name, each in words.items():
        del rest[name]
        lists.append((name, each[0].number, len(each)))
    return rest, free, lists


def _is_long(value: Value) -> bool:
    """Whether a whole number is beyond what a parameter of 32 bits holds: kernels of i64 have it in their text."""
    return isinstance(value, int) and scalar_dtype(value) == "f32"


def _is_words(value: object) -> TypeGuard[list[int]]:
    """Whether this is what an attribute of words may be; any other list stays in the key, and is refused later."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(word, int) and not isinstance(word, bool) and 0 <= word <= U32 for word in value)
    )


@lru_cache(maxsize=4096)
def _free(op: str) -> tuple[tuple[str, str], ...]:
    """The attributes of an op that travel as parameters, so that its kernel does not depend on them, with types."""
    try:
        spec = find(op)
    except GraphError:
        return ()
    types = ("number", "words") if spec.kind in _FREE_KINDS else ("words",)
    return tuple((attribute.name, attribute.type) for attribute in spec.attributes if attribute.type in types)


def _identity(value: Value) -> tuple[str, bytes]:
    """Equal for numbers of the same type and bits."""
    if isinstance(value, float):
        return "float", _DOUBLE.pack(value)
    return type(value).__name__, value.to_bytes(_FRAME_INTEGER, "little", signed=True)


def _identity_of_words(words: list[int]) -> tuple[str, bytes]:
    """Equal for the same words in the same order: single ones may well be equal by chance."""
    return "words", struct.pack(f"<{len(words)}I", *words)
