"""The console's pages of keys, and of what they did: `/console/keys`, `/console/keys/{key_id}`, `/console/audit`.

Owns what these are rendered from. Must not know how they look.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Response

from api.access import Cursor, Server
from api.auth import keys
from api.auth.audit import DONE, Filters
from api.auth.keys import KeyRecord
from api.auth.scopes import SCOPES, of_role
from api.console.rendering import link, page, plain
from api.console.visiting import Looking, PageRoute, needs
from api.ids import now
from api.quotas import Quotas
from api.runtime import Runtime

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 100
Wanted = Annotated[str, Query(max_length=80)]
_PAGED = re.compile(r"/api/((?:keys|kernels|runs|scripts|tensors)/[^/]+)")
QUOTAS = {
    "runs_at_once": "runs that wait or run",
    "runs_a_minute": "runs that begin in a minute",
    "device_ms_a_minute": "milliseconds of the device in a minute",
    "resident_bytes": "bytes on the device, of all keys of the owner",
    "stored_bytes": "bytes of stored tensors and scripts, likewise",
    "kernels": "stored versions of kernels, likewise",
}
"""What each bounds."""


@router.get("/keys", dependencies=[needs("GET /api/keys")])
async def listed(server: Server, visitor: Looking, after: Cursor = None, like: Wanted = "") -> Response:
    """All keys, oldest first, and a form for a new one, which begins with what the key `like` may."""
    found = await server.database.do(lambda db: keys.listed(db, ROWS, after))
    last = found[-1].id if len(found) == ROWS else None
    model = await server.database.do(lambda db: keys.get(db, like)) if like else None
    return page(
        "keys",
        visitor,
        rows=[_document(server, record) for record in found],
        like=_document(server, model) if model else None,
        scopes=[(name, about, name in of_role("user")) for name, about in SCOPES.items()],
        quotas=_quotas(server.keys.defaults["user"]),
        start="/console/keys" if after else None,
        more=link("/console/keys", after=last) if last else None,
    )


@router.get("/keys/{key_id}", dependencies=[needs("GET /api/keys/{key_id}")])
async def one(server: Server, visitor: Looking, key_id: str) -> Response:
    """What a key may do."""
    record = await server.database.do(lambda db: keys.get(db, key_id))
    return page(
        "key",
        visitor,
        here="keys",
        key=_document(server, record),
        scopes=SCOPES,
        role_scopes=sorted(of_role(record.role)),
        quotas=_quotas(record.identity(server.keys.defaults).quotas),
        own=record.id == visitor.identity.key_id,
    )


@router.get("/audit", dependencies=[needs("GET /api/audit")])
async def audit(
    server: Server,
    visitor: Looking,
    before: Cursor = None,
    key_id: Wanted = "",
    owner: Wanted = "",
    action: Wanted = "",
    outcome: Wanted = "",
    since: Wanted = "",
    until: Wanted = "",
) -> Response:
    """Who did what, newest first."""
    wanted = {
        "key_id": key_id,
        "owner": owner,
        "action": action,
        "outcome": outcome,
        "since": since,
        "until": until,
    }
    filters = Filters(**{name: value or None for name, value in wanted.items()}, before=before)
    found = await server.audit.page(ROWS, filters)
    last = found[-1].id if len(found) == ROWS else None
    return page(
        "audit",
        visitor,
        here="keys",
        rows=[(entry, _page_of(entry.resource)) for entry in found],
        done=DONE,
        wanted=wanted,
        newest=link("/console/audit", **wanted) if before else None,
        older=link("/console/audit", before=last, **wanted) if last else None,
    )


def _page_of(resource: str) -> str | None:
    """The page of what an entry is about, if that has one."""
    found = _PAGED.fullmatch(resource)
    return f"/console/{found[1]}" if found else None


def _document(server: Runtime, record: KeyRecord) -> dict[str, Any]:
    document: dict[str, Any] = plain(record.document(server.keys.defaults, now()))
    return document


def _quotas(quotas: Quotas) -> list[tuple[str, str, int | float | None]]:
    """Quotas: name, what it bounds, and the most."""
    return [(name, QUOTAS[name], most) for name, most in msgspec.structs.asdict(quotas).items()]
