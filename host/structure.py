"""What graphs have in common that one plan serves.

Owns the key under which a plan is kept. Graphs differ within a key in handles, in the elements of constants, and in
the numbers that ops take as parameters (`scalars`), as long as those are of the same dtypes and equal where they were
equal. Must not know plans.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from ops.errors import GraphError
from ops.expression import Value, scalar_dtype
from ops.graph import Graph
from ops.table import find
from shaders.spec import Hole

Scalars = tuple[Value, ...]
_FREE_KINDS = ("elementwise", "leaf")
_NUMBER = int | float
_DOUBLE = struct.Struct("<d")
_FRAME_INTEGER = 9
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Structure:
    """A graph's key, its scalars, and what its nodes do, with holes for them.

    `bits` are equal where all scalars are the same to the last bit. `holes` has the holes of node n by attribute.
    `forms` are equal for nodes that do the same, whatever they read.
    """

    key: bytes
    scalars: Scalars
    bits: bytes
    holes: Mapping[int, Mapping[str, Hole]]
    forms: tuple[object, ...]


def structure(graph: Graph) -> Structure:
    """The structure of any graph, valid or not.

    What matters of an input is its type alone, and of a number that travels as a parameter its dtype.
    """
    numbers: dict[tuple[str, bytes], int] = {}
    scalars: list[Value] = []
    made: list[Hole] = []
    holes: dict[int, dict[str, Hole]] = {}
    forms: list[object] = []
    for index, node in enumerate(graph.nodes):
        op, attributes = node.op, node.attributes
        if op == "input":
            forms.append((op, {name: value for name, value in attributes.items() if name != "handle"}))
            continue
        found: dict[str, Hole] = {}
        for name in _free(op) if len(op) <= _LONGEST_NAME else ():
            value = attributes.get(name)
            if isinstance(value, _NUMBER) and not _is_long(value):
                number = numbers.setdefault(_identity(value), len(numbers))
                if number == len(scalars):
                    scalars.append(value)
                    made.append(Hole(number))
                found[name] = made[number]
        if not found:
            forms.append((op, attributes))
            continue
        holes[index] = found
        rest = {name: value for name, value in attributes.items() if name not in found}
        free = [(name, hole.number, scalar_dtype(scalars[hole.number])) for name, hole in found.items()]
        forms.append((op, rest, free))
    read = [node.inputs for node in graph.nodes]
    whole = (forms, read, graph.outputs, [len(data) for data in graph.constants])
    bits = b"".join(bits for _, bits in numbers)
    return Structure(msgspec.msgpack.encode(whole), tuple(scalars), bits, holes, tuple(forms))


def _is_long(value: Value) -> bool:
    """Whether a whole number is beyond what a parameter of 32 bits holds: kernels of i64 have it in their text."""
    return isinstance(value, int) and scalar_dtype(value) == "f32"


@lru_cache(maxsize=4096)
def _free(op: str) -> tuple[str, ...]:
    """The attributes of an op that travel as parameters, so that its kernel does not depend on them."""
    try:
        spec = find(op)
    except GraphError:
        return ()
    if spec.kind not in _FREE_KINDS:
        return ()
    return tuple(attribute.name for attribute in spec.attributes if attribute.type == "number")


def _identity(value: Value) -> tuple[str, bytes]:
    """Equal for numbers of the same type and bits."""
    if isinstance(value, float):
        return "float", _DOUBLE.pack(value)
    return type(value).__name__, value.to_bytes(_FRAME_INTEGER, "little", signed=True)
