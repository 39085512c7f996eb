"""The log as lines of JSON: every event with what it is about, and no secret."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.logs import DETAILS, ENDED, JsonLines, configure, during, marks
from kernelgate.local import LocalServer
from tests.api.conftest import wait_until

WAIT = {"Prefer": "wait=30"}
RAW = {"Content-Type": "application/octet-stream"}


class Named:
    def __init__(self, **known: str) -> None:
        self.known = known

    def marks(self) -> dict[str, str]:
        return self.known


def everything(line: dict[str, Any]) -> bool:
    return True


@contextmanager
def captured(
    logger: logging.Logger, least: int = 0, about: Callable[[dict[str, Any]], bool] = everything
) -> Iterator[list[dict[str, Any]]]:
    """The lines `about` something that `logger` and those below it write inside: at least so many, since a server may
    write one a moment after its answer, that to an earlier request too."""
    lines: list[dict[str, Any]] = []
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield lines
        wait_until(lambda: len(read(stream, about)) >= least, f"{least} lines are there")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        lines += read(stream, about)


def read(stream: io.StringIO, about: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The whole lines that are there."""
    *whole, _ = stream.getvalue().split("\n")
    return [line for line in map(json.loads, whole) if about(line)]


def test_a_line_has_time_level_message_marks_and_details() -> None:
    logger = logging.getLogger("kernelgate.tested")
    outer, inner = Named(request_id="req_1", route="GET /x"), Named(run_id="run_1", route="inner")
    with captured(logger) as lines, during(outer):
        with during(inner):
            logger.warning("a %s\nof two lines", "text", extra={DETAILS: {"ms": 1.5}})
        logger.info("later")
    first, second = lines
    assert first.pop("time").endswith("+00:00")
    assert first == {
        "level": "warning",
        "logger": "kernelgate.tested",
        "message": "a text\nof two lines",
        "request_id": "req_1",
        "route": "inner",
        "run_id": "run_1",
        "ms": 1.5,
    }
    assert "run_id" not in second
    assert marks() == {}


def test_an_exception_stands_on_the_line_of_its_event() -> None:
    logger = logging.getLogger("kernelgate.tested")
    with captured(logger) as lines:
        try:
            raise ValueError("deep inside")
        except ValueError:
            logger.exception("it failed")
    assert "ValueError: deep inside" in lines[0]["error"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_ended_is_told_in_json_only(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    levels = {
        logger: logger.level for logger in map(logging.getLogger, ("uvicorn.error", "alembic", ENDED.name))
    }
    try:
        configure(form)
        assert ENDED.isEnabledFor(logging.INFO) == (form == "json")
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def test_a_request_and_its_run_say_who_asked_for_what_and_how_it_ended(running: Any) -> None:
    client = running.client_for("logged")
    key_id = client.headers["authorization"].split("_")[1]
    with captured(ENDED, 3, lambda line: line.get("key_id") == key_id) as lines:
        answer = client.post("/api/runs", json={"script": "result = 1"}, headers=WAIT)
        client.get("/api/runs/run_none")
    (run,) = (line for line in lines if line["message"].startswith("run_"))
    posted, missed = (line for line in lines if not line["message"].startswith("run_"))
    assert run["run_id"] == answer.json()["id"]
    assert (run["status"], run["kind"]) == ("succeeded", "script")
    assert run["request_id"] == posted["request_id"] == answer.headers["x-request-id"]
    assert run["key_id"] == posted["key_id"] == missed["key_id"]
    assert (posted["route"], posted["status"]) == ("POST /api/runs", 200)
    assert (missed["route"], missed["status"], missed["code"]) == (
        "GET /api/runs/{run_id}",
        404,
        "run_not_found",
    )
    assert posted["ms"] > 0


def refused(line: dict[str, Any]) -> bool:
    return line["message"].endswith((": 401", ": 404"))


def test_a_request_without_a_key_is_told_by_its_address(running: Any) -> None:
    with captured(ENDED, 2, refused) as lines:
        running.http.get("/nothing/at/all?secret=abc", headers={"Authorization": "Bearer nobody"})
        running.http.get("/api/runs", headers={"Authorization": "Bearer kg_wrong"})
    assert [line["message"] for line in lines] == ["GET /nothing/at/all: 404", "GET /api/runs: 401"]
    assert "key_id" not in lines[0]


def test_a_request_says_nothing_of_the_one_before_on_its_connection(running: Any) -> None:
    large = b"\0" * (1 << 18)  # more than uvicorn reads ahead: reading begins again inside the request
    shape = {"shape": str(len(large)), "dtype": "u8"}
    with captured(
        ENDED, 2, lambda line: refused(line) or line["message"] == "POST /api/tensors: 201"
    ) as lines:
        running.http.post("/api/tensors", params=shape, content=large, headers=RAW)
        running.http.get("/nothing/at/all", headers={"Authorization": "Bearer nobody"})
    assert [line["message"] for line in lines] == ["POST /api/tensors: 201", "GET /nothing/at/all: 404"]
    assert "key_id" in lines[0]
    assert "key_id" not in lines[1]


def test_a_server_logs_json_and_no_secret(tmp_path: Any) -> None:
    hidden = "Bearer hunter2-is-secret"
    settings = {"KERNELGATE_LOG_FORMAT": "json", "KERNELGATE_ADAPTER": "numpy", "KERNELGATE_WORKERS": "1"}
    with LocalServer(tmp_path / "data", settings=settings) as server, server.client() as client:
        http = client._http
        assert http.put("/api/secrets/token", json={"value": hidden}).is_success
        grants = {"env": {"WORD": "hunter3-is-secret"}}
        body = {"script": "import os\nresult = os.environ['WORD']", "grants": grants}
        assert http.post("/api/runs", json=body, headers=WAIT).json()["status"] == "succeeded"
        denied = {"script": "import requests\nrequests.get('https://example.org/?token=hunter4-is-secret')"}
        assert http.post("/api/runs", json=denied, headers=WAIT).json()["status"] == "failed"
        key = server.key
        text = server.log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert {"time", "level", "logger", "message"} <= set.intersection(*map(set, lines))
    assert any(line.get("run_id") and "denied" in line["message"] for line in lines)
    for secret in (key, "hunter2", "hunter3", "hunter4"):
        assert secret not in text
