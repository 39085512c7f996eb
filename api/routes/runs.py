"""`/api/runs`: start, wait, watch, cancel and list runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Depends, Header, Request, Response

from api.access import Caller, Cursor, Owned, PageSize, Server
from api.http import body
from api.http.answers import json_response
from api.routes import submitted
from api.routes.submitted import Preference
from api.runs import records, submission
from api.runs.events import FINAL, Event, last_event, select_events
from api.runs.live import LiveRun
from api.runs.sse import EventStream
from api.runs.submission import RunRequest, Submission
from api.runtime import Runtime

router = APIRouter(prefix="/api/runs", tags=["runs"])
AnyRun = LiveRun | records.RunRecord
MAX_EVENT = (1 << 31) - 1


async def _submission(request: Request, server: Server, caller: Caller) -> Submission:
    """The request as a checked submission: limits, inputs, and the records of all tensors that it names."""
    return await server.desk.take(caller, *await submitted.read(request, server, submission.parse))


@router.post(
    "",
    status_code=202,
    summary="Run a script",
    openapi_extra=body.body_schema(RunRequest),
    responses=submitted.RESPONSES,
)
async def start(
    request: Request,
    server: Server,
    caller: Caller,
    asked: Annotated[Submission, Depends(_submission)],
    prefer: Preference = None,
) -> Response:
    """Run a script. With `Prefer: wait=N` the answer is the finished run, failed or not, if it ends in N seconds.

    A waited run without `Idempotency-Key` is cancelled when its client leaves.
    """
    return await submitted.started(request, server, caller, asked, prefer)


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
        await server.runs.cancel(run, caller.owner, "on request")
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
