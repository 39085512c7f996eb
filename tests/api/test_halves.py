"""f16 from end to end: by value, through an op, in a script's inputs and result, and in a stranger's kernel."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

HALVES = {"$tensor": {"shape": [3], "dtype": "f16", "data": [0.5, 65504, "Infinity"]}}
SCRIPT = """
import torch

def main(x):
    assert x.dtype is torch.float16 and x.dtype.itemsize == 2
    return {"half": x[:2] / 3, "single": (x + torch.tensor([1.0]))[0].item(), "list": (x * 2).tolist()}
"""
KERNEL = """
enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] * 2.0h; }
}
"""


def tensor(value: Any) -> tuple[list[int], str, list[Any]]:
    inner = value["$tensor"]
    return inner["shape"], inner["dtype"], inner["data"]


def test_an_op_takes_and_gives_halves(http: httpx2.Client) -> None:
    answer = http.post("/api/ops/add", json={"inputs": [HALVES, HALVES]})
    assert answer.status_code == 200, answer.text
    assert tensor(answer.json()["output"]) == ([3], "f16", [1, "Infinity", "Infinity"])


def test_a_script_takes_and_gives_halves(http: httpx2.Client) -> None:
    answer = http.post(
        "/api/runs", json={"script": SCRIPT, "inputs": {"x": HALVES}}, headers={"Prefer": "wait=30"}
    )
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    assert tensor(result["half"]) == ([2], "f16", [0.1666259765625, 21840])
    assert result["single"] == 1.5
    assert result["list"] == [1, {"$float": "Infinity"}, {"$float": "Infinity"}]


def test_a_kernel_reads_and_writes_halves(http: httpx2.Client) -> None:
    if "shader-f16" not in http.get("/api/device").json()["features"]:
        pytest.skip("the device has no shader-f16")
    made = http.post("/api/kernels", json={"name": "doubled", "source": KERNEL})
    assert made.status_code in (200, 201), made.text
    four = {"$tensor": {"shape": [4], "dtype": "f16", "data": [1, 2, 3, -0.25]}}
    inputs = {"x": four, "y": {"shape": [4], "dtype": "f16"}}
    answer = http.post("/api/kernels/doubled/dispatch", json={"inputs": inputs})
    assert answer.status_code == 200, answer.text
    assert tensor(answer.json()["outputs"]["y"]) == ([4], "f16", [2, 4, 6, -0.5])
