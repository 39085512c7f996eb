"""Short integers, bf16 and i64 on an engine: any count in and out, in chains, and as constants."""

from __future__ import annotations

import numpy as np
import pytest

from host.engine import Engine
from host.planner import make_plan
from ops.graph import Graph
from ops.lower import CPU
from ops.reference import DTYPES
from ops.validate import validate
from tests.host.engines import put, run_graph, take
from tests.host.test_halves import engine, evaluated, leaf, op

__all__ = ["engine"]
NAMES = ["i8", "u8", "i16", "u16", "bf16", "i64"]


def elements(name: str, count: int) -> np.ndarray:
    """Any bits but those of a NaN."""
    size = np.dtype(DTYPES[name]).itemsize
    bits = np.random.default_rng(count).integers(0, 127 if name == "bf16" else 256, count * size, np.uint8)
    return bits.view(DTYPES[name])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 1023, 100_001])
def test_what_is_uploaded_comes_back_bit_for_bit(engine: Engine, name: str, count: int) -> None:
    x = elements(name, count)
    put(engine, 1, x, name)
    data = take(engine, 1)
    engine.free([1])
    assert data == x.tobytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [1, 5, 4096, 4099])
def test_a_chain_wraps_or_rounds_after_each_op(engine: Engine, name: str, count: int) -> None:
    chain = op("mul", 0, 1), op("add", 2, 0), op("floor_divide", 3, 1), op("sub", 4, 2)
    if name == "bf16":
        chain = op("mul", 0, 1), op("add", 2, 0), op("abs", 3), op("sub", 4, 2)
    actual, expected = evaluated(engine, [elements(name, count), elements(name, count)[::-1].copy()], *chain)
    assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["u8", "i64"])
def test_what_is_fused_with_folds(engine: Engine, name: str) -> None:
    x = elements(name, 33 * 40).reshape(33, 40)
    for axis in (0, 1):
        actual, expected = evaluated(engine, [x, x], op("mul", 0, 1), op("sum", 2, axes=[axis]), op("neg", 3))
        assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["u8", "i16", "bf16"])
def test_what_is_fused_with_products(engine: Engine, name: str) -> None:
    x = (
        elements(name, 33 * 40).reshape(33, 40)
        if name != "bf16"
        else np.full((33, 40), 0x3F81, "<u2").view("V2")
    )
    y = x.reshape(40, 33)
    actual, expected = evaluated(
        engine, [x, y, x[0, :33].copy()], op("matmul", 0, 1), op("add", 3, 2), op("neg", 4)
    )
    assert actual.tobytes() == expected.tobytes()


def test_a_chain_is_one_kernel_that_moves_a_byte_an_element() -> None:
    nodes = [leaf(1, elements("i8", 64)), op("abs", 0), op("add", 1, 0)]
    graph = Graph(nodes, [2])
    (step,) = make_plan(graph, validate(graph), CPU).steps
    assert [part.nbytes for part in step.buffers] == [64, 64]


@pytest.mark.parametrize("name", NAMES)
def test_constants_of_odd_count(engine: Engine, name: str) -> None:
    x = elements(name, 3)
    graph = Graph([op("constant", index=0, shape=[3], dtype=name), op("add", 0, 0)], [1, 0])
    graph.constants.append(x.tobytes())
    run_graph(engine, graph, [1, 2])
    same = take(engine, 2)
    engine.free([1, 2])
    assert bytes(same) == x.tobytes()


def test_numbers_of_64_bits_are_not_those_of_a_plan_for_others(engine: Engine) -> None:
    x = np.int64([1, 2, 3])
    for value in (5, 1 << 40, (1 << 40) + 1, -(1 << 62)):
        full = op("full", shape=[], value=value, dtype="i64")
        actual, _ = evaluated(engine, [x], full, op("add", 0, 1))
        assert actual.tolist() == [value + 1, value + 2, value + 3]
