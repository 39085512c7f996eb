"""Who asks: the bearer key of a request, and the runtime that answers.

Owns the dependencies that every route under `/api` shares.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request, Response

from api.errors import Unauthorized
from api.keys import Identity
from api.runtime import Runtime


async def runtime_of(request: Request) -> Runtime:
    """The server behind a request. (FastAPI would run a plain function in a thread.)"""
    runtime: Runtime = request.app.state.runtime
    return runtime


Server = Annotated[Runtime, Depends(runtime_of)]


async def identity_of(request: Request, server: Server) -> Identity:
    """Whose key the request carries. Raises `Unauthorized`."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized("no key was sent", hint="Send Authorization: Bearer kg_….")
    return await server.keys.check(token.strip())


Caller = Annotated[Identity, Depends(identity_of)]
PageSize = Annotated[int, Query(ge=1, le=500, description="entries in one answer")]
Cursor = Annotated[str | None, Query(max_length=64, description="`next` of the answer before")]


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`value` as JSON; `msgspec.Raw` inside it is JSON already, bytes are a whole document."""
    content = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(content, status, headers, "application/json")
