"""The lazy graph as a script builds it, and its evaluation.

Owns nodes, which of them are worth keeping, and the graphs that are sent. Must not know what a script sees:
`ops/torch/tensor.py` wraps nodes.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence

from ops.composite import wire
from ops.composites import expand
from ops.errors import GraphError
from ops.graph import Attribute, Graph, Node, TensorRef, TensorType
from ops.infer import result_type
from ops.spec import check_attributes
from ops.table import find
from ops.torch import engine
from ops.torch.engine import Handle

MAX_BLOCK = 8_000
"""Nodes and edges that are sent at once; longer programs are computed in several graphs."""


class LazyNode:
    """A value: an op of other values, a constant (`data` is its wire form), or a tensor of the engine (`handle`).

    `owner` refers weakly to the script's tensor for this node: while that lives, the script may ask again. `asked`
    says that the node was computed before and not kept.
    """

    __slots__ = ("asked", "attributes", "data", "handle", "inputs", "op", "owner", "type")

    def __init__(
        self,
        op: str,
        type: TensorType,
        inputs: tuple[LazyNode, ...] = (),
        attributes: dict[str, Attribute] | None = None,
        *,
        data: bytes = b"",
        handle: Handle | None = None,
    ) -> None:
        self.op = op
        self.type = type
        self.inputs = inputs
        self.attributes = attributes or {}
        self.data = data
        self.handle = handle
        self.owner: weakref.ref[object] | None = None
        self.asked = False

    def own(self, tensor: object) -> None:
        """Note that the script's `tensor` means this value, if no other one does."""
        if self.owner is None or self.owner() is None:
            self.owner = weakref.ref(tensor)

    def disown(self, tensor: object) -> None:
        """Note that the script's `tensor` means another value from now on."""
        if self.owner is not None and self.owner() is tensor:
            self.owner = None

    def keep(self, handle: Handle) -> None:
        """Become a tensor of the engine: forget how it was made."""
        self.handle = handle
        self.op, self.inputs, self.attributes, self.data = "input", (), {}, b""

    @property
    def ref(self) -> TensorRef:
        """The engine's tensor that this became."""
        assert self.handle is not None, "it was not computed"
        return TensorRef(self.handle.number, self.type.shape, self.type.dtype)

    @property
    def costly(self) -> bool:
        """Whether to compute this again costs more than an elementwise step."""
        return self.op == "constant" or find(self.op).kind not in ("elementwise", "leaf", "view")

    def worth_keeping(self) -> bool:
        """Whether to keep the value though it was not asked for: a script would have it computed again.

        What a script still holds and what is costly is kept at once; cheap steps only when they come up again.
        """
        if self.costly:
            return self.asked or (self.owner is not None and self.owner() is not None)
        return self.asked and find(self.op).kind == "elementwise"


def node(op: str, inputs: Sequence[LazyNode], attributes: Mapping[str, object] | None = None) -> LazyNode:
    """The value of `op`. Raises what `infer` raises."""
    spec = find(op)
    types = [source.type for source in inputs]
    if spec.kind == "composite":
        return _composite(op, inputs, attributes or {}, types)
    normal = check_attributes(spec, attributes or {})
    return LazyNode(spec.name, result_type(spec, normal, types), tuple(inputs), wire(normal))


def _composite(
    op: str, inputs: Sequence[LazyNode], attributes: Mapping[str, object], types: Sequence[TensorType]
) -> LazyNode:
    """The value of an op that is made of others."""
    nodes, result = expand(op, attributes, types)
    values = list(inputs)
    for part in nodes:
        values.append(node(part.op, [values[index] for index in part.inputs], part.attributes))
    return values[result]


def constant(data: bytes, type: TensorType) -> LazyNode:
    """The value whose wire form is `data`."""
    return LazyNode("constant", type, data=data)


def existing(ref: TensorRef) -> LazyNode:
    """A tensor that the engine has."""
    return LazyNode("input", TensorType(ref.shape, ref.dtype), handle=Handle(ref.handle))


