"""`/api/runs`: waited for, left alone, cancelled, repeated, watched, limited."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any

import httpx2
import numpy as np
import pytest

from api.errors import StorageFull

ENDLESS = "def main():\n    print('begun')\n    while True:\n        pass"
WAIT = {"Prefer": "wait=60"}


def run(http: httpx2.Client, script: str, inputs: Any = None, **more: Any) -> dict[str, Any]:
    answer = http.post("/api/runs", json={"script": script, "inputs": inputs or {}, **more}, headers=WAIT)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def events_of(http: httpx2.Client, run_id: str, after: int | None = None) -> list[tuple[int, str, Any]]:
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    found = []
    with http.stream("GET", f"/api/runs/{run_id}/events", headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for block in "".join(response.iter_text()).split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if fields:
                found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def test_a_waited_run_answers_200_with_everything(http: httpx2.Client) -> None:
    done = run(http, "def main(a, b):\n    print('hello')\n    return {'sum': a + b}", {"a": 1, "b": 2.5})
    assert (done["status"], done["result"], done["stdout"], done["error"]) == (
        "succeeded",
        {"sum": 3.5},
        "hello\n",
        None,
    )
    usage = {"wall_ms", "cpu_ms", "device_ms", "peak_bytes", "dispatches", "threads", "bytes"}
    assert done["usage"].keys() == usage
    assert done["usage"]["wall_ms"] > 0
    assert done["limits"]["wall_s"] == 60
    assert done["created_at"] <= done["started_at"] <= done["finished_at"]
    assert http.get(f"/api/runs/{done['id']}").json() == done


def test_a_failed_run_is_answered_200_too_with_its_error(http: httpx2.Client) -> None:
    done = run(http, "def main():\n    return 1 / 0")
    assert done["status"] == "failed"
    assert (done["error"]["code"], done["error"]["line"]) == ("script_error", 2)
    assert done["error"]["type"] == "/docs#error-script_error"


def test_without_prefer_a_run_is_accepted_and_found_at_its_location(http: httpx2.Client) -> None:
    answer = http.post("/api/runs", json={"script": "result = 5"})
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/api/runs/{answer.json()['id']}"
    (_, _, last) = events_of(http, answer.json()["id"])[-1]
    assert (last["status"], last["result"]) == ("succeeded", 5)
    assert http.get(answer.headers["location"]).json() == last


def test_when_the_wait_elapses_the_answer_is_202_and_the_run_lives_on(http: httpx2.Client) -> None:
    answer = http.post("/api/runs", json={"script": ENDLESS}, headers={"Prefer": "wait=0.05"})
    assert (answer.status_code, answer.json()["status"]) == (202, "running")
    assert answer.headers["preference-applied"] == "wait=0.05"
    assert http.get(answer.headers["location"]).json()["status"] == "running"
    http.delete(answer.headers["location"])


@pytest.mark.parametrize(
    "prefer", ["wait=soon", "wait=-1", "wait=nan", "wait=inf", "wait=", "wait=1_0", "wait=1e1"]
)
def test_a_wait_that_is_no_number_is_refused(http: httpx2.Client, prefer: str) -> None:
    answer = http.post("/api/runs", json={"script": "result = 1"}, headers={"Prefer": prefer})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("prefer", ["respond-async, wait=60", 'wait="60"; x=1', "Wait=60"])
def test_prefer_is_read_as_its_standard_says(http: httpx2.Client, prefer: str) -> None:
    answer = http.post("/api/runs", json={"script": "result = 1"}, headers={"Prefer": prefer})
    assert answer.status_code == 200


def test_every_kind_of_value_goes_in_and_comes_out(http: httpx2.Client) -> None:
    value = {
        "null": None,
        "big": 2**70,
        "text": "\u0000 ü 𝄞",
        "bytes": {"$bytes": "AP8="},
        "nan": [{"$float": "NaN"}, {"$float": "Infinity"}, -0.0],
        "$$tensor": {"$$$x": True},
    }
    assert run(http, "def main(value):\n    return value", {"value": value})["result"] == value


def test_tensors_go_in_by_value_and_by_id_and_come_out_stored(http: httpx2.Client) -> None:
    stored = http.post("/api/tensors", json={"shape": [3], "dtype": "f32", "data": [1, 2, 3]}).json()
    script = "def main(a, b):\n    return {'product': a * b, 'same': a}"
    inputs = {
        "a": {"$tensor": {"id": stored["id"]}},
        "b": {"$tensor": {"shape": [3], "dtype": "f32", "data": [2, 2, "NaN"]}},
    }
    result = run(http, script, inputs)["result"]
    product = result["product"]["$tensor"]
    assert (product["shape"], product["dtype"], product["data"]) == ([3], "f32", [2, 4, "NaN"])
    assert result["same"]["$tensor"]["id"] == stored["id"]
    assert http.get(f"/api/tensors/{product['id']}").json()["stored"] is True


def test_a_long_int_of_a_result_comes_whole(http: httpx2.Client) -> None:
    assert run(http, "result = {'n': [10**4299 + 7]}")["result"] == {"n": [10**4299 + 7]}


def test_a_large_tensor_of_a_result_comes_as_an_id(http: httpx2.Client) -> None:
    script = "import torch\ndef main():\n    return torch.ones(300, 300) * 2"
    tensor = run(http, script)["result"]["$tensor"]
    assert "data" not in tensor
    raw = http.get(f"/api/tensors/{tensor['id']}/data?format=raw").content
    assert raw == np.full((300, 300), 2, np.float32).tobytes()


def test_a_script_dispatches_the_kernels_of_its_owner(http: httpx2.Client) -> None:
    source = """
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> scale: f32;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x] * scale; }
"""
    assert http.post("/api/kernels", json={"name": "scaled", "source": source}).status_code in (200, 201)
    script = """
