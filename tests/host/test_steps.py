"""Dispatches of several steps: shared arrays, constants, budgets by whose they are, and how far they are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host.engine import Engine, EngineSettings, finish, open_engine
from host.engines.wgpu import WgpuEngine
from host.errors import (
    BindingMismatch,
    DispatchSizeError,
    DriverLoopLimit,
    FuelExhausted,
    KernelCompileError,
    UnknownHandle,
    UnknownKernel,
)
from host.frames import Argument, Bound, DispatchKernel, Fresh, Step, Uniform
from host.shared import Source
from ops.graph import TensorType
from ops.wire import FrameError
from shaders.constant_values import OverrideError
from shaders.reflect import reflect
from tests.host.engines import ADAPTER, go, take

pytestmark = pytest.mark.usefixtures("everything_is_given_back")
KERNEL = reflect(
    """
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<uniform> more: u32;
override scale: u32 = 2u;
@id(4) override shift: u32;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] * scale; }
}
@compute @workgroup_size(8, 2)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y == 0u && id.x < arrayLength(&dst)) { dst[id.x] += more + shift; }
}
@compute @workgroup_size(1)
fn turn(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var i = 0u; i < 4000u + more; i++) { x = x * 1664525u + 1013904223u; }
    dst[id.x % arrayLength(&dst)] = x;
}
"""
)


@pytest.fixture(scope="module")
def gpu() -> Iterator[WgpuEngine]:
    engine = WgpuEngine(EngineSettings(ADAPTER, slice_ms=2.0))
    engine.add_kernel("k", KERNEL, warm=True)
    yield engine
    engine.close()


def put(engine: Engine, handle: int, count: int = 100) -> None:
    data = np.arange(count, dtype=np.uint32).tobytes()
    engine.upload(handle, "me", TensorType((count,), "u32"), Source(len(data), data))


def get(engine: Engine, handle: int) -> list[int]:
    data = take(engine, handle)
    return np.frombuffer(data, np.uint32).tolist()


def double(src: int, dst: int, **constants: float) -> Step:
    return Step("double", (2, 1, 1), [Bound("src", src), Bound("dst", dst)], constants)


def add(dst: int, number: int, **constants: float) -> Step:
    arguments: list[Argument] = [Bound("dst", dst), Uniform("more", number.to_bytes(4, "little"))]
    return Step("add", (13, 1, 1), arguments, constants)


def turn(dst: int, groups: int, more: int = 0) -> Step:
    arguments: list[Argument] = [Bound("dst", dst), Uniform("more", more.to_bytes(4, "little"))]
    return Step("turn", (groups, 1, 1), arguments)


def fresh(handle: int, count: int = 100, **more: Any) -> Fresh:
    return Fresh(handle, "u32", (count,), **more)


def dispatch(engine: Engine, steps: list[Step], made: list[Fresh], **more: Any) -> Any:
    return finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", steps, made, **more), go))


def test_arrays_carry_their_contents_from_step_to_step_and_temporaries_go(gpu: WgpuEngine) -> None:
    put(gpu, 1)
    steps = [double(1, 2), double(2, 3), add(3, 5, shift=1), double(3, 2)]
    usage = dispatch(gpu, steps, [fresh(2), fresh(3, temporary=True)])
    assert get(gpu, 2) == [(4 * n + 6) * 2 for n in range(100)]
    with pytest.raises(UnknownHandle):
        gpu.type(3)
    assert (usage.dispatches, usage.threads) == (4, 3 * 128 + 13 * 16)
    assert usage.bytes == 3 * 800 + 400


def test_a_step_may_read_an_array_before_another_writes_it(gpu: WgpuEngine) -> None:
    put(gpu, 1)
    dispatch(gpu, [double(2, 3), double(3, 2)], [fresh(2, initial=1), fresh(3)])
    assert get(gpu, 3) == [2 * n for n in range(100)]
    assert get(gpu, 2) == [4 * n for n in range(100)]
    assert get(gpu, 1) == list(range(100)), "the initial tensor is not written"


def test_each_step_has_constants_and_uniforms_of_its_own(gpu: WgpuEngine) -> None:
    put(gpu, 1)
    pipelines = gpu.memory().pipelines
    steps = [double(1, 2, scale=3), add(2, 1, shift=0), add(2, 10, shift=0), add(2, 1, shift=100)]
    for _ in range(2):
        dispatch(gpu, steps, [fresh(2)])
        assert get(gpu, 2) == [3 * n + 112 for n in range(100)]
        assert gpu.memory().pipelines == pipelines + 3
        gpu.free([2])


def test_a_thousand_steps_take_no_memory_each(gpu: WgpuEngine) -> None:
    usage = dispatch(gpu, [add(2, 1, shift=0) for _ in range(1000)], [fresh(2)])
    assert get(gpu, 2) == [1000] * 100
    assert usage.dispatches == 1000
    assert usage.peak_bytes < 1 << 16


def test_steps_without_workgroups_leave_zeros_and_initial_values(gpu: WgpuEngine) -> None:
    put(gpu, 1)
    step = Step("double", (0, 1, 1), [Bound("src", 1), Bound("dst", 2)])
    usage = dispatch(gpu, [step, step], [fresh(2, initial=1)])
    assert get(gpu, 2) == list(range(100))
    assert (usage.dispatches, usage.threads, usage.bytes) == (0, 0, 0)


@pytest.fixture(scope="module", params=["null", ADAPTER])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = open_engine(EngineSettings(request.param))
    opened.add_kernel("k", KERNEL, warm=False)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("steps", "made", "error", "message"),
    [
        (
            [double(1, 2), double(2, 2)],
            [fresh(2)],
            BindingMismatch,
            r"steps\[1\]: bindings 'src' and 'dst' have",
        ),
        (
            [double(2, 2)],
            [fresh(2)],
            BindingMismatch,
            "^bindings 'src' and 'dst' have the same array, and 'dst'",
        ),
        ([double(1, 2), double(2, 1)], [fresh(2)], BindingMismatch, r"steps\[1\]: binding 'dst' is written"),
        ([double(1, 9)], [], UnknownHandle, "no tensor 9"),
        (
            [double(1, 2), Step("no", (1, 1, 1), [])],
            [fresh(2)],
            UnknownKernel,
            r"steps\[1\]: .*no entry point 'no'",
        ),
        ([Step("double", (1 << 26, 1, 1), [])], [], DispatchSizeError, "workgroups.x"),
        (
            [double(1, 2)],
            [fresh(2, 3, initial=1)],
            BindingMismatch,
            r"initial value of an output is u32 \[100\]",
        ),
        ([double(1, 2)], [fresh(2, initial=77)], UnknownHandle, "no tensor 77"),
        (
            [double(1, 2, scale=float("nan"))],
            [fresh(2)],
            OverrideError,
            "'scale' takes u32, which cannot hold nan",
        ),
        ([double(1, 2, scale=1e300)], [fresh(2)], OverrideError, "'scale' takes u32"),
        ([double(1, 2)], [fresh(2), fresh(1)], FrameError, "exist already"),
    ],
)
def test_what_does_not_fit_is_refused_alike_and_makes_nothing(
    engine: Engine, steps: list[Step], made: list[Fresh], error: type[Exception], message: str
) -> None:
    put(engine, 1)
    with pytest.raises(error, match=message):
        dispatch(engine, steps, made)
    assert engine.memory().tensors == 1


def test_a_value_that_the_compiler_refuses_is_an_error_of_the_kernel(gpu: WgpuEngine) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>; override by: u32 = 1u;\n"
        "@compute @workgroup_size(1) fn main() { o[0] = 10u / by; }"
    )
    with pytest.raises(KernelCompileError, match="Division by zero"):
        gpu.add_kernel("division", reflect(source), True, {"by": 0})


def test_the_least_budget_wins_and_the_error_says_whose_it_was(gpu: WgpuEngine) -> None:
    most = {"the key's fuel": 900, "the run's limits.fuel": 2000}
    for fuel, expected in [(None, "900, the key's fuel"), (500, "500, what the request asks for")]:
        with pytest.raises(FuelExhausted, match=f"fuel: {expected}"):
            dispatch(gpu, [turn(2, 1)], [fresh(2)], fuel=fuel, most_fuel=most)
    dispatch(gpu, [turn(2, 1)], [fresh(2)], fuel=100_000_000, most_fuel={"the server's max_fuel": 90_000_000})


def test_a_later_step_that_runs_out_is_named_and_nothing_is_made(gpu: WgpuEngine) -> None:
    with pytest.raises(FuelExhausted, match=r"steps\[1\]: the loop at line 18"):
        dispatch(
            gpu,
            [turn(2, 1), turn(2, 1, more=10_000)],
            [fresh(2)],
            fuel=100_000 if gpu._guarded.kind == "fuel" else 5000,
        )
    assert gpu.memory().tensors == 0


def test_the_driver_s_own_limit_is_told_apart(gpu: WgpuEngine) -> None:
    if gpu._guarded.kind != "turns":
        pytest.skip("this adapter does not count turns")
    with pytest.raises(DriverLoopLimit):
        dispatch(gpu, [turn(2, 1, more=1 << 20)], [fresh(2)], fuel=1 << 31)


def test_work_says_how_far_it_is_between_slices(gpu: WgpuEngine) -> None:
    request = DispatchKernel(1, 1, "me", "k", [turn(2, 3000), turn(2, 1000)], [fresh(2)])
    told = [ahead.fraction for ahead in gpu.dispatch(request, go)]
    assert told[0] is None
    fractions = [fraction for fraction in told if fraction is not None]
    assert len(fractions) >= 2
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] <= fractions[-1] < 1
    assert 0.75 in fractions, "between the steps"


def test_work_is_cold_where_it_compiles_and_at_a_pipeline_s_first_dispatch_only(gpu: WgpuEngine) -> None:
    def cold(handle: int) -> list[bool]:
        request = DispatchKernel(1, 1, "me", "k", [add(handle, 1, shift=77.0)], [fresh(handle)])
        return [ahead.cold for ahead in gpu.dispatch(request, go)]

    first, second = cold(2), cold(3)
    assert first[0]
    assert not any(first[1:] + second)


def test_a_device_s_own_clock_agrees_with_ours_and_changes_no_numbers(gpu: WgpuEngine) -> None:
    if "timestamp-query" not in gpu.info.features:
        pytest.skip("this adapter has no clock")
    timed = WgpuEngine(EngineSettings(ADAPTER, slice_ms=2.0))
    try:
        timed._gpu.keep_time()
        timed.add_kernel("k", KERNEL, warm=True)
        began = time.perf_counter()
        usage = dispatch(timed, [turn(2, 3000)], [fresh(2, 3000)])
        seen_ms = (time.perf_counter() - began) * 1e3
        share = 10 if timed.info.kind == "cpu" else 1000  # of a GPU's request most is the way there and back
        assert seen_ms / share < usage.device_ms < seen_ms
        dispatch(gpu, [turn(2, 3000)], [fresh(2, 3000)])
        assert get(timed, 2) == get(gpu, 2)
    finally:
        timed.close()