def materialise(wanted: Sequence[LazyNode]) -> list[TensorRef]:
    """Compute `wanted` in as few graphs as possible; each gets a handle. Gives handles and types."""
    asked = {id(value) for value in wanted}
    for block, later in _blocks(wanted):
        kept = _kept(block, asked | later)
        if not kept:
            continue
        refs = engine.compute(_graph(block, kept))
        for value in block:
            value.asked = True
        for value, ref in zip(kept, refs, strict=True):
            value.keep(Handle(ref.handle))
    return [value.ref for value in wanted]


def read(value: LazyNode) -> bytes:
    """The elements of `value` in wire form, computed if need be."""
    if value.op == "constant":
        return value.data
    (ref,) = materialise([value])
    return engine.read(ref.handle)


def explain(wanted: Sequence[LazyNode], wgsl: bool) -> str:
    """How `wanted` would be computed now, in words; nothing is computed. Raises `GraphError` for a longer program."""
    blocks = list(_blocks(wanted))
    if not blocks:
        return "nothing: it is computed already"
    if len(blocks) > 1:
        raise GraphError(
            f"more than {MAX_BLOCK:,} nodes and edges are computed in several graphs, and cannot be explained at once",
            hint="Explain what they are made of.",
        )
    ((block, _),) = blocks
    return engine.explain(_graph(block, _kept(block, {id(value) for value in wanted})), wgsl)


def _kept(block: Sequence[LazyNode], asked: set[int]) -> list[LazyNode]:
    """The nodes of a block that are made tensors: those with ids in `asked`, and those worth it."""
    return [value for value in block if id(value) in asked or value.worth_keeping()]


def _pending(wanted: Sequence[LazyNode]) -> list[LazyNode]:
    """The nodes without a handle that `wanted` needs, each after what it reads; without recursion."""
    order: list[LazyNode] = []
    seen: set[int] = set()
    stack = [(value, False) for value in reversed(wanted)]
    while stack:
        value, ready = stack.pop()
        if ready:
            order.append(value)
        elif id(value) not in seen and value.handle is None:
            seen.add(id(value))
            stack.append((value, True))
            stack.extend((source, False) for source in reversed(value.inputs))
    return order


def _blocks(wanted: Sequence[LazyNode]) -> Iterator[tuple[list[LazyNode], set[int]]]:
    """The pending nodes in blocks that may be sent, each with the ids of those that later blocks read."""
    order = _pending(wanted)
    blocks: list[list[LazyNode]] = []
    size = MAX_BLOCK
    for value in order:
        size += 1 + len(value.inputs)
        if size > MAX_BLOCK:
            blocks.append([])
            size = 1 + len(value.inputs)
        blocks[-1].append(value)
    for number, block in enumerate(blocks):
        mine = {id(value) for value in block}
        later = {id(source) for other in blocks[number + 1 :] for value in other for source in value.inputs}
        yield block, mine & later


def _graph(block: Sequence[LazyNode], kept: Sequence[LazyNode]) -> Graph:
    """The wire form of `block`; what it reads from outside has a handle."""
    nodes: list[Node] = []
    constants: list[bytes] = []
    numbers: dict[int, int] = {}
    outside = [source for value in block for source in value.inputs if source.handle is not None]
    for value in [*outside, *block]:
        if id(value) in numbers:
            continue
        attributes = value.attributes
        leaf: dict[str, Attribute] = {"shape": list(value.type.shape), "dtype": value.type.dtype}
        if value.handle is not None:
            attributes = {"handle": value.handle.number, **leaf}
        elif value.op == "constant":
            attributes = {"index": len(constants), **leaf}
            constants.append(value.data)
        numbers[id(value)] = len(nodes)
        nodes.append(Node(value.op, tuple(numbers[id(source)] for source in value.inputs), attributes))
    return Graph(nodes, [numbers[id(value)] for value in kept], constants)
