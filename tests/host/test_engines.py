"""The three engines behind the frames, which are alike in their checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host.engine import Engine, EngineSettings, finish, open_engine
from host.errors import (
    BindingMismatch,
    Cancelled,
    DeviceOutOfMemory,
    DispatchSizeError,
    UnknownHandle,
    UnknownKernel,
)
from host.frames import Bound, DispatchKernel, Fresh, RunGraph, Step
from ops.graph import Graph, Node, TensorType
from ops.wire import FrameError
from shaders.errors import KernelgateError
from tests.host.engines import ADAPTER, MEMORY, dispatch, get, go, put, run_graph, source

pytestmark = pytest.mark.usefixtures("everything_is_given_back")


@pytest.fixture(scope="module", params=["null", "numpy", ADAPTER])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = open_engine(EngineSettings(request.param, memory_bytes=MEMORY))
    yield opened
    opened.close()


def test_tensors_come_and_go(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    assert engine.type(1) == TensorType((10,), "u32")
    assert engine.memory().tensors == 1
    assert engine.memory().live_bytes >= 40
    assert get(engine, 1).size == 10
    engine.free([1, 1, 2])
    for use in [lambda: engine.type(1), lambda: get(engine, 1)]:
        with pytest.raises(UnknownHandle):
            use()


def test_a_handle_is_made_once(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    for make in [
        lambda: put(engine, 1, np.arange(10, dtype=np.uint32)),
        lambda: run_graph(engine, Graph([source(1, 10)], [0]), [1]),
        lambda: run_graph(engine, Graph([source(1, 10)], [0, 0]), [2, 2]),
    ]:
        with pytest.raises(FrameError, match="exist already"):
            make()


def test_a_tensor_over_the_budget_is_refused(engine: Engine) -> None:
    full = Node("full", (), {"shape": [MEMORY // 4 + 1], "value": 1})
    with pytest.raises(DeviceOutOfMemory, match=r"\d"):
        run_graph(engine, Graph([full], [0]), [1])


def test_a_graph_that_lies_about_its_inputs_is_refused(engine: Engine) -> None:
    put(engine, 1, np.arange(10, dtype=np.uint32))
    run_graph(engine, Graph([source(1, 10), Node("neg", (0,))], [1]), [2])
    put(engine, 3, np.arange(5, dtype=np.uint32))
    for wrong in [source(3, 10), source(1, 5), source(1, 10, dtype="f32")]:
        with pytest.raises(KernelgateError, match="takes tensor"):
            run_graph(engine, Graph([wrong, Node("neg", (0,))], [1]), [4])
    with pytest.raises(UnknownHandle):
        run_graph(engine, Graph([source(9, 10), Node("neg", (0,))], [1]), [4])


def test_a_graph_is_explained_or_refused_and_nothing_is_made(engine: Engine) -> None:
    nodes = [source(1, 10), Node("neg", (0,)), Node("sum", (1,))]
    text = finish(engine.explain(Graph(nodes, [2]), False, go))
    assert "neg, sum" in text or f"{engine.info.name} computes 3 nodes" in text
    with pytest.raises(KernelgateError, match="no op"):
        finish(engine.explain(Graph([Node("nothing")], [0]), True, go))
    assert engine.memory().tensors == 0


def test_a_cancelled_job_makes_nothing(engine: Engine, kernels: Any) -> None:
    def stop() -> None:
        raise Cancelled("stopped")

    engine.add_kernel("k", kernels.double, False)
    put(engine, 1, np.arange(10, dtype=np.uint32))
    nodes = [source(1, 10), Node("neg", (0,))]
    with pytest.raises(Cancelled):
        finish(engine.run_graph(RunGraph(1, 1, "me", Graph(nodes, [1]), [2]), stop))
    step = Step("main", (1, 1, 1), [Bound("a", 1), Bound("b", 2)])
    with pytest.raises(Cancelled):
        finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], [Fresh(2, "u32", (10,))]), stop))
    assert engine.memory().tensors == 1


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (UnknownKernel, {"kernel": "other"}),
        (DispatchSizeError, {"workgroups": (1 << 26, 1, 1)}),
        (DispatchSizeError, {"workgroups": (65535, 65535, 65535)}),
    ],
)
def test_a_wrong_dispatch_is_refused_alike(
    engine: Engine, kernels: Any, error: type[Exception], change: dict[str, Any]
) -> None:
    engine.add_kernel("k", kernels.double, False)
    put(engine, 1, np.arange(10, dtype=np.uint32))
    with pytest.raises(error):
        dispatch(engine, Bound("a", 1), fresh=Fresh(2, "u32", (10,)), **change)
    with pytest.raises(BindingMismatch, match="'b'"):
        dispatch(engine, Bound("a", 1))


def test_a_reflection_that_lies_is_refused_alike(engine: Engine, kernels: Any) -> None:
    with pytest.raises(FrameError):
        engine.add_kernel("k", kernels.reflection("", kernels.binding("a", 0, group=9)), False)
