"""What graphs have in common that one plan serves.

Owns the key under which a plan is kept. Graphs differ within a key in handles, in the elements of constants, and in
the numbers and words that ops take as parameters (`scalars`), as long as those are of the same dtypes and equal where
they were equal. Must not know plans.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

import msgspec

from ops.attributes import U32
from ops.errors import GraphError
from ops.expression import Value, scalar_dtype
from ops.graph import Graph, Node
from ops.table import find
from shaders.spec import Hole

Scalars = tuple[Value, ...]
Words = Mapping[str, tuple[Hole, ...]]
_FREE_KINDS = ("elementwise", "leaf")
_FRAME_INTEGER = 9
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Structure:
    """A graph's key, its scalars, and its nodes with holes for them.

    `bits` are equal where all scalars are the same to the last bit. `holes` has the holes of node n by attribute,
    `words` those of its lists of words. `forms` are the nodes as the key has them.
    """

    key: bytes
    scalars: Scalars
    bits: bytes
    holes: Mapping[int, Mapping[str, Hole]]
    words: Mapping[int, Words]
    forms: tuple[object, ...]


def structure(graph: Graph) -> Structure:
    """The structure of any graph, valid or not."""
    numbering = _Numbering()
    holes: dict[int, dict[str, Hole]] = {}
    words: dict[int, Words] = {}
    forms: list[object] = []
    for index, node in enumerate(graph.nodes):
        if node.op == "input":
            forms.append(_any_input(node))
            continue
        free = _free(node.op) if len(node.op) <= _LONGEST_NAME else ()
        found, lists = numbering.holes(node, free) if free else ({}, {})
        if found:
            holes[index] = found
        if lists:
            words[index] = lists
        forms.append(_form(node, found, lists, numbering.scalars) if found or lists else node)
    whole = (forms, graph.outputs, [len(data) for data in graph.constants])
    key, scalars = msgspec.msgpack.encode(whole), tuple(numbering.scalars)
    return Structure(key, scalars, numbering.bits, holes, words, tuple(forms))


class _Numbering:
    """The scalars of a graph as they are found. Equal ones are one; lists of words as a whole, since single words may
    well be equal by chance."""

    def __init__(self) -> None:
        self.scalars: list[Value] = []
        self._known: dict[tuple[str, bytes], int] = {}

    @property
    def bits(self) -> bytes:
        """Those of all scalars."""
        return b"".join(bits for _, bits in self._known)

    def holes(self, node: Node, free: tuple[tuple[str, str], ...]) -> tuple[dict[str, Hole], Words]:
        """The holes for a node's `free` attributes, and those for its lists of words."""
        found: dict[str, Hole] = {}
        lists: dict[str, tuple[Hole, ...]] = {}
        for name, type in free:
            value = node.attributes.get(name)
            if type == "words" and _is_words(value):
                first = self._number(_identity_of_words(value), value)
                lists[name] = tuple(Hole(first + place) for place in range(len(value)))
            elif type == "number" and isinstance(value, int | float) and not _is_long(value):
                found[name] = Hole(self._number(_identity(value), [value]))
        return found, lists

    def _number(self, identity: tuple[str, bytes], values: Sequence[Value]) -> int:
        number = self._known.setdefault(identity, len(self.scalars))
        if number == len(self.scalars):
            self.scalars += values
        return number


def _any_input(node: Node) -> Node:
    """What of an input matters: it is any tensor of its type."""
    return Node(node.op, node.inputs, {k: v for k, v in node.attributes.items() if k != "handle"})


def _form(node: Node, holes: Mapping[str, Hole], words: Words, scalars: list[Value]) -> object:
    """What of a node matters: a hole is any number of its dtype, words are any as many."""
    free: dict[str, object] = {
        name: (hole.number, scalar_dtype(scalars[hole.number])) for name, hole in holes.items()
    }
    free |= {name: (list_[0].number, len(list_)) for name, list_ in words.items()}
    rest = {name: value for name, value in node.attributes.items() if name not in free}
    return (node.op, node.inputs, rest, free)


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
        return "float", struct.pack("<d", value)
    return type(value).__name__, value.to_bytes(_FRAME_INTEGER, "little", signed=True)


def _identity_of_words(words: list[int]) -> tuple[str, bytes]:
    """Equal for the same words in the same order: single ones may well be equal by chance."""
    return "words", struct.pack(f"<{len(words)}I", *words)