import torch
def main(x):
    return kernels.run("scaled", x=x, y=kernels.output((2,), "f32"), scale=1.5, workgroups=2)
"""
    inputs = {"x": {"$tensor": {"shape": [2], "dtype": "f32", "data": [2, 4]}}}
    done = run(http, script, inputs)
    assert done["error"] is None
    assert done["result"]["$tensor"]["data"] == [3, 6]
    assert done["usage"]["dispatches"] >= 1
    failed = run(http, script.replace("scaled", "unknown"), inputs)
    assert "unknown" in failed["error"]["detail"]


def test_the_limits_of_a_run_are_echoed_and_bounded(http: httpx2.Client) -> None:
    done = run(http, "result = 1", limits={"wall_s": 5, "memory_mb": 256.0, "dispatches": 10})
    assert (done["limits"]["wall_s"], done["limits"]["memory_mb"], done["limits"]["dispatches"]) == (
        5,
        256,
        10,
    )
    answer = http.post("/api/runs", json={"script": "result = 1", "limits": {"wall_s": 1e9}})
    assert (answer.status_code, answer.json()["code"]) == (422, "limit_too_high")
    assert "3600" in answer.json()["detail"]


def test_a_run_over_its_wall_limit_is_timed_out_and_names_it(
    http: httpx2.Client, running: Any, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = running.hold_time(monkeypatch)
    body = {"script": ENDLESS, "limits": {"wall_s": 0.3}}
    url = http.post("/api/runs", json=body).headers["location"]
    wait_until(lambda: http.get(url).json()["stdout"], "it computes")
    clock.now += 0.3
    wait_until(lambda: http.get(url).json()["error"], "its time is over")
    done = http.get(url).json()
    assert (done["status"], done["error"]["code"], done["stdout"]) == ("timed_out", "wall_limit", "begun\n")
    assert "0.3" in done["error"]["detail"]
    assert done["error"]["line"] in (3, 4)
    assert done["error"]["snippet"].startswith(ENDLESS.splitlines()[done["error"]["line"] - 1])


def test_a_run_over_its_dispatches_is_told_the_limit_and_the_use(http: httpx2.Client) -> None:
    script = """
