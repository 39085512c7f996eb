"""Guarded kernels on an adapter: the numbers are those without the guard; slices, clean memory."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from host.engine import finish
from host.engines.wgpu import WgpuEngine
from host.errors import Cancelled
from host.frames import Bound, DispatchKernel, Fresh, Step
from host.kernels import groups_of
from host.native import Program, Slot
from host.shared import Source
from ops.graph import TensorType
from shaders.reflect import reflect
from shaders.reflection import Reflection
from tests.host.engines import go, take
from tests.host.guarded import HEAD, WORDS, guarded, kernel, words

ROOT = Path(__file__).parents[2]
CORPUS = [
    *sorted((ROOT / "examples").glob("*.wgsl")),
    *sorted((ROOT / "tests" / "shaders" / "golden").glob("*.wgsl")),
    *sorted((ROOT / "tests" / "shaders" / "guard" / "golden").glob("*.before.wgsl")),
]


def plain(engine: WgpuEngine, kernel: Reflection, workgroups: tuple[int, int, int]) -> dict[str, bytes]:
    """The same without a guard: the kernel's own text, one dispatch, straight to the adapter."""
    gpu, entry = engine._gpu, kernel.entry_points[0]
    groups = groups_of(kernel, entry)
    slots = tuple(
        tuple(Slot(info.binding, "uniform" if info.kind == "uniform" else info.access) for info in group)
        for group in groups
    )
    pipeline = gpu.compile(Program(kernel.source, entry.name, slots))
    buffers = {}
    for group in groups:
        for info in group:
            data = words(info)
            buffers[info.name] = gpu.create_buffer(data.nbytes, info.kind)
            gpu.write(buffers[info.name], 0, data.tobytes())
    ranges = [[(buffers[info.name], 0, buffers[info.name].size) for info in group] for group in groups]
    gpu.submit([gpu.run(pipeline, ranges, workgroups)])
    found = {}
    for group in groups:
        for info in group:
            if info.access == "read_write" and gpu.mappable:
                with gpu.map(buffers[info.name], buffers[info.name].size) as view:
                    found[info.name] = bytes(view)
    for buffer in buffers.values():
        gpu.destroy(buffer)
    return found


# Without a guard, what is in workgroup memory at the start is what the kernel before left there.
UNCLEARED = "barriers.before.wgsl"


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.name != UNCLEARED], ids=lambda path: path.name
)
def test_a_kernel_that_ends_has_the_bits_that_it_has_without_the_guard(
    engine: WgpuEngine, path: Path
) -> None:
    if not engine._gpu.mappable:
        pytest.skip("the test reads buffers in place")
    kernel = reflect(path.read_text())
    size = kernel.entry_points[0].workgroup_size
    workgroups = (max(1, WORDS // 8 // math.prod(size)), 2, 1)
    assert guarded(engine, kernel, workgroups) == plain(engine, kernel, workgroups)


@pytest.mark.parametrize("workgroups", [(1, 1, 1), (37, 5, 3), (1000, 1, 1), (3, 301, 2)])
def test_built_in_values_are_those_of_the_whole_dispatch(
    engine: WgpuEngine, workgroups: tuple[int, int, int]
) -> None:
    body = (
        "let at = (w.z * n.y + w.y) * n.x + w.x;"
        " let all = vec4<u32>(g.x + 7u * g.y + 31u * g.z, w.x + 5u * w.y + 3u * w.z, n.x + n.y + n.z, l);"
        " if (l == 5u) { out[at] = all; }"
    )
    before = "@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;\n"
    kernel_ = kernel("_ = o[0]; " + body, before, size="4, 2, 1")
    engine.add_kernel("k", kernel_, warm=False)
    count = math.prod(workgroups)
    step = Step("main", workgroups, [Bound("o", 1), Bound("out", 2)])
    fresh = [Fresh(1, "u32", (4,)), Fresh(2, "u32", (count, 4))]
    finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], fresh), go))
    found = np.frombuffer(take(engine, 2), np.uint32).reshape(-1, 4)
    engine.free([1, 2])
    z, y, x = (axis.ravel() for axis in np.indices(workgroups[::-1]))
    expected = np.stack(
        [
            4 * x + 1 + 7 * (2 * y + 1) + 31 * z,
            x + 5 * y + 3 * z,
            np.full(count, sum(workgroups)),
            np.full(count, 5),
        ],
        axis=1,
    )
    assert (found == expected).all()


def test_a_grid_beyond_65535_workgroups_in_a_dimension_is_whole(engine: WgpuEngine) -> None:
    counting = reflect(
        "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
        "  atomicAdd(&o[g.x % 7u], 1u); atomicMax(&o[7], g.x);\n}\n"
    )
    found = np.frombuffer(guarded(engine, counting, (70_001, 1, 1))["o"], np.uint32)
    began = words(counting.bindings[0])
    assert int(found[:7].sum() - began[:7].sum()) == 70_001
    assert found[7] == 70_000


def test_workgroup_memory_shows_nothing_of_the_kernel_before(engine: WgpuEngine) -> None:
    memory = "var<workgroup> t: array<array<u32, 32>, 32>;\nvar<workgroup> u: array<vec4<f32>, 16>;\n"
    fill = "for (var i = l; i < 1024u; i += 64u) { t[i / 32u][i % 32u] = 0x5ec2e7u; } u[l % 16u] = vec4<f32>(3.0);"
    look = "for (var i = l; i < 1024u; i += 64u) { s += u32(t[i / 32u][i % 32u] != 0u); }"
    guarded(engine, kernel(f"{fill} workgroupBarrier(); o[l] = t[l % 32u][0];", memory), (64, 1, 1))
    looking = kernel(f"var s = 0u; {look} s += u32(any(u[l % 16u] != vec4<f32>())); o[g.x] = s;", memory)
    found = np.frombuffer(guarded(engine, looking, (32, 1, 1))["o"], np.uint32)
    assert not found[: 32 * 64].any()


def test_a_dispatch_yields_between_slices_and_stops_when_it_is_told_to(engine: WgpuEngine) -> None:
    slow = kernel(
        "var x = g.x; for (var i = 0u; i < 2000u + o[9] / 8u; i++) { x = x * 3u + 1u; } o[g.x % 8u] = x;"
    )
    engine.add_kernel("k", slow, warm=False)
    asked = []

    def stop() -> None:
        asked.append(1)
        if len(asked) == 4:
            raise Cancelled("enough")

    step = Step("main", (1 << 20, 1, 1), [Bound("o", 1)])
    work = engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], [Fresh(1, "u32", (64,))]), stop)
    with pytest.raises(Cancelled):
        finish(work)
    assert engine.memory().live_bytes == 0


def test_what_a_dispatch_reads_stays_until_it_is_done_whoever_frees_it(engine: WgpuEngine) -> None:
    adding = reflect(
        HEAD + "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
        "  o[g.x] = a[g.x] + 1u;\n}\n"
    )
    engine.add_kernel("k", adding, warm=False)
    data, type = np.arange(64, dtype=np.uint32), TensorType((64,), "u32")
    engine.upload(1, "me", type, Source(data.nbytes, data.tobytes()))
    step = Step("main", (1, 1, 1), [Bound("a", 1), Bound("o", 2)])
    work = engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], [Fresh(2, "u32", (64,))]), go)
    next(work)
    engine.free([1])
    engine.upload(3, "me", type, Source(data.nbytes, bytes(data.nbytes)))
    finish(work)
    assert np.frombuffer(take(engine, 2), np.uint32).tolist() == list(range(1, 65))
    engine.free([2, 3])
