"""What Kernelgate does, in one short file, on the real stack: server, workers, compiler, device."""

from __future__ import annotations

import hashlib
from pathlib import Path

import httpx2
import numpy as np
import pytest

from kernelgate import ApiError, Client, output
from kernelgate.local import LocalServer

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_a_script_runs(client: Client) -> None:
    run = client.run("def main(a, b):\n    print('adding')\n    return a + b", {"a": 1, "b": 2})
    assert (run.status, run.result, run.stdout) == ("succeeded", 3, "adding\n")


def test_a_script_computes_with_tensors_on_the_device(client: Client) -> None:
    x = np.random.default_rng(1).random((50, 70), dtype=np.float32)
    run = client.run("import torch\ndef main(x):\n    return torch.softmax(x @ x.T, dim=1)", {"x": x})
    scores = x @ x.T
    odds = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(run.result.numpy(), odds / odds.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
    assert run.usage["dispatches"] > 0


def test_a_tensor_goes_up_and_comes_back(client: Client) -> None:
    array = np.arange(100_000, dtype=np.int32).reshape(100, 1000)
    tensor = client.upload(array)
    assert (tensor.shape, tensor.dtype) == ((100, 1000), "i32")
    assert np.array_equal(client.download(tensor), array)
    client.delete_tensor(tensor)
    with pytest.raises(ApiError) as caught:
        client.download(tensor)
    assert caught.value.code == "tensor_not_found"


def test_one_op_runs_without_a_script(client: Client) -> None:
    product = client.op("matmul", np.eye(3, dtype=np.float32) * 2, np.ones((3, 2), np.float32))
    assert np.array_equal(product.numpy(), np.full((3, 2), 2, np.float32))


def test_a_kernel_is_stored_and_dispatched(client: Client) -> None:
    answer = client.add_kernel("tiny-sha256", (EXAMPLES / "sha256.wgsl").read_text())
    assert [binding["name"] for binding in answer["bindings"]] == ["messages", "offsets", "digests"]
    messages = [bytes(range(256))[:length] for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 200)]
    text = b"".join(messages)
    digests = client.dispatch(
        "tiny-sha256",
        {
            "messages": np.frombuffer(text + bytes(-len(text) % 4), np.uint32),
            "offsets": np.cumsum([0, *map(len, messages)], dtype=np.uint32),
            "digests": output([len(messages), 8], "u32"),
        },
    )["digests"].numpy()
    expected = [hashlib.sha256(message).hexdigest() for message in messages]
    assert ["".join(f"{word:08x}" for word in row) for row in digests] == expected


def test_a_script_dispatches_a_stored_kernel(client: Client) -> None:
    client.add_kernel("tiny-collatz", (EXAMPLES / "collatz.wgsl").read_text())
    script = """
import kernels

def main(numbers):
    steps = kernels.output(numbers.shape, "u32")
    answer = kernels.run("tiny-collatz", numbers=numbers, steps=steps, workgroups=(1, 1, 1))
    return answer.max().item()
"""
    assert client.run(script, {"numbers": np.arange(1, 30, dtype=np.uint32)}).result == 111


def test_an_error_points_into_the_users_own_text(client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        client.run("def main():\n    values = [1]\n    return values[3]")
    assert (caught.value.code, caught.value.line) == ("script_error", 3)
    with pytest.raises(ApiError) as caught:
        client.add_kernel("tiny-broken", "@compute @workgroup_size(1)\nfn main() { let x = ; }")
    assert (caught.value.code, caught.value.line) == ("kernel_compile", 2)


def test_a_limit_stops_a_script_that_never_ends_and_names_itself(client: Client) -> None:
    run = client.run("def main():\n    while True:\n        pass", limits={"wall_s": 0.5}, check=False)
    assert run.status == "timed_out"
    assert run.error is not None
    assert run.error.code == "wall_limit"


def test_a_run_is_followed_by_its_events_and_can_be_cancelled(client: Client) -> None:
    run = client.start("def main():\n    print('started')\n    while True:\n        pass")
    for event in client.events(run.id):
        if "started" in event.data:
            client.cancel(run.id)
    assert client.get_run(run.id).status == "cancelled"


def test_nobody_gets_in_without_a_key(server: LocalServer) -> None:
    answer = httpx2.get(f"{server.url}/api/runs", timeout=60)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "unauthorized"


def test_large_arrays_and_lists_are_uploaded_on_the_way(client: Client) -> None:
    large = np.ones((300, 300), np.float32)
    assert client.run("def main(x): return x.sum().item()", {"x": large}).result == 90_000
    assert client.upload([1, 2, 3]).dtype == "i32"
    assert client.upload([0.5]).dtype == "f32"
