"""Objects by address: `kernels/alice/fft`, `runs/run_…`.

Owns which store has each kind. Must not know who may do what: the stores ask `api/auth/sharing.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from api.auth.acl import Level, Target
from api.auth.identity import Identity
from api.errors import NotFound
from api.runs.live import LiveRun
from api.runtime import Runtime

_Find = Callable[[Runtime, Identity, str, Level], Awaitable[Target]]


async def find(server: Runtime, caller: Identity, kind: str, name: str, wanted: Level) -> Target:
    """The object `name` of a kind, with which `caller` may do what it wants.

    Raises `NotFound` for no kind, and the errors of its store: not found, also for what the caller may not even see,
    `AccessDenied`, `PermissionDenied`.
    """
    found = STORES.get(kind)
    if found is None:
        raise NotFound(f"there are no {kind[:40]!r}", hint=f"Objects are {', '.join(STORES)}.")
    return await found(server, caller, name, wanted)


async def _tensor(server: Runtime, caller: Identity, name: str, wanted: Level) -> Target:
    return (await server.tensors.get(caller, name, wanted)).target


async def _kernel(server: Runtime, caller: Identity, name: str, wanted: Level) -> Target:
    return (await server.kernels.find(caller, name, wanted)).target


async def _script(server: Runtime, caller: Identity, name: str, wanted: Level) -> Target:
    return (await server.scripts.find(caller, name, wanted)).target


async def _run(server: Runtime, caller: Identity, name: str, wanted: Level) -> Target:
    run = await server.runs.find(caller, name, wanted)
    return (run.record if isinstance(run, LiveRun) else run).target


STORES: dict[str, _Find] = {"tensors": _tensor, "kernels": _kernel, "scripts": _script, "runs": _run}
"""How each kind is found."""
