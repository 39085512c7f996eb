"""Guarded kernels on an adapter: the numbers are those without the guard, every loop ends, slices, clean memory."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.errors import Cancelled, DriverLoopLimit, FuelExhausted
from host.frames import Bound, DispatchKernel, Fresh, Step, Uniform
from host.kernels import groups_of
from host.native import Program, Slot
from host.shared import Source
from ops.graph import TensorType
from shaders.errors import KernelgateError
from shaders.reflect import reflect
from shaders.reflection import BindingInfo, Reflection
from tests.host.engines import ADAPTER, go, take

ROOT = Path(__file__).parents[2]
CORPUS = [
    *sorted((ROOT / "examples").glob("*.wgsl")),
    *sorted((ROOT / "tests" / "shaders" / "golden").glob("*.wgsl")),
    *sorted((ROOT / "tests" / "shaders" / "guard" / "golden").glob("*.before.wgsl")),
]
WORDS = 4096
HEAD = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    engine = WgpuEngine(EngineSettings(adapter=ADAPTER, slice_ms=2.0))
    yield engine
    engine.close()


@pytest.fixture
def turns(engine: WgpuEngine) -> None:
    if engine._guarded.kind != "turns":
        pytest.skip("this adapter does not count turns")


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


def kernel(body: str, before: str = "", size: str = "64") -> Reflection:
    builtins = (
        "@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>, "
        "@builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) l: u32"
    )
    return reflect(f"{HEAD}{before}@compute @workgroup_size({size}) fn main({builtins}) {{\n{body}\n}}\n")


ENDLESS = {
    "loop": "loop { }",
    "while": "while (true) { o[1] += 1u; }",
    "for": "for (;;) { o[1] += 1u; }",
    "for_that_wraps": "for (var i = 1; i != 0; i += 2) { o[1] += 1u; }",
    "nested": "for (var i = 0u; i < 0xfffffu; i++) {\n for (var j = 0u; j < 0xfffffu; j++) { o[1] += 1u; } }",
    "static_nest": "for (var a = 0u; a < 64u; a++) { for (var b = 0u; b < 64u; b++) {"
    " for (var c = 0u; c < 64u; c++) { for (var e = 0u; e < 64u; e++) { o[1] += e; } } } }",
    "continue": "var i = 0u; loop { continue; continuing { i++; } } o[0] = i;",
    "break_if_never": "var i = 0u; loop { i++; continuing { break if i == 0u; } } o[0] = i;",
    "in_continuing": "var i = 0u; loop { if (i > 3u) { break; } continuing { i++; loop { o[1] += 1u; } } }",
    "switch_in_loop": "loop { switch (o[3]) { case 9u: { loop { o[1] += 1u; } } default: { break; } } }",
    "function": "o[0] = f();",
    "divergent": "while (atomicLoad(&t[0]) == 0u) { if (l == 99u) { atomicStore(&t[0], 1u); } }",
    "barrier": "loop { atomicAdd(&t[l], 1u); workgroupBarrier(); }",
    "barrier_in_helper": "h(l); h(l); o[0] = 1u;",
    "barrier_around_uneven": "for (var k = 0u; k < 1000000u; k++) {\n"
    " for (var j = 0u; j < l * 1000u + 5u; j++) { atomicAdd(&t[l], 1u); } workgroupBarrier(); }",
}
BEFORE = (
    "var<workgroup> t: array<atomic<u32>, 64>;\n"
    "fn f() -> u32 { loop { if (o[3] == 9u) { return 1u; } } return 2u; }\n"
    "fn h(l: u32) { loop { atomicAdd(&t[l], 1u); workgroupBarrier(); } }\n"
)


@pytest.mark.parametrize("name", ENDLESS)
def test_a_loop_that_does_not_end_is_ended_and_named(engine: WgpuEngine, name: str) -> None:
    endless = kernel(ENDLESS[name], BEFORE)
    with pytest.raises((FuelExhausted, DriverLoopLimit)) as caught:
        guarded(engine, endless, (4, 1, 1), fuel=1 << 20)
    error = caught.value
    assert error.line is not None
    assert error.column is not None
    assert error.snippet is not None
    pointed_at = endless.source.split("\n")[error.line - 1][error.column - 1 :]
    assert pointed_at.startswith(("loop", "while", "for"))
    assert engine.memory().live_bytes == 0


def test_the_inner_loop_that_drew_the_last_is_named(engine: WgpuEngine) -> None:
    with pytest.raises(KernelgateError) as caught:
        guarded(
            engine,
            kernel("for (var i = 0u; i < o[1] + 9u; i++) {\n  while (o[2] < 9u) { o[3] += 1u; }\n}"),
            (1, 1, 1),
        )
    assert (caught.value.line, caught.value.column) == (4, 3)


def test_the_loop_that_drew_the_last_is_named_and_not_one_that_found_nothing(engine: WgpuEngine) -> None:
    with pytest.raises(KernelgateError) as caught:
        guarded(
            engine, kernel("while (o[2] < 9u) { o[3] += 1u; }\nwhile (o[2] < 9u) { o[3] += 1u; }"), (1, 1, 1)
        )
    assert caught.value.line == 3


def test_a_dispatch_can_ask_for_less_fuel(engine: WgpuEngine) -> None:
    counting = kernel("for (var i = 0u; i < 1000u + o[9]; i++) { o[10] += 1u; }", size="1")
    guarded(engine, counting, (1, 1, 1))
    with pytest.raises(FuelExhausted, match="line 3"):
        guarded(engine, counting, (1, 1, 1), fuel=500)


def test_a_loop_that_is_paid_for_beforehand_needs_its_price_and_no_more(engine: WgpuEngine) -> None:
    counting = kernel("let m = 1000u + o[9] / 8u; for (var i = 0u; i < m; i++) { o[10] += i; }", size="1")
    assert counting.guard is not None
    (loop,) = counting.guard.loops
    price = 1000 * (loop.turns if engine._guarded.kind == "turns" else loop.fuel)
    price += 0 if engine._guarded.kind == "turns" else counting.guard.entries["main"].fuel
    guarded(engine, counting, (1, 1, 1), fuel=price)
    with pytest.raises(FuelExhausted, match="line 3"):
        guarded(engine, counting, (1, 1, 1), fuel=price - 1)


@pytest.mark.parametrize(
    ("bounds", "turns"),
    [
        ("-3; i < i32(o[9] / 8u) + 4", 7),
        ("5; i < i32(o[9] / 8u)", 0),
        ("-2147483648; i < k - 2147483647", 1),
        ("k + 2147483646; i < 2147483647", 1),
        ("i32(k); i < 3", 3),
        ("0xfffffff0u; i < 0xffffffffu", 15),
        ("u32(k); i < 0u", 0),
    ],
)
def test_bounds_at_the_ends_of_their_types_are_counted_right(
    engine: WgpuEngine, bounds: str, turns: int
) -> None:
    bounds = bounds.replace("o[9] / 8u", "u32(k)")
    body = f"let k = i32(o[9] / 8u); var x = 0u; for (var i = {bounds}; i++) {{ x += 1u; }} o[16] = x;"
    counting = kernel(body, size="1")
    assert counting.guard is not None
    assert "_wf_turns" in counting.guard.source
    assert np.frombuffer(guarded(engine, counting, (1, 1, 1))["o"], np.uint32)[16] == turns


def test_a_loop_over_all_numbers_is_refused_before_it_begins(engine: WgpuEngine) -> None:
    body = "let k = i32(o[9] / 8u) - 2147483647; for (var i = k; i < 2147483647; i++) { o[10] += 1u; }"
    with pytest.raises((FuelExhausted, DriverLoopLimit)) as caught:
        guarded(engine, kernel(body), (4, 1, 1))
    assert caught.value.line == 3


def test_turns_up_to_the_driver_s_limit_are_right_and_beyond_it_refused(
    engine: WgpuEngine, turns: None
) -> None:
    body = "var x = 0u; for (var i = 0u; i < %du + o[9] / 8u; i++) { x = x * 3u + i; } o[g.x + 16u] = x;"
    found = np.frombuffer(guarded(engine, kernel(body % 64_990), (1, 1, 1))["o"], np.uint32)
    x = 0
    for i in range(64_990):
        x = (x * 3 + i) & 0xFFFFFFFF
    assert found[16:80].tolist() == [x] * 64
    with pytest.raises(DriverLoopLimit, match="65,535 turns"):
        guarded(engine, kernel(body % 65_001), (1, 1, 1))


def test_invocations_that_turn_apart_get_the_smaller_budget_and_right_numbers(
    engine: WgpuEngine, turns: None
) -> None:
    body = (
        "var x = 0u; for (var i = 0u; i < 8u + o[9] / 8u; i++) {"
        " var j = 0u; while (j < %du * u32(l %% 8u == i)) { x += j; j++; } } o[g.x + 16u] = x;"
    )
    found = np.frombuffer(guarded(engine, kernel(body % 8000), (1, 1, 1))["o"], np.uint32)
    assert found[16:80].tolist() == [8000 * 7999 // 2] * 64
    with pytest.raises(DriverLoopLimit):
        guarded(engine, kernel(body % 9000), (1, 1, 1))


@pytest.mark.parametrize(
    "body",
    [
        "if (l %% 2u == 1u) { f(g.x, %du); return; } f(g.x, %du);",
        "odd(g.x, l + 1u, %du); odd(g.x, l, %du);",
    ],
)
def test_loops_that_some_invocations_run_instead_of_others_get_the_smaller_budget_and_right_numbers(
    engine: WgpuEngine, turns: None, body: str
) -> None:
    before = (
        "fn f(x: u32, n: u32) { var s = 0u; for (var i = 0u; i < n + o[9] / 8u; i++) { s += i; } o[x + 16u] = s; }"
        "fn odd(x: u32, l: u32, n: u32) { if (l % 2u == 1u) { return; } f(x, n); }"
    )
    found = np.frombuffer(guarded(engine, kernel(body % (8000, 8000), before), (1, 1, 1))["o"], np.uint32)
    assert found[16:80].tolist() == [8000 * 7999 // 2] * 64
    with pytest.raises(DriverLoopLimit):
        guarded(engine, kernel(body % (60_000, 60_000), before), (1, 1, 1))


@pytest.mark.parametrize(
    "loop",
    [
        "loop { STEP if n >= s[g.x] { break; } REST }",
        "loop { STEP if n < s[g.x] { REST continue; } break; }",
        "loop { STEP REST continuing { break if n >= s[g.x]; } }",
        "for (var k = 0u; k < 100u; k++) { STEP if n >= s[g.x] { break; } REST }",
        "for (var k = 0u; k < s[g.x] + 100u; k++) { STEP if n >= s[g.x] { break; } REST }",
        "for (var k = 0u; k < 1u; k++) { loop { STEP if n >= s[g.x] { break; } REST } }",
    ],
)
def test_invocations_that_leave_a_loop_in_its_midst_keep_their_own_values(
    engine: WgpuEngine, loop: str
) -> None:
    """Without anything added to them llvmpipe gives those that leave such loops first values of later turns."""
    step, rest = "x = x * 31u + n; n++;", "if x == 77u { x = 78u; }"
    source = (
        HEAD + "@group(0) @binding(1) var<storage, read> s: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
        "  var x = g.x; var n = s[0] / 8u;  // 0, which no compiler knows\n"
        f"  {loop.replace('STEP', step).replace('REST', rest)}\n  o[g.x] = x;\n}}"
    )
    kernel = reflect(source)
    turns = words(next(info for info in kernel.bindings if info.name == "s")).clip(1)
    expected = np.arange(WORDS, dtype=np.uint32)
    for turn in range(turns.max()):
        expected = np.where(turn < turns, expected * np.uint32(31) + np.uint32(turn), expected)
    found = guarded(engine, kernel, (WORDS // 64, 1, 1))["o"]
    np.testing.assert_array_equal(np.frombuffer(found, np.uint32), expected)


def test_loops_of_known_length_count_too_where_the_driver_counts(engine: WgpuEngine, turns: None) -> None:
    loops = "for (var i = 0u; i < 200u; i++) { s += 1u; }\n" * 100
    before = f"fn many() -> u32 {{ var s = 0u;\n{loops} return s; }}\n"
    with pytest.raises(DriverLoopLimit, match="before any is counted"):
        guarded(engine, kernel("o[0] = many() + many() + many() + many();", before), (1, 1, 1))


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


def test_fuel_is_measured_where_no_driver_counts_turns(engine: WgpuEngine) -> None:
    measured = WgpuEngine(EngineSettings(adapter=ADAPTER))
    try:
        if measured._guarded.kind == "turns":
            measured._guarded.kind = "fuel"
            measured._guarded.set_fuel(None)
        assert 1 << 22 <= measured._guarded.fuel < 1 << 32
        heavy = reflect(
            f"{HEAD}fn f() {{ for (var i = 0u; i < 99u; i++) {{ o[i] += 1u; }} }}\n"
            f"@compute @workgroup_size(1) fn main() {{ {'f();' * 500} }}"
        )
        with pytest.raises(
            FuelExhausted, match="before any loop is counted, and has 9,999, what the request"
        ):
            guarded(measured, heavy, (1, 1, 1), fuel=9_999)
    finally:
        measured.close()
