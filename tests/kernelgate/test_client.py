"""The client against a server that is a function: requests, waits and errors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from api.settings import Settings
from kernelgate import ApiError, Client, Tensor
from kernelgate.calls import output
from kernelgate.environment import data_folder, default_key
from kernelgate.errors import NoServer

Handler = Callable[[httpx2.Request], httpx2.Response]


def connect(handler: Handler, retries: int = 0) -> Client:
    return Client("http://server", "a-key", retries=retries, transport=httpx2.MockTransport(handler))


def record(status: str, **fields: object) -> dict[str, object]:
    return {"id": "run_1", "status": status, "result": None, "error": None, **fields}


def test_a_run_waits_until_it_is_over() -> None:
    seen = []

    def server(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.method, request.url.path))
        if request.method == "POST":
            assert request.headers["prefer"].startswith("wait=")
            assert request.headers["authorization"] == "Bearer a-key"
            return httpx2.Response(202, json=record("queued"))
        return httpx2.Response(200, json=record("succeeded", result={"$bytes": "YWJj"}))

    assert connect(server).run("def main(): ...").result == b"abc"
    assert seen == [("POST", "/api/runs"), ("GET", "/api/runs/run_1")]


def test_a_failed_run_raises_its_error_with_place_and_snippet() -> None:
    error = {
        "code": "script_error",
        "detail": "ZeroDivisionError",
        "line": 2,
        "column": 5,
        "snippet": "1/0\n^",
    }
    client = connect(lambda request: httpx2.Response(200, json=record("failed", error=error)))
    with pytest.raises(ApiError) as caught:
        client.run("…")
    assert (caught.value.code, caught.value.line, caught.value.column) == ("script_error", 2, 5)
    assert str(caught.value) == "ZeroDivisionError [script_error] (line 2, column 5)\n1/0\n^"


def test_an_unchecked_run_returns_its_error() -> None:
    error = {"code": "wall_limit", "detail": "too slow"}
    client = connect(lambda request: httpx2.Response(200, json=record("timed_out", error=error)))
    run = client.run("…", check=False)
    assert run.done
    assert run.error is not None
    assert run.error.code == "wall_limit"


def test_a_call_gives_the_result_of_a_stored_script() -> None:
    seen = []

    def server(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.url.path, json.loads(request.content)))
        return httpx2.Response(200, json=record("succeeded", result=3))

    client = connect(server)
    assert client.call("alice/model@0123abcd", x=b"a", name="n") == 3
    assert client.call_script("model", limits={"wall_s": 1}, grants={"env": {"A": "b"}}).result == 3
    assert seen == [
        ("/api/scripts/alice/model@0123abcd", {"inputs": {"x": {"$bytes": "YQ=="}, "name": "n"}}),
        ("/api/scripts/model", {"inputs": {}, "limits": {"wall_s": 1}, "grants": {"env": {"A": "b"}}}),
    ]


def test_a_script_that_is_no_text_is_refused_before_anything_is_sent() -> None:
    client = connect(lambda request: pytest.fail("nothing is asked"))
    with pytest.raises(
        TypeError, match=r"a script is its text, as Path\.read_text\(\) gives it, not of type"
    ):
        client.run(Path("file.py"))  # type: ignore[arg-type]


def test_inputs_without_names_are_refused_before_anything_is_sent() -> None:
    client = connect(lambda request: pytest.fail("nothing is asked"))
    with pytest.raises(TypeError, match=r'inputs are a dict by name, as \{"x": 3\}, not of type list'):
        client.run("def main(x): return x", [3])  # type: ignore[arg-type]


def test_a_session_runs_cells_and_is_closed_with_its_block() -> None:
    seen = []

    def server(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content or b"null")
        seen.append((request.method, request.url.path, body))
        if request.url.path.endswith("/run"):
            error = {"code": "script_error", "detail": "no"} if body["script"] == "bad" else None
            return httpx2.Response(
                200, json=record("failed" if error else "succeeded", result=7, error=error)
            )
        return httpx2.Response(200, json={"id": "ses_1"})

    with connect(server).session(limits={"wall_s": 2}, idle_s=9) as session:
        assert session.run("x = 1").status == "succeeded"
        assert session.value("x + n", n=2) == 7
        assert session.run("bad", check=False).status == "failed"
        with pytest.raises(ApiError):
            session.value("bad")
    run = "/api/sessions/ses_1/run"
    assert seen == [
        ("POST", "/api/sessions", {"limits": {"wall_s": 2}, "idle_s": 9}),
        ("POST", run, {"script": "x = 1", "inputs": {}}),
        ("POST", run, {"script": "x + n", "inputs": {"n": 2}}),
        ("POST", run, {"script": "bad", "inputs": {}}),
        ("POST", run, {"script": "bad", "inputs": {}}),
        ("DELETE", "/api/sessions/ses_1", None),
    ]


def test_a_problem_document_becomes_an_error_with_all_its_fields() -> None:
    problem = {
        "title": "No key",
        "status": 401,
        "detail": "say who you are",
        "code": "unauthorized",
        "hint": "a key",
    }
    client = connect(lambda request: httpx2.Response(401, json=problem))
    with pytest.raises(ApiError) as caught:
        client.device()
    assert caught.value.status == 401
    assert str(caught.value) == "say who you are [unauthorized]\na key"


def test_an_answer_that_is_no_problem_document_is_still_an_error() -> None:
    client = connect(lambda request: httpx2.Response(502, text="Bad gateway"))
    with pytest.raises(ApiError, match="status 502, is none of Kernelgate's: Bad gateway") as caught:
        client.device()
    assert caught.value.hint is not None
    assert "is http://server/ the address" in caught.value.hint


def test_nobody_listening_is_an_error_that_names_the_address() -> None:
    def nobody(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(NoServer, match="http://server"):
        connect(nobody).device()


def test_events_are_read_until_the_stream_ends() -> None:
    stream = ": hello\n\nid: 1\nevent: stdout\ndata: one\ndata: two\n\nid: 2\nevent: status\ndata: {}\n\n"

    def server(request: httpx2.Request) -> httpx2.Response:
        assert request.headers["last-event-id"] == "0"
        return httpx2.Response(200, text=stream, headers={"content-type": "text/event-stream"})

    events = list(connect(server).events("run_1", after="0"))
    assert [(event.id, event.kind, event.data) for event in events] == [
        ("1", "stdout", "one\ntwo"),
        ("2", "status", "{}"),
    ]


def test_a_tensor_that_is_not_on_the_server_cannot_be_downloaded() -> None:
    client = connect(lambda request: httpx2.Response(500))
    with pytest.raises(ValueError, match="upload it first"):
        client.download(Tensor((1,), "f32", [1.0]))


def test_the_key_comes_from_the_environment_or_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path))
    monkeypatch.delenv("KERNELGATE_KEY", raising=False)
    assert default_key() is None
    (tmp_path / "admin.key").write_text("from-file\n")
    assert default_key() == "from-file"
    monkeypatch.setenv("KERNELGATE_KEY", "from-environment")
    assert default_key() == "from-environment"


def test_client_and_server_agree_on_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KERNELGATE_DATA", raising=False)
    for home in ("", str(tmp_path)):
        monkeypatch.setenv("XDG_DATA_HOME", home)
        assert data_folder() == Settings().data


@pytest.mark.parametrize("missing", ["numpy", "wgpu"])
def test_the_client_needs_only_its_own_folder(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "import kernelgate, kernelgate.cli, kernelgate.local\n"
        "ours = {'api', 'host', 'ops', 'sandbox', 'shaders'} & {name.split('.')[0] for name in sys.modules}\n"
        "sys.exit(str(ours) if ours else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_dispatch_says_only_what_it_was_told() -> None:
    seen = []

    def server(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json={"outputs": {}})

    client = connect(server)
    client.dispatch("k", {"y": output((2,), "u32")}, [3])
    step = {"threads": [5], "bind": {"x": "y"}}
    inputs = {"y": output((2,), "u32", temporary=True), "texts": [b"a", "b"]}
    client.dispatch("k", inputs, steps=[step], overrides={"scale": float("inf")}, outputs=[], fuel=7)
    plain = {"shape": [2], "dtype": "u32"}
    assert seen == [
        {"inputs": {"y": plain}, "workgroups": [3]},
        {
            "inputs": {"y": {**plain, "temporary": True}, "texts": [{"$bytes": "YQ=="}, "b"]},
            "steps": [step],
            "overrides": {"scale": {"$float": "Infinity"}},
            "outputs": [],
            "fuel": 7,
        },
    ]


def test_a_file_s_lines_become_two_tensors(tmp_path: Path) -> None:
    def server(request: httpx2.Request) -> httpx2.Response:
        assert (request.url.query, request.content) in [(b"split=lines", b"a\nb"), (b"block=2", b"abcd")]
        named = {name: {"id": f"ten_{name}", "shape": [1], "dtype": "u32"} for name in ("bytes", "offsets")}
        return httpx2.Response(201, json={"tensors": named})

    (tmp_path / "lines").write_bytes(b"a\nb")
    data, offsets = connect(server).upload_strings(tmp_path / "lines")
    assert (data.id, offsets.id) == ("ten_bytes", "ten_offsets")
    connect(server).upload_strings(b"abcd", block=2)
