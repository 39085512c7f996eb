"""Every call into wgpu, with its preconditions.

Owns the only import of `wgpu`: plain misuse of it aborts the process (an empty binding, a command buffer submitted
twice, a wrong map mode), so nothing outside may touch its objects. Private names of wgpu-py 0.32 are used where the
public ones cost most: mapping through its poll thread takes 0.15 ms, by the same calls on this thread 0.01 ms. All
methods belong to one thread. Must not know tensors, kernels' meaning or owners.
"""

from __future__ import annotations

import logging
import os
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import wgpu
from wgpu.backends.wgpu_native import _api
from wgpu.backends.wgpu_native.extras import set_instance_extras

from host.errors import BindingMismatch, DeviceFailed, DeviceLost, DeviceOutOfMemory, KernelCompileError
from host.frames import DeviceInfo
from host.naga import compile_error, plain

_lib, _libf, _ffi = _api.lib, _api.libf, _api.ffi
_FEATURES = ("mappable-primary-buffers", "shader-f16", "shader-int64", "subgroup", "timestamp-query")
_KINDS = {"DiscreteGPU": "discrete", "IntegratedGPU": "integrated", "VirtualGPU": "virtual", "CPU": "cpu"}
_LIMITS = (
    "max_buffer_size",
    "max_compute_invocations_per_workgroup",
    "max_compute_workgroup_size_x",
    "max_compute_workgroup_size_y",
    "max_compute_workgroup_size_z",
    "max_compute_workgroup_storage_size",
    "max_compute_workgroups_per_dimension",
    "max_storage_buffer_binding_size",
    "max_storage_buffers_per_shader_stage",
    "max_uniform_buffer_binding_size",
    "max_uniform_buffers_per_shader_stage",
    "min_storage_buffer_offset_alignment",
    "min_uniform_buffer_offset_alignment",
)
_UNTIMED = ("cpu",)
"""Kinds of adapters whose time is taken by waiting: llvmpipe's own clock says the same to 0.1 ms, and costs as much."""
_SPIN_S, _NAP = 1e-3, 1 / 32
"""How long a GPU is asked again and again whether it is done, and after which part of the time that it took already
from then on: drivers notice the end themselves, but late, by a good part of what a large product takes."""
_TRUE = 0xFF
"""The byte of a C function's boolean that says something: it is declared wider than what the function sets."""
_BOUNDS_CHECKS = 1  # of WGPUShaderRuntimeChecks: keep bounds checks, drop the counter in each loop

Access = Literal["read", "read_write", "uniform"]
BufferKind = Literal["storage", "uniform", "upload", "download", "stamps"]
STAMPS_BYTES = 16
"""Of two times: when a pass began, and when it ended."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A binding in a layout."""

    binding: int
    access: Access


class Buffer:
    """A device buffer. `mappable` ones can be filled and read in place."""

    __slots__ = ("kind", "mappable", "raw", "size")

    def __init__(self, raw: Any, size: int, kind: BufferKind, mappable: bool) -> None:
        self.raw, self.size, self.kind, self.mappable = raw, size, kind, mappable


class Mapped:
    """A buffer's bytes for the host as long as a `with` block lasts: nothing may keep a part of the view beyond it."""

    __slots__ = ("_raw", "_size")

    def __init__(self, raw: Any, size: int) -> None:
        self._raw, self._size = raw, size

    def __enter__(self) -> memoryview:
        start = _lib.wgpuBufferGetMappedRange(self._raw, 0, self._size)
        return memoryview(_ffi.buffer(start, self._size))

    def __exit__(self, *_: object) -> None:
        _lib.wgpuBufferUnmap(self._raw)


class Pipeline:
    """A compiled entry point and the layouts of its groups (their slots, in order of group)."""

    __slots__ = ("groups", "layouts", "pace", "ran", "raw")

    def __init__(self, raw: Any, groups: Sequence[tuple[Slot, ...]], layouts: Sequence[Any]) -> None:
        self.raw, self.groups, self.layouts = raw, tuple(groups), tuple(layouts)
        self.pace: object = None
        """What whoever runs it has learnt of its speed."""
        self.ran = False
        """Whether a dispatch of it has ended: drivers compile at the first."""


class Run:
    """A dispatch that is ready to be encoded, any number of times: a bind group for each group of its pipeline."""

    __slots__ = ("groups", "ids", "pipeline", "workgroups")

    def __init__(self, pipeline: Pipeline, groups: Sequence[Any], workgroups: tuple[int, int, int]) -> None:
        self.pipeline, self.groups, self.workgroups = pipeline, tuple(groups), workgroups
        self.ids = tuple(group._internal for group in groups)


