"""The console's page of the device: `/console/device`.

Owns what it is rendered from. Must not know how it looks.
"""

from __future__ import annotations

from fastapi import APIRouter, Response

from api import overview
from api.access import Server
from api.console.rendering import page, plain
from api.console.visiting import Looking, PageRoute, needs
from api.runtime import Runtime

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
WINDOW_MS = 60_000.0
"""Of which owners have their shares."""


@router.get("/device", dependencies=[needs("GET /api/device")])
async def device(server: Server, visitor: Looking) -> Response:
    """The device, and who uses it. The page's script keeps it as it is."""
    await server.ready()
    document = plain(overview.device(server, visitor.identity))
    return page(
        "device",
        visitor,
        device=document,
        budget=server.settings.resident_bytes,
        window_ms=WINDOW_MS,
        walls=_walls(server),
    )


def _walls(server: Runtime) -> list[tuple[str, str, str]]:
    """Around what, the walls that stand, and what is missing."""
    devices = {"Device": server.device, "Compiler": server.compiler}
    found = [
        (name, ", ".join(each.seal.walls) or each.state, each.seal.missing) for name, each in devices.items()
    ]
    return [("Workers", f"level {server.pool.level}", server.pool.reason), *found]
