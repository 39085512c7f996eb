"""Products by weights that are dequantised on the way: bytes are read, and the results are those of the floats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.planner import make_plan
from ops.composites import expand
from ops.graph import Graph, Node
from ops.lower import CPU, GPU, MAPPED, DeviceClass
from ops.reference import DTYPES, dtype_name
from ops.validate import validate
from tests.host.engines import ADAPTER, put, run_graph, take

CLASSES = {"cpu": CPU, "gpu": GPU, "mapped": MAPPED}
SPLIT = (40, 2100, 72)
"""Rows, inner positions and columns of a product whose sums are made in parts on a GPU."""


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=1 << 28))
    yield opened
    opened.close()


@pytest.fixture(params=CLASSES)
def lowered_for(engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch, request: Any) -> DeviceClass:
    """The class of devices that the engine plans for."""
    chosen = CLASSES[request.param]
    monkeypatch.setattr(engine, "_class", chosen)
    return chosen


class Program:
    """A graph over arrays: `do` adds an op, a composite too."""

    def __init__(self, *arrays: np.ndarray) -> None:
        self.arrays = dict(enumerate(arrays, 700))
        self.graph = Graph(
            [
                Node("input", (), {"handle": handle, "shape": list(x.shape), "dtype": dtype_name(x.dtype)})
                for handle, x in self.arrays.items()
            ],
            [],
        )

    def do(self, op: str, *inputs: int, **attributes: Any) -> int:
        nodes = self.graph.nodes
        types = validate(Graph(nodes, [len(nodes) - 1]))
        parts, made = expand(op, attributes, [types[number] for number in inputs])
        places = [*inputs, *range(len(nodes), len(nodes) + len(parts))]
        nodes.extend(Node(part.op, tuple(places[n] for n in part.inputs), part.attributes) for part in parts)
        return places[made]

    def run(self, engine: WgpuEngine, output: int) -> np.ndarray:
        """The value of a node as flat f32."""
        self.graph.outputs[:] = [output]
        for handle, array in self.arrays.items():
            put(engine, handle, array)
        run_graph(engine, self.graph, [799])
        found = np.frombuffer(take(engine, 799), np.float32)
        engine.free([*self.arrays, 799])
        return found

    def steps(self, output: int, device: DeviceClass) -> list[tuple[str, set[int]]]:
        """The kernels of the plan, and of how many bytes their buffers are."""
        self.graph.outputs[:] = [output]
        plan = make_plan(self.graph, validate(self.graph), device)
        return [(step.spec.name, {part.nbytes for part in step.buffers}) for step in plan.steps]


def draw(rows: int, inner: int, columns: int, dtype: str) -> tuple[np.ndarray, ...]:
    """Rows, a weight of bytes with its scales and zero points by output, and a bias."""
    random = np.random.default_rng(rows + inner + columns)
    ends = np.iinfo(DTYPES[dtype])
    x = random.normal(0, 1, (rows, inner)).astype(np.float32)
    codes = random.integers(ends.min, ends.max, (columns, inner), DTYPES[dtype], endpoint=True)
    scale = random.uniform(1e-3, 0.1, columns).astype(np.float32)
    zeros = random.integers(ends.min // 2, ends.max // 2, columns).astype(np.int32)
    return x, codes, scale, zeros, random.normal(0, 1, columns).astype(np.float32)


def agree(found: np.ndarray, x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> None:
    """The result is `relu(x @ weight + bias)` within what sums in f32 may err."""
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    exact = np.maximum(x @ weight + bias, 0)
    bound = 1e-6 * (np.abs(x) @ np.abs(weight) + np.abs(bias))
    assert (np.abs(found.reshape(exact.shape) - exact) <= bound).all()


SIZES = [
    (1, 64, 40),
    (4, 256, 67),
    (8, 100, 5),
    (8, 33, 12),
    (20, 64, 40),
    (40, 64, 64),
    (70, 100, 67),
    SPLIT,
]


@pytest.mark.parametrize("dtype", ["i8", "u8"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.usefixtures("lowered_for")
def test_a_product_by_a_weight_with_a_scale_and_a_zero_point_for_each_output(
    engine: WgpuEngine, sizes: tuple[int, int, int], dtype: str
) -> None:
    x, codes, scale, zeros, bias = draw(*sizes, dtype)
    program = Program(x, codes, scale, zeros, bias)
    weight = program.do("transpose", program.do("dequantize_per_channel", 1, 2, 3, axis=0))
    found = program.run(engine, program.do("relu", program.do("add", program.do("matmul", 0, weight), 4)))
    floats = (codes - zeros[:, None]).astype(np.float32) * scale[:, None]
    agree(found, x, floats.T, bias)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.usefixtures("lowered_for")
def test_a_product_by_a_weight_whose_outputs_are_its_columns(
    engine: WgpuEngine, sizes: tuple[int, int, int]
) -> None:
    x, codes, scale, zeros, bias = draw(*sizes, "i8")
    program = Program(x, np.ascontiguousarray(codes.T), scale.astype(np.float16), zeros, bias)
    weight = program.do("dequantize_per_channel", 1, 2, 3, axis=1)
    found = program.run(engine, program.do("relu", program.do("add", program.do("matmul", 0, weight), 4)))
    floats = (codes - zeros[:, None]).astype(np.float32) * scale.astype(np.float16)[:, None].astype(
        np.float32
    )
    agree(found, x, floats.T, bias)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.usefixtures("lowered_for")
def test_halves_by_a_part_of_a_weight_of_one_scale(engine: WgpuEngine, sizes: tuple[int, int, int]) -> None:
    x, codes, _, _, bias = draw(*sizes, "u8")
    wide = np.pad(codes, ((1, 2), (4, 8)))
    program = Program(x.astype(np.float16), wide, np.float32(0.03), np.uint8(130), bias)
    part = program.do("slice", 1, starts=[1, 4], stops=[1 + len(codes), 4 + x.shape[1]], axes=[0, 1])
    weight = program.do("transpose", program.do("dequantize_per_tensor", part, 2, 3))
    made = program.do("matmul", program.do("cast", 0, dtype="f32"), weight)
    found = program.run(engine, program.do("relu", program.do("add", made, 4)))
    floats = (codes.astype(np.int32) - 130).astype(np.float32) * np.float32(0.03)
    agree(found, x.astype(np.float16), floats.T, bias)


@pytest.mark.parametrize("rows", [4, 8, 40])
@pytest.mark.usefixtures("lowered_for")
def test_what_lies_backwards_is_read_backwards(engine: WgpuEngine, rows: int) -> None:
    x, codes, scale, zeros, bias = draw(rows, 64, 64, "i8")
    program = Program(x, codes, scale, zeros, bias)
    left, weight, scales, shift = (program.do("flip", number, axes=[0]) for number in (0, 1, 2, 4))
    floats = program.do("transpose", program.do("dequantize_per_channel", weight, scales, 3, axis=0))
    made = program.do("relu", program.do("add", program.do("matmul", left, floats), shift))
    expected = (codes[::-1] - zeros[:, None]).astype(np.float32) * scale[::-1, None]
    agree(program.run(engine, made), x[::-1], expected.T, bias[::-1])
    made = program.do("add", program.do("linear_int8", left, weight, scales), shift)
    agree(
        program.run(engine, program.do("relu", made)), x[::-1], (codes * scale[:, None])[::-1].T, bias[::-1]
    )


@pytest.mark.parametrize("change", ["by rows too", "not of bytes", "read twice"])
@pytest.mark.usefixtures("lowered_for")
def test_what_a_product_can_not_take_in_is_made_first(engine: WgpuEngine, change: str) -> None:
    x, codes, scale, _, bias = draw(40, 64, 64, "i8")
    rows = np.linspace(1, 2, 64, dtype=np.float32)
    given = codes.astype(np.int16) if change == "not of bytes" else codes
    program = Program(x, given, scale, np.int32(0), bias, rows)
    weight = program.do(
        "dequantize_per_channel", 1, 2, program.do("full", shape=[64], value=0, dtype="i32"), axis=0
    )
    floats = codes.astype(np.float32) * scale[:, None]
    if change == "by rows too":
        weight, floats = program.do("mul", weight, 5), floats * rows
    turned = program.do("transpose", weight)
    made = program.do("add", program.do("matmul", 0, turned), 4)
    if change == "read twice":
        made = program.do("add", made, program.do("sum", weight, axes=[1]))
        bias = bias + floats.sum(1, dtype=np.float64)
    agree(program.run(engine, program.do("relu", made)), x, floats.T, bias)


@pytest.mark.parametrize(("rows", "kernel"), [(4, "byte_product"), (40, "matmul_tiles")])
def test_no_floats_of_a_weight_are_written(rows: int, kernel: str) -> None:
    x, codes, scale, zeros, bias = draw(rows, 256, 128, "i8")
    program = Program(x, codes, scale, zeros.astype(np.float32), bias)
    weight = program.do("transpose", program.do("dequantize_per_channel", 1, 2, 3, axis=0))
    steps = program.steps(program.do("relu", program.do("add", program.do("matmul", 0, weight), 4)), GPU)
    assert steps[0][0] == kernel
    assert all(4 * codes.nbytes not in sizes for _, sizes in steps)
    assert len(steps) == (1 if rows == 4 else 2), "a sum in parts is added up"


@pytest.mark.parametrize("names", ["f16 f16", "f16 i8", "f32 u8", "i16 f32"])
@pytest.mark.parametrize("turned", [False, True], ids=["by rows", "by columns"])
def test_tiles_read_packed_operands_as_they_lie(
    engine: WgpuEngine, monkeypatch: pytest.MonkeyPatch, names: str, turned: bool
) -> None:
    monkeypatch.setattr(engine, "_class", GPU)
    random = np.random.default_rng(8)
    left, right = (DTYPES[name] for name in names.split())
    x, y = random.uniform(-99, 99, (64, 120)).astype(left), random.uniform(0, 99, (120, 96)).astype(right)
    program = Program(x, np.ascontiguousarray(y.T) if turned else y)
    result = program.do("matmul", 0, program.do("transpose", 1) if turned else 1)
    kernel, sizes = program.steps(result, GPU)[0]
    assert kernel == "matmul_tiles"
    assert {x.nbytes, y.nbytes} <= sizes
    found = program.run(engine, program.do("cast", result, dtype="f32")).reshape(64, 96)
    x, y = x.astype(np.float64), y.astype(np.float64)
    error = 1e-3 if left == np.float16 else 1e-6
    bound = error * (np.abs(x) @ np.abs(y))
    assert (np.abs(found - x @ y) <= bound)[np.abs(x @ y) < 65504].all()
