"""What it costs to plan a graph of one or two thousand nodes, to find its plan again, and to do it again.

Run as `python bench/plans.py [adapter]`. All figures are the processor's time of the thread that does it, at best,
since on a shared machine wall clocks lie.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import timing

from host import planner
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.frames import RunGraph
from host.native import Run
from host.placement import Storage, least, place
from host.planner import make_plan
from host.shared import Source
from host.structure import structure
from ops.graph import Graph, Node, TensorType
from ops.lower import CPU, MAPPED
from ops.validate import validate

_PARAMETERS = 10**9
"""Handles of the tensors that graphs read; outputs have others."""
_handles = itertools.count(1)


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    timing.header()
    engine = WgpuEngine(EngineSettings(argv[0] if argv else "cpu"))
    for shape in ((64,), (64, 64)):
        array = np.random.default_rng(len(shape)).standard_normal(shape, dtype=np.float32)
        source = Source(array.nbytes, array.tobytes())
        engine.upload(_PARAMETERS + len(shape), "me", TensorType(shape, "f32"), source)
    for layers, most_planned in ((77, 0.1), (143, 0.2)):
        graph = network(layers, 0.1)
        planning(graph, "", most_planned)
        planning(network_without_repeats(layers), ", no two layers alike", most_planned)
        found = best(lambda layers=layers: structure(network(layers, 0.1)).key, 9)
        found -= best(lambda layers=layers: network(layers, 0.1), 9)
        timing.row("its key", f"{found * 1e3:.1f} ms", "< 5 ms", found < 5e-3)
        replay(engine, graph)
        encoding(engine, graph)
        memory(graph)
    engine.close()


def network(layers: int, rate: float, width: int = 64) -> Graph:
    """A graph of about fourteen nodes a layer, of which three are parameters; `rate` is a number in it."""
    nodes: list[Node] = []

    def add(op: str, *inputs: int, **attributes: Any) -> int:
        nodes.append(Node(op, inputs, attributes))
        return len(nodes) - 1

    def given(*shape: int) -> int:
        return add("input", handle=_PARAMETERS + len(shape), shape=list(shape), dtype="f32")

    x, weights = given(width, width), []
    for _ in range(layers):
        w, bias = given(width, width), given(width)
        y = add("relu", add("add", add("matmul", x, w), bias))
        centred = add("sub", y, add("mean", y, axes=[1], keepdim=True))
        step = add("tanh", add("mul", centred, add("full", shape=[], value=rate, dtype="f32")))
        x = add("add", x, step)
        turned = add("transpose", step, axis0=0, axis1=1)
        weights.append(add("sub", w, add("softmax", turned, axis=1)))
    return Graph(nodes, [*weights, x])


def network_without_repeats(layers: int, width: int = 64) -> Graph:
    """A graph of thirteen nodes a layer, no two of which are of the same shapes."""
    nodes: list[Node] = []

    def add(op: str, *inputs: int, **attributes: Any) -> int:
        nodes.append(Node(op, inputs, attributes))
        return len(nodes) - 1

    def given(*shape: int) -> int:
        return add("input", handle=_PARAMETERS + len(nodes), shape=list(shape), dtype="f32")

    x, shares = given(width, width), []
    for inner, outer in itertools.pairwise(range(width, width + layers + 1)):
        y = add("relu", add("add", add("matmul", x, given(inner, outer)), given(outer)))
        centred = add("sub", y, add("mean", y, axes=[1], keepdim=True))
        step = add("tanh", add("mul", centred, add("full", shape=[], value=0.1, dtype="f32")))
        shares.append(add("softmax", add("transpose", step, axis0=0, axis1=1), axis=1))
        x = add("add", step, y)
    return Graph(nodes, [*shares, x])


def planning(graph: Graph, what: str, most: float) -> None:
    """What it costs to check and to plan a graph that is new."""
    types, count = validate(graph), len(graph.nodes)
    checked, planned = best(lambda: validate(graph), 5), best(lambda: make_plan(graph, types, CPU), 5)
    figure = f"{planned * 1e3:.0f} ms, and {checked * 1e3:.0f} to check it"
    timing.row(f"planning {count} nodes{what}", figure, f"< {most * 1e3:.0f} ms", planned < most)


def replay(engine: WgpuEngine, graph: Graph) -> None:
    """What the GPU thread does for a graph whose plan it has: found, bound, encoded, submitted."""

    def run() -> None:
        handles = [next(_handles) for _ in graph.outputs]
        finish(engine.run_graph(RunGraph(1, 1, "me", graph, handles), lambda: None))
        engine.free(handles)

    run()
    replayed = best(run, 15)
    timing.row("its replay", f"{replayed * 1e3:.1f} ms", "<= 10 ms", replayed <= 10e-3)


def encoding(engine: WgpuEngine, graph: Graph) -> None:
    """What a dispatch of a plan that was replayed costs the GPU thread when it is submitted again."""
    prepared = engine._runner.find(structure(graph).key)
    assert prepared is not None
    _, runs = prepared.encoded._recent[0][-1]
    kernels = [run for run in runs if isinstance(run, Run)]

    def submit() -> None:
        engine._gpu.submit(kernels)

    times = []
    for _ in range(15):
        began = time.thread_time()
        submit()
        times.append((time.thread_time() - began) / len(kernels))
        engine._gpu.wait()
    each = statistics.median(times) * 1e6
    timing.row(f"encoding, of {len(runs)} steps", f"{each:.1f} µs a dispatch", "<= 9 µs", each <= 9)


def memory(graph: Graph) -> None:
    """How much a plan's buffers take, against what its values need at the worst moment."""
    bounds: list[int] = []

    def watched(moments: Sequence[Sequence[Storage]], outputs: Sequence[Storage]) -> object:
        bounds.append(least(moments, outputs))
        return place(moments, outputs)

    planner.place = watched
    plan = make_plan(graph, validate(graph), MAPPED)
    planner.place = place
    ratio, stages = plan.peak / bounds[0], len(plan.stages)
    figure = f"{ratio:.3f} of the bound by liveness ({plan.peak / 1e6:.2f} MB, {stages} stages)"
    timing.row("its temporaries and outputs", figure, "<= 1.2", ratio <= 1.2)


def best(action: Callable[[], object], rounds: int) -> float:
    """Processor seconds of the best of `rounds`."""
    times = []
    for _ in range(rounds):
        began = time.thread_time()
        action()
        times.append(time.thread_time() - began)
    return min(times)


if __name__ == "__main__":
    main(sys.argv[1:])