import torch
def main():
    total = torch.ones(4)
    for _ in range(10):
        total = total + 1
        total.sum().item()
"""
    error = run(http, script, limits={"dispatches": 3})["error"]
    assert error["code"] == "dispatch_limit"
    assert "limit dispatches is 3" in error["detail"]


HOLDING = {
    "one by one": "held = []\nwhile True:\n    held.append(torch.ones(2) + len(held))\n    held[-1].tolist()",
    "in one result": "def main():\n    return [torch.ones(2) + i for i in range(9)]",
    "written by a kernel": "held = []\nwhile True:\n    held.append(kernels.run('one', y=kernels.output(1)))",
    "given": "def main(x, **others):\n    pass",
}


@pytest.mark.parametrize("script", HOLDING.values(), ids=HOLDING.keys())
def test_a_run_over_its_handles_is_told_the_limit_and_the_use(http: httpx2.Client, script: str) -> None:
    source = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = 1.0; }
"""
    assert http.post("/api/kernels", json={"name": "one", "source": source}).status_code in (200, 201)
    tensors = [{"$tensor": {"shape": [1], "dtype": "f32", "data": [i]}} for i in range(9)]
    inputs = dict(zip("xabcdefgh", tensors, strict=True)) if "others" in script else {}
    error = run(http, script, inputs, limits={"handles": 5})["error"]
    assert error["code"] == "handle_limit"
    assert "limit handles is 5, and it would hold" in error["detail"]


def test_tensors_that_a_script_drops_do_not_count_as_held(http: httpx2.Client) -> None:
    script = """
def main(x):
    for i in range(50):
        (x + i).tolist()
    held = []
    try:
        while True:
            held.append(x + len(held))
            held[-1].tolist()
    except RuntimeError as error:
        code = error.code
    held.clear()
    return [(x + 1).tolist(), code]
"""
    inputs = {"x": {"$tensor": {"shape": [1], "dtype": "f32", "data": [1]}}}
    done = run(http, script, inputs, limits={"handles": 5})
    assert (done["error"], done["result"]) == (None, [[2], "handle_limit"])


def test_a_result_with_a_tensor_that_was_given_is_another_tensor(http: httpx2.Client) -> None:
    """Of which each can be deleted without the other's elements."""
    one = {"$tensor": {"shape": [2], "dtype": "f32", "data": [1, 2]}}
    given = http.post("/api/ops/add", json={"inputs": [one, 1.0]}).json()["output"]["$tensor"]["id"]
    done = run(http, "def main(x):\n    return x", {"x": {"$tensor": {"id": given}}})
    made = done["result"]["$tensor"]["id"]
    assert made != given
    assert http.delete(f"/api/tensors/{made}").status_code == 204
    done = run(http, "def main(x):\n    return (x + 1).tolist()", {"x": {"$tensor": {"id": given}}})
    assert (done["error"], done["result"]) == (None, [3, 4])


def test_lists_that_a_script_gives_to_kernels_are_not_held_when_the_kernel_is_done(
    http: httpx2.Client,
) -> None:
    source = """
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = 2.0 * x[id.x]; }
"""
    assert http.post("/api/kernels", json={"name": "twice", "source": source}).status_code in (200, 201)
    script = "[kernels.run('twice', x=[1.0 * i], y=kernels.output(1)).item() for i in range(9)]"
    done = run(http, f"result = {script}", limits={"handles": 5})
    assert (done["error"], done["result"]) == (None, [2 * i for i in range(9)])


def test_a_cancelled_run_says_by_whom_and_cancelling_again_changes_nothing(
    http: httpx2.Client, wait_until: Any
) -> None:
    run_id = http.post("/api/runs", json={"script": ENDLESS}).json()["id"]
    wait_until(lambda: http.get(f"/api/runs/{run_id}").json()["stdout"], "it computes")
    done = http.delete(f"/api/runs/{run_id}").json()
    assert (done["status"], done["cancelled_by"], done["reason"]) == (
        "cancelled",
        "admin",
        "on request",
    )
    assert done["usage"]["cpu_ms"] > 0, "what it used until then"
    assert done["usage"]["peak_bytes"] > 0
    assert http.delete(f"/api/runs/{run_id}").json() == done
    assert http.get(f"/api/runs/{run_id}").json() == done


