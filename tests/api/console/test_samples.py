"""What the playground offers works as it is, and its digits are those of the examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from safetensors.numpy import load

from api.console import files
from api.console.samples import SAMPLES

EXAMPLES = Path(__file__).parents[3] / "examples"
LESS = {
    "mandelbrot": {"width": 12, "height": 8, "turns": 3},
    "training": {"turns": 2, "rate": 0.1},
    "hashes": {"words": ["abc"], "many": 20},
}
"""Inputs that take less time, but for what they are the same."""
SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def result(http: httpx2.Client) -> Any:
    """`result(name)`: what the sample gives."""

    def given(name: str) -> Any:
        sample = SAMPLES[name]
        inputs = LESS.get(name, json.loads(sample.inputs))
        if sample.language == "wgsl":
            assert http.post("/api/kernels", json={"name": name, "source": sample.text}).is_success
            body = {
                "inputs": {key: _given(value) for key, value in inputs.items()},
                **json.loads(sample.size),
            }
            return http.post(f"/api/kernels/{name}/dispatch", json=body).json()["outputs"]
        if sample.file is not None:
            headers = {"Content-Type": files.KINDS[".safetensors"]}
            stored = http.post("/api/tensors", content=http.get(sample.file).content, headers=headers).json()
            inputs = {key: {"$tensor": {"id": record["id"]}} for key, record in stored["tensors"].items()}
        asked = {"script": sample.text, "inputs": inputs}
        run = http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()
        assert run["status"] == "succeeded", run["error"]
        return run["result"]

    return given


def _given(value: Any) -> Any:
    """A plain list as the page sends it."""
    if isinstance(value, list):
        return {"$tensor": {"shape": [len(value)], "dtype": "u32", "data": value}}
    return value


def test_the_digits_are_classified(result: Any) -> None:
    found = result("digits")
    assert found["accuracy"] > 0.95
    missed = found["missed"]["$tensor"]["shape"]
    assert missed == [len(found["they are"]), 8, 8]
    assert round((1 - found["accuracy"]) * 450) == missed[0]


def test_the_mandelbrot_set_is_drawn(result: Any) -> None:
    assert result("mandelbrot")["$tensor"]["shape"] == [8, 12]


def test_the_network_is_trained(result: Any) -> None:
    assert set(result("training")) == {"loss", "fitted", "wanted"}


def test_messages_are_hashed(result: Any) -> None:
    assert result("hashes")["words"] == [{"word": "abc", "digest": SHA256_OF_ABC}]


def test_a_graph_tells_its_steps_and_kernels(result: Any) -> None:
    plan = result("plan")
    assert " read, " in plan.splitlines()[0]
    assert "softmax" in plan
    assert "@compute" in plan


def test_collatz_steps_are_counted(result: Any) -> None:
    assert result("collatz")["steps"]["$tensor"]["data"] == [0, 1, 7, 8, 16, 111, 118, 178, 261]


def test_a_julia_set_is_drawn(result: Any) -> None:
    assert result("julia")["image"]["$tensor"]["shape"] == [288, 384]


def test_every_sample_is_tested() -> None:
    assert set(SAMPLES) == {"digits", "mandelbrot", "training", "hashes", "plan", "collatz", "julia"}


def test_the_digits_and_weights_are_those_of_the_examples() -> None:
    found = load(files.content("digits.safetensors"))
    digits, weights = (np.load(EXAMPLES / name) for name in ("digits.npz", "digits_weights.npz"))
    wanted = {"images": digits["test_images"], "labels": digits["test_labels"], **weights}
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
