"""When a request is tried again: the policy alone, driven by hand, so that no time passes."""

from __future__ import annotations

import inspect
from typing import Any

import httpx2
import pytest

from kernelgate import ApiError, AsyncClient, Client
from kernelgate.errors import NoServer
from kernelgate.steps import Ask, Method, Pause, Steps, request, retried

GONE = httpx2.ConnectError("refused")
LATE = httpx2.ReadTimeout("too late")


def nobody(cause: Exception) -> NoServer:
    error = NoServer("http://server", cause)
    error.__cause__ = cause
    return error


def refusal(status: int, retry_after: str | None = None) -> httpx2.Response:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return httpx2.Response(status, json={"code": "no"}, headers=headers)


def driven(steps: Steps[Any], answers: list[Any], retries: int = 3) -> list[float]:
    """The pauses in `steps`, whose requests are answered in turn. Raises what they raise."""
    pauses, left = [], iter(answers)
    tried = retried(steps, retries)
    try:
        step = next(tried)
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
            step = tried.send(next(left) if isinstance(step, Ask) else None)
    except StopIteration:
        assert next(left, None) is None, "not every answer was asked for"
        return pauses


OK = httpx2.Response(200, json={})


@pytest.mark.parametrize(
    ("method", "repeatable", "answers", "pauses"),
    [
        ("GET", False, [OK], []),
        ("GET", False, [nobody(GONE), nobody(GONE), OK], [0.1, 0.2]),
        ("DELETE", False, [nobody(GONE), OK], [0.1]),
        ("POST", True, [nobody(GONE), OK], [0.1]),
        ("GET", False, [refusal(503, "5"), OK], [5]),
        ("POST", False, [refusal(429, "1"), refusal(429, "2"), OK], [1, 2]),
        ("POST", True, [refusal(503, "1"), OK], [1]),
    ],
)
def test_what_may_be_done_twice_is_tried_again(
    method: str, repeatable: bool, answers: list[Any], pauses: list[float]
) -> None:
    assert driven(request(method, "/", repeatable=repeatable), answers) == pytest.approx(pauses)


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        ("POST", [nobody(GONE)]),
        ("GET", [nobody(LATE)]),
        ("POST", [refusal(503, "1")]),
        ("GET", [refusal(503)]),
        ("GET", [refusal(429, "31")]),
        ("GET", [refusal(429, "Mon, 30 Nov 2026 08:00:00 GMT")]),
        ("GET", [refusal(404, "1")]),
        ("GET", [refusal(500, "1")]),
        ("GET", [nobody(GONE)] * 4),
    ],
)
def test_anything_else_fails_at_once_or_in_the_end(method: str, answers: list[Any]) -> None:
    with pytest.raises(ApiError):
        driven(request(method, "/"), answers)


def test_both_clients_have_the_same_methods_but_one_awaits() -> None:
    assert {name for name in vars(Client) if not name.startswith("_")} == {
        name for name in vars(AsyncClient) if not name.startswith("_")
    }
    assert isinstance(Client.run, Method)
    assert "finished run of `script`" in (inspect.getdoc(Client.run) or "")
    assert list(inspect.signature(Client("http://server", "a-key").get_run).parameters) == ["run_id"]
