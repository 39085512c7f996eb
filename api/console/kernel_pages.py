"""The console's pages of kernels: `/console/kernels`, `/console/kernels/{name}`, and those in quarantine.

Owns what these are rendered from. Must not know how they look.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from api.access import Cursor, Owned, Server, reference
from api.auth.identity import Identity
from api.console.rendering import link, page, plain
from api.console.visiting import Looking, PageRoute, needs
from api.kernels.builds import text_hash
from api.kernels.store import KernelRecord
from api.runtime import Runtime
from api.versions import KERNELS
from shaders.limits import LIMITS

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 50


@router.get("/kernels", dependencies=[needs("GET /api/kernels")])
async def listed(server: Server, visitor: Looking, after: Cursor = None, owner: Owned = None) -> Response:
    """The kernels that the visitor may read, by name."""
    identity = visitor.identity
    found = await server.kernels.page(identity, ROWS, after, owner or None)
    rows = [await _row(server, identity, record) for record in found]
    last = rows[-1]["reference"] if len(rows) == ROWS else None
    return page(
        "kernels",
        visitor,
        rows=rows,
        owner=owner or "",
        start=link("/console/kernels", owner=owner) if after else None,
        more=link("/console/kernels", after=last, owner=owner) if last else None,
    )


@router.get("/quarantine", dependencies=[needs("GET /api/quarantine")])
async def quarantined(server: Server, visitor: Looking) -> Response:
    """Kernels that took the device with them."""
    return page("quarantine", visitor, here="kernels", entries=server.quarantine.page())


@router.get("/kernels/{name:path}", dependencies=[needs("GET /api/kernels/{name}")])
async def one(server: Server, visitor: Looking, name: str) -> Response:
    """A kernel: what it was found to be, its source, and what is compiled of it."""
    record = await server.kernels.find(visitor.identity, name)
    guard = record.reflection.guard
    return page(
        "kernel",
        visitor,
        here="kernels",
        **await _row(server, visitor.identity, record),
        kernel=plain(record.document()),
        source=record.source,
        written=record.template and record.template.text,
        guarded=guard and guard.source,
        limits=_limits(record),
        versions=await server.database.do(lambda db: KERNELS.of(db, record.target)),
        pointed=await server.database.do(lambda db: KERNELS.pointed(db, record.target)),
    )


async def _row(server: Runtime, identity: Identity, record: KernelRecord) -> dict[str, Any]:
    """What is known of a kernel beside its text."""
    milliseconds = await server.compiling.milliseconds(text_hash(record.source))
    return {
        "record": record,
        "reference": reference(identity, record.owner, record.name),
        "milliseconds": milliseconds,
        "heavy": (milliseconds or 0.0) > server.settings.heavy_compile_ms,
        "quarantine": server.quarantine.find(record.reflection.fingerprint, [identity.owner, record.owner]),
    }


def _limits(record: KernelRecord) -> list[tuple[str, int, int]]:
    """What a kernel has of that which is limited, and the most."""
    threads = [x * y * z for x, y, z in (entry.workgroup_size for entry in record.reflection.entry_points)]
    guard = record.reflection.guard
    return [
        ("Characters", len(record.source), LIMITS.source_characters),
        ("Bindings", len(record.reflection.bindings), LIMITS.bindings),
        ("Threads of a workgroup", max(threads, default=0), LIMITS.workgroup_invocations),
        ("Loops that are counted", len(guard.loops) if guard else 0, LIMITS.loops),
    ]
