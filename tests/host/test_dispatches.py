"""Kernels on the real engine: what they are bound to, what they write, and where they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from host.engines.wgpu import WgpuEngine
from host.errors import KernelCompileError, UnknownKernel
from host.frames import Bound, Fresh, Uniform
from tests.host.engines import dispatch, get, put

pytestmark = pytest.mark.usefixtures("everything_is_given_back")


def test_a_kernel_computes_on_fresh_zeros_and_on_initial_values(gpu: WgpuEngine, kernels: Any) -> None:
    gpu.add_kernel("k", kernels.double, True)
    put(gpu, 1, np.arange(10, dtype=np.uint32))
    usage = dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (10,)))
    assert get(gpu, 2).tolist() == [2 * n for n in range(10)]
    assert usage.dispatches == 1
    assert usage.device_ms > 0
    assert usage.peak_bytes >= 40
    dispatch(gpu, Bound("a", 1), fresh=Fresh(3, "u32", (10,), initial=2))
    assert get(gpu, 3).tolist() == [4 * n for n in range(10)]
    assert get(gpu, 2).tolist() == [2 * n for n in range(10)], "the initial tensor is not written"


def test_no_workgroups_leave_zeros_and_initial_values(gpu: WgpuEngine, kernels: Any) -> None:
    gpu.add_kernel("k", kernels.double, False)
    put(gpu, 1, np.arange(10, dtype=np.uint32))
    usage = dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (10,), initial=1), workgroups=(0, 1, 1))
    assert get(gpu, 2).tolist() == list(range(10))
    assert usage.dispatches == 0


def test_a_kernel_sees_exactly_the_elements_of_its_tensors(gpu: WgpuEngine, kernels: Any) -> None:
    text = (
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() { b[0] = arrayLength(&a); b[1] = arrayLength(&b); }\n"
    )
    gpu.add_kernel("k", kernels.reflection(text, *kernels.double.bindings), False)
    put(gpu, 1, np.arange(7, dtype=np.uint32))
    dispatch(gpu, Bound("a", 1), fresh=Fresh(2, "u32", (3,)))
    assert get(gpu, 2).tolist() == [7, 3, 0]


def test_groups_uniforms_and_unreached_bindings(gpu: WgpuEngine, kernels: Any) -> None:
    text = (
        "struct P { scale: u32, shift: u32 }\n"
        "@group(2) @binding(5) var<uniform> p: P;\n"
        "@group(0) @binding(3) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@group(1) @binding(0) var<storage, read_write> unused: array<u32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {\n"
        "  b[id.x] = a[id.x] * p.scale + p.shift;\n}\n"
    )
    more = {"kind": "uniform", "element": "u32", "min_size": 8, "stride": 0}
    found = kernels.reflection(
        text,
        kernels.binding("p", 5, type="P", group=2, **more),
        kernels.binding("a", 3),
        kernels.binding("b", 1, "read_write"),
    )
    gpu.add_kernel("k", found, True)
    put(gpu, 1, np.arange(4, dtype=np.uint32))
    for scale in (3, 5):
        data = np.array([scale, 7], np.uint32).tobytes()
        dispatch(gpu, Bound("a", 1), Uniform("p", data), fresh=Fresh(2, "u32", (4,)), workgroups=(4, 1, 1))
        assert get(gpu, 2).tolist() == [scale * n + 7 for n in range(4)]
        gpu.free([2])


def test_compile_errors_point_into_the_kernel(gpu: WgpuEngine, kernels: Any) -> None:
    with pytest.raises(KernelCompileError, match="expected expression") as error:
        gpu.add_kernel(
            "bad", kernels.reflection("@compute @workgroup_size(1) fn main() {\n  let x = ;\n}\n"), False
        )
    assert (error.value.line, error.value.column) == (2, 11)
    with pytest.raises(UnknownKernel):
        dispatch(gpu, kernel="bad")
