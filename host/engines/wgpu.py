"""The engine that computes on an adapter through wgpu.

Owns the tensors, and what a request takes and gives back, whatever happens in between. Plans (`host/runner.py`) and
strangers' kernels (`host/guarded.py`, `host/bindings.py`) run elsewhere, over the blocks that it hands them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from host import adapters, native
from host.bindings import Bindings
from host.buffers import Block, Pool
from host.ceiling import default_memory
from host.elapsed import since_ms
from host.engine import NO_CONSTANTS, Ahead, EngineSettings, Steps, Stop, Work, Write, in_slices
from host.explanation import explain
from host.frames import DispatchKernel, MemoryReport, RunGraph, Usage
from host.graphs import check_inputs, handles_of, inputs_of
from host.guarded import GuardedKernels, HostGroup, Launch
from host.kernels import Kernels, check_reflection
from host.lease import Blocks, Holding, Lease
from host.native import Buffer, Command, Gpu
from host.pauses import Pausing
from host.pipelines import Pipelines
from host.planner import planning
from host.plans import PARAMS, Plan, Ref
from host.prepared import Prepared
from host.runner import Runner
from host.shared import Source
from host.slices import Tally
from host.steps import Checked, check_steps, in_step
from host.structure import Structure, structure
from host.tensors import Table, Tensor, device_bytes, element_bytes
from host.transfers import Transfers, device_form
from ops.graph import Graph, TensorType
from ops.lower import CPU, GPU, MAPPED, DeviceClass
from ops.lowering.windows import ALIGNMENT
from ops.validate import validated
from shaders.constant_values import keyed
from shaders.reflection import Reflection


class WgpuEngine:
    """Tensors are blocks of device memory."""

    def __init__(self, settings: EngineSettings) -> None:
        self._gpu = gpu = adapters.choose(native.adapters(), settings.adapter).open()
        self.info = gpu.info
        memory = settings.memory_bytes or default_memory(self.info.kind)
        self._slice_ms = settings.slice_ms
        self._pool = Pool(gpu, memory, settings.pool_bytes, self._forget)
        self._transfers = Transfers(gpu)
        self._pipelines = Pipelines(gpu)
        self._runner = Runner(gpu, self._pool, self._pipelines, self._transfers, self._slice_ms)
        self._guarded = GuardedKernels(gpu, self._pool, self._pipelines, self._transfers, self._slice_ms)
        self._table: Table[Block] = Table()
        self._kernels = Kernels()
        self._class = _class(gpu, settings.host_steps)
        self._guarded.prove()
        self._guarded.set_fuel(settings.fuel)

    def type(self, handle: int) -> TensorType:
        """The type of a live tensor."""
        return self._table.type(handle)

    def upload(self, handle: int, owner: str, type: TensorType, source: Source) -> None:
        """Make tensor `handle`."""
        block = self._pool.take(owner, device_bytes(type))
        is_anothers = self._pool.drop_clear(block)
        try:
            self._transfers.upload(block, type.dtype, source, clear_rest=is_anothers)
            self._table.add(handle, owner, type, block)
        except BaseException:
            if is_anothers:
                self._pool.owe_clear(block)
            self._pool.give([block])
            raise

    def download(self, handle: int, write: Write) -> None:
        """Give the elements of `handle`."""
        tensor = self._table.get(handle)
        self._pool.flush()
        nbytes = element_bytes(tensor.type)
        self._transfers.download(tensor.storage, tensor.type.dtype, nbytes, write)

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        self._pool.give([tensor.storage for tensor in self._table.pop(handles)])

    def add_kernel(
        self, kernel: str, reflection: Reflection, warm: bool, constants: Mapping[str, float] = NO_CONSTANTS
    ) -> None:
        """Compile every entry point; `warm`: and run each once on zeros, which is when software drivers compile."""
        check_reflection(reflection)
        compiled = [
            (entry, self._guarded.compile(reflection, entry, keyed(reflection, entry, constants)))
            for entry in reflection.entry_points
        ]
        if warm:
            for entry, pipeline in compiled:
                self._guarded.try_once(reflection, entry, pipeline)
        self._kernels.add(kernel, reflection)

    def drop_kernel(self, kernel: str) -> None:
        """Forget a kernel; its pipelines leave the cache with age."""
        self._kernels.drop(kernel)

    def run_graph(self, request: RunGraph, stop: Stop) -> Work:
        """Compute a graph."""
        stop()
        self._table.check_new(request.outputs)
        read = {handle: self._table.get(handle) for handle in handles_of(request.graph)}
        form, planned_ms = structure(request.graph), 0.0
        with Lease(self._pool, request.owner) as lease:
            lease.share([tensor.storage for tensor in read.values()])  # whatever happens meanwhile, they stay
            prepared = self._runner.find(form.key)
            if prepared is None:
                yield Ahead(cold=True)
                preparing = self._prepare(request.graph, form)
                prepared, planned_ms = yield from in_slices(preparing, self._slice_ms, stop)
            tensors = check_inputs(request.graph, prepared.inputs, request.outputs, read.__getitem__)
            given = self._inputs(lease, prepared, tensors, form)
            yield Ahead(cold=prepared.is_cold())
            if prepared.plan.constants:
                given |= self._constants(lease, prepared.plan, request.graph)
            holding = Holding(lease, prepared.plan, given)

            def keep() -> None:
                blocks = [holding.blocks[ref][0] for ref in prepared.results]
                self._keep(lease, request.owner, request.outputs, prepared.outputs, blocks)

            dispatches, elapsed = yield from self._runner.run(prepared, holding, stop, keep)
        return Usage(planned_ms + elapsed, dispatches, lease.nbytes, prepared.threads, prepared.nbytes)

    def explain(self, graph: Graph, wgsl: bool, stop: Stop) -> Steps[str]:
        """The plan of a graph in words."""
        stop()
        yield Ahead(cold=True)
        (_, plan), _ = yield from in_slices(self._plan(graph, structure(graph)), self._slice_ms, stop)
        return explain(plan, wgsl)

    def dispatch(self, request: DispatchKernel, stop: Stop) -> Work:
        """Do the steps of a dispatch, each in slices."""
        stop()
        reflection = self._kernels.get(request.kernel)
        steps = check_steps(request, reflection, self._table.type, self.info.limits)
        budgets = [
            self._guarded.budget(reflection, step.entry, request.fuel, request.most_fuel) for step in steps
        ]
        self._table.check_new([tensor.handle for tensor in request.fresh])
        with Lease(self._pool, request.owner) as lease:
            bindings = Bindings(lease, steps, request.fresh, self._table.get)
            done = [step for step in steps if step.count]
            yield Ahead(cold=any(self._is_cold(reflection, step) for step in done[:1]))
            copies = bindings.make(self._transfers)
            host, tally, spent = HostGroup.take(lease), Tally(sum(step.count for step in steps)), 0.0
            for number, (step, budget) in enumerate(zip(steps, budgets, strict=True)):
                if not step.count:
                    continue
                if spent:
                    yield Ahead(tally.fraction, self._is_cold(reflection, step))
                with in_step(number, len(steps)):
                    pipeline = self._guarded.compile(reflection, step.entry, step.constants)
                    launch = Launch(reflection, pipeline, bindings.groups(reflection, step), host)
                    spent += yield from self._guarded.run(
                        launch, step.workgroups, budget, copies, stop, tally
                    )
                copies = []
            spent += self._finish(copies)
            made = bindings.made()
            types = [bindings.types[handle] for handle in made]
            self._keep(lease, request.owner, list(made), types, list(made.values()))
        return Usage(
            spent,
            len(done),
            lease.nbytes,
            sum(step.threads for step in done),
            sum(step.nbytes for step in done),
        )

    def memory(self) -> MemoryReport:
        """What is live and what is pooled."""
        return MemoryReport(
            self._pool.live_bytes, self._pool.pooled_bytes, len(self._table), len(self._pipelines)
        )

    def close(self) -> None:
        """Release the device."""
        self._runner.close()
        self._gpu.close()

    def _keep(
        self,
        lease: Lease,
        owner: str,
        handles: Sequence[int],
        types: Sequence[TensorType],
        blocks: Sequence[Block],
    ) -> None:
        """Make tensors of `blocks`: of all, or of none."""
        self._table.add_all(handles, owner, types, blocks)
        lease.keep(blocks)

    def _forget(self, buffer: Buffer) -> None:
        self._runner.forget(buffer)

    def _finish(self, commands: Sequence[Command]) -> float:
        """Run `commands` after the clears that wait; the milliseconds until all is done."""
        began = time.perf_counter()
        commands = [*self._pool.take_clears(), *commands]
        if commands:
            self._gpu.submit(commands)
            self._gpu.wait()
        return since_ms(began)

    def _prepare(self, graph: Graph, form: Structure) -> Pausing[Prepared]:
        """Plan a graph and compile its kernels."""
        types, plan = yield from self._plan(graph, form)
        outputs = [types[index] for index in graph.outputs]
        return (yield from self._runner.add(form.key, plan, inputs_of(graph, types), outputs))

    def _plan(self, graph: Graph, form: Structure) -> Pausing[tuple[list[TensorType], Plan]]:
        """Check a graph and plan it; the types of its nodes, and the plan."""
        types = []
        for type in validated(graph):
            types.append(type)
            yield
        return types, (yield from planning(graph, types, form, self._class))

    def _inputs(
        self, lease: Lease, prepared: Prepared, tensors: Sequence[Tensor[Block]], form: Structure
    ) -> Blocks:
        """The blocks that a plan reads, and that of its parameters, which stays as it is from now on."""
        blocks: Blocks = {ref: (tensors[place].storage, 0) for ref, place in prepared.reads}
        params = self._runner.parameters(prepared, form.scalars, form.bits)
        if params is not None:
            lease.share([params])
            blocks[PARAMS] = (params, 0)
        return blocks

    def _constants(self, lease: Lease, plan: Plan, graph: Graph) -> Blocks:
        """All constants in one block."""
        data, offsets = bytearray(), []
        for index, type in plan.constants:
            offsets.append(len(data))
            data += device_form(type.dtype, graph.constants[index])
            data += bytes(-len(data) % ALIGNMENT)
        block = lease.take(max(len(data), ALIGNMENT))
        self._pool.flush()
        if data:
            self._transfers.put(block, bytes(data))
        return {Ref("constant", number): (block, offset) for number, offset in enumerate(offsets)}

    def _is_cold(self, reflection: Reflection, step: Checked) -> bool:
        return not self._guarded.has_run(reflection, step.entry, step.constants)


def _class(gpu: Gpu, host_steps: bool) -> DeviceClass:
    """Which lowerings are best on this device."""
    known = MAPPED if gpu.mappable and host_steps else CPU
    if gpu.info.kind != "cpu":
        known = replace(GPU, workgroup_bytes=gpu.limits["max_compute_workgroup_storage_size"])
    return replace(known, binding=gpu.limits["max_storage_buffer_binding_size"])
