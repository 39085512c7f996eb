"""`/api/stubs`: one document, or one module."""

from __future__ import annotations

import ast
import asyncio
from typing import Any

import httpx2
import pytest

from api.errors import StubsUnavailable
from api.scripts import stubs


def test_all_modules_are_one_document_of_python(http: httpx2.Client) -> None:
    answer = http.get("/api/stubs")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    parts = dict(part.split("\n", 1) for part in answer.text.split("# module ")[1:])
    assert {"torch", "torch.nn", "numpy", "kernels", "__builtins__", "math"} <= set(parts)
    ast.parse(answer.text)
    one = http.get("/api/stubs", params={"module": "kernels"}).text
    assert "def run(" in one
    assert parts["kernels"].strip() == one.strip()


def test_a_module_that_scripts_have_not_is_not_found(http: httpx2.Client) -> None:
    answer = http.get("/api/stubs", params={"module": "subprocess"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["hint"] == "GET /api/stubs has them all."


def test_the_stubs_need_the_scope_of_the_ops(running: Any) -> None:
    client = running.client_for("stubless", scopes=("runs:read",))
    assert client.get("/api/stubs").json()["code"] == "scope_missing"


def test_stubs_that_cannot_be_made_are_an_error_and_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> int:
        made = stubs.Stubs()
        with monkeypatch.context() as broken:
            broken.setattr("sys.executable", "/bin/false")
            with pytest.raises(StubsUnavailable, match="failed"):
                await made.all()
        return len(await made.all())

    assert asyncio.run(use()) > 50
