"""An open device: its buffers, pipelines, bindings, and the queue of its work.

Owns the preconditions of each call. Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import wgpu

from host.errors import BindingMismatch, DeviceOutOfMemory, KernelCompileError
from host.frames import DeviceInfo
from host.naga import compile_error, plain
from host.native.commands import Command, Run, encode
from host.native.mapping import Mapper
from host.native.objects import STAGING, Buffer, BufferKind, Pipeline, Program, Range, Slot
from host.native.private import api, ffi, lib, libf
from host.native.stopwatch import STAMPS_BYTES, Stopwatch
from host.native.waiting import Waiter

_UNTIMED = ("cpu",)
"""Kinds of adapters whose time is taken by waiting: llvmpipe's own clock says the same to 0.1 ms, and costs as much."""
_BOUNDS_CHECKS = 1
"""Of `WGPUShaderRuntimeChecks`: keep bounds checks, drop the counter in each loop."""
_MOST_LAYOUTS = 1024
"""Layouts of groups that are kept."""
_BINDING_TYPES = {"read": "read-only-storage", "read_write": "storage", "uniform": "uniform"}


class Gpu:
    """An open device. What is submitted runs in order; `wait` blocks until all of it is done."""

    def __init__(self, raw: Any, info: DeviceInfo) -> None:
        self.info = info
        self.limits = info.limits
        self.mappable = info.kind == "cpu" and "mappable-primary-buffers" in info.features
        self._raw, self._queue = raw, raw.queue
        self._layouts: dict[tuple[Slot, ...], Any] = {}
        self._waiter = Waiter(
            raw._internal, looks=info.kind != "cpu"
        )  # which computes on the cores that would look
        self._mapper = Mapper(self._waiter)
        self._finished = ffi.new("WGPUCommandBuffer[1]")
        self.stopwatch: Stopwatch | None = None
        """What tells the times of `Stamp` commands, on a device that keeps them."""
        if "timestamp-query" in info.features and info.kind not in _UNTIMED:
            self.keep_time()

    def keep_time(self) -> None:
        """Have `Stamp` commands from now on. The adapter has the feature `timestamp-query`."""
        self.stopwatch = Stopwatch(self._raw, self.create_buffer(STAMPS_BYTES, "stamps"))

    def create_buffer(self, size: int, kind: BufferKind) -> Buffer:
        """A new buffer of zeros. `size` is a positive multiple of 4. Raises `DeviceOutOfMemory`."""
        if size <= 0 or size % 4:
            raise ValueError(f"a buffer of {size} bytes")
        if size > self.limits["max_buffer_size"]:
            raise DeviceOutOfMemory(
                f"a buffer of {size:,} bytes is over this device's limit of {self.limits['max_buffer_size']:,}",
                hint="Work in smaller pieces.",
            )
        mappable = kind in STAGING or (self.mappable and kind != "stamps")
        try:
            raw = self._raw.create_buffer(size=size, usage=self._usage(kind))
        except wgpu.GPUError as error:
            raise DeviceOutOfMemory(f"the driver has no {size:,} bytes: {plain(str(error))}") from None
        return Buffer(raw, size, kind, mappable)

    def destroy(self, buffer: Buffer) -> None:
        """Give a buffer's memory back. It must not be used again."""
        self._mapper.forget(buffer)
        buffer.raw.destroy()

    def map(self, buffer: Buffer, size: int) -> AbstractContextManager[memoryview]:
        """The first `size` bytes (a multiple of 4), to read and write, after all work that uses the buffer is done.

        Nothing may keep a part of the view beyond the `with` block, in which nothing may be submitted. Raises
        `DeviceFailed`, `DeviceLost`.
        """
        if not buffer.mappable or not 0 < size <= buffer.size or size % 4:
            raise ValueError(f"{size} of {buffer.size} bytes cannot be mapped")
        if buffer.kind in STAGING:
            return self._mapper.map(buffer, size)
        return nullcontext(self._mapper.keep(buffer)[:size])

    def view(self, buffer: Buffer) -> memoryview:
        """All bytes of a mappable buffer that is no staging buffer, likewise, until something is submitted.

        It is the same view as the last time if they lie where they lay then. Raises `DeviceFailed`, `DeviceLost`.
        """
        if not buffer.mappable or buffer.kind in STAGING:
            raise ValueError(f"a {buffer.kind} buffer cannot stay mapped")
        return self._mapper.keep(buffer)

    def write(self, buffer: Buffer, offset: int, data: bytes) -> None:
        """Queue a write of `data` (padded to a multiple of 4) that comes before what is submitted next."""
        data = data + bytes(-len(data) % 4)
        if not data or offset % 4 or offset + len(data) > buffer.size:
            raise ValueError(f"{len(data)} bytes at {offset} of {buffer.size}")
        self._mapper.release()
        self._queue.write_buffer(buffer.raw, offset, data)

    def compile(self, program: Program) -> Pipeline:
        """Compile a program. Raises `KernelCompileError`."""
        source = program.source
        if "\0" in source or source.lstrip().startswith("#version"):
            raise KernelCompileError("the source is not WGSL")
        try:
            make = trusted_module if program.trusted else _module
            layouts = [self._layout(slots) for slots in program.groups]
            layout = self._raw.create_pipeline_layout(bind_group_layouts=layouts)
            raw = self._raw.create_compute_pipeline(
                layout=layout,
                compute={
                    "module": make(self._raw, source),
                    "entry_point": program.entry_point,
                    "constants": dict(program.constants),
                },
            )
        except wgpu.GPUError as error:
            self._waiter.check(str(error))
            raise compile_error(str(error), source) from None
        return Pipeline(raw, program.groups, layouts)

    def run(
        self, pipeline: Pipeline, groups: Sequence[Sequence[Range]], workgroups: tuple[int, int, int]
    ) -> Run:
        """Bind a range of a buffer to each slot of each group, in order, for a dispatch over `workgroups`."""
        most = self.limits["max_compute_workgroups_per_dimension"]
        if len(groups) != len(pipeline.groups) or not all(0 < count <= most for count in workgroups):
            raise ValueError(f"{len(groups)} groups over {workgroups}")
        bound = [
            self._bind(slots, layout, ranges)
            for slots, layout, ranges in zip(pipeline.groups, pipeline.layouts, groups, strict=True)
        ]
        return Run(pipeline, bound, workgroups)

    def submit(self, commands: Sequence[Command]) -> None:
        """Encode `commands` in order, dispatches that follow each other in one pass, and start them.

        Raises `BindingMismatch`.
        """
        self._mapper.release()
        encoder = lib.wgpuDeviceCreateCommandEncoder(self._raw._internal, ffi.NULL)
        try:
            encode(encoder, commands, self.stopwatch)
            self._start(libf.wgpuCommandEncoderFinish(encoder, ffi.NULL))
        except wgpu.GPUError as error:
            raise BindingMismatch(f"the driver refuses this: {plain(str(error))}") from None
        finally:
            lib.wgpuCommandEncoderRelease(encoder)

    def wait(self) -> None:
        """Block until all that was submitted is done. Raises `DeviceLost`."""
        self._waiter.wait()

    def close(self) -> None:
        """Destroy the device and all that it holds."""
        self._waiter.close()
        self._layouts.clear()
        self._raw.destroy()

    def _start(self, finished: Any) -> None:
        """Submit a raw command buffer, and let go of it."""
        self._finished[0] = finished
        try:
            libf.wgpuQueueSubmit(self._queue._internal, 1, self._finished)
        finally:
            lib.wgpuCommandBufferRelease(finished)

    def _usage(self, kind: BufferKind) -> int:
        usage = wgpu.BufferUsage
        if kind == "upload":
            return int(usage.MAP_WRITE | usage.COPY_SRC)
        if kind == "download":
            return int(usage.MAP_READ | usage.COPY_DST)
        if kind == "stamps":
            return int(usage.QUERY_RESOLVE | usage.COPY_SRC)
        role = usage.UNIFORM if kind == "uniform" else usage.STORAGE
        return int(role | usage.COPY_SRC | usage.COPY_DST | (usage.MAP_WRITE if self.mappable else 0))

    def _layout(self, slots: tuple[Slot, ...]) -> Any:
        if slots not in self._layouts:
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.clear()
            self._layouts[slots] = self._raw.create_bind_group_layout(
                entries=[
                    {
                        "binding": slot.binding,
                        "visibility": wgpu.ShaderStage.COMPUTE,
                        "buffer": {"type": _BINDING_TYPES[slot.access]},
                    }
                    for slot in slots
                ]
            )
        return self._layouts[slots]

    def _bind(self, slots: Sequence[Slot], layout: Any, ranges: Sequence[Range]) -> Any:
        entries = []
        for slot, (buffer, offset, size) in zip(slots, ranges, strict=True):
            family = "uniform" if slot.access == "uniform" else "storage"
            fits = 0 < size <= self.limits[f"max_{family}_buffer_binding_size"] and size % 4 == 0
            aligned = offset >= 0 and offset % self.limits[f"min_{family}_buffer_offset_alignment"] == 0
            if not (fits and aligned and offset + size <= buffer.size and buffer.kind == family):
                raise ValueError(
                    f"{size} bytes at {offset} of a {buffer.kind} buffer of {buffer.size} as {slot}"
                )
            resource = {"buffer": buffer.raw, "offset": offset, "size": size}
            entries.append({"binding": slot.binding, "resource": resource})
        return self._raw.create_bind_group(layout=layout, entries=entries)


def _module(raw: Any, source: str) -> Any:
    return raw.create_shader_module(code=source)


def trusted_module(raw: Any, source: str) -> Any:
    """A shader module of the device `raw` whose loops get no counter."""
    text = api.new_struct_p("WGPUShaderSourceWGSL *", code=api.to_c_string_view(source))
    text[0].chain.next = ffi.NULL
    text[0].chain.sType = lib.WGPUSType_ShaderSourceWGSL
    descriptor = api.new_struct_p(
        "WGPUShaderModuleDescriptor *",
        nextInChain=ffi.cast("WGPUChainedStruct *", text),
        label=api.to_c_string_view(""),
    )
    made = libf.wgpuDeviceCreateShaderModuleTrusted(raw._internal, descriptor, _BOUNDS_CHECKS)
    return api.GPUShaderModule("", made, raw)