def leave_during(running: Any, headers: str, after: Callable[[], None]) -> None:
    """Post an endless run, and hang up once `after` returns."""
    body = json.dumps({"script": ENDLESS}).encode()
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(
            f"POST /api/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {running.key}\r\n{headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        after()


def newest(http: httpx2.Client) -> dict[str, Any]:
    document: dict[str, Any] = http.get("/api/runs?limit=1").json()["runs"][0]
    return document


def test_a_waited_run_is_cancelled_when_its_client_leaves(
    http: httpx2.Client, running: Any, wait_until: Any
) -> None:
    before = newest(http)["id"] if http.get("/api/runs?limit=1").json()["runs"] else ""

    def begun() -> None:
        wait_until(lambda: newest(http)["id"] != before and newest(http)["status"] == "running", "it runs")

    leave_during(running, "Prefer: wait=60\r\n", begun)
    wait_until(lambda: newest(http)["status"] == "cancelled", "the run is cancelled")
    done = http.get(f"/api/runs/{newest(http)['id']}").json()
    assert (done["cancelled_by"], done["reason"]) == ("client", "the client left")


def test_a_waited_run_with_an_idempotency_key_lives_on(
    http: httpx2.Client, running: Any, wait_until: Any
) -> None:
    before = newest(http)["id"]

    def begun() -> None:
        wait_until(lambda: newest(http)["id"] != before and newest(http)["status"] == "running", "it runs")

    leave_during(running, "Prefer: wait=60\r\nIdempotency-Key: stays\r\n", begun)
    answer = http.post("/api/runs", json={"script": ENDLESS}, headers={"Idempotency-Key": "stays"})
    assert (answer.json()["id"], answer.json()["status"]) == (newest(http)["id"], "running")
    assert http.delete(answer.headers["location"]).json()["status"] == "cancelled"


def test_an_idempotency_key_makes_one_run(http: httpx2.Client) -> None:
    headers = {"Idempotency-Key": "once", **WAIT}
    body = {"script": "result = 1", "inputs": {}}
    first = http.post("/api/runs", json=body, headers=headers)
    again = http.post("/api/runs", json=dict(reversed(body.items())), headers=headers)
    assert (again.status_code, again.json()) == (200, first.json())
    other = http.post("/api/runs", json={"script": "result = 2"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    for bad in ("", "a b", "x" * 256, "ü"):
        raw = [(b"Idempotency-Key", bad.encode())]
        answer = http.post("/api/runs", json=body, headers=raw)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_the_same_key_at_the_same_moment_makes_one_run(http: httpx2.Client) -> None:
    found: list[str] = []

    def post() -> None:
        answer = http.post(
            "/api/runs", json={"script": "result = 3"}, headers={"Idempotency-Key": "race", **WAIT}
        )
        found.append(answer.json()["id"])

    threads = [threading.Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8
    assert len(set(found)) == 1


def test_events_are_stored_and_replayed_from_where_a_client_left(http: httpx2.Client) -> None:
    script = "def main():\n    print('one')\n    progress(0.5, loss=2.0)\n    return 7"
    done = run(http, script)
    events = events_of(http, done["id"])
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    kinds = [(kind, data.get("status")) for _, kind, data in events if kind in ("status", "result")]
    assert kinds == [
        ("status", "queued"),
        ("status", "running"),
        ("status", "succeeded"),
        ("result", "succeeded"),
    ]
    assert [data for _, kind, data in events if kind == "output"] == [{"stream": "stdout", "text": "one\n"}]
    assert {"fraction": 0.5, "values": {"loss": 2.0}} in [
        data for _, kind, data in events if kind == "progress"
    ]
    assert events[-1][2] == done
    assert events_of(http, done["id"], after=3) == events[3:]
    assert events_of(http, done["id"], after=events[-1][0]) == events[-1:]
    assert events_of(http, done["id"], after=1000) == events[-1:]


def test_a_live_run_is_followed_to_its_end(http: httpx2.Client) -> None:
    run_id = http.post("/api/runs", json={"script": ENDLESS}).json()["id"]
    seen = []
    with http.stream("GET", f"/api/runs/{run_id}/events") as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
                if seen[-1].get("text") == "begun\n":
                    threading.Thread(target=http.delete, args=(f"/api/runs/{run_id}",)).start()
    assert seen[-1]["status"] == "cancelled"
    assert [event["status"] for event in seen if event.keys() == {"status"}] == [
        "queued",
        "running",
        "cancelled",
    ]


def test_events_beyond_the_cap_are_not_stored_and_the_output_is(start: Callable[..., Any]) -> None:
    script = "def main():\n    for step in range(300):\n        progress(step / 300)\n    print('end')"
    with start(events_per_run=50) as running:
        done = run(running.http, script)
        events = events_of(running.http, done["id"])
        assert len(events) <= 54
        assert "note" in events[50][2]
        assert done["stdout"] == "end\n"


def test_runs_are_listed_in_pages_and_by_status(running: Any) -> None:
    http = running.client_for("lister")
    ids = [run(http, "result = 1")["id"] for _ in range(3)] + [run(http, "result = 1 / 0")["id"]]
    first = http.get("/api/runs?limit=3").json()
    second = http.get("/api/runs", params={"limit": 3, "before": first["next"]}).json()
    assert sorted(item["id"] for item in first["runs"] + second["runs"]) == sorted(ids)
    assert second["next"] is None
    assert [item["id"] for item in http.get("/api/runs?status=failed").json()["runs"]] == ids[3:]
    for query in ("limit=0", "limit=9999", "limit=x", "status=strange"):
        assert http.get(f"/api/runs?{query}").json()["code"] == "invalid_request"


def test_somebody_elses_run_does_not_exist(http: httpx2.Client, running: Any) -> None:
    run_id = run(http, "result = 1")["id"]
    other = running.key_for("curious")
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events")):
        answer = http.request(method, f"/api/runs/{run_id}{path}", headers=other)
        assert (answer.status_code, answer.json()["code"]) == (404, "run_not_found")


def test_a_full_queue_refuses_and_says_when_to_come_back(start: Callable[..., Any], wait_until: Any) -> None:
    with start(runs_at_once=1, queue_length=2) as running:
        http = running.http
        ids = [http.post("/api/runs", json={"script": ENDLESS}).json()["id"] for _ in range(3)]
        answer = http.post("/api/runs", json={"script": ENDLESS})
        assert (answer.status_code, answer.json()["code"]) == (503, "queue_full")
        assert int(answer.headers["retry-after"]) > 0
        assert http.get(f"/api/runs/{ids[2]}").json()["status"] == "queued"
        assert http.delete(f"/api/runs/{ids[1]}").json()["status"] == "cancelled"
        assert http.delete(f"/api/runs/{ids[0]}").json()["status"] == "cancelled"
        wait_until(lambda: http.get(f"/api/runs/{ids[2]}").json()["status"] == "running", "the next one runs")
        http.delete(f"/api/runs/{ids[2]}")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "script is missing"),
        ({"script": 1}, "script"),
        ({"script": "x", "inputs": []}, "inputs"),
        ({"script": "x", "inputs": {"$tensor": {"id": "x"}}}, "lone tagged value"),
        ({"script": "x", "inputs": {"a": {"$what": 1}}}, "$what"),
        ({"script": "x", "limits": {"wall": 1}}, "limits.wall is not a field"),
        ({"script": "x", "limits": {"wall_s": 0}}, "limits.wall_s"),
        ({"script": "x", "limits": {"wall_s": "5"}}, "limits.wall_s"),
        ({"script": "x", "limits": {"memory_mb": 1.5}}, "limits.memory_mb"),
        ({"script": "x", "limits": {"wall_s": True}}, "limits.wall_s"),
        ({"script": "x", "grants": {"fetch": ["x"]}}, "fetch"),
        ({"script": "x", "inputs": {"a": {"$tensor": {"id": "ten_x"}}}}, "ten_x"),
        ({"script": "x", "colour": 1}, "colour is not a field"),
    ],
)
def test_a_request_that_is_wrong_is_refused_by_field(http: httpx2.Client, body: Any, says: str) -> None:
    answer = http.post("/api/runs", json=body, headers=WAIT)
    assert 400 <= answer.status_code < 500
    assert says in answer.json()["detail"]


def test_a_key_has_only_so_many_event_streams_and_one_that_is_left_is_no_incident(
    start: Callable[..., Any], wait_until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with start(event_streams=1, workers=1, runs_at_once=2) as server:
        script = "def main():\n    for i in range(1000):\n        print('x' * 5000)"
        prefer = {"Prefer": "wait=60"}
        body = {"script": script, "limits": {"output_bytes": 1 << 24}}
        done = server.http.post("/api/runs", json=body, headers=prefer).json()
        live = server.http.post("/api/runs", json={"script": "def main():\n    while True: pass"}).json()
        path = f"/api/runs/{live['id']}/events"
        with server.http.stream("GET", path) as stream:
            pieces = stream.iter_raw()  # held: an iterator that is dropped closes the stream
            next(pieces)
            refused = server.http.get(path)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
            assert "retry-after" in refused.headers
        for watched in [live, *[done] * 5]:
            wait_until(lambda: not server.server.runtime.streams._open, "the stream is over")
            with server.http.stream("GET", f"/api/runs/{watched['id']}/events") as stream:
                next(stream.iter_raw())
        wait_until(lambda: not server.server.runtime.streams._open, "the stream is over")
        server.http.delete(f"/api/runs/{live['id']}")
        assert server.http.get(path).text.count("event: result") == 1
    assert not [record.message for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_run_that_is_cancelled_at_any_moment_of_its_start_ends_at_once(http: httpx2.Client) -> None:
    for number in range(60):
        run_id = http.post("/api/runs", json={"script": ENDLESS}).json()["id"]
        for _ in range(number % 6):
            http.get("/healthz")
        assert http.delete(f"/api/runs/{run_id}", timeout=20).json()["status"] == "cancelled"


# ---------------------------------------------------------------------- what cannot be stored
def test_a_run_whose_end_cannot_be_stored_keeps_its_result_and_is_stored_later(
    start: Callable[..., Any], wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageFull("the disk is full")

    script = {"script": "def main():\n    print('said')\n    return 5"}
    with start(workers=1) as running:
        http, data = running.http, running.settings.data
        monkeypatch.setattr("api.runs.records.update_run", full)
        done = http.post("/api/runs", json=script, headers={"Prefer": "wait=60"}).json()
        assert (done["status"], done["result"]) == ("succeeded", 5)
        url = f"/api/runs/{done['id']}"
        assert http.get(url).json() == done
        assert http.get("/api/runs").json()["runs"][0]["finished_at"] == done["finished_at"]
        assert http.delete(url).json() == done, "it is over"
        monkeypatch.undo()
        runs = running.server.runtime.runs
        wait_until(lambda: runs._live.get(done["id"]) is None, "the end is stored")
        assert http.get(url).json() == done
        events = http.get(f"{url}/events").text
        assert (events.count("event: output"), events.count("event: result")) == (1, 1)
    with start(data=data, workers=1) as running:
        assert running.http.get(url).json() == done


def test_a_run_that_cannot_be_stored_is_refused_and_not_made(
    start: Callable[..., Any], wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageFull("the disk is full")

    with start(workers=1) as running:
        monkeypatch.setattr("api.runs.records.insert_run", full)
        refused = running.http.post("/api/runs", json={"script": "def main():\n    while True: pass"})
        assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
        wait_until(lambda: not running.server.runtime.runs._live, "it was stopped")
        assert running.http.get("/api/runs").json()["runs"] == []
