"""`/api/{kind}/{name}/acl`: who may do what with an object."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from api import objects
from api.access import Caller, Server
from api.auth import acl
from api.auth.acl import Entry, Target
from api.errors import NotFound
from api.http import body
from api.http.answers import json_response
from api.settings import Settings

router = APIRouter(prefix="/api", tags=["access"])
_MOST = 4 * acl.MAX_ENTRIES


class EntryRequest(body.RequestModel):
    """Somebody, and what he may do."""

    to: str = Field(description="key:ID, group:NAME or everyone")
    may: Literal["read", "use", "write", "admin"] = Field(description="a level, which has all before it")


class AclRequest(body.RequestModel):
    """An access list."""

    entries: list[EntryRequest] = Field(max_length=_MOST, description="in place of those that there are")


def _entries(asked: AclRequest, settings: Settings) -> list[Entry]:
    """What is asked for. Raises `InvalidRequest`."""
    entries = [Entry(each.to, each.may) for each in asked.entries]
    acl.check(entries)
    return entries


@router.get("/{kind}/{name:path}/acl", summary="Who may do what with an object")
async def one(server: Server, caller: Caller, kind: str, name: str) -> Response:
    """The access list of a tensor, kernel, script or run; its owner, admins and who has the level admin see it."""
    target = await objects.find(server, caller, kind, name, "admin")
    return json_response(_document(target, await server.sharing.entries(target)))


@router.put("/{kind}/{name:path}/acl", summary="Share an object", openapi_extra=body.body_schema(AclRequest))
async def replace(
    server: Server,
    caller: Caller,
    kind: str,
    name: str,
    asked: Annotated[list[Entry], body.json_body(AclRequest, _entries)],
) -> Response:
    """Give an object another access list; without entries it is private. Runs go on with the tensors that they hold."""
    target = await objects.find(server, caller, kind, name, "admin")
    if not await server.sharing.replace(target, asked):
        raise NotFound(f"the {target.kind} was deleted meanwhile")
    return json_response(_document(target, asked))


def _document(target: Target, entries: list[Entry]) -> dict[str, Any]:
    return {"kind": target.kind, "owner": target.owner, "name": target.name, "entries": entries}
