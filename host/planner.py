"""From a checked graph to a plan: which kernels to run, over which buffers, and how long each buffer is needed.

Owns dead nodes, fusion of elementwise chains, views without copies, and the reuse of temporary buffers. Pure: a plan
names no handle, no constant's value and no device object, so it serves every graph of the same structure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Literal

from host.tensors import device_bytes
from ops.dtypes import dtype
from ops.errors import GraphError
from ops.expression import Term, input_term
from ops.graph import Graph, TensorType
from ops.layout import Layout
from ops.lower import DeviceClass, HostProduct, Lowering, lower, lower_copy, lower_elementwise, term, view
from ops.table import find
from shaders.pack import pack_params
from shaders.spec import Dispatch, KernelSpec

MAX_FUSED_INPUTS = 6
MAX_FUSED_NODES = 24
MAX_STEPS = 1 << 16


@dataclass(frozen=True, slots=True)
class Ref:
    """A buffer of a run: the n-th distinct input, constant, output or temporary."""

    kind: Literal["input", "constant", "output", "temp"]
    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """A dispatch: the bytes of its uniform struct, and a buffer and a number of bytes for each storage binding.

    `work` is about what it costs, as `DeviceClass.work` counts.
    """

    spec: KernelSpec
    workgroups: tuple[int, int, int]
    params: bytes
    buffers: tuple[tuple[Ref, int], ...]
    work: int = 0

    @property
    def threads(self) -> int:
        """How many invocations it has."""
        return prod(self.workgroups) * prod(self.spec.workgroup_size)


@dataclass(frozen=True, slots=True)
class HostStep:
    """A product that the host computes, and for each of its operands a buffer and a number of bytes."""

    product: HostProduct
    buffers: tuple[tuple[Ref, int], ...]

    @property
    def work(self) -> int:
        """As a dispatch's."""
        return self.product.work

    @property
    def threads(self) -> int:
        """As a dispatch would have: one an element of the result."""
        return self.product.target.layout.count


