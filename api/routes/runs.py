"""`/api/runs`: start, wait, watch, cancel and list runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Depends, Header, Request, Response

from api import body, idempotency, records, submission
from api.access import Caller, Cursor, Owned, PageSize, Server, gone, json_response
from api.errors import InvalidRequest
from api.events import FINAL, Event, last_event, select_events
from api.runs import LiveRun
from api.runtime import Runtime
from api.sse import EventStream
from api.submission import RunRequest, Submission

router = APIRouter(prefix="/api/runs", tags=["runs"])
_WAIT = re.compile(r"\s*wait\s*=\s*\"?([^\";]*)\"?\s*(;.*)?", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,20}(\.[0-9]{0,20})?")
AnyRun = LiveRun | records.RunRecord
MAX_EVENT = (1 << 31) - 1


def idempotency_key(request: Request) -> str | None:
    """The request's `Idempotency-Key`. Raises `InvalidRequest`."""
    return idempotency.checked(request.headers.get("idempotency-key"))


async def _submission(request: Request, server: Server, caller: Caller) -> Submission:
    """The request as a checked submission: limits, inputs, and the records of all tensors that it names."""
    key = idempotency_key(request)
    most = server.settings.json_bytes
    asked = await body.read_json(request, most, partial(submission.parse, limit=most, keyed=bool(key)))
    return await server.desk.take(caller, asked, key)


@router.post(
    "",
    status_code=202,
    summary="Run a script",
    openapi_extra=body.body_schema(RunRequest),
    responses={
        200: {"description": "the finished run"},
        202: {"description": "accepted; Location says where"},
    },
)
async def start(
    request: Request,
    server: Server,
    caller: Caller,
    asked: Annotated[Submission, Depends(_submission)],
    prefer: Annotated[list[str] | None, Header(description="wait=SECONDS")] = None,
) -> Response:
    """Run a script. With `Prefer: wait=N` the answer is the finished run, failed or not, if it ends in N seconds.

    A waited run without `Idempotency-Key` is cancelled when its client leaves.
    """
    return await started(request, server, caller, asked, prefer)


async def started(
    request: Request, server: Server, caller: Caller, asked: Submission, prefer: list[str] | None
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


@router.get("", summary="List runs, newest first")
async def listed(
    server: Server,
    caller: Caller,
    limit: PageSize = 50,
    before: Cursor = None,
    status: Literal["queued", "running", "succeeded", "failed", "cancelled", "timed_out"] | None = None,
    owner: Owned = None,
) -> Response:
    """The runs that you may read, in short; `next` is what `before` takes for the following page, null at the end."""
    page = await server.database.do(lambda db: records.page_of_runs(db, caller, limit, before, status, owner))
    page = [server.runs.freshen(item) for item in page]
    return json_response({"runs": page, "next": page[-1]["id"] if len(page) == limit else None})


@router.get("/{run_id}", summary="A run")
async def one(server: Server, caller: Caller, run_id: str) -> Response:
    """The run as it is now."""
    return json_response((await server.runs.find(caller, run_id)).document())


@router.delete("/{run_id}", summary="Cancel a run")
async def cancel(server: Server, caller: Caller, run_id: str) -> Response:
    """Stop a run and answer with it once it has stopped. A run that has ended is answered unchanged."""
    run = await server.runs.find(caller, run_id, "write")
    if isinstance(run, LiveRun):
        await server.runs.cancel(run, caller.owner, "cancelled by request")
    return json_response(run.document())


async def _watched(server: Server, caller: Caller, run_id: str) -> AsyncIterator[AnyRun]:
    """The run, and one of the streams that the caller may have open."""
    run = await server.runs.find(caller, run_id)
    with server.streams.opened(caller.key_id):
        yield run


@router.get(
    "/{run_id}/events",
    response_class=Response,
    summary="Watch a run",
    responses={200: {"content": {EventStream.media_type: {}}}},
)
async def events(
    server: Server,
    run: Annotated[AnyRun, Depends(_watched)],
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Events `status`, `output`, `progress`, `gate`, last `result`; `Last-Event-ID` continues where a client left."""
    given = last_event_id or ""
    after = min(int(given), MAX_EVENT) if given.isascii() and given.isdigit() else 0
    return EventStream(run.events.follow(after) if isinstance(run, LiveRun) else _stored(server, run, after))


async def _stored(server: Runtime, run: records.RunRecord, after: int) -> AsyncIterator[list[Event]]:
    """The events of a run that is over, in pages. The last is the run itself, which its record holds."""
    after = min(after, await server.database.do(partial(last_event, run_id=run.id)) - 1)
    while page := await server.database.do(partial(select_events, run_id=run.id, after=after)):
        after = page[-1].seq
        if page[-1].type == FINAL:
            page[-1] = msgspec.structs.replace(page[-1], data=run.document().decode())
        yield page


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
