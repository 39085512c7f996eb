"""`/api/runs`: start, wait, watch, cancel and list runs."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Header, Request, Response
from pydantic import Field

from api import body, records, values
from api.access import Caller, Cursor, Owned, PageSize, Server, gone, json_response
from api.errors import InvalidRequest
from api.events import FINAL, Event, last_event, select_events
from api.keys import Identity
from api.runs import LiveRun, Submission
from api.runtime import Runtime
from api.sse import EventStream
from api.tensors import TensorRecord
from api.values import TensorId, TensorValue
from sandbox.gates.grants import Grants

router = APIRouter(prefix="/api/runs", tags=["runs"])
_WAIT = re.compile(r"\s*wait\s*=\s*\"?([^\";]*)\"?\s*(;.*)?", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,20}(\.[0-9]{0,20})?")
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
AnyRun = LiveRun | records.RunRecord
MAX_EVENT = (1 << 31) - 1
MAX_GRANT_ITEMS = 10_000


class AskedLimits(body.RequestModel):
    """Limits of a run; those not given take the server's defaults."""

    wall_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds from start to end"
    )
    cpu_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds of the worker's processor time"
    )
    memory_mb: float | None = Field(default=None, gt=0, multiple_of=1, description="MiB of the worker")
    output_bytes: float | None = Field(default=None, ge=0, multiple_of=1, description="bytes printed")
    device_ms: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="milliseconds on the device"
    )
    dispatches: float | None = Field(default=None, gt=0, multiple_of=1, description="kernels dispatched")
    handles: float | None = Field(default=None, gt=0, multiple_of=1, description="tensors held at once")

    fuel: float | None = Field(
        default=None, ge=1, multiple_of=1, description="fuel of each thread of a kernel"
    )

    def asked(self) -> dict[str, float]:
        """What was given, whole numbers as such."""
        given = self.model_dump(exclude_none=True)
        return {name: int(value) if name in _WHOLE else value for name, value in given.items()}


_WHOLE = ("memory_mb", "output_bytes", "dispatches", "handles", "fuel")


class RunRequest(body.RequestModel):
    """A script to run."""

    script: str = Field(
        max_length=body.MAX_SCRIPT, description="Python that defines main(**inputs) or assigns result"
    )
    inputs: dict[str, Any] = Field(default={}, description="arguments of main: JSON, $tensor, $bytes, $float")
    grants: dict[str, Any] = Field(default={}, description="what the run may reach beyond arithmetic")
    limits: AskedLimits = Field(default=AskedLimits(), description="what the run may use")


async def _submission(request: Request, server: Server, caller: Caller) -> Submission:
    """The request as a checked submission: limits, inputs, and the records of all tensors that it names."""
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidRequest("Idempotency-Key is 1 to 255 visible ASCII characters")
    asked, inputs, given, digest = await body.read_json(
        request,
        server.settings.json_bytes,
        partial(_asked, limit=server.settings.json_bytes, keyed=bool(key)),
    )
    grants = server.gates.grants(caller, asked.grants)
    if grants.native:
        server.pool.check_native()
    limits = server.settings.limits(asked.limits.asked())
    ids = {value.id for value in given if isinstance(value, TensorId)}
    tensors = {tensor_id: await _tensor(server, caller, grants, tensor_id) for tensor_id in sorted(ids)}
    return Submission(asked.script, inputs, given, tensors, limits, grants, key, digest)


def _asked(
    raw: Any, *, limit: int, keyed: bool
) -> tuple[RunRequest, dict[str, Any], list[TensorValue], str | None]:
    """The request in the body `raw`, its parsed inputs, the tensors in them, and its digest if it has a key."""
    asked = body.validate(RunRequest, raw)
    values.check_items(asked.grants, "grants", MAX_GRANT_ITEMS)
    inputs = values.parse(asked.inputs, "inputs", limit)
    if not isinstance(inputs, dict):
        raise InvalidRequest("inputs names the arguments of main; a lone tagged value is none")
    digest = hashlib.sha256(msgspec.json.encode(raw, order="sorted")).hexdigest() if keyed else None
    return asked, inputs, values.tensors_in(inputs), digest


async def _tensor(server: Runtime, caller: Identity, grants: Grants, tensor_id: str) -> TensorRecord:
    """A tensor for a run: one's own, or one that its access list lets the key use, and a grant the run."""
    record = await server.tensors.get(caller, tensor_id, "use")
    if record.owner != caller.owner:
        server.gates.check(caller, grants, "tensors", record.target.full_name)
    return record


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
    submission: Annotated[Submission, Depends(_submission)],
    prefer: Annotated[list[str] | None, Header(description="wait=SECONDS")] = None,
) -> Response:
    """Run a script. With `Prefer: wait=N` the answer is the finished run, failed or not, if it ends in N seconds.

    A waited run without `Idempotency-Key` is cancelled when its client leaves.
    """
    wait = _wait_of(prefer, server.settings.wait_s)
    run, _ = await server.runs.submit(caller, submission)
    if isinstance(run, LiveRun) and wait:
        left = await _wait_for(request, run, wait)
        if left and submission.idempotency_key is None:
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
