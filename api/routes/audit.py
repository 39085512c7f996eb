"""`/api/audit`: who did what, for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.access import Caller, Cursor, PageSize, Server
from api.auth.audit import Filters
from api.http.answers import json_response

router = APIRouter(prefix="/api/audit", tags=["audit"])
Wanted = Annotated[str | None, Query(max_length=80)]
Moment = Annotated[
    str | None,
    Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]{5,12}Z?)?$", description="as entries have it"),
]


@router.get("", summary="Read the audit log, newest first")
async def listed(
    server: Server,
    caller: Caller,
    limit: PageSize = 50,
    before: Cursor = None,
    key_id: Wanted = None,
    owner: Wanted = None,
    action: Wanted = None,
    outcome: Wanted = None,
    request_id: Wanted = None,
    since: Moment = None,
    until: Moment = None,
) -> Response:
    """What changed something or was denied; `next` is what `before` takes for the following page, null at the end."""
    wanted = Filters(key_id, owner, action, outcome, request_id, since, until, before)
    page = await server.audit.page(limit, wanted)
    return json_response({"audit": page, "next": page[-1].id if len(page) == limit else None})
