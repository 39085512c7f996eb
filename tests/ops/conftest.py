"""A bare device for tests of kernels, and a `torch` that computes with NumPy.

The device renders and runs the dispatches of one op with wgpu, and nothing else: it packs parameters and keeps buffers
by itself, so that a fault of `host/` cannot hide one of `ops/`. It compiles as `host/` does: what drivers make of a
kernel's loops depends on whether they have counters.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import wgpu

from host import native
from host.native.gpu import trusted_module
from host.tensors import device_bytes
from ops import engine, reference, torchlike
from ops.composites import expand
from ops.dtypes import dtype
from ops.expression import bind, input_term, parse
from ops.graph import Graph, TensorRef, TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, DeviceClass, Lowering, lower
from ops.reference import DTYPES, dtype_name
from ops.reference.bfloat import BF16, opened
from ops.spec import OpSpec
from ops.table import find
from ops.validate import validate
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


TINY = float(np.finfo(np.float32).smallest_normal)
HUGE = float(np.finfo(np.float32).max)
Check = Callable[..., np.ndarray]


@pytest.fixture(scope="session")
def device() -> BareDevice:
    """One device for all tests: kernels are compiled once."""
    return BareDevice()


@pytest.fixture(scope="session")
def check(device: BareDevice) -> Check:
    """Runs an op on the device and compares it with a reference.

    `check(op, attributes, arrays, expected=None, scale=None)`: `expected` is by default what `ops/reference/` says;
    errors are bounded by the row's tolerance times `scale`, by default what the row says they are relative to.
    Subnormal operands and results may count as zero. Returns the device's result.
    """

    def run(
        op: str,
        attributes: Mapping[str, Any],
        arrays: Sequence[np.ndarray],
        expected: np.ndarray | None = None,
        scale: np.ndarray | None = None,
    ) -> np.ndarray:
        actual = device.run(op, attributes, arrays)
        if expected is None:
            expected = reference.apply(op, attributes, arrays)
        if scale is None:
            scale = error_scale(find(op), attributes, arrays, expected)
        right = agree(actual, expected, find(op).tolerance, scale)
        if not np.all(right) and any(map(has_subnormals, arrays)):
            flushed = reference.apply(op, attributes, [flush(array) for array in arrays])
            right |= agree(actual, flushed, find(op).tolerance, scale)
        wrong = np.argwhere(~right)
        assert not len(wrong), (
            f"{op} {attributes} of {[(array.shape, array.strides, array.dtype.name) for array in arrays]}:"
            f" {len(wrong)} wrong, first at {wrong[0]}: {actual[tuple(wrong[0])]}, not {expected[tuple(wrong[0])]}"
        )
        return actual

    return run


def error_scale(
    row: OpSpec, attributes: Mapping[str, Any], arrays: Sequence[np.ndarray], expected: np.ndarray
) -> np.ndarray | None:
    """What the errors of an elementwise row are relative to; None for the result."""
    if row.kind != "elementwise" or row.relative == "result":
        return None
    types = [dtype_name(array.dtype) for array in arrays]
    names: dict[str, Any] = {
        name: input_term(number, type)
        for number, (name, type) in enumerate(zip(row.inputs, types, strict=True))
    } | {"result": input_term(len(arrays), "f32")}
    term = bind(parse(row.relative), names)
    with np.errstate(all="ignore"):
        scale = reference.run(term, [*map(np.asarray, arrays), expected], np.zeros(()))
    return np.broadcast_to(scale, expected.shape)


def agree(
    actual: np.ndarray, expected: np.ndarray, tolerance: float, scale: np.ndarray | None = None
) -> np.ndarray:
    """Where two arrays of one type agree: bits for integers, NaN with NaN, floats within the tolerance.

    Where the scale is beyond f32, some step of the row was infinite, and so may be the result, or NaN.
    """
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    if actual.dtype in _STEPS:
        return agree_in_half(actual, expected, tolerance, scale)
    if actual.dtype != np.float32:
        return np.asarray(actual == expected)
    wide = expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        bound = tolerance * np.abs(wide if scale is None else scale) + TINY * bool(np.size(wide))
        exact = actual == expected
        near = np.isfinite(wide) & (np.abs(actual - wide) <= np.where(np.isfinite(bound), bound, 0))
        subnormal = (np.abs(wide) < TINY) & (np.abs(actual) < TINY)
        overflows = False if scale is None else (np.abs(scale) > HUGE) & ~np.isfinite(actual)
    both_nan = np.isnan(actual) & np.isnan(expected)
    return np.asarray(exact | (near & (tolerance > 0)) | subnormal | both_nan | overflows)


_STEPS = {
    np.dtype(np.float16): (2.0**-10, 2.0**-24, 2.0**16),
    BF16: (2.0**-7, TINY, 2.0**128),
}
"""Of dtypes of two bytes: the relative distance of neighbours, the absolute one below, and what rounds to infinity."""


def agree_in_half(
    actual: np.ndarray, expected: np.ndarray, tolerance: float, scale: np.ndarray | None
) -> np.ndarray:
    """As `agree`: what is exact is rounded right, else the next number will do, and infinity is next to the largest."""
    step, least, beyond = _STEPS[actual.dtype]
    actual, expected = opened(actual), opened(expected)
    both_nan = np.isnan(actual) & np.isnan(expected)
    subnormal = (np.abs(actual) < TINY) & (np.abs(expected) < TINY)
    if not tolerance:
        return np.asarray((actual == expected) | both_nan | subnormal)
    got, wanted = (np.clip(each.astype(np.float64), -beyond, beyond) for each in (actual, expected))
    with np.errstate(invalid="ignore", over="ignore"):
        bound = tolerance * np.abs(wanted if scale is None else scale)
        near = np.abs(got - wanted) <= bound + step * np.abs(wanted) + least
        overflows = False if scale is None else (np.abs(scale) > HUGE) & ~np.isfinite(actual)
    return np.asarray(near | both_nan | overflows)


def has_subnormals(array: np.ndarray) -> bool:
    """Whether some element is subnormal."""
    return bool(np.any(flush(array) != array)) if array.dtype == np.float32 else False


def flush(array: np.ndarray) -> np.ndarray:
    """`array` with its subnormal elements as zeros."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < TINY, np.copysign(np.float32(0), array), array).astype(np.float32)


