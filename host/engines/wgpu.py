"""The engine that computes on an adapter through wgpu.

Owns what a request takes and gives back: blocks for tensors and temporaries, whatever happens in between. Planning,
pooling, transfers and compilation have modules of their own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from host import adapters, native
from host.arguments import Pairs, check_arguments, check_workgroups, entry_of
from host.buffers import Block, Pool, default_memory
from host.engine import EngineSettings, Stop, Work, Write
from host.frames import Bound, DispatchKernel, Fresh, MemoryReport, RunGraph, Uniform, Usage
from host.graphs import check_graph, check_inputs, input_handle, structure
from host.guarded import GuardedKernels, Launch, probe, ran_out
from host.kernels import Kernels, check_reflection, groups_of
from host.native import Buffer, Command, Copy, Pipeline, Range
from host.pipelines import Pipelines
from host.planner import Plan, Ref, make_plan
from host.runner import Blocks, Prepared, Runner
from host.shared import Source
from host.tensors import DEVICE_OWNER, Table, Tensor, checked_type, device_bytes
from host.transfers import Transfers, device_form
from ops.graph import Graph, TensorType
from ops.lower import CPU, GPU
from shaders.guard.names import PARAMETERS_BYTES, REPORT_BYTES
from shaders.reflection import BindingInfo, EntryPoint, Reflection

_ALIGNMENT = 256
Held = dict[int, Tensor[Block]]
"""Tensors by handle, whose blocks a lease shares."""


class Lease:
    """The blocks that one request takes: given back in the end, but for those that become tensors."""

    def __init__(self, pool: Pool, owner: str) -> None:
        self._pool, self._owner = pool, owner
        self._blocks: list[Block] = []
        self.nbytes = 0

    def take(self, nbytes: int, zero: bool = False) -> Block:
        """A storage block of the request's owner."""
        return self._add(self._pool.take(self._owner, nbytes, zero=zero))

    def take_uniform(self, nbytes: int) -> Block:
        """A uniform block; its ranges are bound exactly, so nobody sees what it held before."""
        return self._add(self._pool.take(DEVICE_OWNER, nbytes, "uniform"))

    def share(self, block: Block) -> Block:
        """One more user of a block that exists."""
        self._blocks.append(self._pool.share(block))
        return block

    def keep(self, block: Block) -> None:
        """`block` has become a tensor: it outlives the request."""
        self._blocks.remove(block)

    def end(self) -> None:
        """Give back what was not kept."""
        for block in self._blocks:
            self._pool.give(block)

    def _add(self, block: Block) -> Block:
        self._blocks.append(block)
        self.nbytes += block.size
        return block


