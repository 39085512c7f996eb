"""Attention by the host's BLAS: every form against the reference, tiles, and what of it exists at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from host import attentions
from host.hands import Tiles
from host.planner import make_plan
from ops import reference
from ops.backward import backward
from ops.dtypes import dtype as dtype_of
from ops.errors import GraphError
from ops.graph import Graph, Node, TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, MAPPED, HostAttention, HostProduct, lower
from ops.lowering import matmul
from ops.lowering.attention import row_work
from ops.validate import validate

DRAW = np.random.default_rng(6)
FORMS: dict[str, tuple[dict[str, Any], tuple[tuple[int, ...], ...]]] = {
    "plain": ({}, ((2, 3, 200, 64), (2, 3, 300, 64), (2, 3, 300, 32))),
    "causal": ({"is_causal": True}, ((3, 700, 32), (3, 700, 32), (3, 700, 32))),
    "causal of many keys": ({"is_causal": True, "scale": 0.3}, ((300, 32), (2500, 32), (2500, 32))),
    "causal of few keys": ({"is_causal": True}, ((900, 32), (90, 32), (90, 32))),
    "causal of many heads": ({"is_causal": True}, ((2, 90, 40, 32), (2, 90, 40, 32), (2, 90, 40, 32))),
    "of blocks of keys": ({}, ((40, 64), (5000, 64), (5000, 8))),
    "masked": ({}, ((2, 3, 100, 64), (2, 3, 200, 64), (2, 3, 200, 64), (100, 200))),
    "spread": ({}, ((2, 4, 1, 100, 32), (2, 1, 3, 200, 32), (200, 32), (2, 1, 1, 1, 200))),
}


def lowered(name: str, device: Any = MAPPED) -> list[Any]:
    return of_shapes(*FORMS[name], device)


def of_shapes(
    attributes: dict[str, Any], shapes: tuple[tuple[int, ...], ...], device: Any = MAPPED
) -> list[Any]:
    (output,) = infer("attention", attributes, [TensorType(shape, "f32") for shape in shapes])
    operands = [(Layout.contiguous(shape), dtype_of("f32")) for shape in shapes]
    return list(lower("attention", attributes, operands, output, device).dispatches)


@pytest.mark.parametrize("name", FORMS)
def test_tiles_together_are_the_attention(name: str) -> None:
    (task,) = lowered(name)
    assert isinstance(task, HostAttention)
    attributes, shapes = FORMS[name]
    inputs = [DRAW.normal(size=shape).astype(np.float32) for shape in shapes]
    if len(inputs) > 3:
        inputs[3][..., :150] = -np.inf
    target = np.full(task.target.layout.shape, np.nan, np.float32)
    shown = [
        np.broadcast_to(array, value.layout.shape)
        for array, value in zip([*inputs, target], task.values, strict=True)
    ]
    tiles, job = Tiles(task), attentions.Attention(task, [*shown[:-1], target])
    with np.errstate(all="ignore"):
        while (tile := tiles.take()) is not None:
            where, rows = tile
            assert np.isnan(target[where][rows]).all()
            job.compute(tile)
    expected = reference.apply("attention", attributes, inputs)
    np.testing.assert_allclose(target, expected, rtol=1e-5, atol=1e-5)


def test_the_scores_of_a_tile_are_bounded() -> None:
    for name in FORMS:
        (task,) = lowered(name)
        keys = min(task.key.layout.shape[-2], attentions._KEYS)
        matrices = np.zeros(task.query.layout.shape[:-2], np.int8)
        for where, rows in attentions.tiles(task):
            assert matrices[where].size * (rows.stop - rows.start) * keys <= attentions._SCORES


@pytest.mark.parametrize(
    "shapes",
    [
        ((70_000, 1, 1 << 13), (70_000, 1, 1 << 13)),
        ((512, 64), (150_000, 64)),
        ((300, 1 << 12), (2000, 1 << 12)),
    ],
)
def test_the_work_of_a_tile_is_bounded(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    (task,) = of_shapes({}, (*shapes, shapes[1]))
    matrices = np.zeros(task.query.layout.shape[:-2], np.int8)
    each = row_work(task.key.layout.shape, task.value.layout.shape)
    done = [matrices[where].size * (rows.stop - rows.start) for where, rows in attentions.tiles(task)]
    assert max(done) * each <= attentions._TILE_WORK < 2 * max(done) * each
    assert sum(done) == task.query.layout.count // task.query.layout.shape[-1]


@pytest.mark.parametrize("shapes", [((16, 1 << 21), (16, 1 << 21)), ((128, 16), (1 << 23, 16))])
def test_what_a_query_makes_too_long_is_products(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    steps = of_shapes({}, (*shapes, shapes[1]))
    assert any(isinstance(step, HostProduct) for step in steps)
    assert not any(isinstance(step, HostAttention) for step in steps)


def test_too_many_blocks_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul, "emit", None)
    for device in (CPU, MAPPED):
        with pytest.raises(GraphError, match="more than 65,536 dispatches"):
            of_shapes({}, ((1 << 18, 32), (1 << 21, 32), (1 << 21, 32)), device)


def test_where_memory_is_not_the_hosts_it_is_kernels() -> None:
    for device in (CPU, GPU):
        assert not any(isinstance(step, HostAttention) for step in lowered("plain", device))


def long(rows: int, count: int = 3) -> list[TensorType]:
    return [TensorType((1, 8, rows, 64), "f32")] * count


def leaves(types: list[TensorType]) -> list[Node]:
    return [
        Node("input", (), {"handle": n, "shape": list(type.shape), "dtype": "f32"})
        for n, type in enumerate(types)
    ]


@pytest.mark.parametrize("device", [CPU, GPU, MAPPED], ids=["cpu", "gpu", "mapped"])
def test_long_sequences_keep_few_of_their_scores(device: Any) -> None:
    graph = Graph([*leaves(long(16_384)), Node("attention", (0, 1, 2), {"is_causal": True})], [3])
    plan = make_plan(graph, validate(graph), device)
    scores = 4 * 8 * 16_384**2
    assert sum(plan.temps) < scores / 12


def test_gradients_of_long_sequences_keep_no_scores() -> None:
    nodes, wanted = backward("attention", {}, long(8192))
    outputs = [number for number in wanted if number is not None]
    graph = Graph([*leaves(long(8192, 4)), *nodes], outputs)
    plan = make_plan(graph, validate(graph), MAPPED)
    scores = 4 * 8 * 8192**2
    assert sum(plan.temps) < scores / 5
