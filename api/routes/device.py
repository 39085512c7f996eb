"""`/api/device`: the adapter that computes, its limits and its memory."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.access import Caller, Server, json_response

router = APIRouter(prefix="/api/device", tags=["device"])


@router.get("", summary="The device")
async def device(server: Server, caller: Caller) -> Response:
    """The adapter, what it can do, how often its process was restarted, and if a spare stands ready.

    What it holds, everybody's together, is told to admins.
    """
    await server.ready()
    info = server.device.info
    assert info is not None
    return json_response(
        {
            "name": info.name,
            "kind": info.kind,
            "backend": info.backend,
            "driver": info.driver,
            "limits": info.limits,
            "features": info.features,
            **({"memory": server.device.memory} if caller.role == "admin" else {}),
            "state": server.device.state,
            "generation": server.device.generation,
            "restarts": server.device.restarts,
            "spare": server.device.spare_pid is not None,
        }
    )