class WgpuEngine:
    """Tensors are blocks of device memory."""

    def __init__(self, settings: EngineSettings) -> None:
        self._gpu = gpu = adapters.choose(native.adapters(), settings.adapter).open()
        self.info = gpu.info
        memory = settings.memory_bytes or default_memory(self.info.kind)
        self._pool = Pool(gpu, memory, settings.pool_bytes, self._forget)
        self._transfers = Transfers(gpu)
        self._pipelines = Pipelines(gpu)
        self._runner = Runner(gpu, self._pool, self._pipelines, self._transfers, settings.slice_ms)
        self._guarded = GuardedKernels(gpu, self._pool, self._pipelines, self._transfers, settings.slice_ms)
        self._table: Table[Block] = Table()
        self._kernels = Kernels()
        self._class = CPU if self.info.kind == "cpu" else GPU
        self._prove()
        self._set_fuel(settings)

    def type(self, handle: int) -> TensorType:
        """The type of a live tensor."""
        return self._table.type(handle)

    def upload(self, handle: int, owner: str, type: TensorType, source: Source) -> None:
        """Make tensor `handle`."""
        self._table.check_new([handle])
        with self._lease(owner) as lease:
            block = lease.take(device_bytes(type))
            self._transfers.upload(block, type.dtype, source, clear_rest=self._pool.drop_clear(block))
            self._keep(lease, handle, owner, type, block)

    def download(self, handle: int, write: Write) -> None:
        """Give the elements of `handle`."""
        tensor = self._table.get(handle)
        self._pool.flush()
        self._transfers.download(tensor.storage, tensor.type.dtype, device_bytes(tensor.type), write)

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        for tensor in self._table.pop(handles):
            self._pool.give(tensor.storage)

    def add_kernel(self, kernel: str, reflection: Reflection, warm: bool) -> None:
        """Compile every entry point; `warm`: and run each once on zeros, which is when software drivers compile."""
        check_reflection(reflection)
        compiled = [(entry, self._guarded.compile(reflection, entry)) for entry in reflection.entry_points]
        if warm:
            for entry, pipeline in compiled:
                self._warm(reflection, entry, pipeline)
        self._kernels.add(kernel, reflection)

    def drop_kernel(self, kernel: str) -> None:
        """Forget a kernel; its pipelines leave the cache with age."""
        self._kernels.drop(kernel)

    def run_graph(self, request: RunGraph, stop: Stop) -> Work:
        """Compute a graph."""
        stop()
        self._table.check_new(request.outputs)
        prepared = self._prepare(request)
        with self._lease(request.owner) as lease:
            inputs = self._inputs(lease, prepared, request.graph)
            yield prepared.is_cold()
            blocks = self._blocks(lease, prepared.plan, request.graph, inputs)
            dispatches, elapsed = yield from self._runner.run(prepared, blocks, stop)
            types = prepared.types
            for number, (handle, index) in enumerate(
                zip(request.outputs, request.graph.outputs, strict=True)
            ):
                self._keep(lease, handle, request.owner, types[index], blocks[Ref("output", number)][0])
        return Usage(elapsed, dispatches, lease.nbytes)

    def dispatch(self, request: DispatchKernel, stop: Stop) -> Work:
        """Dispatch a kernel in slices."""
        stop()
        reflection = self._kernels.get(request.kernel)
        entry = entry_of(reflection, request.entry_point)
        check_workgroups(request.workgroups, entry.workgroup_size)
        budget = self._guarded.budget(reflection, entry, request.fuel)
        pairs = check_arguments(reflection, entry, request.arguments, self._table.type, self.info.limits)
        self._table.check_new([argument.handle for _, argument in pairs if isinstance(argument, Fresh)])
        with self._lease(request.owner) as lease:
            held = self._held(lease, pairs)
            pipeline = self._guarded.compile(reflection, entry)
            yield not pipeline.ran
            fresh, copies = self._fresh(lease, pairs, held)
            if all(request.workgroups):
                ranges = self._uniforms(lease, pairs) | self._storages(pairs, held, fresh)
                launch = self._launch(lease, pipeline, _grouped(reflection, entry, ranges))
                elapsed, slices, loop = yield from self._guarded.run(
                    launch, request.workgroups, budget, copies, stop
                )
                if loop:
                    raise ran_out(reflection, loop, request.fuel, self._guarded.kind)
            else:
                elapsed, slices = self._finish(copies), 0
            for handle, (type, block) in fresh.items():
                self._keep(lease, handle, request.owner, type, block)
        return Usage(elapsed, slices, lease.nbytes)

    def memory(self) -> MemoryReport:
        """What is live and what is pooled."""
        return MemoryReport(
            self._pool.live_bytes, self._pool.pooled_bytes, len(self._table), len(self._pipelines)
        )

    def close(self) -> None:
        """Release the device."""
        self._gpu.close()

    @contextmanager
    def _lease(self, owner: str) -> Iterator[Lease]:
        lease = Lease(self._pool, owner)
        try:
            yield lease
        finally:
            lease.end()

    def _keep(self, lease: Lease, handle: int, owner: str, type: TensorType, block: Block) -> None:
        self._table.add(handle, owner, type, block)
        lease.keep(block)

    def _forget(self, buffer: Buffer) -> None:
        self._runner.forget(buffer)

    def _finish(self, commands: Sequence[Command]) -> float:
        """Run `commands` after the clears that wait; the milliseconds until all is done."""
        began = time.perf_counter()
        commands = [*self._pool.take_clears(), *commands]
        if commands:
            self._gpu.submit(commands)
            self._gpu.wait()
        return _since(began)

    def _prepare(self, request: RunGraph) -> Prepared:
        key = structure(request.graph)
        prepared = self._runner.find(key)
        if prepared is not None:
            check_inputs(request.graph, request.outputs, self._table.type)
            return prepared
        types = check_graph(request.graph, request.outputs, self._table.type)
        return self._runner.add(key, make_plan(request.graph, types, self._class), types)

    def _inputs(self, lease: Lease, prepared: Prepared, graph: Graph) -> Blocks:
        """Take hold of the blocks that exist: whatever is freed meanwhile, they stay."""
        if prepared.params is not None:
            lease.share(prepared.params)
        handles = [input_handle(graph.nodes[index]) for index in prepared.plan.inputs]
        return {
            Ref("input", number): (lease.share(self._table.get(handle).storage), 0)
            for number, handle in enumerate(handles)
        }

    def _blocks(self, lease: Lease, plan: Plan, graph: Graph, inputs: Blocks) -> Blocks:
        """A block for everything that `plan` names."""
        blocks = inputs | self._constants(lease, plan, graph)
        for number, nbytes in enumerate(plan.temps):
            blocks[Ref("temp", number)] = (lease.take(nbytes), 0)
        for number, output in enumerate(plan.outputs):
            block = (
                lease.take(output.nbytes)
                if output.same_as is None
                else lease.share(blocks[output.same_as][0])
            )
            blocks[Ref("output", number)] = (block, 0)
        return blocks

    def _constants(self, lease: Lease, plan: Plan, graph: Graph) -> Blocks:
        """All constants in one block."""
        data = bytearray()
        offsets = []
        for index, type in plan.constants:
            offsets.append(len(data))
            data += device_form(type.dtype, graph.constants[index])
            data += bytes(-len(data) % _ALIGNMENT)
        if not offsets:
            return {}
        block = lease.take(max(len(data), _ALIGNMENT))
        self._pool.flush()
        if data:
            self._transfers.put(block, bytes(data))
        return {Ref("constant", number): (block, offset) for number, offset in enumerate(offsets)}

    def _held(self, lease: Lease, pairs: Pairs) -> Held:
        """Take hold of the tensors that a dispatch reads, by handle: whatever is freed meanwhile, they stay."""
        handles = {argument.handle for _, argument in pairs if isinstance(argument, Bound)}
        handles |= {
            argument.initial
            for _, argument in pairs
            if isinstance(argument, Fresh) and argument.initial is not None
        }
        held = {handle: self._table.get(handle) for handle in handles}
        for tensor in held.values():
            lease.share(tensor.storage)
        return held

    def _launch(self, lease: Lease, pipeline: Pipeline, groups: list[list[Range]]) -> Launch:
        parameters = lease.take_uniform(PARAMETERS_BYTES)
        return Launch(pipeline, groups, parameters, lease.take(REPORT_BYTES, zero=True))

    def _fresh(
        self, lease: Lease, pairs: Pairs, held: Held
    ) -> tuple[dict[int, tuple[TensorType, Block]], list[Command]]:
        """The blocks of new tensors by handle, zero, and the copies that give them their initial values."""
        fresh: dict[int, tuple[TensorType, Block]] = {}
        copies: list[Command] = []
        for _, argument in pairs:
            if isinstance(argument, Fresh):
                type = checked_type(argument.dtype, argument.shape)
                block = lease.take(device_bytes(type), zero=argument.initial is None)
                fresh[argument.handle] = (type, block)
                if argument.initial is not None:
                    initial = held[argument.initial].storage
                    copies.append(Copy(initial.buffer, 0, block.buffer, 0, device_bytes(type)))
        return fresh, copies

    def _uniforms(self, lease: Lease, pairs: Pairs) -> dict[str, Range]:
        """All uniform arguments in one block."""
        data = bytearray()
        places: list[tuple[str, int, int]] = []
        for info, argument in pairs:
            if isinstance(argument, Uniform):
                size = -(-max(len(argument.data), 4) // 16) * 16
                places.append((info.name, len(data), size))
                data += argument.data
                data += bytes(-len(data) % _ALIGNMENT)
        if not places:
            return {}
        block = lease.take_uniform(len(data))
        self._transfers.put(block, bytes(data))
        return {name: (block.buffer, offset, size) for name, offset, size in places}

    def _storages(
        self, pairs: Pairs, held: Held, fresh: dict[int, tuple[TensorType, Block]]
    ) -> dict[str, Range]:
        ranges: dict[str, Range] = {}
        for info, argument in pairs:
            if isinstance(argument, Bound):
                tensor = held[argument.handle]
                ranges[info.name] = (tensor.storage.buffer, 0, device_bytes(tensor.type))
            elif isinstance(argument, Fresh):
                type, block = fresh[argument.handle]
                ranges[info.name] = (block.buffer, 0, device_bytes(type))
        return ranges

    def _warm(self, reflection: Reflection, entry: EntryPoint, pipeline: Pipeline) -> None:
        with self._lease(DEVICE_OWNER) as lease:
            reached = [info for info in reflection.bindings if info.name in entry.bindings]
            ranges = {info.name: self._dummy(lease, info) for info in reached}
            launch = self._launch(lease, pipeline, _grouped(reflection, entry, ranges))
            self._guarded.try_once(launch)

    def _dummy(self, lease: Lease, info: BindingInfo) -> Range:
        size = -(-max(info.min_size, 16) // 16) * 16
        block = lease.take_uniform(size) if info.kind == "uniform" else lease.take(size, zero=True)
        return (block.buffer, 0, size)

    def _set_fuel(self, settings: EngineSettings) -> None:
        """The budget that was asked for, or what burns in the stated time."""
        if settings.fuel is not None:
            self._guarded.fuel = settings.fuel
        elif self._guarded.kind == "fuel":
            kernel = probe()
            entry = kernel.entry_points[0]
            with self._lease(DEVICE_OWNER) as lease:
                ranges = {info.name: self._dummy(lease, info) for info in kernel.bindings}
                groups = _grouped(kernel, entry, ranges)
                launch = self._launch(lease, self._guarded.compile(kernel, entry), groups)
                self._guarded.calibrate(launch, settings.fuel_s)

    def _prove(self) -> None:
        """One dispatch, so that a device that is ready is known to work, and a driver has done what it does once."""
        kernel = probe()
        entry = kernel.entry_points[0]
        self._warm(kernel, entry, self._guarded.compile(kernel, entry))


def _grouped(reflection: Reflection, entry: EntryPoint, ranges: dict[str, Range]) -> list[list[Range]]:
    """The ranges in the order of `groups_of`."""
    return [[ranges[info.name] for info in group] for group in groups_of(reflection, entry)]


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1e3
