"""Loops of guarded kernels on an adapter: each ends or is ended and named, by fuel or by the turns of the driver."""

from __future__ import annotations

import numpy as np
import pytest

from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.errors import DriverLoopLimit, FuelExhausted
from shaders.errors import KernelgateError
from shaders.reflect import reflect
from tests.host.engines import ADAPTER
from tests.host.guarded import HEAD, WORDS, guarded, kernel, words


@pytest.fixture
def turns(engine: WgpuEngine) -> None:
    if engine._guarded.kind != "turns":
        pytest.skip("this adapter does not count turns")


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
