"""From a checked graph to a plan: which steps to do, over which buffers.

Owns equal and dead nodes, fusion and views without copies. Chains of elementwise ops wait as formulas until somebody
needs their elements: another op may then take them in (a reduction and softmax what they read, a product the floats
that are made of bytes, a product and a reduction what is done with their result). A chain over numbers alone is not
taken in: where a condition depends on uniforms only, llvmpipe looks for them on every way there is
(`lvp_inline_uniforms`), twenty times as long for each op more. Pure: what is computed together becomes dispatches in
`host/lowerer.py`, and where memory lies is decided in `host/placement.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import msgspec
from msgspec import structs

from host.drafts import Drafts
from host.formulas import Call, Formula, Pending, Source, Value
from host.lowerer import Lowerer
from host.pauses import Pausing, at_once
from host.placement import Storage, place
from host.plans import Output, Plan, Ref
from host.structure import Structure, structure
from host.tensors import device_bytes
from ops.graph import Graph, TensorType
from ops.layout import Layout
from ops.lower import TAKES_AFTER, TAKES_BEFORE, DeviceClass, view
from ops.table import find
from ops.wgsl import length

MAX_FUSED_INPUTS = 6
"""With the result a kernel binds 7 storage buffers then, of the 8 that every WebGPU device has."""
MAX_FUSED_NODES = 32
"""More gain little: 256 `add` and `mul` over 4 million elements took llvmpipe 602 ms of the processor with 4 in a
kernel, 204 with 16, 125 with 32, 103 with 64 and with 128; and of longer formulas fewer are equal to others."""
MAX_FUSED_TEXT = 8192
"""Characters of WGSL as drivers see it: they compile each call anew, and choke on much more."""


def make_plan(graph: Graph, types: Sequence[TensorType], device: DeviceClass) -> Plan:
    """The plan of a graph that `validate` found to have these types, made at once."""
    return at_once(planning(graph, types, structure(graph), device))


def planning(
    graph: Graph, types: Sequence[TensorType], form: Structure, device: DeviceClass
) -> Pausing[Plan]:
    """The plan of a graph of these types and this structure. Raises `GraphError` for too many dispatches."""
    drafts = Drafts(device)
    same, kinds = yield from _equal_nodes(graph, types, form)
    lowerer = Lowerer(graph, types, form, kinds, device, drafts)
    return (yield from _Planner(graph, types, same, drafts, lowerer).plan())


@dataclass(slots=True)
class _Planner:
    """`same` gives for each node the first that computes the same, `reader` a node that reads it, `values` where its
    elements are or what they wait as. `made` are the storages of outputs.
    """

    graph: Graph
    types: Sequence[TensorType]
    same: Sequence[int]
    drafts: Drafts
    lowerer: Lowerer
    reader: dict[int, int] = field(default_factory=dict)
    values: dict[int, Value | Formula] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, TensorType]] = field(default_factory=list)
    made: list[Storage] = field(default_factory=list)

    def plan(self) -> Pausing[Plan]:
        for index, readers in enumerate(self._readers()):
            if readers:
                self.values[index] = self._node(index, fusible=readers == 1)
                yield
        outputs = []
        for number, index in enumerate(self.graph.outputs):
            outputs.append(self._output(number, self.same[index]))
            yield
        moments = yield from self.drafts.storages()
        temps, stages = yield from place(moments, self.made)
        steps = yield from self.drafts.steps()
        return Plan(
            tuple(self.inputs),
            tuple(self.constants),
            tuple(outputs),
            temps,
            stages,
            steps,
            self.drafts.device.work,
        )

    def _readers(self) -> list[int]:
        """How many nodes read each, and one that does; outputs count twice, since they must be computed whole."""
        readers = [0] * len(self.graph.nodes)
        for index in self.graph.outputs:
            readers[self.same[index]] += 2
        for index in range(len(readers) - 1, -1, -1):
            if readers[index]:
                for source in set(self._sources(index)):
                    readers[source] += 1
                    self.reader[source] = index
        return readers

    def _sources(self, index: int) -> list[int]:
        return [self.same[source] for source in self.graph.nodes[index].inputs]

    def _kind(self, index: int) -> str:
        return find(self.graph.nodes[index].op).kind

    def _node(self, index: int, fusible: bool) -> Value | Formula:
        node, type = self.graph.nodes[index], self.types[index]
        if node.op == "input":
            self.inputs.append(index)
            return self._given(type, Ref("input", len(self.inputs) - 1))
        if node.op == "constant":
            number = node.attributes["index"]
            assert isinstance(number, int)
            self.constants.append((number, type))
            return self._given(type, Ref("constant", len(self.constants) - 1))
        kind = find(node.op).kind
        if kind == "view":
            return self._view(index, fusible)
        if kind in ("elementwise", "leaf"):
            formula = self._formula(index)
            return formula if fusible or formula.is_constant else self.lowerer.formula(formula)
        read = self._sources(index)
        before = self._before(read[-1]) if kind in TAKES_BEFORE else None
        sources = tuple(self._whole(source) for source in (read if before is None else read[:-1]))
        ops = (*(before.ops if before else ()), find(node.op).name)
        pending = Pending(index, type, sources, before, ops)
        if kind in TAKES_AFTER and fusible and self._kind(self.reader[index]) == "elementwise":
            return Formula(pending, (pending,), type, ops, 0, False)
        return self.lowerer.op(pending)

    def _given(self, type: TensorType, ref: Ref) -> Value:
        return Value(Storage(device_bytes(type), ref), Layout.contiguous(type.shape), type.dtype)

    def _view(self, index: int, fusible: bool) -> Value | Formula:
        node, (source,) = self.graph.nodes[index], self._sources(index)
        formula = self.values[source]
        if isinstance(formula, Formula) and fusible:
            seen = self._seen(formula, index)
            if seen is not None and self._is_taken(seen, index):
                return seen
        value = self._whole(source)
        layout = view(node.op, node.attributes, value.layout)
        if layout is None:
            value = self.drafts.copy(value)
            layout = view(node.op, node.attributes, value.layout)
            assert layout is not None, "a contiguous value has every view"
        return Value(value.storage, layout, value.dtype)

    def _seen(self, formula: Formula, index: int) -> Formula | None:
        """A view of a formula as the same formula of views; None where that is not so, or would compute more."""
        node, type = self.graph.nodes[index], self.types[index]
        if formula.is_constant:
            return structs.replace(formula, type=type)
        if formula.indexed or formula.pending or prod(type.shape) > prod(formula.type.shape):
            return None
        seen: dict[Source, Value] = {}
        for source in formula.sources:
            assert isinstance(source, Value)
            layout = view(node.op, node.attributes, source.layout.expand(formula.type.shape))
            if layout is None:
                return None
            seen[source] = Value(source.storage, layout, source.dtype)
        return structs.replace(formula.over(seen), type=type)

    def _is_taken(self, formula: Formula, index: int) -> bool:
        """Whether the one op that reads node `index` can take a formula in instead."""
        reader = self.reader[index]
        kind = self._kind(reader)
        if kind == "matmul":  # an element is made anew in each tile: it pays where fewer bytes are read
            return formula.is_of_bytes and self._sources(reader).index(index) == 1
        return kind == "elementwise" or kind in TAKES_BEFORE

    def _before(self, source: int) -> Formula | None:
        """What an op that reads node `source` alone can take in, if anything; what it waits for is computed first."""
        formula = self.values[source]
        if not isinstance(formula, Formula) or formula.indexed or not formula.sources:
            return None
        if not self._is_taken(formula, source):
            return None
        pending = formula.pending
        if pending is None:
            return formula
        done = self.lowerer.op(pending)
        if formula.is_bare:
            self.values[source] = done
            return None
        ops = list(formula.ops)
        for name in pending.ops:
            ops.remove(name)
        return structs.replace(formula.over({pending: done}), ops=tuple(ops))

    def _formula(self, index: int) -> Formula:
        """The node as a term, with those of its inputs that wait as terms put in."""
        row, type = find(self.graph.nodes[index].op), self.types[index]
        parts: dict[int, Formula | Value] = {}
        inputs = set(self._sources(index))
        ops, text, room, is_waiting = 1, length(row.expression), MAX_FUSED_INPUTS - len(inputs), False
        for source in sorted(inputs):
            value = self.values[source]
            if isinstance(value, Formula):
                fits = ops + len(value.ops) <= MAX_FUSED_NODES and text + value.text <= MAX_FUSED_TEXT
                alike = value.is_number if value.is_constant else value.type.shape == type.shape
                if fits and value.width - 1 <= room and alike and not (is_waiting and value.pending):
                    ops, text, room = ops + len(value.ops), text + value.text, room - value.width + 1
                    is_waiting |= value.pending is not None
                else:
                    value = self._whole(source)
            parts[source] = value
        return self._compose(index, parts, text)

    def _compose(self, index: int, parts: Mapping[int, Formula | Value], text: int) -> Formula:
        node = self.graph.nodes[index]
        sources: dict[Source, None] = {}
        ops: list[str] = []
        indexed = node.op == "arange"
        for part in parts.values():
            if isinstance(part, Value):
                sources[part] = None
            else:
                sources |= dict.fromkeys(part.sources)
                ops += part.ops
                indexed |= part.indexed
        args = [parts[source] for source in self._sources(index)]
        call = Call(index, tuple(arg if isinstance(arg, Value) else arg.root for arg in args))
        return Formula(call, tuple(sources), self.types[index], (*ops, find(node.op).name), text, indexed)

    def _whole(self, index: int) -> Value:
        """The elements of a node, computed now if they were not yet."""
        value = self.values[index]
        if isinstance(value, Formula):
            value = self.values[index] = self.lowerer.formula(value)
        return value

    def _output(self, number: int, index: int) -> Output:
        value = self._whole(index)
        ref = value.storage.ref
        if not value.is_whole or (ref is not None and ref.kind == "constant"):
            value = self.drafts.copy(value)
        if value.storage.ref is None:
            value.storage.ref = Ref("output", number)
            self.made.append(value.storage)
            return Output(value.storage.nbytes)
        return Output(value.storage.nbytes, same_as=value.storage.ref)


def _equal_nodes(
    graph: Graph, types: Sequence[TensorType], structure: Structure
) -> Pausing[tuple[list[int], list[int]]]:
    """For each node the first that computes the same, and a number that is equal where nodes do the same with inputs.

    Inputs are all different, since their handles may be.
    """
    same: list[int] = []
    kinds: list[int] = []
    numbers: dict[bytes, int] = {}
    first: dict[tuple[int, ...], int] = {}
    for index, node in enumerate(graph.nodes):
        what = (node.op, structure.forms.get(index, (node.attributes,)), types[index].dtype)
        kind = numbers.setdefault(msgspec.msgpack.encode(what), len(numbers))
        kinds.append(kind)
        key = (kind, *(same[source] for source in node.inputs))
        same.append(index if node.op == "input" else first.setdefault(key, index))
        yield
    return same, kinds
