"""Planning takes turns: whoever plans much keeps nobody waiting for all of it, is stopped like other work, and pays."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host import frames
from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.process import unsealed
from host.task import Task
from host.worker import Worker
from ops.graph import Graph, Node
from tests.host.engines import ADAPTER, put, run_graph, take

SMALL = Graph([Node("input", (), {"handle": 1, "shape": [4], "dtype": "f32"}), Node("neg", (0,))], [1])
LARGE, MODEST = 10, 20
"""Requests of the owner who plans much, and of his neighbour."""


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    """Each pause ends a slice. The small graph is known."""
    opened = WgpuEngine(EngineSettings(ADAPTER, slice_ms=0.0, fuel=1 << 16))
    put(opened, 1, np.arange(4, dtype=np.float32))
    run_graph(opened, SMALL, [2])
    yield opened
    opened.close()


def large(seed: int) -> Graph:
    """A graph of a hundred ops in an order of its own."""
    chance = random.Random(seed)
    ops = [chance.choice(("neg", "abs", "relu", "sign")) for _ in range(100)]
    return Graph([SMALL.nodes[0], *(Node(op, (number,)) for number, op in enumerate(ops))], [100])


def serve(engine: WgpuEngine, *requests: Any, cancelled_after: int | None = None) -> list[Any]:
    """What is said until all of `requests`, which are there from the beginning, are answered."""
    posted: list[Any] = []
    tasks = [Task(request) for request in requests]

    def post(reply: Any, _: int | None) -> None:
        posted.append(reply)
        tasks[0].stopped |= len(posted) == cancelled_after
        if sum(not isinstance(each, frames.Started | frames.Progressed) for each in posted) == len(tasks):
            worker.tasks.put(None)

    worker = Worker(EngineSettings(slice_ms=0.0), unsealed, post, lambda: None)
    for task in tasks:
        worker.tasks.put(task)
    worker._serve(engine)
    return posted


def graph(id: int, owner: str, graph: Graph, deadline_s: float | None = None) -> frames.RunGraph:
    return frames.RunGraph(id, id, owner, graph, [id], deadline_s)


def test_a_neighbours_graph_is_over_long_before_large_ones_that_came_first_are_planned(
    engine: WgpuEngine,
) -> None:
    asked = [graph(LARGE + number, "greedy", large(number)) for number in range(3)]
    said = serve(engine, *asked, graph(MODEST, "modest", SMALL))
    over = [reply.id for reply in said if isinstance(reply, frames.Done)]
    assert over == [MODEST, LARGE, LARGE + 1, LARGE + 2]
    steps = [reply.id for reply in said if isinstance(reply, frames.Started)]
    assert steps.count(LARGE) > 200
    assert take(engine, MODEST) == np.negative(np.arange(4, dtype=np.float32)).tobytes()
    engine.free([LARGE, LARGE + 1, LARGE + 2, MODEST])


def test_one_that_is_explained_takes_turns_too(engine: WgpuEngine) -> None:
    explained = frames.Explain(LARGE, LARGE, "greedy", large(10))
    said = serve(engine, explained, graph(MODEST, "modest", SMALL))
    assert [type(reply) for reply in said if not isinstance(reply, frames.Started)] == [
        frames.Done,
        frames.Explained,
    ]
    assert said[-1].text.splitlines()[0].startswith("4 steps")
    engine.free([MODEST])


def test_planning_is_watched_as_what_may_compile_and_no_slice(engine: WgpuEngine) -> None:
    said = serve(engine, graph(LARGE, "greedy", large(20)))
    starts = [reply.slice for reply in said if isinstance(reply, frames.Started)]
    assert len(starts) > 200
    assert not any(starts[:200])
    engine.free([LARGE])


@pytest.mark.parametrize(
    "request_", [graph(LARGE, "me", large(30)), frames.Explain(LARGE, LARGE, "me", large(30))]
)
def test_planning_ends_when_its_request_is_cancelled(engine: WgpuEngine, request_: Any) -> None:
    before = engine.memory()
    said = serve(engine, request_, cancelled_after=50)
    assert len(said) == 51
    assert said[-1].error.code == "cancelled"
    assert engine.memory() == before


def test_planning_counts_against_the_deadline_of_its_request(engine: WgpuEngine) -> None:
    said = serve(engine, graph(LARGE, "me", large(40), deadline_s=0.0))
    assert len(said) < 10
    assert said[-1].error.code == "device_timeout"


def test_what_was_planned_anew_costs_more_than_what_is_found(engine: WgpuEngine) -> None:
    asked = large(50)
    first, *again = (serve(engine, graph(LARGE + n, "me", asked))[-1].usage for n in range(6))
    quickest = min(usage.device_ms for usage in again)  # any may have been kept from the processor
    assert first.device_ms > quickest > 0
    assert {usage.dispatches for usage in (first, *again)} == {4}
    engine.free([LARGE + n for n in range(6)])
