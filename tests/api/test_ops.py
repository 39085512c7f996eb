"""`/api/ops`: the table, and single ops."""

from __future__ import annotations

import base64
import hashlib
import math
from typing import Any

import httpx2
import numpy as np
import pytest


def tensor(shape: list[int], data: list[Any], dtype: str = "f32") -> dict[str, Any]:
    return {"$tensor": {"shape": shape, "dtype": dtype, "data": data}}


def test_the_table_lists_every_op_with_what_it_takes(http: httpx2.Client) -> None:
    ops = {op["name"]: op for op in http.get("/api/ops").json()["ops"]}
    assert {"add", "matmul", "softmax", "sum"} <= ops.keys()
    assert len(ops["matmul"]["inputs"]) == 2
    assert all(op["doc"] and op["dtypes"] and op["kind"] for op in ops.values())
    (axis, *_) = ops["softmax"]["attributes"]
    assert (axis["name"], axis["aliases"]) == ("axis", ["dim", "axes"])


def test_an_op_computes_and_its_output_feeds_the_next(http: httpx2.Client) -> None:
    first = http.post("/api/ops/mul", json={"inputs": [tensor([2, 2], [1, 2, 3, 4]), 2.5]}).json()
    assert first["output"]["$tensor"]["data"] == [2.5, 5.0, 7.5, 10.0]
    assert first["usage"]["dispatches"] >= 1
    wire = {"$tensor": {"id": first["output"]["$tensor"]["id"]}}
    second = http.post("/api/ops/sum", json={"inputs": [wire]}).json()
    assert second["output"]["$tensor"]["data"] == [25.0]


def test_an_op_that_is_made_of_others_computes_too(http: httpx2.Client) -> None:
    def compute(name: str, *inputs: Any, **attributes: Any) -> Any:
        body = {"inputs": list(inputs), "attributes": attributes}
        return http.post(f"/api/ops/{name}", json=body).json()["output"]["$tensor"]["data"]

    x = tensor([2, 3], [1, 2, 6, 4, 4, 4])
    assert compute("var", x, dim=1, correction=0) == pytest.approx([14 / 3, 0])
    assert compute("einsum", x, x, equation="ij,kj->ik") == [41, 36, 36, 48]
    assert compute("tensor.topk", x, k=2) == [6, 2, 4, 4]
    assert compute("gelu.dx", tensor([1], [0]), 2.0) == [1]
    assert compute("LeakyRelu", tensor([2], [-1, 1]), negative_slope=0.5) == [-0.5, 1]
    assert compute("flip", tensor([], [7])) == [7]


def test_nan_goes_in_and_out_as_a_string(http: httpx2.Client) -> None:
    answer = http.post("/api/ops/log", json={"inputs": [tensor([3], [-1, 0, "Infinity"])]}).json()
    assert answer["output"]["$tensor"]["data"] == ["NaN", "-Infinity", "Infinity"]


def test_a_large_result_comes_as_an_id(http: httpx2.Client) -> None:
    column, row = tensor([300, 1], [1] * 300), tensor([1, 300], [2] * 300)
    output = http.post("/api/ops/add", json={"inputs": [column, row]}).json()["output"]["$tensor"]
    assert output["shape"] == [300, 300]
    assert "data" not in output
    raw = http.get(f"/api/tensors/{output['id']}/data?format=raw").content
    assert raw == b"\0\0\x40\x40" * 90_000


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("nonsense", {"inputs": []}, 404, "unknown_op"),
        ("add", {"inputs": [tensor([2], [1, 2]), tensor([3], [1, 2, 3])]}, 422, "shape_mismatch"),
        ("add", {"inputs": [tensor([2], [1, 2])]}, 422, "graph_invalid"),
        ("add", {"inputs": [{"a": 1}, 2]}, 422, "invalid_request"),
        ("add", {"inputs": [None, 2]}, 422, "invalid_request"),
        ("add", {"inputs": [{"$tensor": {"id": "ten_0"}}, 2]}, 404, "tensor_not_found"),
        ("sum", {"inputs": [tensor([2], [1, 2])], "attributes": {"colour": 1}}, 422, "bad_attribute"),
        ("sum", {"inputs": [tensor([2], [1, 2])], "attributes": {"axes": [5]}}, 422, None),
        ("sum", {"inputs": [tensor([2], [1, 2])], "attributes": {"axes": {"a": [[[]]]}}}, 422, None),
        ("input", {"inputs": [], "attributes": {"handle": 1, "shape": [1], "dtype": "f32"}}, 422, None),
    ],
)
def test_a_wrong_call_is_refused_with_its_reason(
    http: httpx2.Client, name: str, body: Any, status: int, code: str | None
) -> None:
    answer = http.post(f"/api/ops/{name}", json=body)
    assert answer.status_code == status or (code is None and answer.status_code in (404, 422))
    assert code in (None, answer.json()["code"])


def test_what_an_op_used_is_given_back(http: httpx2.Client, wait_until: Any) -> None:
    def live() -> int:
        return int(http.get("/api/device").json()["memory"]["tensors"])

    before = live()
    for _ in range(30):
        http.post("/api/ops/add", json={"inputs": [tensor([2], [1, 2]), math.pi]})
    wait_until(lambda: live() <= before + 30, "only the 30 outputs are left")


def test_a_list_of_byte_strings_is_two_inputs(http: httpx2.Client) -> None:
    texts = [b"", b"abc", "größe".encode(), bytes(range(256)) * 5]
    given = [{"$bytes": base64.b64encode(text).decode()} for text in texts]
    given[2] = "größe"  # type: ignore[call-overload]
    output = http.post("/api/ops/sha256", json={"inputs": [given]}).json()["output"]["$tensor"]
    expected = [np.frombuffer(hashlib.sha256(text).digest(), ">u4").tolist() for text in texts]
    assert output["shape"] == [4, 8]
    assert output["data"] == [word for row in expected for word in row]
    pair = [[{"$bytes": "YQ=="}], ["ab"]]
    distance = http.post("/api/ops/levenshtein", json={"inputs": pair}).json()["output"]["$tensor"]["data"]
    assert distance == [1]


@pytest.mark.parametrize("value", [[], [1, 2], [{"$bytes": "YQ=="}, 1], [{"$bytes": "?"}]])
def test_a_list_of_anything_else_is_no_input(http: httpx2.Client, value: list[Any]) -> None:
    assert http.post("/api/ops/sha256", json={"inputs": [value]}).json()["code"] == "invalid_request"


def test_bytes_are_words_and_lists_say_how_long_their_strings_are(http: httpx2.Client) -> None:
    words = {"inputs": [{"$bytes": "AasB"}], "attributes": {"size": 3}}
    digits = http.post("/api/ops/hex_encode", json=words).json()["output"]["$tensor"]["data"]
    assert b"".join(word.to_bytes(4, "little") for word in digits) == b"01ab01\0\0"
    pair = [["kitten", ""], ["sitting" * 50, "ab"]]
    distances = http.post("/api/ops/levenshtein", json={"inputs": pair}).json()["output"]["$tensor"]["data"]
    assert distances == [346, 2]
    assert (
        http.post("/api/ops/hex_encode", json={"inputs": [{"$bytes": "!"}]}).json()["code"]
        == "invalid_request"
    )
