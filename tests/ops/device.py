"""A bare device for tests of kernels.

It renders and runs the dispatches of one op with wgpu, and nothing else: it packs parameters and keeps buffers by
itself, so that a fault of `host/` cannot hide one of `ops/`. It compiles as `host/` does: what drivers make of a
kernel's loops depends on whether they have counters.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import wgpu

from host import native
from host.native.gpu import trusted_module
from host.tensors import device_bytes
from ops.composites import expand
from ops.dtypes import dtype
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, DeviceClass, Lowering, lower
from ops.reference import DTYPES, dtype_name
from ops.table import find
from shaders.generator import WgslGenerator
from shaders.spec import Dispatch, KernelSpec, Operand

_USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
_LIMITS = (
    "max-storage-buffer-binding-size",
    "max-buffer-size",
    "max-storage-buffers-per-shader-stage",
)
_KEPT = 128
"""Kernels that stay compiled: a software driver has them in the memory of this process."""
POISON = 0x7FC0DEAD
"""What results and temporaries hold at the start: a NaN, so that an element that is not written shows."""


class BareDevice:
    """The first adapter of this machine. `run` computes one op on arrays of any strides."""

    def __init__(self) -> None:
        native.adapters()  # makes the one instance of this process as the host wants it
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        self.kind = adapter.info["adapter_type"]
        self.device_class: DeviceClass = CPU if self.kind == "CPU" else GPU
        self._device = adapter.request_device_sync(
            required_limits={name: adapter.limits[name] for name in _LIMITS}
        )
        self._render = WgslGenerator().render
        self.pipeline = lru_cache(_KEPT)(self._compile)

    def run(self, op: str, attributes: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> np.ndarray:
        """The value of `op`, whose inputs lie on the device with the strides that the arrays have here."""
        types = [TensorType(array.shape, dtype_name(array.dtype)) for array in arrays]
        if find(op).kind == "composite":
            nodes, result = expand(op, attributes, types)
            values = list(arrays)
            for node in nodes:
                values.append(self.run(node.op, node.attributes, [values[index] for index in node.inputs]))
            return values[result]
        (output,) = infer(op, attributes, types)
        placed = [place(array) for array in arrays]
        layouts = [(layout, dtype(type.dtype)) for (_, layout), type in zip(placed, types, strict=True)]
        lowering = lower(op, attributes, layouts, output, self.device_class)
        return self.compute(lowering, [base for base, _ in placed], output)

    def compute(self, lowering: Lowering, bases: Sequence[np.ndarray], output: TensorType) -> np.ndarray:
        """The output of `lowering` whose input buffers hold `bases`."""
        count = device_bytes(output) // 4
        result = self._buffer(np.full(max(count, 1), POISON, np.uint32))
        buffers = {
            "input": [self._buffer(base) for base in bases],
            "output": [result],
            "temp": [self._buffer(np.full(size // 4, POISON, np.uint32)) for size in lowering.temps],
        }
        encoder = self._device.create_command_encoder()
        step = encoder.begin_compute_pass()
        for dispatch in lowering.dispatches:
            self._encode(step, dispatch, buffers)
        step.end()
        self._device.queue.submit([encoder.finish()])
        words = (
            np.frombuffer(self._device.queue.read_buffer(result, 0, 4 * count), np.uint32) if count else []
        )
        return from_device(np.array(words, np.uint32), output)

    def _encode(self, step: Any, dispatch: Dispatch, buffers: dict[str, list[Any]]) -> None:
        assert all(0 < groups <= 65_535 for groups in dispatch.workgroups), dispatch.workgroups
        assert len(dispatch.operands) == len(dispatch.spec.bindings)
        pipeline = self.pipeline(dispatch.spec)
        chosen = [self._window(buffers, operand) for operand in dispatch.operands]
        if dispatch.spec.params:
            data = pack(dispatch.spec, dispatch.params)
            buffer = self._device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.UNIFORM)
            chosen.append({"buffer": buffer, "offset": 0, "size": buffer.size})
        entries = [{"binding": number, "resource": resource} for number, resource in enumerate(chosen)]
        layout = pipeline.get_bind_group_layout(0)
        step.set_pipeline(pipeline)
        step.set_bind_group(0, self._device.create_bind_group(layout=layout, entries=entries))
        step.dispatch_workgroups(*dispatch.workgroups)

    def _window(self, buffers: dict[str, list[Any]], operand: Operand) -> dict[str, Any]:
        """What of a buffer a kernel is given: no more than the device's class allows."""
        buffer = buffers[operand.kind][operand.index]
        size = min(operand.nbytes or buffer.size, buffer.size - operand.begin)
        assert size <= self.device_class.binding, f"{size:,} bytes are bound"
        return {"buffer": buffer, "offset": operand.begin, "size": size}

    def _compile(self, spec: KernelSpec) -> Any:
        module = trusted_module(self._device, self._render(spec))
        compute = {"module": module, "entry_point": "main"}
        return self._device.create_compute_pipeline(layout="auto", compute=compute)

    def _buffer(self, array: np.ndarray) -> Any:
        data = array if array.size else np.zeros(1, np.uint32)
        return self._device.create_buffer_with_data(data=np.ascontiguousarray(data), usage=_USAGE)


