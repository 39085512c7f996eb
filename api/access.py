"""Who asks: the bearer key of a request, whether it has the scope of the route, and the runtime that answers.

Owns the dependencies that every route under `/api` shares.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request
from starlette.requests import ClientDisconnect

from api.auth.identity import Identity
from api.auth.scopes import require
from api.errors import Unauthorized
from api.http import browser
from api.runtime import Runtime


async def runtime_of(request: Request) -> Runtime:
    """The server behind a request. (FastAPI would run a plain function in a thread.)"""
    runtime: Runtime = request.app.state.runtime
    return runtime


T = TypeVar("T")
Server = Annotated[Runtime, Depends(runtime_of)]


async def identity_of(request: Request, server: Server) -> Identity:
    """Whose key the request carries, which has the scope of its route. Raises `Unauthorized`, `AdminOnly`,
    `ScopeMissing`, for a browser's login `HostNotAllowed` and `CrossSite`, and for a request that was answered before
    what `Exchange.claim` does."""
    identity = await server.keys.check(_key_of(request, server))
    route = f"{request.method} {request.scope['route'].path_format}"
    request.state.exchange.enter(server.presence, identity, route)
    require(identity.role, identity.scopes, route)
    await request.state.exchange.claim(request, server.repeats, server.settings.upload_bytes)
    return identity


def _key_of(request: Request, server: Server) -> str:
    """The bearer key of a request, or that of the login of the console's pages."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if not scheme:
        return browser.key_of(request, server.logins, server.settings)
    if scheme.lower() != "bearer":
        raise Unauthorized("no key was sent")
    return token.strip()


Caller = Annotated[Identity, Depends(identity_of)]


PageSize = Annotated[int, Query(ge=1, le=500, description="entries in one answer")]
Cursor = Annotated[str | None, Query(max_length=128, description="`next` of the answer before")]
Owned = Annotated[
    str | None, Query(max_length=64, description="whose; of all that you may read unless given")
]


def reference(caller: Identity, owner: str, name: str) -> str:
    """What `caller` calls the kernel or script `name` of `owner`."""
    return name if owner == caller.owner else f"{owner}/{name}"


async def gone(request: Request) -> None:
    """Return when the client has left. (FastAPI does not cancel a handler for it.)"""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which is cancelled when the client leaves. Raises `ClientDisconnect` then."""
    task = asyncio.create_task(work)
    watch = asyncio.create_task(gone(request))
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        watch.cancel()
        task.cancel()
