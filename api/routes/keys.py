"""`/api/keys`: make, list and revoke keys, for admins."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from api import quotas
from api.access import Caller, Cursor, PageSize, Server
from api.auth import keys
from api.auth.identity import parse_maximum
from api.auth.keys import KeyRecord, NewKey
from api.http import body
from api.http.answers import json_response
from api.ids import now
from api.runtime import Runtime
from api.settings import Settings

router = APIRouter(prefix="/api/keys", tags=["keys"])


class KeyRequest(body.RequestModel):
    """A key to make."""

    name: str = Field(
        description="up to 32 of a-z, 0-9, - and _", json_schema_extra={"pattern": f"^{keys.NAME.pattern}$"}
    )
    owner: str | None = Field(None, description="whose objects the key uses; its name unless given")
    role: Literal["admin", "user"] = Field("user", description="what it may do at all")
    groups: list[str] = Field([], max_length=keys.MAX_GROUPS, description="what it belongs to")
    scopes: list[str] | None = Field(
        None, max_length=64, description="the routes it may use; all of its role unless given"
    )
    grants: dict[str, Any] | None = Field(
        None, description="the most that its runs may be granted; its role's default unless given"
    )
    quotas: dict[str, Any] = Field({}, description="how much it may use; null is no bound")
    expires_in_s: float | None = Field(
        None, allow_inf_nan=False, description="seconds until it ends; never unless given"
    )


def _new_key(asked: KeyRequest, settings: Settings) -> NewKey:
    """What is asked for. Raises `InvalidRequest`, `GrantError`."""
    return NewKey(
        asked.name,
        asked.role,
        asked.owner,
        None if asked.grants is None else parse_maximum(asked.grants),
        tuple(asked.groups),
        None if asked.scopes is None else tuple(asked.scopes),
        quotas.parse(asked.quotas),
        None if asked.expires_in_s is None else keys.expiry(asked.expires_in_s),
    )


@router.post("", status_code=201, summary="Make a key", openapi_extra=body.body_schema(KeyRequest))
async def create(
    server: Server, caller: Caller, asked: Annotated[NewKey, body.json_body(KeyRequest, _new_key)]
) -> Response:
    """A new key and its `token`, which is shown this once. It may do nothing that the key that makes it may not."""
    made = keys.within(caller, asked, server.keys.defaults[asked.role])
    record, token = await server.database.do(lambda db: keys.create(db, made), durable=True)
    headers = {"Location": f"/api/keys/{record.id}", "Cache-Control": "no-store"}
    return json_response({**_document(server, record), "token": token}, 201, headers)


@router.get("", summary="List keys, oldest first")
async def listed(server: Server, caller: Caller, limit: PageSize = 50, after: Cursor = None) -> Response:
    """All keys, without tokens; `next` is what `after` takes for the following page, null at the end."""
    page = await server.database.do(lambda db: keys.listed(db, limit, after))
    following = page[-1].id if len(page) == limit else None
    return json_response({"keys": [_document(server, record) for record in page], "next": following})


@router.get("/{key_id}", summary="A key")
async def one(server: Server, caller: Caller, key_id: str) -> Response:
    """What it may do, without its token."""
    return json_response(_document(server, await server.database.do(lambda db: keys.get(db, key_id))))


@router.delete("/{key_id}", status_code=204, summary="Revoke a key")
async def revoke(request: Request, server: Server, caller: Caller, key_id: str) -> Response:
    """From now it is refused; its runs are cancelled, and its requests end. What it made stays its owner's."""
    await server.database.do(lambda db: keys.get(db, key_id))
    await server.database.do(lambda db: keys.revoke(db, key_id), durable=True)
    server.presence.end(key_id, but=request.state.exchange)
    return Response(status_code=204)


def _document(server: Runtime, record: KeyRecord) -> dict[str, Any]:
    """What an admin is told of a key."""
    return record.document(server.keys.defaults, now())
