"""Convolutions by the host's BLAS: every form against the reference, tiles, and which convolutions are the host's."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
import pytest

from host import convolutions, row_convolution
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.frames import RunGraph
from host.hands import Tiles
from host.planner import make_plan
from host.scratch import scratch
from host.shared import Source as Elements
from ops import reference
from ops.dtypes import dtype as dtype_of
from ops.graph import Graph, Node, TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, MAPPED, HostConvolution, HostProduct, lower
from ops.validate import validate

ADAPTER = os.environ.get("KERNELGATE_TEST_ADAPTER", "cpu")
DRAW = np.random.default_rng(5)
FORMS = {
    "plain": ((1, 16, 24, 24), (16, 16, 3, 3), 1, 1, 1, 1),
    "of many channels": ((2, 70, 20, 20), (9, 70, 3, 3), 1, 1, 1, 1),
    "strided": ((2, 40, 31, 29), (40, 40, 3, 2), 2, 1, 1, 1),
    "dilated": ((1, 70, 20, 30), (9, 70, 3, 3), 1, 3, 2, 1),
    "in groups": ((2, 32, 40, 40), (32, 1, 5, 5), 1, 1, 2, 32),
    "surrounded by more than itself": ((1, 70, 6, 5), (40, 70, 3, 3), 1, 4, 6, 1),
    "by rows, of a line": ((1, 64, 3000), (8, 64, 5), 1, 1, 0, 1),
    "of every third place of a line": ((1, 64, 3000), (8, 64, 5), 3, 1, 2, 1),
    "of a room": ((1, 20, 9, 10, 11), (8, 20, 3, 3, 3), 1, 1, 1, 1),
    "of few places": ((1, 64, 7, 7), (80, 64, 3, 3), 1, 1, 1, 1),
    "of one tap, strided": ((2, 64, 40, 40), (40, 64, 1, 1), 2, 1, 0, 1),
    "by rows": ((1, 32, 30, 50), (24, 32, 3, 3), 1, 1, 1, 1),
    "by rows, without zeros around": ((2, 32, 12, 70), (9, 32, 2, 5), 1, 1, 0, 1),
    "by rows, of groups and dilated": ((1, 64, 9, 60), (24, 32, 3, 3), 1, (1, 4), (1, 4), 2),
    "by rows, of a room": ((1, 22, 7, 9, 45), (10, 22, 3, 2, 3), 1, (1, 2, 1), 2, 1),
    "by rows, of several images": ((4, 22, 8, 40), (9, 22, 3, 3), 1, 1, 1, 1),
    "of many images in groups": ((40, 24, 12, 8), (24, 12, 3, 3), 1, 1, 1, 2),
    "of many images, strided": ((40, 24, 12, 9), (25, 24, 3, 3), 2, 1, 1, 1),
    "of windows that reach far": ((1, 64, 9, 40), (8, 64, 3, 3), 1, (60, 9), (60, 9), 1),
    "of many taps that are far apart": ((1, 8, 260, 300), (3, 8, 60, 70), 1, 4, 2, 1),
    "of few places with many taps": ((2, 64, 15_001), (1, 64, 5_000), 1, 3, 0, 1),
    "of windows that reach far along rows": ((1, 64, 9, 90), (8, 64, 3, 3), 1, (1, 50), (1, 50), 1),
}


def attributes_of(form: Any) -> dict[str, Any]:
    shape, _, stride, dilation, padding, groups = form
    rank = len(shape) - 2
    numbers = {"stride": stride, "dilation": dilation, "before": padding, "after": padding}
    lists = {name: np.broadcast_to(number, rank).tolist() for name, number in numbers.items()}
    return {**lists, "groups": groups}


def lowered(form: Any, device: Any = MAPPED, dtype: str = "f32") -> list[Any]:
    shapes = form[:2]
    (output,) = infer("convolution", attributes_of(form), [TensorType(shape, dtype) for shape in shapes])
    operands = [(Layout.contiguous(shape), dtype_of(dtype)) for shape in shapes]
    return list(lower("convolution", attributes_of(form), operands, output, device).dispatches)


@pytest.mark.parametrize("name", FORMS)
def test_tiles_together_are_the_convolution(name: str) -> None:
    (task,) = lowered(FORMS[name])
    assert isinstance(task, HostConvolution)
    x, weight = (DRAW.normal(size=shape).astype(np.float32) for shape in FORMS[name][:2])
    target = np.full(task.target.layout.shape, np.nan, np.float32)
    arrays = [x.reshape(task.x.layout.shape), weight.reshape(task.weight.layout.shape), target]
    tiles, job = Tiles(task), convolutions.Convolution(task, arrays)
    job.begin()
    while (tile := tiles.take()) is not None:
        assert np.isnan(target[(*tile.where, ..., *map(indices, tile.places))]).all()
        job.compute(tile)
    expected = reference.apply("convolution", attributes_of(FORMS[name]), [x, weight])
    size = reference.apply("convolution", attributes_of(FORMS[name]), [np.abs(x), np.abs(weight)])
    assert np.all(np.abs(target.reshape(expected.shape) - expected) <= 2e-6 * size)


def indices(places: range) -> slice:
    return slice(places.start, places.stop)


def test_the_buffers_of_a_tile_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def watched(name: str, shape: Sequence[int]) -> Any:
        sizes.append(prod(shape))
        return scratch(name, shape)

    for module in (convolutions, row_convolution):
        monkeypatch.setattr(module, "scratch", watched)
    for form in (*FORMS.values(), ((1, 64, 10, 60, 60), (64, 64, 3, 3, 3), 1, 1, 1, 1)):
        (task,) = lowered(form)
        arrays = [np.zeros(value.layout.shape, np.float32) for value in task.values]
        convolutions.Convolution(task, arrays).compute(next(convolutions.tiles(task)))
    assert convolutions._TILE <= 2 * max(sizes) <= 8 * convolutions._TILE


def test_the_work_of_a_tile_is_bounded() -> None:
    for form in (
        ((1, 64, 64, 300), (2048, 64, 5, 9), 1, 1, 4, 1),
        ((2, 64, 40, 30), (4096, 64, 5, 9), 1, 1, 4, 1),
    ):
        (task,) = lowered(form)
        batch, groups, outputs, *_ = task.target.layout.shape
        images = np.zeros((batch, groups, outputs), np.int8)
        each = task.weight.layout.count // (groups * outputs)
        for _, where, places in convolutions.tiles(task):
            sums = images[where].size * prod(map(len, places)) * each
            assert sums <= convolutions._TILE_WORK


def test_of_millions_of_tiles_none_is_made_before_it_is_asked_for() -> None:
    for shapes in (((1, 1, 1 << 23), (1, 1, 1 << 20)), ((1, 1, 2000, 2000), (1, 1, 700, 700))):
        (task,) = lowered((*shapes, 1, 1, 700, 1))
        tracemalloc.start()
        try:
            first = next(convolutions.tiles(task))
            assert tracemalloc.get_traced_memory()[1] < 1 << 16
        finally:
            tracemalloc.stop()
        assert prod(task.target.layout.shape) > 1_000_000 * prod(map(len, first.places))


def test_long_rows_are_multiplied_as_they_lie() -> None:
    found = {name for name in FORMS if row_convolution.is_by_rows(lowered(FORMS[name])[0])}
    assert found == {name for name in FORMS if name.startswith("by rows")}


def test_only_large_convolutions_of_floats_are_the_hosts() -> None:
    plain = FORMS["plain"]
    for form, device, dtype in (
        (((1, 4, 5, 5), (4, 4, 3, 3), 1, 1, 1, 1), MAPPED, "f32"),
        (plain, CPU, "f32"),
    ):
        assert not any(isinstance(step, HostConvolution) for step in lowered(form, device, dtype))
    assert any(isinstance(step, HostConvolution) for step in lowered(plain, MAPPED, "f16"))
    one = lowered(((1, 128, 40, 40), (128, 128, 1, 1), 1, 1, 0, 1))
    assert [type(step) for step in one] == [HostProduct]


@pytest.fixture(scope="module", params=[True, False], ids=["with the host", "kernels alone"])
def engine(request: pytest.FixtureRequest) -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=1 << 28, host_steps=request.param))
    for handle, array in INPUTS.items():
        source = Elements(array.nbytes, array.tobytes())
        opened.upload(handle, "me", TensorType(array.shape, "f32"), source)
    yield opened
    opened.close()


INPUTS = {
    number: DRAW.normal(size=shape).astype(np.float32)
    for number, shape in enumerate([(2, 16, 20, 21), (24, 8, 3, 3), (24, 1, 1)], 1)
}
RESIDUALS = {1: (2, 24, 20, 21), 2: (2, 24, 10, 11)}
INPUTS |= {10 + stride: DRAW.normal(size=shape).astype(np.float32) for stride, shape in RESIDUALS.items()}


@pytest.mark.parametrize("stride", RESIDUALS)
@pytest.mark.parametrize("last", ["relu", "gelu"])
def test_a_bias_a_residual_and_an_activation_are_fused(engine: WgpuEngine, last: str, stride: int) -> None:
    attributes = {"stride": [stride] * 2, "dilation": [1, 1], "before": [1, 1], "after": [1, 1], "groups": 2}
    nodes = [
        Node("input", (), {"handle": handle, "shape": list(array.shape), "dtype": "f32"})
        for handle, array in INPUTS.items()
        if handle in (1, 2, 3, 10 + stride)
    ]
    nodes += [
        Node("convolution", (0, 1), attributes),
        Node("add", (4, 2), {}),
        Node("add", (5, 3), {}),
        Node(last, (6,), {}),
    ]
    graph = Graph(nodes, [7])
    finish(engine.run_graph(RunGraph(1, 1, "me", graph, [99]), lambda: None))
    found = bytearray()
    engine.download(99, found.extend)
    engine.free([99])
    (expected,) = reference.evaluate(graph, INPUTS)
    actual = np.frombuffer(found, np.float32).reshape(expected.shape)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-4)
    plan = make_plan(graph, validate(graph), CPU)
    assert plan.steps[-1].ops == ("convolution", "add", "add", last)