@dataclass(frozen=True, slots=True)
class Clear:
    """Set bytes to zero."""

    buffer: Buffer
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy bytes between different buffers."""

    source: Buffer
    source_offset: int
    target: Buffer
    target_offset: int
    size: int


class Stamp:
    """Put the times at which the run before began and ended into `Gpu.stamps`."""


Command = Clear | Copy | Run | Stamp
Range = tuple[Buffer, int, int]
"""A buffer, an offset and a size, in bytes."""


class Adapter:
    """An adapter that exists, not yet opened."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        info = raw.info
        limits = {name: raw.limits.get(name.replace("_", "-"), 0) for name in _LIMITS}
        self.info = DeviceInfo(
            name=info["device"],
            kind=_KINDS.get(info["adapter_type"], "virtual"),
            backend=info["backend_type"],
            driver=info["description"],
            features=tuple(name for name in _FEATURES if name in raw.features),
            limits=limits,
        )

    def open(self) -> Gpu:
        """The adapter's device, with its own limits and our features. Raises `DeviceFailed`."""
        limits = {name.replace("_", "-"): self.info.limits[name] for name in _LIMITS}
        try:
            raw = self._raw.request_device_sync(
                required_features=list(self.info.features), required_limits=limits
            )
        except Exception as error:
            raise DeviceFailed(f"adapter {self.info.name!r} cannot be opened: {error}") from None
        return Gpu(raw, self.info)


def adapters() -> list[Adapter]:
    """Every adapter of a real API; OpenGL would list the same devices again."""
    _make_instance()
    return [Adapter(raw) for raw in wgpu.gpu.enumerate_adapters_sync()]


@cache
def _make_instance() -> None:
    os.environ.setdefault(
        "NODEVICE_SELECT", "1"
    )  # Mesa's layer would look for a Wayland display, and complain
    set_instance_extras(backends=["Primary"])


