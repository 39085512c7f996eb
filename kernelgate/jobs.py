"""The steps by which runs are asked for and waited for.

Owns what all ways to start a run have in common: the body, the `Idempotency-Key`, the wait. Must not know how a
request is sent.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from kernelgate.runs import Run, run_of
from kernelgate.steps import Pause, Steps, request
from kernelgate.values import Tensor, encode, tensor, to_npy

NPY = "application/x-npy"
LONGEST_WAIT = 30.0  # seconds that one request waits for a run before it asks again
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5  # seconds between two looks at a run


def at(noun: str, name: str) -> str:
    """The address of what is called `name`, which may hold an owner and a hash."""
    return f"/api/{noun}/{quote(name, safe='/@')}"


def once() -> dict[str, str]:
    """A header by which a request that is sent again is done once."""
    return {"Idempotency-Key": os.urandom(16).hex()}


def posted(path: str, wait: float = 0.0, **options: Any) -> Steps[Any]:
    """The JSON that a POST which makes something answers; sent again it makes nothing more."""
    headers = options.pop("headers", {}) | once()
    response = yield from request("POST", path, wait=wait, repeatable=True, headers=headers, **options)
    return response.json()


def computed(path: str, body: Mapping[str, Any]) -> Steps[Any]:
    """The JSON that a POST which only computes answers."""
    return (yield from request("POST", path, repeatable=True, json=body)).json()


def encoded(value: object) -> Steps[Any]:
    """`value` as the JSON that the server reads; large arrays in it are uploaded."""
    large: list[tuple[object, dict[str, Any]]] = []
    made = encode(value, large)
    for array, record in large:
        record["id"] = (yield from uploaded(array)).id
    return made


def uploaded(array: object) -> Steps[Tensor]:
    """The tensor on the server that an array became."""
    return tensor((yield from posted("/api/tensors", content=to_npy(array), headers={"Content-Type": NPY})))


def asked(
    inputs: Mapping[str, object] | None,
    limits: Mapping[str, float] | None = None,
    grants: Mapping[str, object] | None = None,
    *,
    script: str | None = None,
) -> Steps[dict[str, Any]]:
    """The body of a request for a run. Raises `TypeError` for inputs without names and a script that is no text."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise TypeError(f'inputs are a dict by name, as {{"x": 3}}, not of type {type(inputs).__name__}')
    if not isinstance(script, str | None):
        raise TypeError(
            f"a script is its text, as Path.read_text() gives it, not of type {type(script).__name__}"
        )
    given = {"limits": dict(limits or {}), "grants": dict(grants or {})}
    body = {key: value for key, value in given.items() if value} | (
        {} if script is None else {"script": script}
    )
    return {"inputs": (yield from encoded(dict(inputs or {})))} | body


def started(path: str, body: Mapping[str, Any], wait: float = 0.0) -> Steps[Run]:
    """The run that a request to `path` makes, after at most `wait` seconds."""
    headers = {"Prefer": f"wait={wait:g}"} if wait else {}
    return run_of((yield from posted(path, wait, json=body, headers=headers)))


def finished(path: str, body: Mapping[str, Any], check: bool) -> Steps[Run]:
    """The run that a request to `path` makes, when it is over."""
    run = yield from started(path, body, LONGEST_WAIT)
    while not run.done:
        run = yield from waited(run.id, LONGEST_WAIT)
    return run.checked() if check else run


def waited(run_id: str, seconds: float) -> Steps[Run]:
    """The run when it is over, or as it is after `seconds`."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    run = yield from seen(run_id)
    while not run.done and time.monotonic() < end:
        yield Pause(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
        run = yield from seen(run_id)
    return run


def seen(run_id: str) -> Steps[Run]:
    """The run as it is now."""
    return run_of((yield from request("GET", at("runs", run_id))).json())
