"""The GPU thread by itself: in which order it does what has come, and what it announces."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from host import frames
from host.engine import Ahead, EngineSettings
from host.engine import Work as Steps
from host.engines.null import NullEngine
from host.process import unsealed
from host.task import Task
from host.worker import Worker
from ops.graph import Graph


def test_cancelled_work_ends_before_anybodys_next_slice() -> None:
    """Each owner has work of many steps; the last one's is cancelled in a step of another's."""
    posted: list[Any] = []
    tasks = [Task(frames.RunGraph(id, id, f"owner {id}", Graph([], []), [])) for id in range(1, 9)]

    class Stepping(NullEngine):
        def run_graph(self, request: frames.RunGraph, stop: Any) -> Steps:
            for number in range(20):
                yield Ahead()
                if request.id == 1 and number == 5:
                    tasks[-1].stopped = True
                    posted.append("cancelled")
                stop()
            return frames.Usage()

    def post(reply: Any, _: int | None) -> None:
        posted.append(reply)
        if sum(isinstance(each, frames.Done | frames.Failed) for each in posted) == len(tasks):
            worker.tasks.put(None)

    settings = EngineSettings("null")
    worker = Worker(settings, unsealed, post, lambda: None)
    for task in tasks:
        worker.tasks.put(task)
    worker._serve(Stepping(settings))
    after = posted[posted.index("cancelled") + 1 :]
    assert [(type(each).__name__, each.id) for each in after[:2]] == [("Started", 8), ("Failed", 8)]
    assert after[1].error.code == "cancelled"
    assert {each.id for each in after if isinstance(each, frames.Done)} == set(range(1, 8))


def test_a_small_transfer_is_announced_while_other_work_is_under_way() -> None:
    """The other work's clock would run for it."""
    posted: list[Any] = []

    class Stepping(NullEngine):
        def run_graph(self, request: frames.RunGraph, stop: Any) -> Steps:
            yield Ahead()
            worker.tasks.put(None)
            return frames.Usage()

    settings = EngineSettings("null")
    worker = Worker(settings, unsealed, lambda reply, _: posted.append(reply), lambda: None)
    worker.tasks.put(Task(frames.RunGraph(1, 1, "one", Graph([], []), [])))
    worker.tasks.put(Task(frames.Upload(2, 1, "other", "u32", (2,), 8, data=bytes(8))))
    worker.tasks.put(Task(frames.Download(3, 1)))
    worker._serve(Stepping(settings))
    got = [(type(each).__name__, each.id) for each in posted]
    assert got == [
        ("Started", 1),
        ("Started", 2),
        ("Done", 2),
        ("Started", 3),
        ("Downloaded", 3),
        ("Started", 1),
        ("Done", 1),
    ]


@pytest.mark.parametrize("settings", [EngineSettings("null"), EngineSettings("no such adapter")])
def test_however_it_ends_it_says_that_it_is_over(settings: EngineSettings) -> None:
    """Else the process would stay, without the thread that answers."""
    over: list[str] = []
    posted: list[Any] = []

    def seal(kind: str) -> Any:
        raise OSError("no walls")

    worker = Worker(settings, seal, lambda reply, _: posted.append(reply), lambda: over.append("over"))
    with pytest.raises(OSError, match="no walls") if settings.adapter == "null" else contextlib.nullcontext():
        worker.run()
    assert over == ["over"]
    assert all(isinstance(reply, frames.Failed) for reply in posted)
