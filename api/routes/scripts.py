"""`/api/scripts`: store Python that scripts can import by name, and call it."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from api.access import Caller, Cursor, Owned, PageSize, Server, reference
from api.http import body
from api.http.answers import json_response
from api.routes import submitted
from api.routes.submitted import Preference
from api.runs import submission
from api.runs.submission import CallRequest, Submission
from api.scripts import schemas
from api.scripts.store import SPELLING
from api.versions import SCRIPTS
from sandbox.policy.modules import STORABLE

router = APIRouter(prefix="/api/scripts", tags=["scripts"])


class ScriptRequest(body.RequestModel):
    """A script to store."""

    name: str = Field(
        description=f"an identifier: {SPELLING}",
        json_schema_extra={"pattern": f"^{STORABLE.pattern}$"},
    )
    source: str = Field(
        max_length=body.MAX_SCRIPT, description="Python, as it is; its main is what a call calls"
    )


@router.post(
    "",
    status_code=201,
    summary="Store a script",
    openapi_extra=body.body_schema(ScriptRequest),
    responses={200: {"description": "it is there already"}},
)
async def add(
    server: Server, caller: Caller, asked: Annotated[ScriptRequest, body.json_body(ScriptRequest, body.as_is)]
) -> Response:
    """Store Python. The same source again answers 200; a new one 201, and the name moves to it."""
    record, new = await server.scripts.add(caller, asked.name, asked.source)
    return json_response(record.document(), 201 if new else 200, {"Location": f"/api/scripts/{record.name}"})


@router.get("", summary="List scripts by name")
async def listed(
    server: Server, caller: Caller, limit: PageSize = 50, after: Cursor = None, owner: Owned = None
) -> Response:
    """The scripts that you may read; `next` is what `after` takes for the following page, null at the end."""
    page = await server.scripts.page(caller, limit, after, owner)
    following = reference(caller, page[-1].owner, page[-1].name) if len(page) == limit else None
    return json_response({"scripts": [record.document() for record in page], "next": following})


@router.get("/{name:path}", summary="A script with its source")
async def one(server: Server, caller: Caller, name: str) -> Response:
    """The script at `name`, `name@hash`, `owner/name` or `owner/name@hash`, and what its `main` takes and gives.

    `versions` are the newest 100 that the name has had, as `hash` and `created_at`: `name@hash` is each.
    """
    record = await server.scripts.signed(await server.scripts.find(caller, name))
    versions = await server.database.do(lambda db: SCRIPTS.of(db, record.target))
    told = {**record.document(), **schemas.document(record.known_signature)}
    return json_response({**told, "source": record.source, "versions": versions})


async def _call(request: Request, server: Server, caller: Caller, name: str) -> Submission:
    """The request as a checked submission of a run."""
    record = await server.scripts.signed(await server.scripts.find(caller, name, "use"))
    parse = partial(submission.parse_call, reference=name, record=record)
    return await server.desk.take(caller, *await submitted.read(request, server, parse))


@router.post(
    "/{name:path}",
    status_code=202,
    summary="Call a script",
    openapi_extra=body.body_schema(CallRequest),
    responses=submitted.RESPONSES,
)
async def call(
    request: Request,
    server: Server,
    caller: Caller,
    asked: Annotated[Submission, Depends(_call)],
    prefer: Preference = None,
) -> Response:
    """Run the `main` of a stored script, by the caller's grants: a run like any other."""
    return await submitted.started(request, server, caller, asked, prefer)


@router.delete("/{name:path}", status_code=204, summary="Forget a script")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget a name and all its versions."""
    await server.scripts.delete(caller, name)
    return Response(status_code=204)
