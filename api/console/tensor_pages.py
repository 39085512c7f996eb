"""The console's pages of stored tensors: `/console/tensors`, `/console/tensors/{tensor_id}`.

Owns what these are rendered from. Must not know how they look.
"""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.access import Cursor, Owned, Server
from api.console.rendering import link, page, plain
from api.console.visiting import Looking, PageRoute, needs

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 50


@router.get("/tensors", dependencies=[needs("GET /api/tensors")])
async def listed(server: Server, visitor: Looking, before: Cursor = None, owner: Owned = None) -> Response:
    """The stored tensors that the visitor may read, newest first."""
    rows = await server.tensors.page(visitor.identity, ROWS, before, owner or None)
    last = rows[-1].id if len(rows) == ROWS else None
    return page(
        "tensors",
        visitor,
        rows=rows,
        owner=owner or "",
        newest=link("/console/tensors", owner=owner) if before else None,
        older=link("/console/tensors", before=last, owner=owner) if last else None,
    )


@router.get("/tensors/{tensor_id}", dependencies=[needs("GET /api/tensors/{tensor_id}")])
async def one(server: Server, visitor: Looking, tensor_id: str) -> Response:
    """A tensor; the page's script shows its elements."""
    record = await server.tensors.get(visitor.identity, tensor_id)
    return page("tensor", visitor, here="tensors", record=record, document=plain(record.document()))
