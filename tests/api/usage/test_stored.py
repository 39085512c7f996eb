"""What an owner has stored, held against its keys' quotas, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import numpy as np
import pytest

KERNEL = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() { y[0] = %d.0; }
"""
RAW = {"Content-Type": "application/octet-stream"}
WAIT = {"Prefer": "wait=60"}


@pytest.fixture(scope="module")
def server(start: Callable[..., Any]) -> Iterator[Any]:
    with start(workers=1, adapter="numpy") as running:
        yield running


def upload(client: httpx2.Client, nbytes: int, byte: int = 1) -> httpx2.Response:
    body = bytes([byte]) * nbytes
    return client.post(f"/api/tensors?dtype=u32&shape={nbytes // 4}", content=body, headers=RAW)


def refused(answer: httpx2.Response, says: str) -> bool:
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (429, "quota_exceeded"), answer.text
    assert says in problem["detail"]
    assert "retry-after" not in answer.headers
    return True


def blobs(server: Any) -> int:
    return sum(path.is_file() for path in (server.settings.data / "blobs").rglob("*"))


def test_stored_bytes_are_those_of_tensors_and_scripts_of_all_keys_of_an_owner(server: Any) -> None:
    quotas = {"stored_bytes": 100_000}
    first = server.client_for("hoarder", quotas=quotas)
    second = server.client_for("second", owner="hoarder", quotas=quotas)
    kept = upload(first, 60_000).raise_for_status().json()["id"]
    before = blobs(server)
    assert refused(upload(second, 60_000, 2), "stored_bytes is 100,000; 60,000 are used, and 60,000 more")
    assert blobs(server) == before, "what was refused leaves no blob"
    assert first.post("/api/scripts", json={"name": "long", "source": "#" * 39_000}).status_code == 201
    assert refused(upload(second, 4000), "99,000 are used")
    assert refused(first.post("/api/scripts", json={"name": "more", "source": "#" * 2000}), "99,000 are used")
    replaced = first.put(f"/api/tensors/{kept}?dtype=u32&shape=10000", content=bytes(40_000), headers=RAW)
    assert replaced.status_code == 200, "a smaller one in its place"
    assert upload(second, 4000).status_code == 201
    assert first.delete(f"/api/tensors/{kept}").status_code == 204
    assert upload(second, 56_000).status_code == 201
    assert upload(second, 1000).status_code == 201
    assert refused(upload(second, 4), "100,000 are used")


def test_a_run_whose_result_is_over_the_quota_fails_with_it(server: Any) -> None:
    client = server.client_for("results", quotas={"stored_bytes": 10_000})
    script = "import torch\nresult = torch.ones({})"
    assert (
        client.post("/api/runs", json={"script": script.format(2000)}, headers=WAIT).json()["error"] is None
    )
    done = client.post("/api/runs", json={"script": script.format(2000)}, headers=WAIT).json()
    assert (done["status"], done["error"]["code"]) == ("failed", "quota_exceeded")
    assert "8,000 are used, and 8,000 more" in done["error"]["detail"]


def test_versions_of_kernels_are_counted_and_an_old_one_is_none_too_many(server: Any) -> None:
    client = server.client_for("kernels", quotas={"kernels": 2})

    def add(name: str, number: int) -> httpx2.Response:
        answer: httpx2.Response = client.post("/api/kernels", json={"name": name, "source": KERNEL % number})
        return answer

    assert (add("a", 1).status_code, add("a", 2).status_code) == (201, 201)
    assert refused(add("a", 3), "kernels is 2; 2 are used")
    assert add("a", 1).status_code == 200
    assert client.delete("/api/kernels/a").status_code == 204
    assert add("b", 3).status_code == 201


def test_outputs_on_the_device_make_room_for_new_ones_and_no_more_than_there_is(server: Any) -> None:
    client = server.client_for("resident", quotas={"resident_bytes": 20_000})
    ones = {"$tensor": {"shape": [1000], "dtype": "f32", "data": [1.0] * 1000}}

    def op(*inputs: Any) -> httpx2.Response:
        answer: httpx2.Response = client.post("/api/ops/add", json={"inputs": list(inputs)})
        return answer

    outputs = [op(ones, 1.0).raise_for_status().json()["output"]["$tensor"]["id"] for _ in range(8)]
    there = [client.get(f"/api/tensors/{each}").status_code for each in outputs]
    assert there == sorted(there, reverse=True), "the oldest left"
    assert (there[0], there[-1], 3 <= there.count(200) <= 5) == (404, 200, True)
    last = {"$tensor": {"id": outputs[-1]}}
    for _ in range(4):
        assert op(last, 1.0).status_code == 200, "what is in use does not leave"
    large = {"$tensor": {"shape": [6000], "dtype": "f32", "data": [1.0] * 6000}}
    assert refused(op(large, 1.0), "resident_bytes is 20,000")
    holdings = server.server.runtime.holdings
    assert 12_000 <= holdings.bytes("resident") <= 20_000, "what would not help is not forgotten"


def test_a_run_holds_no_more_on_the_device_than_it_may_and_all_is_given_back(server: Any) -> None:
    client = server.client_for("holder", quotas={"resident_bytes": 100_000})
    keeping = (
        "import torch\ndef main(x):\n    held = [x * i for i in range(30)]\n    return [h for h in held]"
    )
    x = {"$tensor": {"shape": [5000], "dtype": "f32", "data": np.ones(5000).tolist()}}
    done = client.post("/api/runs", json={"script": keeping, "inputs": {"x": x}}, headers=WAIT).json()
    assert done["error"]["code"] == "quota_exceeded", done
    assert "resident_bytes" in done["error"]["detail"]
    assert server.server.runtime.holdings.bytes("holder") == 0
