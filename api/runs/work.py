"""One piece of device work for an owner: the tensors it holds, and what it asks of the device.

What it holds (`api/tensors/held.py`) is given back at the end; what it costs is in `api/usage/tally.py`. Owns which
request is made again: one that somebody else's fault took the device from, when what it reads can come back. Must not
know scripts or HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from api.auth.identity import Identity
from api.background import later
from api.errors import TensorLost
from api.kernels.arguments import Resolved, plan, resolve
from api.kernels.asked import Asked, Given
from api.kernels.launcher import Launcher
from api.kernels.plain_arrays import typed
from api.kernels.store import KernelRecord, KernelStore
from api.tensors.held import Held, HeldTensors
from api.tensors.records import TensorRecord
from api.tensors.store import TensorStore
from api.tensors.values import InlineTensor, TensorId, TensorValue
from api.tracing import span
from api.usage.accounts import Account
from api.usage.tally import Tally
from host.errors import DeviceCrashed, DeviceOutOfMemory, DeviceRestarted, UnknownHandle
from host.frames import INLINE_BYTES
from host.meter import Report
from host.tensors import wire_bytes
from ops.graph import Graph, Node, TensorRef, TensorType
from ops.validate import validate

T = TypeVar("T")
_jobs = itertools.count(1)
_ATTEMPTS = 3
_FEW_STEPS = 16
"""Steps up to which a dispatch is planned in the event loop."""
_FEW_NODES = 200
"""Nodes up to which a graph is checked in the event loop: about 2 ms."""


class Work:
    """Tensors are named by local handles throughout; use it in a `with` block, which frees them.

    `account` bounds its device time, and the bytes that its owner holds; `handles` is how many it may hold at once, if
    that is limited.
    """

    def __init__(
        self,
        launcher: Launcher,
        tensors: TensorStore,
        identity: Identity,
        account: Account,
        handles: int | None = None,
    ) -> None:
        self.job = next(_jobs)
        self.identity = identity
        self._account = account
        self._launcher = launcher
        self._device = launcher.device
        self._tensors = tensors
        self.tally = Tally(account, self._device.on_charge)
        self.held = HeldTensors(self.job, identity.owner, account.holdings, handles)

    def __enter__(self) -> Work:
        return self

    def __exit__(self, *_: object) -> None:
        self.free(self.held.locals())

    def type_of(self, local: int) -> TensorType:
        """The type of a tensor held. Raises `UnknownHandle`."""
        return self.held.get(local).type

    async def present(self, local: int) -> Held:
        """A tensor held, on the device. Raises `UnknownHandle`, or `DeviceRestarted` when it cannot come back."""
        held = self.held.get(local)
        if held.generation != self._device.generation:
            await self._bring_back(held)
        return held

    async def admit(self, value: TensorValue | TensorRecord) -> TensorRef:
        """Hold a tensor that a request gave: by id, which is checked, or by value. Raises `HandleLimit`,
        `QuotaExceeded`."""
        self.held.check_room(1)
        if isinstance(value, InlineTensor):
            async with self._reserved(len(value.data)):
                handle = await self._upload(value)
                type, kept = TensorType(value.shape, value.dtype), len(value.data) <= INLINE_BYTES
                return self.held.hold(
                    Held(handle, type, self._device.generation, value=value if kept else None)
                )
        record = (
            value
            if isinstance(value, TensorRecord)
            else await self._tensors.get(self.identity, value.id, "use")
        )
        held_before = self._account.holdings.times(self.identity.owner, record.id)
        async with self._reserved(0 if held_before else record.nbytes):
            resident = await self._tensors.pin(record)
            return self.held.hold(Held(resident.handle, record.type, resident.generation, resident, record))

    async def graph(self, graph: Graph, budget_s: float | None = None) -> list[TensorRef]:
        """Compute `graph`, whose inputs are local handles. Raises `GraphError`, `HandleLimit`, `QuotaExceeded` and the
        device's errors.

        After `budget_s` seconds of the device's time it is stopped with `DeviceTimeout`.
        """
        self.held.check_room(len(graph.outputs))
        types = await _checked(graph)

        async def attempt() -> list[TensorRef]:
            mapped = Graph([self._map(node) for node in graph.nodes], graph.outputs, graph.constants)
            outputs = [self._device.new_handle() for _ in graph.outputs]
            await self._device.run_graph(
                self.job, self.identity.owner, mapped, outputs, meter=self.tally.meter(budget_s)
            )
            return [
                self.held.hold(Held(handle, types[index], self._device.generation))
                for handle, index in zip(outputs, graph.outputs, strict=True)
            ]

        inputs = {_local(node) for node in graph.nodes if node.op == "input"}
        async with self._reserved(sum(wire_bytes(types[index]) for index in graph.outputs)):
            with self.tally.paid(), span("graph", {"nodes": len(graph.nodes)}):
                return await self._resumed(inputs, attempt)

    async def explain(self, graph: Graph, wgsl: bool, budget_s: float | None = None) -> str:
        """How `graph`, whose inputs are local handles, would be computed. Raises `GraphError`."""
        await _checked(graph)
        with self.tally.paid():
            return await self._device.explain(
                self.job, self.identity.owner, graph, wgsl, self.tally.meter(budget_s)
            )

    async def dispatch(
        self,
        kernels: KernelStore,
        kernel: KernelRecord,
        asked: Asked,
        most_fuel: Mapping[str, int],
        budget_s: float | None = None,
        report: Report = lambda fraction: None,
    ) -> dict[str, TensorRef]:
        """Dispatch `kernel`; references in `asked` are local handles. The tensors that it wrote, by array.

        `most_fuel` is as in `Device.dispatch`, `budget_s` as in `graph`; `report` is told how far it is. Raises
        `HandleLimit`, `QuotaExceeded` and the device's errors.
        """
        arrays = await typed(kernel.reflection, asked)
        async with self._given(arrays) as given:
            resolved = resolve(kernel.reflection, asked, given)
            await kernels.prove(self.identity, kernel, [step.constants for step in resolved])
            return await self._dispatched(kernel, asked, resolved, given, most_fuel, budget_s, report)

    async def _dispatched(
        self,
        kernel: KernelRecord,
        asked: Asked,
        resolved: Sequence[Resolved],
        given: Mapping[str, Given],
        most_fuel: Mapping[str, int],
        budget_s: float | None,
        report: Report,
    ) -> dict[str, TensorRef]:
        async def attempt() -> dict[str, TensorRef]:
            here = {name: self._on_device(value) for name, value in given.items()}
            make = partial(plan, kernel.reflection, asked, resolved, here, self._device.new_handle)
            made = await asyncio.to_thread(make) if len(resolved) > _FEW_STEPS else make()
            self.held.check_room(len(made.outputs))
            refs = [value for value in here.values() if isinstance(value, TensorRef)]
            types = {ref.handle: TensorType(ref.shape, ref.dtype) for ref in refs}
            async with self._reserved(sum(wire_bytes(TensorType(f.shape, f.dtype)) for f in made.fresh)):
                async with self._launcher.launch(self.identity.owner, kernel, types) as device:
                    await device.dispatch(
                        self.job,
                        self.identity.owner,
                        kernel.hash,
                        made.steps,
                        made.fresh,
                        fuel=asked.fuel,
                        most_fuel=most_fuel,
                        meter=self.tally.meter(budget_s, report),
                    )
                return {
                    name: self.held.hold(
                        Held(ref.handle, TensorType(ref.shape, ref.dtype), self._device.generation)
                    )
                    for name, ref in made.outputs.items()
                }

        inputs = {value.handle for value in given.values() if isinstance(value, TensorRef)}
        with self.tally.paid(), span("dispatch", {"kernel": kernel.name, "steps": len(resolved)}):
            return await self._resumed(inputs, attempt)

    async def read(self, local: int) -> bytes:
        """The elements of a tensor held, in wire form."""

        async def attempt() -> bytes:
            with await self._device.download(self.held.get(local).handle) as shared:
                return bytes(shared.view)

        with span("read", {}):
            return await self._resumed([local], attempt)

    async def keep(self, ref: TensorRef) -> TensorRecord:
        """Make a tensor held a transient tensor of the owner's; it is not held any more."""
        held = self.held.let_go(ref.handle)
        return await self._tensors.keep(self.identity.owner, held.type, held.handle)

    async def store(self, local: int) -> TensorRecord:
        """A stored tensor of the owner's with the elements of one held, which stays held. Raises as `present`, and as
        `TensorStore.store`.
        """
        held = self.held.get(local)
        if held.is_stored and held.record is not None:
            return held.record
        held = await self.present(local)
        identity = self.identity
        record = await self._tensors.store_from_device(
            identity.owner, held.type, held.handle, identity.quotas
        )
        if held.resident is None:  # from now on it is the store's, and could come back
            resident = self._tensors.adopt(record, held.handle)
            self.held.replace(local, Held(held.handle, held.type, resident.generation, resident, record))
            await self._tensors.shrink()
        return record

    def free(self, locals_: list[int]) -> None:
        """Let go of tensors; unknown ones are ignored. Does not wait for the device, which may be busy."""
        gone = [self.held.let_go(local) for local in locals_ if local in self.held]
        handles = [held.handle for held in gone if held.resident is None]
        if handles:
            later(self._device.free(handles), "freeing tensors")
        for held in gone:
            if held.resident is not None:
                self._tensors.unpin(held.resident)

    async def _resumed(self, locals_: Iterable[int], attempt: Callable[[], Awaitable[T]]) -> T:
        """`attempt` with these tensors on the device; again if the device is lost by somebody else's fault, and if
        idle tensors could make the room that it lacked.

        Raises `DeviceRestarted` if a tensor cannot come back, or the device was lost by this very request.
        """
        for left in reversed(range(_ATTEMPTS)):
            for local in locals_:
                await self.present(local)
            try:
                with _all_known():
                    return await self._roomy(attempt)
            except DeviceRestarted as error:
                if isinstance(error, DeviceCrashed) or not left:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _roomy(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """`attempt`; again after idle tensors left the device, if there was no room."""
        try:
            return await attempt()
        except DeviceOutOfMemory:
            if not await self._tensors.free_device():
                raise
        return await attempt()

    async def _bring_back(self, held: Held) -> None:
        """Put a tensor on the device that went with an earlier process."""
        if held.record is not None and held.resident is not None:
            before = held.resident
            try:
                held.resident = await self._tensors.pin(held.record)
            except TensorLost:
                raise _lost() from None
            held.handle, held.generation = held.resident.handle, held.resident.generation
            self._tensors.unpin(before)
        elif held.value is not None:
            held.handle = await self._upload(held.value)
            held.generation = self._device.generation
        else:
            raise _lost()

    async def _upload(self, value: InlineTensor) -> int:
        owner = self.identity.owner

        async def attempt() -> int:
            handle = self._device.new_handle()
            await self._device.upload_bytes(handle, owner, value.dtype, value.shape, value.data)
            return handle

        return await self._roomy(attempt)

    @contextlib.asynccontextmanager
    async def _reserved(self, nbytes: int) -> AsyncIterator[None]:
        """Room on the device for what the block makes, which it holds at its end. Raises `QuotaExceeded`.

        The owner's outputs of earlier dispatches and ops make room for it, the oldest first.
        """
        if excess := self._account.excess(nbytes):
            await self._tensors.make_room(self.identity.owner, excess)
            self._account.check_resident(nbytes)
        holdings, owner, room = self._account.holdings, self.identity.owner, object()
        holdings.take(owner, room, nbytes)
        try:
            yield
        finally:
            holdings.leave(owner, room)

    @contextlib.asynccontextmanager
    async def _given(self, arrays: Mapping[str, Given]) -> AsyncIterator[dict[str, Given]]:
        """What a dispatch is given, with the local handles and the real types of tensors.

        Those that come with the request are held as long as the block lasts.
        """
        given: dict[str, Given] = {}
        admitted: list[int] = []
        try:
            for name, value in arrays.items():
                given[name] = value
                if isinstance(value, InlineTensor | TensorId):
                    given[name] = ref = await self.admit(value)
                    admitted.append(ref.handle)
                elif isinstance(value, TensorRef):
                    type = self.type_of(value.handle)
                    given[name] = TensorRef(value.handle, type.shape, type.dtype)
            yield given
        finally:
            self.free(admitted)

    def _on_device(self, value: Given) -> Given:
        """What a dispatch is given, with the device's handle of a tensor."""
        if not isinstance(value, TensorRef):
            return value
        return TensorRef(self.held.get(value.handle).handle, value.shape, value.dtype)

    def _map(self, node: Node) -> Node:
        """`node` with the device's handle in place of the local one."""
        if node.op != "input":
            return node
        local = _local(node)
        held = self.held.get(local)
        claimed = TensorType(tuple(node.attributes["shape"]), str(node.attributes["dtype"]))  # type: ignore[arg-type]
        if claimed != held.type:
            raise UnknownHandle(
                f"tensor {local} is {held.type.dtype} {list(held.type.shape)}, not what the graph says"
            )
        return Node("input", node.inputs, {**node.attributes, "handle": held.handle})


async def _checked(graph: Graph) -> list[TensorType]:
    """The types of a graph's nodes. Raises `GraphError`."""
    return await asyncio.to_thread(validate, graph) if len(graph.nodes) > _FEW_NODES else validate(graph)


def _local(node: Node) -> int:
    """The local handle of an input."""
    local = node.attributes["handle"]
    return local if isinstance(local, int) else 0


@contextlib.contextmanager
def _all_known() -> Iterator[None]:
    """For requests whose tensors are held: one that the device does not know went with an earlier process, which may
    have died while the request waited for the next.
    """
    try:
        yield
    except UnknownHandle:
        raise _lost() from None


def _lost() -> DeviceRestarted:
    return DeviceRestarted(
        "the device was restarted meanwhile, and tensors that this work had computed went with it",
        hint="Run it again; what is stored, and small values of a request, come back by themselves.",
    )


async def again_if_lost(attempt: Callable[[], Awaitable[T]]) -> T:
    """`attempt`, which can be made twice; again if its results went with the device before they were read."""
    try:
        return await attempt()
    except (DeviceRestarted, TensorLost) as error:
        if isinstance(error, DeviceCrashed):
            raise
        return await attempt()
