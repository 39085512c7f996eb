"""`/api/sessions`: workers that keep their variables from call to call."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from api.access import Caller, Server, while_connected
from api.http.answers import json_response
from api.http.body import as_is, body_schema, json_body
from api.routes import submitted
from api.routes.submitted import Preference
from api.runs import submission
from api.runs.live import LiveRun
from api.runs.submission import CellRequest, SessionRequest, Submission

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.post("", status_code=201, summary="Open a session", openapi_extra=body_schema(SessionRequest))
async def make(
    request: Request,
    server: Server,
    caller: Caller,
    asked: Annotated[SessionRequest, json_body(SessionRequest, as_is)],
) -> Response:
    """A worker whose variables last from cell to cell, with limits and grants that are fixed now."""
    limits, grants = server.desk.take_session(caller, asked.limits.asked(), asked.grants)
    await while_connected(request, server.ready())
    session = await server.sessions.open(caller, limits, grants, asked.idle_s)
    return json_response(session.document(), 201, {"Location": f"/api/sessions/{session.id}"})


@router.get("", summary="List sessions, newest first")
async def listed(server: Server, caller: Caller) -> Response:
    """The sessions of your key; to admins those of all."""
    return json_response({"sessions": server.sessions.listed(caller)})


@router.get("/{session_id}", summary="A session")
async def one(server: Server, caller: Caller, session_id: str) -> Response:
    """The session as it is now."""
    return json_response(server.sessions.find(caller, session_id).document())


@router.delete("/{session_id}", summary="Close a session")
async def close(server: Server, caller: Caller, session_id: str) -> Response:
    """End a session, with the cell that it is at and all variables."""
    session = server.sessions.find(caller, session_id)
    if session.cell is not None:
        cell = await server.runs.find(session.identity, session.cell)
        if isinstance(cell, LiveRun):
            await server.runs.cancel(cell, caller.owner, "its session was closed")
    await server.sessions.close(session, caller.owner)
    return json_response(session.document())


async def _cell(request: Request, server: Server, caller: Caller, session_id: str) -> Submission:
    """The request as a checked submission of a cell."""
    session = server.sessions.usable(caller, session_id)
    return await server.desk.take_cell(session, *await submitted.read(request, server, submission.parse_cell))


@router.post(
    "/{session_id}/run",
    status_code=202,
    summary="Run a cell",
    openapi_extra=body_schema(CellRequest),
    responses=submitted.RESPONSES,
)
async def run(
    request: Request,
    server: Server,
    caller: Caller,
    asked: Annotated[Submission, Depends(_cell)],
    prefer: Preference = None,
) -> Response:
    """Run a cell, which is a run like any other: the value of its last expression is the result."""
    return await submitted.started(request, server, caller, asked, prefer)