class NumpyEngine:
    """An engine for scripts' tensors that checks every graph and computes it with NumPy."""

    def __init__(self) -> None:
        self.live: dict[int, np.ndarray] = {}
        self.graphs: list[Graph] = []
        self._next = 0

    def put(self, array: np.ndarray) -> TensorRef:
        """A tensor that holds `array`."""
        self._next += 1
        self.live[self._next] = array
        return TensorRef(self._next, array.shape, dtype_name(array.dtype))

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`."""
        self.graphs.append(graph)
        types = validate(graph)
        values = reference.evaluate(graph, self.live)
        for value, index in zip(values, graph.outputs, strict=True):
            assert (value.shape, dtype_name(value.dtype)) == (types[index].shape, types[index].dtype)
        return [self.put(value) for value in values]

    def explain(self, graph: Graph, wgsl: bool) -> str:
        """What there is to compute."""
        return f"{[node.op for node in graph.nodes]} {graph.outputs} {wgsl}"

    def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        return reference.to_wire(self.live[handle])

    def free(self, handles: list[int]) -> None:
        """Forget tensors, each exactly once."""
        for handle in handles:
            del self.live[handle]


@pytest.fixture
def numpy_engine() -> Iterator[NumpyEngine]:
    """The engine in use during a test."""
    own = NumpyEngine()
    engine.use(own)
    yield own
    engine.use(None)


class Namespace:
    """Attributes from a dict, nested ones too."""

    def __init__(self, names: Mapping[str, object]) -> None:
        for name, value in names.items():
            setattr(self, name, Namespace(value) if isinstance(value, dict) else value)


@pytest.fixture
def torch(numpy_engine: NumpyEngine) -> Any:
    """What `import torch` gives a script, computed by NumPy."""
    return Namespace(torchlike.namespace())


@pytest.fixture(params=["cpu", "gpu"])
def tiny(device: Any, request: Any) -> Iterator[Any]:
    """The device, lowered for as if a kernel could be given 64 KiB of a buffer."""
    own = device.device_class
    device.device_class = replace(CPU if request.param == "cpu" else GPU, binding=1 << 16)
    yield device
    device.device_class = own