@dataclass(frozen=True, slots=True)
class Output:
    """An output of `nbytes`: a buffer of its own, or (`same_as`) one that exists anyway."""

    nbytes: int
    same_as: Ref | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. `inputs` are the nodes whose handles it takes, `constants` the indices of `Graph.constants`.

    `temps` are sizes in bytes. `slice_work` bounds the steps that are done between two looks at what else waits.
    """

    inputs: tuple[int, ...]
    constants: tuple[tuple[int, TensorType], ...]
    outputs: tuple[Output, ...]
    temps: tuple[int, ...]
    steps: tuple[Step | HostStep, ...]
    slice_work: int


class _Storage:
    """A buffer to be, before it is known which: `ref` is set for inputs, constants and outputs."""

    __slots__ = ("first", "last", "nbytes", "ref")

    def __init__(self, nbytes: int, ref: Ref | None = None) -> None:
        self.nbytes, self.ref = nbytes, ref
        self.first = self.last = -1


@dataclass(frozen=True, slots=True)
class _Value:
    """Elements that lie in a storage."""

    storage: _Storage
    layout: Layout
    dtype: str

    @property
    def is_whole(self) -> bool:
        """Whether the value is its storage, element for element."""
        whole = self.layout.count * dtype(self.dtype).device_bytes == self.storage.nbytes
        return whole and self.layout.offset == 0 and self.layout.is_contiguous


@dataclass(frozen=True, slots=True)
class _Formula:
    """Elements that are not computed yet: a term over `sources`, of `type`.

    The term names its inputs by the planner's numbers. `nodes` counts what is fused, `indexed` says whether the term
    depends on the position of an element.
    """

    term: Term
    sources: tuple[_Value, ...]
    type: TensorType
    nodes: int
    indexed: bool

    @property
    def is_constant(self) -> bool:
        """Whether all elements are the same, whatever the inputs."""
        return not self.sources and not self.indexed


@dataclass(slots=True)
class _Draft:
    """A dispatch, or what the host does, over storages."""

    dispatch: Dispatch | HostProduct
    storages: tuple[_Storage, ...]


def make_plan(graph: Graph, types: Sequence[TensorType], device: DeviceClass) -> Plan:
    """The plan of a graph that `validate` found to have these types. Raises `GraphError` for too many dispatches."""
    return _Planner(graph, types, device).plan()


@dataclass(slots=True)
class _Planner:
    graph: Graph
    types: Sequence[TensorType]
    device: DeviceClass
    values: dict[int, _Value | _Formula] = field(default_factory=dict)
    drafts: list[_Draft] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, TensorType]] = field(default_factory=list)
    numbers: dict[_Value, int] = field(default_factory=dict)

    def plan(self) -> Plan:
        uses = self._uses()
        for index, count in enumerate(uses):
            if count:
                self.values[index] = self._node(index, fusible=count == 1)
        outputs = [self._output(number, index) for number, index in enumerate(self.graph.outputs)]
        temps = _place(self.drafts)
        steps = tuple(map(_step, self.drafts))
        return Plan(tuple(self.inputs), tuple(self.constants), tuple(outputs), temps, steps, self.device.work)

    def _uses(self) -> list[int]:
        """How often each node is needed; outputs count twice, since they must be computed whole."""
        uses = [0] * len(self.graph.nodes)
        for index in self.graph.outputs:
            uses[index] += 2
        for index in range(len(uses) - 1, -1, -1):
            if uses[index]:
                for source in self.graph.nodes[index].inputs:
                    uses[source] += 1
        return uses

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
            return self._view(index)
        if kind in ("elementwise", "leaf"):
            formula = self._formula(index)
            return formula if fusible or formula.is_constant else self._computed(formula)
        sources = [self._whole(source) for source in node.inputs]
        operands = [(source.layout, dtype(source.dtype)) for source in sources]
        return self._emit(lower(node.op, node.attributes, operands, type, self.device), sources, type)

    def _given(self, type: TensorType, ref: Ref) -> _Value:
        return _Value(_Storage(device_bytes(type), ref), Layout.contiguous(type.shape), type.dtype)

    def _view(self, index: int) -> _Value:
        node = self.graph.nodes[index]
        source = self._whole(node.inputs[0])
        layout = view(node.op, node.attributes, source.layout)
        if layout is None:
            source = self._copy(source)
            layout = view(node.op, node.attributes, source.layout)
            assert layout is not None, "a contiguous value has every view"
        return _Value(source.storage, layout, source.dtype)

    def _formula(self, index: int) -> _Formula:
        """The node as a term, with those of its inputs that wait as terms put in."""
        node, type = self.graph.nodes[index], self.types[index]
        parts: list[_Formula | _Value] = []
        nodes, room = 1, MAX_FUSED_INPUTS - len(node.inputs)
        for source in node.inputs:
            value = self.values[source]
            if isinstance(value, _Formula):
                fits = nodes + value.nodes <= MAX_FUSED_NODES and len(value.sources) - 1 <= room
                if fits and (value.type.shape == type.shape or value.is_constant):
                    nodes, room = nodes + value.nodes, room - (len(value.sources) - 1)
                else:
                    value = self._whole(source)
            parts.append(value)
        return self._compose(index, parts, nodes)

    def _compose(self, index: int, parts: Sequence[_Formula | _Value], nodes: int) -> _Formula:
        node, type = self.graph.nodes[index], self.types[index]
        sources: dict[_Value, None] = {}
        args: list[Term] = []
        indexed = node.op == "arange"
        for part in parts:
            if isinstance(part, _Value):
                sources[part] = None
                args.append(input_term(self.numbers.setdefault(part, len(self.numbers)), part.dtype))
            else:
                sources |= dict.fromkeys(part.sources)
                args.append(part.term)
                indexed |= part.indexed
        return _Formula(
            term(node.op, node.attributes, args, type.dtype), tuple(sources), type, nodes, indexed
        )

    def _whole(self, index: int) -> _Value:
        """The elements of a node, computed now if they were not yet."""
        value = self.values[index]
        if isinstance(value, _Formula):
            value = self.values[index] = self._computed(value)
        return value

    def _computed(self, value: _Formula) -> _Value:
        operands = [(source.layout, dtype(source.dtype)) for source in value.sources]
        places = {self.numbers[source]: place for place, source in enumerate(value.sources)}
        renamed = _renamed(value.term, places, {})
        return self._emit(
            lower_elementwise(renamed, operands, value.type, self.device), value.sources, value.type
        )

    def _copy(self, source: _Value) -> _Value:
        lowering = lower_copy(source.layout, dtype(source.dtype), self.device)
        return self._emit(lowering, [source], TensorType(source.layout.shape, source.dtype))

    def _emit(self, lowering: Lowering, sources: Sequence[_Value], type: TensorType) -> _Value:
        target = _Storage(device_bytes(type))
        temps = [_Storage(size) for size in lowering.temps]
        found = {"input": [source.storage for source in sources], "output": [target], "temp": temps}
        for dispatch in lowering.dispatches:
            storages = tuple(found[operand.kind][operand.index] for operand in dispatch.operands)
            self.drafts.append(_Draft(dispatch, storages))
        if len(self.drafts) > MAX_STEPS:
            raise GraphError(
                f"the graph needs more than {MAX_STEPS:,} dispatches, the most of one request",
                hint="Ask for a value in between, or work in smaller pieces.",
            )
        return _Value(target, Layout.contiguous(type.shape), type.dtype)

    def _output(self, number: int, index: int) -> Output:
        value = self._whole(index)
        ref = value.storage.ref
        if not value.is_whole or (ref is not None and ref.kind == "constant"):
            value = self._copy(value)
        if value.storage.ref is None:
            value.storage.ref = Ref("output", number)
            return Output(value.storage.nbytes)
        return Output(value.storage.nbytes, same_as=value.storage.ref)


def _renamed(term: Term, places: Mapping[int, int], done: dict[int, Term]) -> Term:
    """`term` with other numbers for its inputs; what it shares within itself stays shared."""
    if id(term) not in done:
        if term.function == "input":
            done[id(term)] = input_term(places[int(term.value)], term.dtype)
        elif term.args:
            args = tuple(_renamed(arg, places, done) for arg in term.args)
            done[id(term)] = replace(term, args=args)
        else:
            done[id(term)] = term
    return done[id(term)]


def _place(drafts: Sequence[_Draft]) -> tuple[int, ...]:
    """Give every storage that has no place a temporary; one whose last use is past serves again. Their sizes."""
    for moment, draft in enumerate(drafts):
        for storage in draft.storages:
            storage.first = moment if storage.first < 0 else storage.first
            storage.last = moment
    sizes: list[int] = []
    free: list[int] = []
    for moment, draft in enumerate(drafts):
        for storage in draft.storages:
            if storage.ref is None:
                storage.ref = Ref("temp", _take(storage.nbytes, sizes, free))
        ended = {storage.ref for storage in draft.storages if storage.last == moment}
        free.extend(ref.index for ref in ended if ref is not None and ref.kind == "temp")
    return tuple(sizes)


def _take(nbytes: int, sizes: list[int], free: list[int]) -> int:
    """The smallest free temporary that is large enough; else the largest one, made larger; else a new one."""
    enough = [index for index in free if sizes[index] >= nbytes]
    if enough:
        index = min(enough, key=sizes.__getitem__)
    elif free:
        index = max(free, key=sizes.__getitem__)
        sizes[index] = nbytes
    else:
        sizes.append(nbytes)
        return len(sizes) - 1
    free.remove(index)
    return index


def _step(draft: _Draft) -> Step | HostStep:
    dispatch = draft.dispatch
    buffers = tuple((storage.ref, storage.nbytes) for storage in draft.storages if storage.ref is not None)
    if isinstance(dispatch, HostProduct):
        return HostStep(dispatch, buffers)
    params = pack_params(dispatch.spec, dispatch.params)
    return Step(dispatch.spec, dispatch.workgroups, params, buffers, dispatch.work)