def pack(spec: KernelSpec, params: Mapping[str, Any]) -> bytes:
    """The uniform struct of a dispatch, by WGSL's rules for `array<vec4>` and scalars."""
    assert params.keys() <= {param.name for param in spec.uniform}, (params.keys(), spec.params)
    data = b""
    for param in spec.uniform:
        value = params.get(param.name, param.default)
        code = {"u32": "I", "i32": "i", "f32": "f"}[param.type]
        if param.length > 1:
            assert len(value) == param.length
            data += bytes(-len(data) % 16)
            value = [*value, *[0] * (-param.length % 4)]
            data += struct.pack(f"<{len(value)}{code}", *value)
        else:
            data += struct.pack(f"<{code}", value)
    return data + bytes(-len(data) % 16)


def place(array: np.ndarray) -> tuple[np.ndarray, Layout]:
    """The words of a buffer in which `array` lies with its own strides, and its layout there."""
    if array.size == 0:
        return to_device(np.zeros(1, array.dtype)), Layout.contiguous(array.shape)
    steps = [stride // array.itemsize for stride in array.strides]
    low = sum((size - 1) * step for size, step in zip(array.shape, steps, strict=True) if step < 0)
    high = sum((size - 1) * step for size, step in zip(array.shape, steps, strict=True) if step > 0)
    lead = -low % 4  # keep alignment by fours where the array has it
    base = np.zeros(high - low + 1 + lead, array.dtype)
    strides = [step * array.itemsize for step in steps]
    window = np.lib.stride_tricks.as_strided(base[lead - low :], array.shape, strides)
    distinct = tuple(slice(0, 1) if step == 0 else slice(None) for step in steps)
    window[distinct] = array[distinct]
    return to_device(base), Layout(array.shape, tuple(steps), lead - low)


def to_device(array: np.ndarray) -> np.ndarray:
    """The words that hold `array` on a device: a bool takes a whole one, shorter elements share one."""
    if array.dtype == np.bool_:
        return array.astype(np.uint32)
    data = array.tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), np.uint32)


def from_device(words: np.ndarray, type: TensorType) -> np.ndarray:
    """The array that the words of a buffer mean; a bool must be 0 or 1."""
    if type.dtype == "bool":
        assert np.all(words <= 1), "a bool on the device must be 0 or 1"
        return words.astype(np.bool_).reshape(type.shape)
    count = int(np.prod(type.shape, dtype=np.int64))
    return words.view(DTYPES[type.dtype])[:count].reshape(type.shape)
