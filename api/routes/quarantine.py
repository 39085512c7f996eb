"""`/api/quarantine`: kernels that took the device with them, for admins."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.access import Caller, Server
from api.http.answers import json_response

router = APIRouter(prefix="/api/quarantine", tags=["kernels"])


@router.get("", summary="List kernels in quarantine")
async def listed(server: Server, caller: Caller) -> Response:
    """All of them, the newest first, each with who dispatched it, `hang` or `crash`, and what was seen."""
    return json_response({"quarantine": server.quarantine.page()})


@router.delete("/{fingerprint}", status_code=204, summary="Lift a quarantine")
async def lift(server: Server, caller: Caller, fingerprint: str) -> Response:
    """Let a kernel be stored and dispatched again, by all."""
    await server.quarantine.lift(fingerprint)
    return Response(status_code=204)
