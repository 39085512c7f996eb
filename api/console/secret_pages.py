"""The console's pages that every user has of what he may reach: `/console/secrets`, `/console/why`.

Owns what these are rendered from. Must not know how they look.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.access import Owned, Server
from api.console.rendering import page
from api.console.visiting import Looking, PageRoute, needs
from api.errors import AdminOnly
from api.explain import ACTIONS

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)


@router.get("/secrets", dependencies=[needs("GET /api/secrets")])
async def secrets(server: Server, visitor: Looking, owner: Owned = None) -> Response:
    """The names of one's secrets, or as an admin of anybody's, and a form for one more. Raises `AdminOnly`."""
    identity = visitor.identity
    whose = owner or identity.owner
    if whose != identity.owner and identity.role != "admin":
        raise AdminOnly("a secret is its owner's, and the admins'")
    return page("secrets", visitor, rows=await server.secrets.listed(whose), owner=whose)


@router.get("/why", dependencies=[needs("POST /api/explain")])
async def why(visitor: Looking, key: Annotated[str, Query(max_length=64)] = "") -> Response:
    """Asks why a key may do something, or not."""
    actions = [(name, words) for name, (words, _) in ACTIONS.items()]
    return page("why", visitor, here="keys", key=key, actions=actions)
