"""From a checked graph to a plan: which steps to do, over which buffers.

Owns equal and dead nodes, fusion and views without copies. Chains of elementwise ops wait as formulas until somebody
needs their elements: another op may then take them in (a reduction and softmax what they read, a product and a
reduction what is done with their result). Pure: where memory lies is decided in `host/placement.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import msgspec

from host.placement import Storage, place
from host.plans import Gap, HostStep, Output, Part, Plan, Ref, Step
from host.structure import Structure, structure
from host.tensors import device_bytes
from ops.dtypes import DType, dtype
from ops.errors import GraphError
from ops.expression import Term, input_term, substituted
from ops.graph import Graph, TensorType
from ops.layout import Layout
from ops.lower import (
    DeviceClass,
    HostTask,
    Lowering,
    lower,
    lower_copy,
    lower_elementwise,
    lower_fused,
    term,
    view,
)
from ops.lowering.windows import window
from ops.table import find
from ops.wgsl import length
from shaders.pack import holes, pack_params
from shaders.spec import Dispatch

MAX_FUSED_INPUTS = 6
MAX_FUSED_NODES = 32
MAX_FUSED_TEXT = 8192
"""Characters of WGSL as drivers see it: they compile each call anew, and choke on much more."""
MAX_STEPS = 1 << 16
_TAKES_BEFORE = ("reduction", "softmax", "normalize")
_TAKES_AFTER = ("reduction", "matmul", "convolution", "normalize")
_TAKES_VIEWS = ("elementwise", "reduction", "softmax", "normalize")


@dataclass(frozen=True, slots=True)
class _Value:
    """Elements that lie in a storage."""

    storage: Storage
    layout: Layout
    dtype: str

    @property
    def is_whole(self) -> bool:
        """Whether the value is its storage, element for element."""
        whole = device_bytes(TensorType(self.layout.shape, self.dtype)) == self.storage.nbytes
        return whole and self.layout.offset == 0 and self.layout.is_contiguous


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """An op that waits for what is done with its result: node `index`, of `type`.

    `before` is a formula that it reads instead of `sources`.
    """

    index: int
    type: TensorType
    sources: tuple[_Value, ...]
    before: _Formula | None

    @property
    def dtype(self) -> str:
        """That of its elements."""
        return self.type.dtype

    @property
    def width(self) -> int:
        """How many values it reads."""
        return len(self.sources) if self.before is None else self.before.width


@dataclass(frozen=True, slots=True)
class _Formula:
    """Elements that are not computed yet: a term over `sources`, of `type`.

    The term names its inputs by the planner's numbers. Of the sources one at most is pending, and has the formula's
    shape. `ops` are the nodes that are fused, `text` the length of their WGSL, `indexed` says whether the term
    depends on the position of an element.
    """

    term: Term
    sources: tuple[_Value | _Pending, ...]
    type: TensorType
    ops: tuple[str, ...]
    text: int
    indexed: bool

    @property
    def is_constant(self) -> bool:
        """Whether all elements are the same, whatever the inputs."""
        return not self.sources and not self.indexed

    @property
    def pending(self) -> _Pending | None:
        """The op that it waits for."""
        return next((source for source in self.sources if isinstance(source, _Pending)), None)

    @property
    def is_bare(self) -> bool:
        """Whether it is just one of its sources."""
        return self.term.function == "input"

    @property
    def width(self) -> int:
        """How many values it reads."""
        return sum(source.width if isinstance(source, _Pending) else 1 for source in self.sources)


@dataclass(slots=True)
class _Draft:
    """A dispatch, or what the host does, over parts of storages: where each begins, and its bytes."""

    dispatch: Dispatch | HostTask
    parts: tuple[tuple[Storage, int, int], ...]
    ops: tuple[str, ...]

    @property
    def storages(self) -> tuple[Storage, ...]:
        """What it touches."""
        return tuple(storage for storage, _, _ in self.parts)


def make_plan(graph: Graph, types: Sequence[TensorType], device: DeviceClass) -> Plan:
    """The plan of a graph that `validate` found to have these types. Raises `GraphError` for too many dispatches."""
    return _Planner(graph, types, device, structure(graph)).plan()


@dataclass(slots=True)
class _Planner:
    graph: Graph
    types: Sequence[TensorType]
    device: DeviceClass
    structure: Structure
    same: list[int] = field(default_factory=list)
    reader: dict[int, int] = field(default_factory=dict)
    values: dict[int, _Value | _Formula] = field(default_factory=dict)
    drafts: list[_Draft] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, TensorType]] = field(default_factory=list)
    numbers: dict[_Value | _Pending, int] = field(default_factory=dict)

    def plan(self) -> Plan:
        self.same = _equal_nodes(self.graph, self.structure)
        for index, readers in enumerate(self._readers()):
            if readers:
                self.values[index] = self._node(index, fusible=readers == 1)
        outputs = [self._output(number, self.same[index]) for number, index in enumerate(self.graph.outputs)]
        temps = place([draft.storages for draft in self.drafts])
        steps = tuple(map(_step, self.drafts))
        return Plan(tuple(self.inputs), tuple(self.constants), tuple(outputs), temps, steps, self.device.work)

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

    def _node(self, index: int, fusible: bool) -> _Value | _Formula:
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
        before = self._before(self._sources(index)[0]) if kind in _TAKES_BEFORE else None
        sources = () if before else tuple(self._whole(source) for source in self._sources(index))
        pending = _Pending(index, type, sources, before)
        if kind in _TAKES_AFTER and fusible and self._kind(self.reader[index]) == "elementwise":
            return self._waiting(pending)
        return self._done(pending)

    def _given(self, type: TensorType, ref: Ref) -> _Value:
        return _Value(Storage(device_bytes(type), ref), Layout.contiguous(type.shape), type.dtype)

    def _view(self, index: int, fusible: bool) -> _Value | _Formula:
        node, (source,) = self.graph.nodes[index], self._sources(index)
        formula = self.values[source]
        if isinstance(formula, _Formula) and fusible and self._kind(self.reader[index]) in _TAKES_VIEWS:
            seen = self._seen(formula, index)
            if seen is not None:
                return seen
        value = self._whole(source)
        layout = view(node.op, node.attributes, value.layout)
        if layout is None:
            value = self._copy(value)
            layout = view(node.op, node.attributes, value.layout)
            assert layout is not None, "a contiguous value has every view"
        return _Value(value.storage, layout, value.dtype)

    def _seen(self, formula: _Formula, index: int) -> _Formula | None:
        """A view of a formula as the same formula of views; None where that is not so, or would compute more."""
        node, type = self.graph.nodes[index], self.types[index]
        if formula.is_constant:
            return replace(formula, type=type)
        if formula.indexed or formula.pending or prod(type.shape) > prod(formula.type.shape):
            return None
        seen: dict[int, Term] = {}
        sources: dict[_Value | _Pending, None] = {}
        for source in formula.sources:
            assert isinstance(source, _Value)
            layout = view(node.op, node.attributes, source.layout.expand(formula.type.shape))
            if layout is None:
                return None
            value = _Value(source.storage, layout, source.dtype)
            seen[self.numbers[source]] = self._input(value)
            sources[value] = None
        return replace(formula, term=substituted(formula.term, seen), sources=tuple(sources), type=type)

    def _before(self, source: int) -> _Formula | None:
        """What an op that reads node `source` alone can take in, if anything; what it waits for is computed first."""
        formula = self.values[source]
        if not isinstance(formula, _Formula) or formula.indexed or not formula.sources:
            return None
        pending = formula.pending
        if pending is None:
            return formula
        done = self._done(pending)
        if formula.is_bare:
            self.values[source] = done
            return None
        renamed = substituted(
            formula.term,
            {self.numbers[each]: self._input(done if each is pending else each) for each in formula.sources},
        )
        sources = tuple(dict.fromkeys(done if each is pending else each for each in formula.sources))
        ops = list(formula.ops)
        for name in self._names(pending):
            ops.remove(name)
        return replace(formula, term=renamed, sources=sources, ops=tuple(ops))

    def _waiting(self, pending: _Pending) -> _Formula:
        return _Formula(self._input(pending), (pending,), pending.type, self._names(pending), 0, False)

    def _input(self, source: _Value | _Pending) -> Term:
        return input_term(self.numbers.setdefault(source, len(self.numbers)), source.dtype)

    def _formula(self, index: int) -> _Formula:
        """The node as a term, with those of its inputs that wait as terms put in."""
        row, type = find(self.graph.nodes[index].op), self.types[index]
        parts: dict[int, _Formula | _Value] = {}
        inputs = set(self._sources(index))
        ops, text, room, is_waiting = 1, length(row.expression), MAX_FUSED_INPUTS - len(inputs), False
        for source in sorted(inputs):
            value = self.values[source]
            if isinstance(value, _Formula):
                fits = ops + len(value.ops) <= MAX_FUSED_NODES and text + value.text <= MAX_FUSED_TEXT
                alike = value.is_constant or value.type.shape == type.shape
                if fits and value.width - 1 <= room and alike and not (is_waiting and value.pending):
                    ops, text, room = ops + len(value.ops), text + value.text, room - value.width + 1
                    is_waiting |= value.pending is not None
                else:
                    value = self._whole(source)
            parts[source] = value
        return self._compose(index, parts, text)

    def _compose(self, index: int, parts: Mapping[int, _Formula | _Value], text: int) -> _Formula:
        node, type = self.graph.nodes[index], self.types[index]
        sources: dict[_Value | _Pending, None] = {}
        ops: list[str] = []
        indexed = node.op == "arange"
        for part in parts.values():
            if isinstance(part, _Value):
                sources[part] = None
            else:
                sources |= dict.fromkeys(part.sources)
                ops += part.ops
                indexed |= part.indexed
        args = [
            self._input(part) if isinstance(part, _Value) else part.term
            for part in (parts[source] for source in self._sources(index))
        ]
        made = term(node.op, node.attributes, args, type.dtype, self.structure.holes.get(index))
        return _Formula(made, tuple(sources), type, (*ops, find(node.op).name), text, indexed)

    def _whole(self, index: int) -> _Value:
        """The elements of a node, computed now if they were not yet."""
        value = self.values[index]
        if isinstance(value, _Formula):
            value = self.values[index] = self._computed(value)
        return value

    def _computed(self, formula: _Formula) -> _Value:
        pending = formula.pending
        if pending is not None:
            return self._done(pending, formula)
        values = _values(formula.sources)
        lowering = lower_elementwise(
            self._over(formula, values), self._operands(values), formula.type, self.device
        )
        return self._emit(lowering, values, formula.type, formula.ops)

    def _done(self, pending: _Pending, after: _Formula | None = None) -> _Value:
        """The result of an op that waited, or of the formula over it."""
        node, before = self.graph.nodes[pending.index], pending.before
        names = self._names(pending)
        if after is not None and after.is_bare:
            after = None
        values = pending.sources if before is None else _values(before.sources)
        type = pending.type if after is None else after.type
        if before is None and after is None:
            words = self.structure.words.get(pending.index)
            lowering = lower(node.op, node.attributes, self._operands(values), type, self.device, words)
            return self._emit(lowering, values, type, names)
        extras = [] if after is None else _values(each for each in after.sources if each is not pending)
        lowering = lower_fused(
            node.op,
            node.attributes,
            None if before is None else (self._over(before, values), before.type.shape),
            self._operands(values),
            None if after is None else self._over(after, [pending, *extras]),
            self._operands(extras),
            pending.type,
            type,
            self.device,
        )
        return self._emit(lowering, [*values, *extras], type, names if after is None else after.ops)

    def _names(self, pending: _Pending) -> tuple[str, ...]:
        """The nodes that an op that waits computes."""
        before = () if pending.before is None else pending.before.ops
        return (*before, find(self.graph.nodes[pending.index].op).name)

    def _over(self, formula: _Formula, sources: Sequence[_Value | _Pending]) -> Term:
        """The term of a formula with its inputs numbered as `sources` are."""
        places = {self.numbers[source]: place for place, source in enumerate(sources)}
        inputs = {self.numbers[source]: source.dtype for source in sources}
        return substituted(
            formula.term, {number: input_term(places[number], dtype) for number, dtype in inputs.items()}
        )

    def _copy(self, source: _Value) -> _Value:
        ((layout, kind),) = self._operands([source])
        lowering = lower_copy(layout, kind, self.device)
        return self._emit(lowering, [source], TensorType(source.layout.shape, source.dtype), ("copy",))

    def _emit(
        self, lowering: Lowering, sources: Sequence[_Value], type: TensorType, ops: tuple[str, ...]
    ) -> _Value:
        target = Storage(device_bytes(type))
        found = {
            "input": [(source.storage, *self._window(source)[:2]) for source in sources],
            "output": [(target, 0, target.nbytes)],
            "temp": [(Storage(size), 0, size) for size in lowering.temps],
        }
        for dispatch in lowering.dispatches:
            parts = []
            for operand in dispatch.operands:
                storage, begin, nbytes = found[operand.kind][operand.index]
                size = nbytes if operand.nbytes is None else operand.nbytes
                parts.append((storage, begin + operand.begin, size))
            self.drafts.append(_Draft(dispatch, tuple(parts), ops))
        if len(self.drafts) > MAX_STEPS:
            raise GraphError(
                f"the graph needs more than {MAX_STEPS:,} dispatches, the most of one request",
                hint="Ask for a value in between, or work in smaller pieces.",
            )
        return _Value(target, Layout.contiguous(type.shape), type.dtype)

    def _window(self, value: _Value) -> tuple[int, int, Layout]:
        """Where what a kernel sees of a storage begins, its bytes, and how the value lies there.

        It is all of it, but where that is more than can be bound and the value needs less.
        """
        whole = value.storage.nbytes
        if whole > self.device.binding:
            begin, nbytes, layout = window(value.layout, dtype(value.dtype).device_bytes)
            if nbytes <= self.device.binding:
                return begin, nbytes, layout
        return 0, whole, value.layout

    def _operands(self, values: Sequence[_Value]) -> list[tuple[Layout, DType]]:
        return [(self._window(value)[2], dtype(value.dtype)) for value in values]

    def _output(self, number: int, index: int) -> Output:
        value = self._whole(index)
        ref = value.storage.ref
        if not value.is_whole or (ref is not None and ref.kind == "constant"):
            value = self._copy(value)
        if value.storage.ref is None:
            value.storage.ref = Ref("output", number)
            return Output(value.storage.nbytes)
        return Output(value.storage.nbytes, same_as=value.storage.ref)


def _equal_nodes(graph: Graph, structure: Structure) -> list[int]:
    """For each node the first that computes the same; inputs are all different, since their handles may be."""
    same: list[int] = []
    first: dict[bytes, int] = {}
    for index, node in enumerate(graph.nodes):
        if node.op == "input":
            same.append(index)
            continue
        op, _, *rest = msgspec.to_builtins(structure.forms[index])
        form = (op, [same[source] for source in node.inputs], rest)
        same.append(first.setdefault(msgspec.msgpack.encode(form), index))
    return same


def _values(sources: Iterable[_Value | _Pending]) -> list[_Value]:
    return [source for source in sources if isinstance(source, _Value)]


def _step(draft: _Draft) -> Step | HostStep:
    dispatch = draft.dispatch
    buffers = tuple(
        Part(storage.ref, nbytes, begin) for storage, begin, nbytes in draft.parts if storage.ref is not None
    )
    if not isinstance(dispatch, Dispatch):
        return HostStep(dispatch, buffers)
    params = pack_params(dispatch.spec, dispatch.params)
    gaps = tuple(Gap(*hole) for hole in holes(dispatch.spec, dispatch.params))
    return Step(dispatch.spec, dispatch.workgroups, params, gaps, buffers, dispatch.work, draft.ops)
