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

Words = Mapping[str, tuple[Hole, ...]]
Scalars = tuple[Value, ...]
Form = tuple[Mapping[str, object], Sequence[tuple[str, int, str]], Sequence[tuple[str, int, int]]]
"""What matters of a node's attributes: most as they are; of numbers that travel as parameters the name, which scalar,
and its dtype; of lists of words the name, the first scalar, and how many."""
_FREE_KINDS = ("elementwise", "leaf")
_NUMBERS = frozenset((bool, int, float))
_DOUBLE = struct.Struct("<d")
_FRAME_INTEGER = 9
"""Bytes that hold any whole number of a frame: MessagePack has them from -2^63 to 2^64 - 1."""
_LONGEST_NAME = 64
"""Characters of an op: longer names are none, and are not looked up."""
_encode = msgspec.msgpack.Encoder().encode


class Structure(NamedTuple):
    """A graph's key and its scalars, whose `bits` are equal where all are the same to the last bit.

    `forms` has those of inputs, and of nodes whose attributes are scalars in part; of all others they matter as they
    are.
    """

    key: bytes
    scalars: Scalars
    bits: bytes
    forms: Mapping[int, Form]

    def holes(self, index: int) -> dict[str, Hole]:
        """For each number of node `index` that travels as a parameter the hole for it, by attribute."""
        form = self.forms.get(index)
        return {} if form is None else {name: Hole(number) for name, number, _ in form[1]}

    def words(self, index: int) -> Words:
        """For each list of words of node `index` the holes for them, by attribute."""
        form = self.forms.get(index)
        lists = () if form is None else form[2]
        return {name: tuple(map(Hole, range(first, first + count))) for name, first, count in lists}


def structure(graph: Graph) -> Structure:
    """The structure of any graph, valid or not.

    What matters of an input is its type alone, and of a number that travels as a parameter its dtype.
    """
    numbering = _Numbering()
    forms: dict[int, Form] = {}
    nodes: list[object] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        attributes = node.attributes
        if not attributes:
            continue
        op = node.op
        if op == "input":
            form: Form | None = ({**attributes, "handle": None}, (), ())
        else:
            free = _free(op) if len(op) <= _LONGEST_NAME else ()
            form = numbering.form(attributes, free) if free else None
        if form is not None:
            forms[index] = form
            nodes[index] = (op, node.inputs, form)
    key = _encode((nodes, graph.outputs, [len(data) for data in graph.constants]))
    return Structure(key, tuple(numbering.scalars), b"".join(numbering.bits), forms)


class _Numbering:
    """The scalars of a graph as they are found, and their bits. Equal ones are one; lists of words as a whole, since
    single words may well be equal by chance."""

    def __init__(self) -> None:
        self.scalars: list[Value] = []
        self.bits: list[bytes] = []
        self._numbers: dict[object, tuple[int, str]] = {}
        self._lists: dict[bytes, int] = {}

    def form(self, attributes: Mapping[str, object], free: Sequence[tuple[str, str]]) -> Form | None:
        """The form of a node, of whose attributes the `free` ones are scalars; None where none of them is given so."""
        rest = {**attributes}
        numbers: list[tuple[str, int, str]] = []
        lists: list[tuple[str, int, int]] = []
        for name, type in free:
            value = attributes.get(name)
            if type == "words" and _is_words(value):
                lists.append((name, self._list(value), len(value)))
                del rest[name]
            elif type == "number" and _is_number(value):
                found = self._number(value)
                if found is not None:
                    numbers.append((name, *found))
                    del rest[name]
        return (rest, numbers, lists) if numbers or lists else None

    def _number(self, value: Value) -> tuple[int, str] | None:
        """Which scalar a number is, and its dtype; None for one that is too long to be a parameter."""
        identity = _DOUBLE.pack(value) if isinstance(value, float) else (type(value), value)
        found = self._numbers.get(identity)
        if found is None and not _is_long(value):
            found = self._numbers[identity] = (self._add([value], _bits(value)), scalar_dtype(value))
        return found

    def _list(self, words: Sequence[int]) -> int:
        """Which scalar is the first of `words`."""
        bits = struct.pack(f"<{len(words)}I", *words)
        first = self._lists.get(bits)
        if first is None:
            first = self._lists[bits] = self._add(words, bits)
        return first

    def _add(self, values: Sequence[Value], bits: bytes) -> int:
        self.scalars += values
        self.bits.append(bits)
        return len(self.scalars) - len(values)


def _is_number(value: object) -> TypeGuard[Value]:
    return type(value) in _NUMBERS


def _is_long(value: Value) -> bool:
    """Whether a whole number is beyond what a parameter of 32 bits holds: kernels of i64 have it in their text."""
    return isinstance(value, int) and scalar_dtype(value) == "f32"


def _bits(value: Value) -> bytes:
    if isinstance(value, float):
        return _DOUBLE.pack(value)
    return value.to_bytes(_FRAME_INTEGER, "little", signed=True)


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
