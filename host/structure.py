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
from ops.graph import Attribute, Graph, Node
from ops.table import find
from shaders.spec import Hole

Scalars = tuple[Value, ...]
_FREE_KINDS = ("elementwise", "leaf")
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
    """The structure of any graph, valid or not."""
    numbers: dict[tuple[str, bytes], int] = {}
    scalars: list[Value] = []
    holes: dict[int, dict[str, Hole]] = {}
    forms: list[object] = []
    for index, node in enumerate(graph.nodes):
        if node.op == "input":
            forms.append((node.op, _any_input(node)))
            continue
        free = _free(node.op) if len(node.op) <= _LONGEST_NAME else ()
        if not free:
            forms.append((node.op, node.attributes))
            continue
        found: dict[str, Hole] = {}
        for name in free:
            value = node.attributes.get(name)
            if isinstance(value, int | float) and not _is_long(value):
                number = numbers.setdefault(_identity(value), len(numbers))
                if number == len(scalars):
                    scalars.append(value)
                found[name] = Hole(number)
        if found:
            holes[index] = found
        forms.append(_form(node, found, scalars))
    read = [node.inputs for node in graph.nodes]
    whole = (forms, read, graph.outputs, [len(data) for data in graph.constants])
    bits = b"".join(bits for _, bits in numbers)
    return Structure(msgspec.msgpack.encode(whole), tuple(scalars), bits, holes, tuple(forms))


def _any_input(node: Node) -> dict[str, Attribute]:
    """What of an input matters: it is any tensor of its type."""
    return {name: value for name, value in node.attributes.items() if name != "handle"}


def _form(node: Node, holes: Mapping[str, Hole], scalars: list[Value]) -> tuple[object, ...]:
    """What of a node matters: a hole is any number of its dtype."""
    if not holes:
        return node.op, node.attributes
    rest = {name: value for name, value in node.attributes.items() if name not in holes}
    free = [(name, hole.number, scalar_dtype(scalars[hole.number])) for name, hole in holes.items()]
    return node.op, rest, free


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
        return "float", struct.pack("<d", value)
    return type(value).__name__, value.to_bytes(_FRAME_INTEGER, "little", signed=True)
