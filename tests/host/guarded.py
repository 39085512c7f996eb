"""What tests of guarded kernels share: short kernels, and what they write through the engine."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from host.engine import finish
from host.engines.wgpu import WgpuEngine
from host.frames import Bound, DispatchKernel, Fresh, Step, Uniform
from host.shared import Source
from ops.graph import TensorType
from shaders.reflect import reflect
from shaders.reflection import BindingInfo, Reflection
from tests.host.engines import go, take

WORDS = 4096
HEAD = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"


def words(info: BindingInfo) -> np.ndarray:
    """Small numbers, so that lengths and offsets among them lead to short loops; always the same for a name."""
    count = -(-max(info.min_size, 16) // 16) * 4 if info.kind == "uniform" else WORDS
    return np.random.default_rng(zlib.crc32(info.name.encode())).integers(0, 8, count, dtype=np.uint32)


def dtype_of(info: BindingInfo) -> str:
    return info.element or "u32"


def guarded(
    engine: WgpuEngine, kernel: Reflection, workgroups: tuple[int, int, int], **more: Any
) -> dict[str, bytes]:
    """What each written binding of `kernel` holds after a dispatch through the engine."""
    entry, engine_handles, arguments, fresh = kernel.entry_points[0], [], [], []
    engine.add_kernel("k", kernel, warm=False)
    for handle, info in enumerate(kernel.bindings, 1):
        if info.name not in entry.bindings:
            continue
        data, type = words(info), TensorType((WORDS,), dtype_of(info))
        if info.kind == "uniform":
            arguments.append(Uniform(info.name, data.tobytes()))
            continue
        engine.upload(handle, "me", type, Source(data.nbytes, data.tobytes()))
        engine_handles.append(handle)
        if info.access == "read":
            arguments.append(Bound(info.name, handle))
        else:
            arguments.append(Bound(info.name, 100 + handle))
            fresh.append(Fresh(100 + handle, type.dtype, type.shape, handle))
            engine_handles.append(100 + handle)
    try:
        step = Step(entry.name, workgroups, arguments)
        request = DispatchKernel(1, 1, "me", "k", [step], fresh, **more)
        usage = finish(engine.dispatch(request, go))
        assert usage.device_ms > 0
        return {
            each.name: take(engine, each.handle)
            for each in arguments
            if isinstance(each, Bound) and each.handle > 100
        }
    finally:
        engine.free(engine_handles)


def kernel(body: str, before: str = "", size: str = "64") -> Reflection:
    builtins = (
        "@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>, "
        "@builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) l: u32"
    )
    return reflect(f"{HEAD}{before}@compute @workgroup_size({size}) fn main({builtins}) {{\n{body}\n}}\n")
