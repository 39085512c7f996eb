"""Plans in words: what people read of steps, bytes and kernels, and never too much of it."""

from __future__ import annotations

from typing import Any

from host import explanation
from host.explanation import explain
from host.planner import make_plan
from ops.graph import Graph, Node
from ops.lower import CPU, MAPPED, DeviceClass
from ops.validate import validate


def told(
    *ops: tuple[str, tuple[int, ...], dict[str, Any]], device: DeviceClass = CPU, wgsl: bool = False
) -> str:
    leaf = Node("input", (), {"handle": 1, "shape": [256, 256], "dtype": "f32"})
    graph = Graph([leaf, *(Node(op, inputs, attributes) for op, inputs, attributes in ops)], [len(ops)])
    return explain(make_plan(graph, validate(graph), device), wgsl)


def test_a_plan_is_told_by_steps_bytes_and_buffers() -> None:
    text = told(("exp", (0,), {}), ("sum", (1,), {"axes": [1]}), ("neg", (2,), {}))
    assert text.splitlines() == [
        "1 step, with 1 kernel: 256.0 KiB read, 1.0 KiB written",
        "0 temporary buffers of 0 B, outputs of 1.0 KiB",
        "   1  exp, sum, neg: kernel 1 (reduce), 32 workgroups, input 0 (256.0 KiB) -> output 0 (1.0 KiB)",
    ]


def test_steps_of_the_host_and_kernels_are_told() -> None:
    text = told(("matmul", (0, 0), {}), ("relu", (1,), {}), device=MAPPED, wgsl=True)
    assert "2 steps, 1 of them by the host, with 1 kernel" in text
    assert "matmul: by the host, input 0 (256.0 KiB), input 0 (256.0 KiB) -> " in text
    assert "kernel 1 (elementwise):\n@group(0)" in text
    assert "fn main(" in text


def test_long_plans_and_long_texts_are_cut_and_say_so() -> None:
    many = [("matmul", (number, 0), {}) for number in range(explanation.MOST_LINES + 5)]
    assert told(*many).endswith("… and 5 more")
    rounds = [(op, (number,), {}) for number, op in enumerate(["softmax", "tanh", "exp", "neg", "abs"] * 60)]
    text = told(
        *((op, inputs, {"axis": 1} if op == "softmax" else {}) for op, inputs, _ in rounds), wgsl=True
    )
    assert len(text) <= explanation.MOST_TEXT + 100
