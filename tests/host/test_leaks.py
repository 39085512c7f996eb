"""Whatever becomes of runs, a device's memory comes back: what tensors hold, and what plans and kernels took beside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from host import runner
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.errors import Cancelled, DeviceOutOfMemory
from host.frames import Bound, DispatchKernel, Fresh, RunGraph, Step
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from shaders.errors import KernelgateError
from shaders.reflect import reflect
from tests.host.engines import ADAPTER, go, put, take

MEMORY = 1 << 26
SIZE = 64
ENDLESS = """@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    while b[id.x] != 7u { b[id.x] = 3u; }
}
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=MEMORY, fuel=1 << 16))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _memory_comes_back(engine: WgpuEngine) -> Iterator[None]:
    """All but what the plans that are kept have for their parameters, whatever the pool has in reserve."""
    yield
    engine.free([1, 2])
    assert (engine.memory().live_bytes, engine.memory().tensors) == (0, 0)
    assert held(engine) == sum(each.parameters.nbytes for each in engine._runner._plans.values())


def held(engine: WgpuEngine) -> int:
    """Bytes of buffers that do not wait in the pool."""
    return engine._pool._budget.used - engine._pool.pooled_bytes


def product(turns: int, scale: float = 1.0) -> list[Node]:
    """Nodes of a graph of `turns` products of matrices, each a step of its own."""
    nodes = [
        Node("input", (), {"handle": 1, "shape": [SIZE, SIZE], "dtype": "f32"}),
        Node("full", (), {"shape": [], "value": scale, "dtype": "f32"}),
        Node("mul", (0, 1)),
    ]
    return nodes + [Node("matmul", (2 + number, 0)) for number in range(turns)]


def work(engine: WgpuEngine, nodes: list[Node], stop: Callable[[], None] = go, output: int = 2) -> Any:
    return engine.run_graph(RunGraph(1, 1, "me", Graph(nodes, [len(nodes) - 1]), [output]), stop)


def put_identity(engine: WgpuEngine) -> None:
    array = np.eye(SIZE, dtype=np.float32)
    put(engine, 1, array)


def test_runs_that_succeed_leave_their_outputs_and_nothing_else(engine: WgpuEngine) -> None:
    put_identity(engine)
    before = engine.memory().live_bytes
    for turns in range(1, 20):
        finish(work(engine, product(turns)))
        assert engine.memory().live_bytes == 2 * before
        engine.free([2])


def test_runs_that_fail_leave_nothing(engine: WgpuEngine) -> None:
    put_identity(engine)
    huge = Node("full", (), {"shape": [MEMORY // 8], "value": 1.0, "dtype": "f32"})
    failing: list[list[Node]] = [
        [*product(3), Node("matmul", (5, 5)), huge, Node("cumsum", (7,), {"axis": 0})],
        [Node("input", (), {"handle": 99, "shape": [2], "dtype": "f32"}), Node("neg", (0,))],
        [*product(1), Node("reshape", (3,), {"shape": [7]})],
    ]
    for nodes in failing:
        for _ in range(3):
            with pytest.raises(KernelgateError):
                finish(work(engine, nodes))
        assert engine.memory().tensors == 1


def test_an_upload_that_does_not_fit_leaves_nothing(engine: WgpuEngine) -> None:
    data = bytes(MEMORY + 4)
    with pytest.raises(DeviceOutOfMemory):
        engine.upload(1, "me", TensorType((len(data) // 4,), "f32"), Source(len(data), data))


@pytest.mark.parametrize("turn", [1, 2, 3, 5])
def test_a_run_that_is_cancelled_leaves_nothing_wherever_it_was(turn: int, engine: WgpuEngine) -> None:
    put_identity(engine)
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked == turn:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        finish(work(engine, product(200), stop))
    assert engine.memory().tensors == 1


def test_a_run_that_is_dropped_between_two_steps_leaves_nothing(engine: WgpuEngine) -> None:
    put_identity(engine)
    for steps in range(4):
        begun = work(engine, product(1000))
        for _ in range(steps):
            next(begun)
        begun.close()
    assert engine.memory().tensors == 1


def test_a_tensor_that_is_freed_during_a_run_is_gone_after_it(engine: WgpuEngine) -> None:
    put_identity(engine)
    begun = work(engine, product(100))
    next(begun)
    engine.free([1])
    assert engine.memory().live_bytes > 0
    finish(begun)
    assert engine.memory().tensors == 1


def test_whatever_comes_between_the_steps_of_planning_leaves_nothing_and_takes_nothing(
    engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pause is the end of a step: one run is dropped, another cancelled, and two make the same plan at once."""
    monkeypatch.setattr(engine, "_slice_ms", 0.0)
    put_identity(engine)
    nodes = [*product(90)[:-1], Node("sub", (91, 0))]
    for pauses in (1, 50, 150, 300):
        dropped, cancelled = work(engine, nodes), work(engine, nodes)
        for _ in range(pauses):
            next(dropped), next(cancelled)
        dropped.close()
        with pytest.raises(Cancelled):
            cancelled.throw(Cancelled("stopped"))
    begun, same = work(engine, nodes), work(engine, nodes, output=3)
    next(begun), next(same)
    engine.free([1])
    finish(begun), finish(same)
    assert take(engine, 2) == take(engine, 3) == bytes(4 * SIZE * SIZE)
    engine.free([3])


def test_a_dispatch_whose_loop_runs_out_leaves_nothing(engine: WgpuEngine) -> None:
    engine.add_kernel("endless", reflect(ENDLESS), warm=False)
    for _ in range(3):
        request = DispatchKernel(
            1, 1, "me", "endless", [Step("main", (1, 1, 1), [Bound("b", 2)])], [Fresh(2, "u32", (64,))]
        )
        with pytest.raises(KernelgateError):
            finish(engine.dispatch(request, go))
    engine.drop_kernel("endless")


def test_plans_that_are_dropped_for_others_give_their_parameters_back(
    engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_MOST_PLANS", 4)
    monkeypatch.setattr(engine, "_slice_ms", math.inf)
    put_identity(engine)
    begun = work(engine, product(60, 2.0))
    next(begun)
    next(begun)  # it is planned
    for turns in range(1, 12):
        finish(work(engine, product(turns, float(turns)), output=3))
        engine.free([3])
        assert len(engine._runner._plans) <= 4
    finish(begun)  # its plan was dropped meanwhile
    found = take(engine, 2)
    np.testing.assert_array_equal(
        np.frombuffer(found, np.float32), 2 * np.eye(SIZE, dtype=np.float32).reshape(-1)
    )


def test_one_plan_with_other_numbers_each_time_keeps_one_block_of_parameters(engine: WgpuEngine) -> None:
    put_identity(engine)
    finish(work(engine, product(2, 0.5)))
    before = held(engine)
    for scale in range(20):
        engine.free([2])
        finish(work(engine, product(2, float(scale))))
    assert held(engine) == before
