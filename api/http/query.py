"""The query of an address, held against the OpenAPI description.

Owns that a parameter which the description of a route does not have, or that comes twice, is refused. Must not know
what parameters mean.
"""

from __future__ import annotations

from fastapi import Request

from api.errors import InvalidRequest
from shaders.suggestions import meant


async def check_query(request: Request) -> None:
    """A dependency of every route: raise `InvalidRequest` for a parameter that it does not take, or not twice."""
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        taken = _parameters(request)
        if name not in taken:
            raise InvalidRequest(
                f"query.{name:.40} is not a parameter of {request.method} {request.url.path:.80}",
                hint=meant(name, taken, f"It takes {', '.join(taken) or 'none'}."),
            )
        if name in seen:
            raise InvalidRequest(f"query.{name} is given twice", hint="Give it once.")
        seen.add(name)


def _parameters(request: Request) -> list[str]:
    """What the route of `request` takes in its query."""
    path = request.scope["route"].path_format
    described = request.app.openapi()["paths"][path][request.method.lower()]
    return [each["name"] for each in described.get("parameters", []) if each["in"] == "query"]
