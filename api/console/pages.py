"""The console's pages that show what is stored: runs."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Response

from api import records
from api.access import Cursor, Server
from api.console.rendering import page
from api.console.visiting import Looking, PageRoute, needs

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 50


@router.get("")
async def first(visitor: Looking) -> Response:
    """Where a login leads."""
    return Response(status_code=303, headers={"Location": "/console/runs"})


@router.get("/runs", dependencies=[needs("GET /api/runs")])
async def runs(server: Server, visitor: Looking, before: Cursor = None) -> Response:
    """The runs that the visitor may read, newest first."""
    identity = visitor.identity
    found = await server.database.do(lambda db: records.page_of_runs(db, identity, ROWS, before, None))
    rows = [_plain(server.runs.freshen(item)) for item in found]
    return page("runs", visitor, rows=rows, next=rows[-1]["id"] if len(rows) == ROWS else None)


def _plain(document: Any) -> Any:
    """A document with all of its JSON parsed."""
    return msgspec.json.decode(msgspec.json.encode(document))
