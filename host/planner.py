"""From a checked graph to a plan: which steps to do, over which buffers.

Owns equal and dead nodes, fusion and views without copies; what comes of it is noted in `host/drafts.py`. Chains of
elementwise ops wait as formulas until somebody needs their elements: another op may then take them in (a reduction and
softmax what they read, a product and a reduction what is done with their result). Pure: where memory lies is decided in
`host/placement.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import msgspec
from msgspec import structs

from host.drafts import Drafts
from host.formulas import Call, Formula, Pending, Source, Value
from host.placement import Storage, place
from host.plans import Output, Plan, Ref
from host.structure import Structure, structure
from host.tensors import device_bytes
from ops.expression import Term
from ops.graph import Graph, TensorType
from ops.layout import Layout
from ops.lower import (
    TAKES_AFTER,
    TAKES_BEFORE,
    DeviceClass,
    Lowering,
    lower,
    lower_elementwise,
    lower_fused,
    view,
)
from ops.shapes import Shape
from ops.table import find
from ops.terms import term
from ops.wgsl import length

MAX_FUSED_INPUTS = 6
MAX_FUSED_NODES = 32
MAX_FUSED_TEXT = 8192
"""Characters of WGSL as drivers see it: they compile each call anew, and choke on much more."""
_TAKES_VIEWS = TAKES_BEFORE | {"elementwise"}


def make_plan(graph: Graph, types: Sequence[TensorType], device: DeviceClass) -> Plan:
    """The plan of a graph that `validate` found to have these types. Raises `GraphError` for too many dispatches."""
    return _Planner(graph, types, device, structure(graph), Drafts(device)).plan()


@dataclass(slots=True)
class _Planner:
    graph: Graph
    types: Sequence[TensorType]
    device: DeviceClass
    structure: Structure
    drafts: Drafts
    same: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    reader: dict[int, int] = field(default_factory=dict)
    values: dict[int, Value | Formula] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, TensorType]] = field(default_factory=list)
    terms: dict[object, Term] = field(default_factory=dict)
    made: list[Storage] = field(default_factory=list)

    def plan(self) -> Plan:
        self.same, self.kinds = _equal_nodes(self.graph, self.types, self.structure)
        for index, readers in enumerate(self._readers()):
            if readers:
                self.values[index] = self._node(index, fusible=readers == 1)
        outputs = [self._output(number, self.same[index]) for number, index in enumerate(self.graph.outputs)]
        temps, stages = place(self.drafts.storages(), self.made)
        return Plan(
            tuple(self.inputs),
            tuple(self.constants),
            tuple(outputs),
            temps,
            stages,
            self.drafts.steps(),
            self.device.work,
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
            return formula if fusible or formula.is_constant else self._computed(formula)
        before = self._before(self._sources(index)[0]) if kind in TAKES_BEFORE else None
        sources = () if before else tuple(self._whole(source) for source in self._sources(index))
        pending = Pending(index, type, sources, before)
        if kind in TAKES_AFTER and fusible and self._kind(self.reader[index]) == "elementwise":
            return self._waiting(pending)
        return self._done(pending)

    def _given(self, type: TensorType, ref: Ref) -> Value:
        return Value(Storage(device_bytes(type), ref), Layout.contiguous(type.shape), type.dtype)

    def _view(self, index: int, fusible: bool) -> Value | Formula:
        node, (source,) = self.graph.nodes[index], self._sources(index)
        formula = self.values[source]
        if isinstance(formula, Formula) and fusible and self._kind(self.reader[index]) in _TAKES_VIEWS:
            seen = self._seen(formula, index)
            if seen is not None:
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

    def _before(self, source: int) -> Formula | None:
        """What an op that reads node `source` alone can take in, if anything; what it waits for is computed first."""
        formula = self.values[source]
        if not isinstance(formula, Formula) or formula.indexed or not formula.sources:
            return None
        pending = formula.pending
        if pending is None:
            return formula
        done = self._done(pending)
        if formula.is_bare:
            self.values[source] = done
            return None
        ops = list(formula.ops)
        for name in self._names(pending):
            ops.remove(name)
        return structs.replace(formula.over({pending: done}), ops=tuple(ops))

    def _waiting(self, pending: Pending) -> Formula:
        return Formula(pending, (pending,), pending.type, self._names(pending), 0, False)

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
                alike = value.is_constant or value.type.shape == type.shape
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
            value = self.values[index] = self._computed(value)
        return value

    def _computed(self, formula: Formula) -> Value:
        pending = formula.pending
        if pending is not None:
            return self._done(pending, formula)
        values = _values(formula.sources)
        whole = self._whole_term(formula, values)
        return self.drafts.add(
            (whole, *self.drafts.key(values), formula.type),
            lambda: lower_elementwise(whole, self.drafts.operands(values), formula.type, self.device),
            values,
            formula.type,
            formula.ops,
        )

    def _done(self, pending: Pending, after: Formula | None = None) -> Value:
        """The result of an op that waited, or of the formula over it."""
        before = pending.before
        names = self._names(pending)
        if after is not None and after.is_bare:
            after = None
        values = pending.sources if before is None else _values(before.sources)
        type = pending.type if after is None else after.type
        extras = [] if after is None else _values(each for each in after.sources if each is not pending)
        first = None if before is None else (self._whole_term(before, values), before.type.shape)
        last = None if after is None else self._whole_term(after, [pending, *extras])
        key = (
            self.kinds[pending.index],
            first,
            last,
            len(values),
            *self.drafts.key([*values, *extras]),
            type,
        )
        return self.drafts.add(
            key,
            lambda: self._lowered(pending, first, values, last, extras, type),
            [*values, *extras],
            type,
            names if after is None else after.ops,
        )

    def _lowered(
        self,
        pending: Pending,
        before: tuple[Term, Shape] | None,
        values: Sequence[Value],
        after: Term | None,
        extras: Sequence[Value],
        type: TensorType,
    ) -> Lowering:
        node = self.graph.nodes[pending.index]
        if before is None and after is None:
            words = self.structure.words(pending.index)
            return lower(node.op, node.attributes, self.drafts.operands(values), type, self.device, words)
        return lower_fused(
            node.op,
            node.attributes,
            before,
            self.drafts.operands(values),
            after,
            self.drafts.operands(extras),
            pending.type,
            type,
            self.device,
        )

    def _whole_term(self, formula: Formula, sources: Sequence[Source]) -> Term:
        """A formula's term, the same one for formulas that are written alike over sources of the same dtypes."""
        key = formula.written(self.kinds, sources), *(source.dtype for source in sources)
        made = self.terms.get(key)
        if made is None:
            made = self.terms[key] = formula.term(sources, self._term)
        return made

    def _term(self, index: int, args: Sequence[Term]) -> Term:
        """The term of a node."""
        node = self.graph.nodes[index]
        return term(node.op, node.attributes, args, self.types[index].dtype, self.structure.holes(index))

    def _names(self, pending: Pending) -> tuple[str, ...]:
        """The nodes that an op that waits computes."""
        before = () if pending.before is None else pending.before.ops
        return (*before, find(self.graph.nodes[pending.index].op).name)

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
) -> tuple[list[int], list[int]]:
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
    return same, kinds


def _values(sources: Iterable[Source]) -> list[Value]:
    return [source for source in sources if isinstance(source, Value)]
