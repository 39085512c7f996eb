"""What all routes share that begin a run: a body read by the run's rules, and an answer that waits as `Prefer` says.

Owns `Prefer: wait=`, and that a client which waited and left takes its run along. Must not know what is run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Header, Request, Response

from api.access import gone
from api.auth.identity import Identity
from api.errors import InvalidRequest
from api.http import body, idempotency
from api.http.answers import json_response
from api.runs.live import LiveRun
from api.runs.submission import Submission
from api.runtime import Runtime

T = TypeVar("T")
Preference = Annotated[list[str] | None, Header(description="wait=SECONDS")]
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "the finished run"},
    202: {"description": "accepted; Location says where"},
}
_WAIT = re.compile(r"\s*wait\s*=\s*\"?([^\";]*)\"?\s*(;.*)?", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,20}(\.[0-9]{0,20})?")


async def read(request: Request, server: Runtime, parse: Callable[..., T]) -> tuple[T, str | None]:
    """What `parse` makes of the body, told how long it may be (`limit`) and whether it is `keyed`; and the key.

    Raises `InvalidRequest` for a key that is none, and what `body.read_json` does.
    """
    key = idempotency.checked(request.headers.get("idempotency-key"))
    most = server.settings.json_bytes
    return await body.read_json(request, most, partial(parse, limit=most, keyed=key is not None)), key


async def started(
    request: Request, server: Runtime, caller: Identity, asked: Submission, prefer: list[str] | None
) -> Response:
    """The answer to a submission, which is waited for as `prefer` says."""
    wait = _wait_of(prefer, server.settings.wait_s)
    run, _ = await server.runs.submit(caller, asked)
    if isinstance(run, LiveRun) and wait:
        left = await _wait_for(request, run, wait)
        if left and asked.idempotency_key is None:
            await server.runs.cancel(run, "client", "the client left")
    record = run.record if isinstance(run, LiveRun) else run
    headers = {"Location": f"/api/runs/{record.id}"}
    if wait:
        headers["Preference-Applied"] = f"wait={wait:g}"
    status = 200 if wait and not record.live else 202
    return json_response(run.document(), status, headers)


def _wait_of(prefer: list[str] | None, most: float) -> float:
    """The seconds of `Prefer: wait=`, at most `most`; 0 when there is none. Raises `InvalidRequest`."""
    for part in ",".join(prefer or []).split(","):
        match = _WAIT.fullmatch(part)
        if match is None:
            continue
        wait = float(match.group(1)) if _SECONDS.fullmatch(match.group(1).strip()) else -1.0
        if not 0 <= wait < 1e9:
            raise InvalidRequest(
                f"Prefer: wait={match.group(1)[:40]} is no number of seconds", hint="As wait=10."
            )
        return min(wait, most)
    return 0.0


async def _wait_for(request: Request, run: LiveRun, wait: float) -> bool:
    """Return when the run has ended, `wait` seconds are over, or the client has left; whether it has left."""
    done = asyncio.create_task(run.done.wait())
    left = asyncio.create_task(gone(request))
    try:
        await asyncio.wait({done, left}, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
        return left.done() and not done.done()
    finally:
        done.cancel()
        left.cancel()