class _LossHandler(logging.Handler):
    """wgpu-py only logs that a device is lost; this notices."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reason: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "device was lost" in text or "DEVICE LOST" in text:
            self.reason = text[:500]


class Gpu:
    """An open device. What is submitted runs in order; `wait` blocks until all of it is done."""

    def __init__(self, raw: Any, info: DeviceInfo) -> None:
        self.info = info
        self.limits = info.limits
        self.mappable = info.kind == "cpu" and "mappable-primary-buffers" in info.features
        self._raw, self._queue = raw, raw.queue
        self._layouts: dict[tuple[Slot, ...], Any] = {}
        self._loss = _LossHandler()
        logging.getLogger("wgpu").addHandler(self._loss)
        self._map_status = 0

        @_ffi.callback("void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)")  # type: ignore[untyped-decorator]
        def mapped(status: int, *_: object) -> None:
            self._map_status = status

        self._mapped = mapped
        self._finished = _ffi.new("WGPUCommandBuffer[1]")
        self.stamps: Buffer | None = None
        if "timestamp-query" in info.features and info.kind not in _UNTIMED:
            self.keep_time()
        self._map_info = _api.new_struct(
            "WGPUBufferMapCallbackInfo", mode=_lib.WGPUCallbackMode_AllowProcessEvents, callback=mapped
        )

    def keep_time(self) -> None:
        """Have `Stamp` commands from now on. The adapter has the feature `timestamp-query`."""
        self._times = self._raw.create_query_set(type="timestamp", count=2)
        stamps = {"beginningOfPassWriteIndex": 0, "endOfPassWriteIndex": 1}
        writes = _api.new_struct_p("WGPUPassTimestampWrites *", querySet=self._times._internal, **stamps)
        self._timed = _api.new_struct_p(
            "WGPUComputePassDescriptor *", label=_api.to_c_string_view(""), timestampWrites=writes
        )
        self._tick_ms = float(_libf.wgpuQueueGetTimestampPeriod(self._queue._internal)) / 1e6
        self.stamps = self.create_buffer(STAMPS_BYTES, "stamps")

    def elapsed_ms(self, stamps: bytes) -> float:
        """The milliseconds between the two times in `stamps`."""
        began, ended = struct.unpack("<2Q", stamps)
        return float(ended - began) * self._tick_ms

    def create_buffer(self, size: int, kind: BufferKind) -> Buffer:
        """A new buffer of zeros. `size` is a positive multiple of 4. Raises `DeviceOutOfMemory`."""
        if size <= 0 or size % 4:
            raise ValueError(f"a buffer of {size} bytes")
        if size > self.limits["max_buffer_size"]:
            raise DeviceOutOfMemory(
                f"a buffer of {size:,} bytes is over this device's limit of {self.limits['max_buffer_size']:,}",
                hint="Work in smaller pieces.",
            )
        mappable = kind in ("upload", "download") or (self.mappable and kind != "stamps")
        try:
            raw = self._raw.create_buffer(size=size, usage=self._usage(kind))
        except wgpu.GPUError as error:
            raise DeviceOutOfMemory(f"the driver has no {size:,} bytes: {plain(str(error))}") from None
        return Buffer(raw, size, kind, mappable)

    def destroy(self, buffer: Buffer) -> None:
        """Give a buffer's memory back. It must not be used again."""
        buffer.raw.destroy()

    def map(self, buffer: Buffer, size: int) -> Mapped:
        """The first `size` bytes (a multiple of 4), to read and write, after all work that uses the buffer is done."""
        if not buffer.mappable or not 0 < size <= buffer.size or size % 4:
            raise ValueError(f"{size} of {buffer.size} bytes cannot be mapped")
        raw = buffer.raw._internal
        mode = _lib.WGPUMapMode_Read if buffer.kind == "download" else _lib.WGPUMapMode_Write
        self._map_status = 0
        _lib.wgpuBufferMapAsync(raw, mode, 0, size, self._map_info)
        self._wait(self._is_mapped)
        if self._map_status != _lib.WGPUMapAsyncStatus_Success:
            raise DeviceFailed(f"the driver could not map a buffer (status {self._map_status})")
        return Mapped(raw, size)

    def write(self, buffer: Buffer, offset: int, data: bytes) -> None:
        """Queue a write of `data` (padded to a multiple of 4) that comes before what is submitted next."""
        data = data + bytes(-len(data) % 4)
        if not data or offset % 4 or offset + len(data) > buffer.size:
            raise ValueError(f"{len(data)} bytes at {offset} of {buffer.size}")
        self._queue.write_buffer(buffer.raw, offset, data)

    def compile(
        self,
        source: str,
        entry_point: str,
        groups: Sequence[tuple[Slot, ...]],
        trusted: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> Pipeline:
        """Compile an entry point for bindings laid out as `groups`. Raises `KernelCompileError`.

        `trusted` text is our own or guarded: its loops end, so they get no counter. `constants` are finite values for
        overrides, by `@id` or name.
        """
        if "\0" in source or source.lstrip().startswith("#version"):
            raise KernelCompileError("the source is not WGSL")
        try:
            module = self._trusted_module(source) if trusted else self._raw.create_shader_module(code=source)
            layouts = [self._layout(slots) for slots in groups]
            layout = self._raw.create_pipeline_layout(bind_group_layouts=layouts)
            stage = {"module": module, "entry_point": entry_point, "constants": dict(constants or {})}
            raw = self._raw.create_compute_pipeline(layout=layout, compute=stage)
        except wgpu.GPUError as error:
            self._check_lost(str(error))
            raise compile_error(str(error), source) from None
        return Pipeline(raw, groups, layouts)

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
        """Encode `commands` in order, dispatches that follow each other in one pass, and start them."""
        encoder = _lib.wgpuDeviceCreateCommandEncoder(self._raw._internal, _ffi.NULL)
        try:
            self._encode(encoder, commands)
            self._finished[0] = _libf.wgpuCommandEncoderFinish(encoder, _ffi.NULL)
            _libf.wgpuQueueSubmit(self._queue._internal, 1, self._finished)
            _lib.wgpuCommandBufferRelease(self._finished[0])
        except wgpu.GPUError as error:
            raise BindingMismatch(f"the driver refuses this: {plain(str(error))}") from None
        finally:
            _lib.wgpuCommandEncoderRelease(encoder)

    def wait(self) -> None:
        """Block until all that was submitted is done. Raises `DeviceLost`."""
        self._wait(lambda: False)

    def close(self) -> None:
        """Destroy the device and all that it holds."""
        logging.getLogger("wgpu").removeHandler(self._loss)
        self._layouts.clear()
        self._raw.destroy()

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Block until nothing runs, or `is_over`. Raises `DeviceLost`."""
        if self.info.kind == "cpu":  # it computes on the cores that would look
            _lib.wgpuDevicePoll(self._raw._internal, True, _ffi.NULL)
        else:
            self._look(is_over)
        self._check_lost()

    def _look(self, is_over: Callable[[], bool]) -> None:
        """Ask a GPU until nothing runs, or `is_over`, with naps when it takes long. Raises `DeviceLost`."""
        device, began = self._raw._internal, time.perf_counter()
        while not _lib.wgpuDevicePoll(device, False, _ffi.NULL) & _TRUE and not is_over():
            spent = time.perf_counter() - began
            if spent > _SPIN_S:
                self._check_lost()
                time.sleep(spent * _NAP)

    def _is_mapped(self) -> bool:
        return self._map_status != 0

    def _check_lost(self, error: str = "") -> None:
        """Raise `DeviceLost` if the log or `error` says so: only a new process helps."""
        reason = error if "device is lost" in error else self._loss.reason
        if reason is not None:
            raise DeviceLost(f"the driver lost the device: {reason}")

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
            if len(self._layouts) >= 1024:
                self._layouts.clear()
            kinds = {"read": "read-only-storage", "read_write": "storage", "uniform": "uniform"}
            self._layouts[slots] = self._raw.create_bind_group_layout(
                entries=[
                    {
                        "binding": slot.binding,
                        "visibility": wgpu.ShaderStage.COMPUTE,
                        "buffer": {"type": kinds[slot.access]},
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

    def _encode(self, encoder: Any, commands: Sequence[Command]) -> None:
        """Put `commands` into a raw `encoder`."""
        position = 0
        while position < len(commands):
            command = commands[position]
            end = position + 1
            if isinstance(command, Run):
                runs = _runs(commands, position)
                end = position + len(runs)
                is_timed = end < len(commands) and isinstance(commands[end], Stamp)
                self._encode_pass(encoder, runs, is_timed)
            elif isinstance(command, Stamp):
                assert self.stamps is not None
                times, stamps = self._times._internal, self.stamps.raw._internal
                _libf.wgpuCommandEncoderResolveQuerySet(encoder, times, 0, 2, stamps, 0)
            elif isinstance(command, Clear):
                raw = command.buffer.raw._internal
                _libf.wgpuCommandEncoderClearBuffer(encoder, raw, command.offset, command.size)
            else:
                self._encode_copy(encoder, command)
            position = end

    def _encode_pass(self, encoder: Any, runs: Sequence[Run], is_timed: bool) -> None:
        """The inner loop of every replay: each look-up in it is a share of what a small dispatch costs."""
        raw = _lib.wgpuCommandEncoderBeginComputePass(encoder, self._timed if is_timed else _ffi.NULL)
        current = None
        set_pipeline, set_group = (
            _lib.wgpuComputePassEncoderSetPipeline,
            _lib.wgpuComputePassEncoderSetBindGroup,
        )
        dispatch = _lib.wgpuComputePassEncoderDispatchWorkgroups
        null = _ffi.NULL
        for run in runs:
            pipeline = run.pipeline
            if pipeline is not current:
                current = pipeline
                set_pipeline(raw, pipeline.raw._internal)
            index = 0
            for group in run.ids:
                set_group(raw, index, group, 0, null)
                index += 1  # noqa: SIM113 - enumerate costs more
            x, y, z = run.workgroups
            dispatch(raw, x, y, z)
        _lib.wgpuComputePassEncoderEnd(raw)  # what is wrong shows when the encoder is finished
        _lib.wgpuComputePassEncoderRelease(raw)

    def _encode_copy(self, encoder: Any, copy: Copy) -> None:
        if copy.source is copy.target or copy.size <= 0 or copy.size % 4:
            raise ValueError(f"a copy of {copy.size} bytes")
        source, target = copy.source.raw._internal, copy.target.raw._internal
        _libf.wgpuCommandEncoderCopyBufferToBuffer(
            encoder, source, copy.source_offset, target, copy.target_offset, copy.size
        )

    def _trusted_module(self, source: str) -> Any:
        text = _api.new_struct_p("WGPUShaderSourceWGSL *", code=_api.to_c_string_view(source))
        text[0].chain.next = _ffi.NULL
        text[0].chain.sType = _lib.WGPUSType_ShaderSourceWGSL
        descriptor = _api.new_struct_p(
            "WGPUShaderModuleDescriptor *",
            nextInChain=_ffi.cast("WGPUChainedStruct *", text),
            label=_api.to_c_string_view(""),
        )
        raw = _libf.wgpuDeviceCreateShaderModuleTrusted(self._raw._internal, descriptor, _BOUNDS_CHECKS)
        return _api.GPUShaderModule("", raw, self._raw)


def _runs(commands: Sequence[Command], begin: int) -> list[Run]:
    """The runs that follow each other in `commands` from `begin` on."""
    runs = []
    for command in commands[begin:]:
        if not isinstance(command, Run):
            break
        runs.append(command)
    return runs
