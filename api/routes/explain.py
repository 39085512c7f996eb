"""`/api/explain`: why a key may do something, or not."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from api.access import Caller, Server
from api.auth import keys
from api.auth.identity import Identity
from api.errors import KeyNotFound
from api.explain import Case, explain
from api.http import body
from api.http.answers import json_response
from api.ids import now
from api.runtime import Runtime

router = APIRouter(prefix="/api/explain", tags=["access"])


class ExplainRequest(body.RequestModel):
    """A question."""

    key: str | None = Field(None, max_length=64, description="the id of a key; your own unless given")
    action: str = Field(max_length=32, description="what it would do")
    resource: str = Field(max_length=8192, description="what it would do it to")
    grants: dict[str, Any] | None = Field(
        None, description="what a run would ask for; unless given: is there a run of the key that may"
    )


@router.post("", summary="Explain a permission", openapi_extra=body.body_schema(ExplainRequest))
async def ask(
    server: Server,
    caller: Caller,
    asked: Annotated[ExplainRequest, body.json_body(ExplainRequest, body.as_is)],
) -> Response:
    """Which rule allows or denies something to a key, in the words of the error, and which grant would change it.

    Nothing is done, counted or used up. Admins ask about any key, others about their own.
    """
    about = {"action": asked.action, "resource": asked.resource}
    identity, state = await _key(server, caller, asked.key)
    about = {"key": identity.key_id, **about}
    if state != "valid":
        told = {
            "allowed": False,
            "rule": "key_state",
            "detail": f"the key is {state}",
            "code": "unauthorized",
        }
        return json_response({**about, **told})
    grants = server.gates.grants(identity, asked.grants or {})
    case = Case(server, identity, grants, asked.resource, asked.grants is not None)
    return json_response({**about, **await explain(case, asked.action, caller)})


async def _key(server: Runtime, caller: Identity, key_id: str | None) -> tuple[Identity, str]:
    """Who is asked about, and the state of that key. Raises `KeyNotFound`."""
    if key_id is None or key_id == caller.key_id:
        return caller, "valid"
    if caller.role != "admin":
        raise KeyNotFound(f"there is no key {key_id[:60]!r} of yours", hint="Leave key out for your own.")
    record = await server.database.do(lambda db: keys.get(db, key_id))
    return record.identity(server.keys.defaults), record.state(now())
