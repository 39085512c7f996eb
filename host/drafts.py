"""The steps of a plan while it is made: lowerings over storages that lie nowhere yet, then their dispatches.

Owns what graphs repeat: what was lowered for an equal key is lowered once, and packed once. Must not know graphs; where
memory lies is decided in `host/placement.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from host.formulas import Value
from host.pauses import Pausing
from host.placement import Storage
from host.plans import Gap, HostStep, Part, Step
from host.tensors import device_bytes
from ops.dtypes import DType, dtype
from ops.errors import GraphError
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import DeviceClass, HostTask, Lowering, lower_copy
from ops.lowering.builder import MAX_DISPATCHES
from ops.lowering.windows import window
from shaders.pack import holes, pack_params
from shaders.spec import Dispatch


class _Place(msgspec.Struct, frozen=True, gc=False):
    """The `nbytes` bytes of a storage from `begin` on."""

    storage: Storage
    begin: int
    nbytes: int


class _Use(msgspec.Struct, frozen=True, gc=False):
    """A lowering over storages: by kind and number what its dispatches take."""

    lowering: Lowering
    found: Mapping[str, Sequence[_Place]]
    ops: tuple[str, ...]

    def places(self, dispatch: Dispatch | HostTask) -> tuple[_Place, ...]:
        """What one of its dispatches takes."""
        places = []
        for operand in dispatch.operands:
            all = self.found[operand.kind][operand.index]
            nbytes = all.nbytes if operand.nbytes is None else operand.nbytes
            places.append(_Place(all.storage, all.begin + operand.begin, nbytes))
        return tuple(places)


class _Draft(msgspec.Struct, frozen=True, gc=False):
    """A dispatch, or what the host does, over parts of storages."""

    dispatch: Dispatch | HostTask
    places: tuple[_Place, ...]
    ops: tuple[str, ...]


@dataclass(slots=True)
class Drafts:
    """What is done so far, in order."""

    device: DeviceClass
    _uses: list[_Use] = field(default_factory=list)
    _count: int = 0
    _drafts: list[_Draft] = field(default_factory=list)
    _lowered: dict[object, Lowering] = field(default_factory=dict)
    _packed: dict[int, tuple[bytes, tuple[Gap, ...]]] = field(default_factory=dict)

    def storages(self) -> Pausing[list[tuple[Storage, ...]]]:
        """What each step touches, when nothing is added any more."""
        touched = []
        for use in self._uses:
            for dispatch in use.lowering.dispatches:
                draft = _Draft(dispatch, use.places(dispatch), use.ops)
                self._drafts.append(draft)
                touched.append(tuple(place.storage for place in draft.places))
                yield
        return touched

    def steps(self) -> Pausing[tuple[Step | HostStep, ...]]:
        """The steps, when all storages have a place."""
        steps = []
        for draft in self._drafts:
            steps.append(self._step(draft))
            yield
        return tuple(steps)

    def add(
        self,
        key: object,
        make: Callable[[], Lowering],
        sources: Sequence[Value],
        type: TensorType,
        ops: tuple[str, ...],
    ) -> Value:
        """What the lowering that `make` gives, or gave for an equal `key`, makes of `sources`: a value of `type`.

        `ops` names what it computes. Raises `GraphError` for too many dispatches.
        """
        lowering = self._lowered.get(key)
        if lowering is None:
            lowering = self._lowered[key] = make()
        return self._emit(lowering, sources, type, ops)

    def copy(self, source: Value) -> Value:
        """A contiguous copy."""
        ((layout, kind),) = self.operands([source])
        type = TensorType(source.layout.shape, source.dtype)
        return self.add(
            (layout, kind), lambda: lower_copy(layout, kind, self.device), [source], type, ("copy",)
        )

    def key(self, values: Sequence[Value]) -> Iterator[tuple[Layout, str]]:
        """What of the operands matters."""
        return ((self._window(value)[2], value.dtype) for value in values)

    def operands(self, values: Sequence[Value]) -> list[tuple[Layout, DType]]:
        """How operands lie, as `ops/lower.py` takes them."""
        return [(self._window(value)[2], dtype(value.dtype)) for value in values]

    def _emit(
        self, lowering: Lowering, sources: Sequence[Value], type: TensorType, ops: tuple[str, ...]
    ) -> Value:
        target = Storage(device_bytes(type))
        found = {
            "input": [_Place(source.storage, *self._window(source)[:2]) for source in sources],
            "output": [_Place(target, 0, target.nbytes)],
            "temp": [_Place(Storage(size), 0, size) for size in lowering.temps],
        }
        self._uses.append(_Use(lowering, found, ops))
        self._count += len(lowering.dispatches)
        if self._count > MAX_DISPATCHES:
            raise GraphError(
                f"the graph needs more than {MAX_DISPATCHES:,} dispatches, the most of one request",
                hint="Ask for a value in between, or work in smaller pieces.",
            )
        return Value(target, Layout.contiguous(type.shape), type.dtype)

    def _window(self, value: Value) -> tuple[int, int, Layout]:
        """Where what a kernel sees of a storage begins, its bytes, and how the value lies there.

        It is all of it, but where that is more than can be bound and the value needs less.
        """
        whole = value.storage.nbytes
        if whole > self.device.binding:
            begin, nbytes, layout = window(value.layout, dtype(value.dtype).device_bytes)
            if nbytes <= self.device.binding:
                return begin, nbytes, layout
        return 0, whole, value.layout

    def _step(self, draft: _Draft) -> Step | HostStep:
        dispatch = draft.dispatch
        buffers = tuple(
            Part(place.storage.ref, place.nbytes, place.begin)
            for place in draft.places
            if place.storage.ref is not None
        )
        if not isinstance(dispatch, Dispatch):
            return HostStep(dispatch, buffers)
        packed = self._packed.get(id(dispatch))
        if packed is None:
            gaps = tuple(Gap(*hole) for hole in holes(dispatch.spec, dispatch.params))
            packed = self._packed[id(dispatch)] = pack_params(dispatch.spec, dispatch.params), gaps
        return Step(dispatch.spec, dispatch.workgroups, *packed, buffers, dispatch.work, draft.ops)
