"""`/api/secrets`: values that the server adds to granted requests, and never tells."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from api.access import Caller, Owned, Server
from api.auth.identity import Identity
from api.errors import AdminOnly
from api.http import body
from api.http.answers import json_response

router = APIRouter(prefix="/api/secrets", tags=["secrets"])


class SecretRequest(body.RequestModel):
    """A secret."""

    value: str = Field(description="the whole value of the header, as Bearer abc123…; it is never shown")


@router.get("", summary="List secrets, without their values")
async def listed(server: Server, caller: Caller, owner: Owned = None) -> Response:
    """Your secrets, or as an admin those of `owner`."""
    _check(caller, owner or caller.owner)
    return json_response({"secrets": await server.secrets.listed(owner or caller.owner)})


@router.put(
    "/{name:path}",
    summary="Store or replace a secret",
    openapi_extra=body.body_schema(SecretRequest),
    responses={201: {"description": "it is new"}},
)
async def put(
    server: Server,
    caller: Caller,
    name: str,
    asked: Annotated[SecretRequest, body.json_body(SecretRequest, body.as_is)],
) -> Response:
    """Store a value under a `name` that grants of `fetch` give; admins may say `owner/name`.

    Runs that are under way go on with the value that they had.
    """
    owner, plain = _split(caller, name)
    record, new = await server.secrets.put(owner, plain, asked.value)
    return json_response(record, 201 if new else 200, {"Location": f"/api/secrets/{owner}/{plain}"})


@router.delete("/{name:path}", status_code=204, summary="Forget a secret")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget it: requests that need it are refused from the next run on."""
    await server.secrets.delete(*_split(caller, name))
    return Response(status_code=204)


def _split(caller: Identity, reference: str) -> tuple[str, str]:
    """Whose secret `name` or `owner/name` is, and its name. Raises `AdminOnly`."""
    owner, slash, name = reference.rpartition("/")
    if not slash:
        return caller.owner, name
    _check(caller, owner)
    return owner, name


def _check(caller: Identity, owner: str) -> None:
    if owner != caller.owner and caller.role != "admin":
        raise AdminOnly("a secret is its owner's, and the admins'")
