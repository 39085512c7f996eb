"""The client speaks the language that `docs/openapi.json` describes: every call's address, query and body are in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from kernelgate import Client, Session
from kernelgate.calls import Calls
from kernelgate.session import SessionCalls
from kernelgate.steps import Method
from kernelgate.values import to_npy

DESCRIPTION = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
LIMITED: dict[str, Any] = {"limits": {"wall_s": 1}, "grants": {"env": {"A": "b"}}}

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "request": (("GET", "/api/device"), {}),
    "run": (("", {"x": 1}), LIMITED),
    "start": (("", {"x": 1}), LIMITED),
    "get_run": (("run_1",), {}),
    "list_runs": ((7,), {"status": "failed"}),
    "wait": (("run_1",), {}),
    "cancel": (("run_1",), {}),
    "add_script": (("name", ""), {}),
    "get_script": (("owner/name@0123abcd",), {}),
    "list_scripts": ((), {}),
    "delete_script": (("name",), {}),
    "call": (("owner/name",), {"x": 1}),
    "call_script": (("name", {"x": 1}), LIMITED),
    "start_script": (("name", {"x": 1}), LIMITED),
    "upload": (([1, 2],), {}),
    "upload_safetensors": ((b"",), {}),
    "upload_strings": ((b"", 2), {}),
    "download": (("ten_1",), {}),
    "download_npy": (("ten_1",), {}),
    "download_safetensors": (("ten_1",), {}),
    "get_tensor": (("ten_1",), {}),
    "list_tensors": ((), {}),
    "delete_tensor": (("ten_1",), {}),
    "add_kernel": (("name",), {"template": "", "params": {"tile": {"type": "int"}}}),
    "get_kernel": (("name",), {}),
    "list_kernels": ((), {}),
    "delete_kernel": (("name",), {}),
    "dispatch": (
        ("name", {"x": [1]}, [1], "main"),
        {"params": {"a": 1}, "overrides": {"b": 1}, "outputs": ["y"], "fuel": 1, "over": "x", "threads": [1]},
    ),
    "op": (("add", 1, 2), {"alpha": 1}),
    "list_ops": ((), {}),
    "device": ((), {}),
}
CELLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "run": (("x", {"x": 1}), {}),
    "value": (("x",), {"x": 1}),
    "close": ((), {}),
}
EMPTY = to_npy([])
ANSWER = {
    "id": "run_1", "status": "succeeded", "result": None, "tensors": {}, "ops": [], "next": None, "outputs": {},
    "output": None, "runs": [], "scripts": [], "kernels": [],
}  # fmt: skip


def described(request: httpx2.Request) -> dict[str, Any]:
    """What the description says of a request. Fails where it says nothing."""
    for path, methods in DESCRIPTION["paths"].items():
        pattern = re.sub(r"\\\{name(:path)?\\\}", ".+", re.escape(path))
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", pattern)
        if re.fullmatch(pattern, request.url.path) and request.method.lower() in methods:
            found: dict[str, Any] = methods[request.method.lower()]
            return found
    raise AssertionError(f"{request.method} {request.url.path} is not described")


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found: dict[str, Any] = DESCRIPTION["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def misfits(request: httpx2.Request) -> Iterator[str]:
    """What a request has that its description does not know."""
    route = described(request)
    known = {parameter["name"] for parameter in route.get("parameters", ())}
    yield from set(dict(request.url.params)) - known
    if request.headers.get("content-type") == "application/json":
        schema = resolved(route["requestBody"]["content"]["application/json"]["schema"])
        yield from set(json.loads(request.content)) - set(schema["properties"])


@pytest.mark.parametrize(
    ("calls", "table"), [(Calls, CALLS), (SessionCalls, CELLS)], ids=["client", "session"]
)
def test_every_call_is_a_request_that_is_described(calls: type, table: dict[str, Any]) -> None:
    seen: list[httpx2.Request] = []

    def server(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        if request.url.path.endswith("/data"):
            return httpx2.Response(200, content=EMPTY)
        named = {"bytes": ANSWER, "offsets": ANSWER} if request.url.query.startswith(b"block") else {}
        return httpx2.Response(200, json=ANSWER | {"tensors": [] if request.method == "GET" else named})

    assert set(table) == {name for name, value in vars(calls).items() if isinstance(value, Method)}
    client = Client("http://server", "a-key", transport=httpx2.MockTransport(server))
    caller = client if calls is Calls else Session("ses_1", client)
    for name, (given, named) in table.items():
        before = len(seen)
        getattr(caller, name)(*given, **named)
        assert len(seen) > before
        assert [what for request in seen[before:] for what in misfits(request)] == [], name
