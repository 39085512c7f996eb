"""`/api/device`: the adapter that computes, its limits, its memory, and who uses it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api import overview
from api.access import Caller, Server
from api.http.answers import json_response

router = APIRouter(prefix="/api/device", tags=["device"])


@router.get("", summary="The device")
async def device(server: Server, caller: Caller) -> Response:
    """The adapter, what it can do, the state of its processes, and what you use of it.

    What it holds, everybody's together, and what everybody uses, is told to admins.
    """
    await server.ready()
    return json_response(overview.device(server, caller))
