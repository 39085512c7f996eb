"""`/api/scripts`: store Python that scripts can import by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from api import body
from api.access import Caller, Cursor, Owned, PageSize, Server, json_response, reference

router = APIRouter(prefix="/api/scripts", tags=["scripts"])


class ScriptRequest(body.RequestModel):
    """A script to store."""

    name: str = Field(description="an identifier: up to 64 of a-z, 0-9 and _, beginning with a letter")
    source: str = Field(
        max_length=body.MAX_SCRIPT, description="Python, as it is; it is parsed when it is imported"
    )


@router.post("", status_code=201, summary="Store a script", openapi_extra=body.body_schema(ScriptRequest))
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
    """The script at `name`, `name@hash`, `owner/name` or `owner/name@hash`."""
    record = await server.scripts.find(caller, name)
    return json_response({**record.document(), "source": record.source})


@router.delete("/{name:path}", status_code=204, summary="Forget a script")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget a name and all its versions."""
    await server.scripts.delete(caller, name)
    return Response(status_code=204)
