"""The lazy graph in its wire form: what a worker sends once when a value is asked for.

Owns the records `Node` and `Graph`. A node names a row of the op table with attributes and earlier nodes, never
text. Must not know buffers: a leaf names a handle, and whoever receives the graph checks whose it is.
"""

from __future__ import annotations

import msgspec

Attribute = None | bool | int | float | str | list[int | float | bool | str | list[int]]


class TensorType(msgspec.Struct, frozen=True, gc=False):
    """The shape (sizes from outermost) and dtype name of a value."""

    shape: tuple[int, ...]
    dtype: str


class Node(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One op: its row's name, the indices of earlier nodes that it reads, and its attributes.

    Two ops are leaves: `input` (attributes `handle`, `shape`, `dtype`) and `constant` (attributes `index`,
    `shape`, `dtype`: its elements are `Graph.constants[index]`).
    """

    op: str
    inputs: tuple[int, ...] = ()
    attributes: dict[str, Attribute] = {}


class Graph(msgspec.Struct, frozen=True):
    """Nodes in an order in which each reads only earlier ones, and which of them are wanted.

    The elements of constants (wire form) stand apart, so that graphs that differ only in values share a structure.
    """

    nodes: list[Node]
    outputs: list[int]
    constants: list[bytes] = []


class TensorRef(msgspec.Struct, frozen=True, gc=False):
    """A tensor that exists elsewhere: a handle that its giver understands, with its type."""

    handle: int
    shape: tuple[int, ...]
    dtype: str
