"""Bad input of any kind gets a problem: never a 500, never a hang, and the server goes on."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.http import body as bodies
from api.http.edge import MAX_AHEAD
from api.tensors import values
from api.tensors.values import MAX_ITEMS, MAX_TENSORS
from kernelgate.values import encode

DEEP = b"[" * 10_000 + b"]" * 10_000
JSON_ROUTES = (
    "/api/runs",
    "/api/kernels",
    "/api/kernels/any/dispatch",
    "/api/ops/add",
    "/api/tensors",
    "/api/scripts",
    "/api/sessions",
    "/api/sessions/any/run",
    "/api/keys",
    "/api/explain",
)
BODIES = {
    "empty": b"",
    "not JSON": b"\x00\xff\xfe",
    "cut short": b'{"script": "x"',
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "10 000 deep": DEEP,
    "10 000 deep inside": b'{"inputs": {"a": ' + DEEP + b"}}",
    "deep objects": b'{"inputs":' * 5000 + b"1" + b"}" * 5000,
    "duplicate keys": b'{"script": "a", "script": "b"}',
    "NaN": b'{"inputs": {"a": NaN}}',
    "huge number": b'{"inputs": {"a": 1e999}}',
    "huge integer": b'{"inputs": {"a": ' + b"9" * 10_000 + b"}}",
    "lone surrogate": b'{"script": "\\ud800"}',
    "nul": b'{"script": "\\u0000", "name": "\\u0000"}',
    "proto": b'{"__proto__": {}, "constructor": 1}',
    "bom": b"\xef\xbb\xbf{}",
    "utf-16": '{"script": "x"}'.encode("utf-16"),
}


def is_problem(answer: httpx2.Response) -> bool:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert problem.keys() >= {"type", "title", "status", "detail", "code"}
    assert problem["status"] == answer.status_code
    assert "Traceback" not in answer.text
    return True


@pytest.mark.parametrize("route", JSON_ROUTES)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_malformed_body_is_a_4xx_problem(http: httpx2.Client, route: str, body: bytes) -> None:
    answer = http.post(route, content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert is_problem(answer)


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/api/runs", {"Content-Type": "text/html"}, 415),
        ("POST", "/api/runs", {"Content-Encoding": "gzip"}, 415),
        ("POST", "/api/runs", {"Content-Type": "application/json; charset=utf-16"}, 422),
        ("POST", "/api/runs", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
        ("GET", "/api/runs/%00", {}, 404),
        ("GET", "/api/runs/..%2f..%2fetc%2fpasswd", {}, 404),
        ("GET", "/api/runs/" + "x" * 5000, {}, 404),
        ("GET", "/api/kernels/..%2f..%2fx", {}, 404),
        ("GET", "/api/kernels/@", {}, 404),
        ("GET", "/api/kernels/a%0d%0ab", {}, 404),
        ("GET", "/api/kernels/%F0%9F%92%A9", {}, 404),
        ("GET", "/api/tensors/%ff", {}, 404),
        ("GET", "/api/tensors/x/data", {}, 404),
        ("GET", "/api/tensors?before=" + "x" * 1000, {}, 422),
        ("GET", "/api/tensors?limit=999999999999999999999", {}, 422),
        ("GET", "/api/runs/x/events", {"Last-Event-ID": "x" * 100}, 404),
        ("DELETE", "/api/device", {}, 405),
        ("OPTIONS", "/api/runs", {}, 405),
        ("PUT", "/api/tensors/ten_none/data", {}, 404),
    ],
)
def test_a_malformed_request_is_a_problem(
    http: httpx2.Client, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = http.request(method, path, headers=headers, content=b"{}" if method in ("POST", "PUT") else None)
    assert answer.status_code == status, answer.text
    assert is_problem(answer)


@pytest.mark.parametrize(
    ("path", "detail", "hint"),
    [
        ("/api/runs?limt=5", "limt is not a parameter of GET /api/runs", "Did you mean limit?"),
        ("/api/runs?nope", "nope is not a parameter", "It takes limit, before, status, owner."),
        ("/api/device?verbose=1", "verbose is not a parameter of GET /api/device", "It takes none."),
        ("/api/ops?limit=5&limit=6", "limit is given twice", "Give it once."),
    ],
)
def test_a_parameter_that_would_be_ignored_is_refused(
    http: httpx2.Client, path: str, detail: str, hint: str
) -> None:
    answer = http.get(path)
    assert (answer.status_code, answer.json().get("hint")) == (422, hint)
    assert detail in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/api/device", "/api/nope", "/openapi.json", "/healthz", "/llms.txt"])
def test_an_answer_ends_its_line(http: httpx2.Client, path: str) -> None:
    assert http.get(path).text.endswith("\n")


def test_a_wrong_method_is_told_all_that_the_address_takes(http: httpx2.Client) -> None:
    assert http.head("/api/runs").headers["allow"] == "GET, POST"
    assert http.put("/healthz").headers["allow"] == "GET"


def test_an_event_id_that_is_no_number_starts_from_the_first(http: httpx2.Client) -> None:
    done = http.post("/api/runs", json={"script": "result = 1"}, headers={"Prefer": "wait=60"}).json()
    for value in ("-1", "x", "1e9", "²"):
        raw = [(b"Last-Event-ID", value.encode())]
        assert "event: status" in http.get(f"/api/runs/{done['id']}/events", headers=raw).text
    assert http.get(f"/api/runs/{done['id']}/events", headers={"Last-Event-ID": "9" * 20}).text.startswith(
        "event: result"
    )


WIRE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8)
            | st.sampled_from(
                ["$tensor", "$bytes", "$float", "shape", "dtype", "data", "id", "inputs", "limits"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["script", "inputs", "limits", "grants", "name", "source", "workgroups", "entry_point", "attributes"]
    ),
    WIRE,
    max_size=4,
)
QUICK = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@QUICK
@given(route=st.sampled_from(JSON_ROUTES[1:]), body=FIELDS | WIRE)
def test_no_json_causes_a_server_error(http: httpx2.Client, route: str, body: Any) -> None:
    content = json.dumps(encode(body) if not isinstance(body, dict) else body).encode()
    answer = http.post(route, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code < 500, answer.text
    assert answer.status_code < 400 or is_problem(answer)


@QUICK
@given(
    kind=st.sampled_from(
        [
            "application/x-npy",
            "application/vnd.safetensors",
            "application/octet-stream",
            "application/json",
            "",
            "x",
        ]
    ),
    start=st.sampled_from([b"", b"\x93NUMPY\x01\x00v\x00", b"\x08" + bytes(7), b"\x93NUMPY\x02\x00"]),
    body=st.binary(max_size=300),
    query=st.sampled_from(
        ["", "?dtype=f32&shape=2", "?dtype=f32&shape=-1", "?dtype=&shape=", "?dtype=bool&shape=3,"]
    ),
)
def test_no_upload_causes_a_server_error(
    http: httpx2.Client, kind: str, start: bytes, body: bytes, query: str
) -> None:
    answer = http.post(f"/api/tensors{query}", content=start + body, headers={"Content-Type": kind})
    assert answer.status_code < 500, answer.text
    assert answer.status_code < 400 or is_problem(answer)


@QUICK
@given(shape=WIRE, dtype=WIRE, data=WIRE)
def test_no_inline_tensor_causes_a_server_error(
    http: httpx2.Client, shape: Any, dtype: Any, data: Any
) -> None:
    body = json.dumps({"inputs": [{"$tensor": {"shape": shape, "dtype": dtype, "data": data}}]}).encode()
    answer = http.post("/api/ops/neg", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code < 500, answer.text


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00",
        b"GET /api/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["version", "tls", "length", "chunk", "long"],
)
def test_what_is_not_http_ends_the_connection_and_nothing_else(
    http: httpx2.Client, running: Any, raw: bytes
) -> None:
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(raw)
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass
    assert http.get("/healthz").status_code == 200


def test_an_upload_that_is_cut_off_leaves_nothing(http: httpx2.Client, running: Any, wait_until: Any) -> None:
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(
            f"POST /api/tensors?dtype=bool&shape=10000000 HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n"
            f"Authorization: Bearer {running.key}\r\nContent-Type: application/octet-stream\r\n\r\n".encode()
        )
        client.sendall(bytes(5_000_000))
        new = running.settings.data / "blobs" / "new"
        wait_until(lambda: any(new.iterdir()), "the upload is under way")
    wait_until(lambda: not any(new.iterdir()), "the unfinished blob is removed")
    assert http.get("/healthz").status_code == 200


def test_an_unexpected_failure_is_a_500_with_an_incident_and_nothing_more(
    http: httpx2.Client, running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(running.server.runtime.tensors, "page", fail)
    answer = http.get("/api/tensors")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert is_problem(answer)
    assert "secret" not in answer.text
    assert "incident" in answer.json()["detail"]


def many(item: str, count: int) -> str:
    return ",".join([item] * count)


ONE = '{"$tensor": {"shape": [1], "dtype": "f32", "data": [1]}}'
KEYS = ",".join(f'"{n:x}": 1' for n in range(20_000))
LARGE = {
    "numbers": ("/api/runs", f'{{"script": "", "inputs": {{"a": [{many("1.5", MAX_ITEMS + 1)}]}}}}', "items"),
    "lists": ("/api/runs", f'{{"script": "", "inputs": {{"a": [{many("[]", MAX_ITEMS)}]}}}}', "lists"),
    "tensors": (
        "/api/runs",
        f'{{"script": "", "inputs": {{"a": [{many(ONE, MAX_TENSORS + 1)}]}}}}',
        "tensor",
    ),
    "ids": (
        "/api/runs",
        json.dumps(
            {"script": "", "inputs": {"a": [{"$tensor": {"id": f"ten_{n}"}} for n in range(MAX_TENSORS + 1)]}}
        ),
        "tensor",
    ),
    "limits": ("/api/runs", f'{{"script": "", "limits": {{{KEYS}}}}}', "not fields"),
    "grants": ("/api/runs", f'{{"script": "", "grants": {{"env": {{{KEYS}}}}}}}', "items"),
    "fields": ("/api/kernels", f'{{"name": "a", "source": "", {KEYS}}}', "not fields"),
    "script": ("/api/runs", json.dumps({"script": "(" * (bodies.MAX_SCRIPT + 1)}), "script"),
    "stored script": (
        "/api/scripts",
        json.dumps({"name": "a", "source": "(" * (bodies.MAX_SCRIPT + 1)}),
        "source",
    ),
    "kernel": ("/api/kernels", json.dumps({"name": "a", "source": "(" * 65_537}), "65536"),
    "bindings": ("/api/kernels/any/dispatch", f'{{"workgroups": [1], "inputs": {{{KEYS}}}}}', "inputs"),
    "workgroups": ("/api/kernels/any/dispatch", f'{{"workgroups": [{many("1", 200_000)}]}}', "workgroups"),
    "attributes": ("/api/ops/neg", f'{{"inputs": [1], "attributes": {{{KEYS}}}}}', "attributes"),
    "attribute": (
        "/api/ops/reshape",
        f'{{"inputs": [1], "attributes": {{"shape": [{many("1", 50_000)}]}}}}',
        "attributes",
    ),
}


@pytest.mark.parametrize(("route", "content", "says"), LARGE.values(), ids=LARGE.keys())
def test_a_body_of_too_much_of_anything_is_refused_outside_the_event_loop(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch, route: str, content: str, says: str
) -> None:
    threads: set[str] = set()
    for module, name in ((bodies, "parse_json"), (bodies, "validate"), (values.Parser, "parse")):
        real = getattr(module, name)

        def watched(*given: Any, real: Any = real) -> Any:
            threads.add(threading.current_thread().name)
            return real(*given)

        monkeypatch.setattr(module, name, watched)
    content += " " * bodies.IN_THREAD
    answer = http.post(route, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert says in answer.json()["detail"]
    assert is_problem(answer)
    assert threads, "nothing was parsed"
    assert "server" not in threads


HUGE = "1" + "0" * 999


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("GET", "/" + "x" * 3000, None),
        ("PATCH", "/api/tensors/" + "x" * 3000, None),
        ("POST", "/api/runs", json.dumps({"script": "", "x" * 3000: 1})),
        ("POST", "/api/runs", json.dumps({"script": "", "inputs": {"x" * 3000: {"$float": "x" * 3000}}})),
        ("POST", "/api/runs", json.dumps({"script": "", "x" * 3000: 1})[:-1] + f',"{"x" * 3000}":2}}'),
        ("POST", "/api/tensors", f'{{"shape": [{many(HUGE, 8)}], "dtype": "f32", "data": []}}'),
        ("POST", "/api/tensors", f'{{"shape": [1], "dtype": "i32", "data": [{HUGE}]}}'),
        ("POST", "/api/tensors", f'{{"shape": [1], "dtype": "f32", "data": [{HUGE}]}}'),
        ("POST", "/api/tensors", json.dumps({"shape": [1], "dtype": "x" * 3000, "data": []})),
        ("POST", "/api/kernels", json.dumps({"name": "x" * 3000, "source": ""})),
        ("POST", "/api/kernels/any/dispatch", f'{{"workgroups": [{many("-" + HUGE, 3)}]}}'),
        ("POST", f"/api/kernels/{'x' * 3000}/dispatch", '{"workgroups": [1]}'),
        ("POST", f"/api/ops/{'x' * 3000}", '{"inputs": [1]}'),
    ],
)
def test_a_detail_quotes_little_of_what_a_client_sent(
    http: httpx2.Client, method: str, path: str, content: str | None
) -> None:
    answer = http.request(method, path, content=content)
    assert 400 <= answer.status_code < 500
    assert is_problem(answer)
    assert len(answer.json()["detail"]) < 300


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"X%d: y\r\n" % n for n in range(1000)),
        b"X: " + b"a" * 70_000 + b"\r\n",
        b"X: " + b"a" * 5_000_000,
        b"".join(b"X%d: %s\r\n" % (n, b"a" * 1000) for n in range(100)),
    ],
    ids=["many", "long", "endless", "together"],
)
def test_a_head_that_is_too_large_is_answered_431_and_the_connection_closed(
    running: Any, head: bytes
) -> None:
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        with contextlib.suppress(ConnectionError):  # of a head that does not end, the rest is not read
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n")
        answer = b""
        with contextlib.suppress(ConnectionError):
            while piece := client.recv(65536):
                answer += piece
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "headers_too_large"


def test_one_connection_serves_many_requests_with_ordinary_heads(running: Any) -> None:
    port = int(running.url.rpartition(":")[2])
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 10_000 + b"\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(request * 20)
        answer = b""
        while answer.count(b"HTTP/1.1 200") < 20:
            piece = client.recv(65536)
            assert piece, answer
            answer += piece


@pytest.mark.parametrize(("requests", "answered"), [(MAX_AHEAD, True), (100 * MAX_AHEAD, False)])
def test_more_requests_than_may_wait_for_their_answers_end_the_connection(
    running: Any, requests: int, answered: bool
) -> None:
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        answer = b""
        with contextlib.suppress(ConnectionError):
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * (requests - 1) + last)
            while piece := client.recv(1 << 16):
                answer += piece
    count = answer.count(b"HTTP/1.1 200 ")
    assert count == requests if answered else count <= MAX_AHEAD
    assert answer.count(b"HTTP/1.1 ") == count
