"""The dtypes beyond f32 and i32 from end to end: by value, in files, in ops and scripts, and refused by kernels."""

from __future__ import annotations

import io
from typing import Any

import httpx2
import numpy as np
import pytest

NPY = "application/x-npy"
SCRIPT = """
import torch

def main(x, y):
    return {
        "sum": x.sum().item(),
        "next": x + 1,
        "wrapped": y + 10,
        "mixed": y[:2] + x,
        "bf16": torch.tensor([0.1, 2.0]).bfloat16(),
    }
"""


def value(dtype: str, data: list[Any]) -> dict[str, Any]:
    return {"$tensor": {"shape": [len(data)], "dtype": dtype, "data": data}}


def tensor(given: Any) -> tuple[str, list[Any]]:
    return given["$tensor"]["dtype"], given["$tensor"]["data"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (value("u8", [250, 1, 2]), value("u8", [10, 1, 2]), ("u8", [4, 2, 4])),
        (value("u8", [250]), value("i8", [-1]), ("i16", [249])),
        (
            value("i64", [1 << 40, "9223372036854775806"]),
            value("i32", [5, 1]),
            ("i64", [(1 << 40) + 5, str((1 << 63) - 1)]),
        ),
        (value("bf16", [1.5, "NaN", 3]), value("i64", [2, 2, 2]), ("bf16", [3.5, "NaN", 5])),
        (value("i16", [32767]), value("i16", [1]), ("i16", [-32768])),
    ],
)
def test_an_op_takes_and_gives_every_dtype(http: httpx2.Client, one: Any, other: Any, expected: Any) -> None:
    answer = http.post("/api/ops/add", json={"inputs": [one, other]})
    assert answer.status_code == 200, answer.text
    assert tensor(answer.json()["output"]) == expected


def test_a_script_computes_with_them(http: httpx2.Client) -> None:
    inputs = {"x": value("i64", [str((1 << 62) + 1), -1]), "y": value("u8", [250, 3, 4])}
    answer = http.post("/api/runs", json={"script": SCRIPT, "inputs": inputs}, headers={"Prefer": "wait=30"})
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    assert result["sum"] == 1 << 62
    assert tensor(result["next"]) == ("i64", [str((1 << 62) + 2), 0])
    assert tensor(result["wrapped"]) == ("u8", [4, 13, 14])
    assert tensor(result["mixed"]) == ("i64", [str((1 << 62) + 251), 2])
    assert tensor(result["bf16"]) == ("bf16", [0.10009765625, 2])


def test_files_of_numpy_hold_them_and_bf16_is_two_opaque_bytes(http: httpx2.Client) -> None:
    made = http.post("/api/tensors", json=value("bf16", [1, -2, 0.5])["$tensor"])
    assert made.status_code == 201, made.text
    url = f"/api/tensors/{made.json()['id']}/data"
    file = http.get(url, headers={"Accept": NPY}).content
    read = np.load(io.BytesIO(file))
    assert read.view(np.uint16).tolist() == [0x3F80, 0xC000, 0x3F00]
    again = http.post("/api/tensors", content=file, headers={"Content-Type": NPY})
    assert (again.status_code, again.json()["dtype"]) == (201, "bf16")


KERNEL = """
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&y)) { y[id.x] = x[id.x]; }
}
"""


@pytest.mark.parametrize("dtype", ["i8", "u16", "i64", "bf16"])
def test_a_kernel_is_given_none_of_them_and_says_what_to_do(http: httpx2.Client, dtype: str) -> None:
    made = http.post("/api/kernels", json={"name": "copied", "source": KERNEL})
    assert made.status_code in (200, 201), made.text
    inputs = {"x": value(dtype, [1, 2, 3, 4]), "y": {"shape": [4], "dtype": "u32"}}
    answer = http.post("/api/kernels/copied/dispatch", json={"inputs": inputs})
    assert answer.status_code == 422, answer.text
    assert f"its tensor is {dtype}" in answer.json()["detail"]
    assert "x.to(torch.uint32)" in answer.json()["hint"]
