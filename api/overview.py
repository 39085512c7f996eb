"""What the server is doing: the device, who uses it, and what waits.

Owns what of that is told to whom: everybody's use to admins, to others their own. Must not know HTTP.
"""

from __future__ import annotations

from typing import Any

from api.auth.identity import Identity
from api.runtime import Runtime


def device(server: Runtime, identity: Identity) -> dict[str, Any]:
    """The device, its processes, the workers, and what owners use; the device is up."""
    info, main = server.device.info, server.device
    assert info is not None
    lane = server.lane.device
    admin = identity.role == "admin"
    return {
        "name": info.name,
        "kind": info.kind,
        "backend": info.backend,
        "driver": info.driver,
        "limits": info.limits,
        "features": info.features,
        **({"memory": main.memory} if admin else {}),
        "state": main.state,
        "generation": main.generation,
        "restarts": main.restarts,
        "spare": main.spare_pid is not None,
        "lane": None if lane is None else lane.state,
        "workers": {
            "number": server.settings.workers,
            "level": server.pool.level,
            "runs_at_once": server.settings.runs_at_once,
        },
        "owners": [each for each in owners(server) if admin or each["owner"] == identity.owner],
    }


def owners(server: Runtime) -> list[dict[str, Any]]:
    """What each owner uses: bytes on the device, milliseconds of it in the last minute, runs; the most first."""
    held, worked, runs = server.holdings.all(), server.accounts.shares.milliseconds(), server.runs.by_owner()
    found = [
        {
            "owner": owner,
            "resident_bytes": held.get(owner, 0),
            "device_ms": round(worked.get(owner, 0.0), 3),
            "running": runs[owner]["running"],
            "queued": runs[owner]["queued"],
        }
        for owner in {*held, *worked, *runs}
    ]
    return sorted(found, key=lambda each: (-each["device_ms"], -each["resident_bytes"], each["owner"]))
