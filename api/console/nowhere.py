"""What is at no address of the console's: a page that says so, with the menu, where anything else would be JSON.

Owns the last route. Must not know the others.
"""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.console.visiting import Looking, PageRoute
from api.errors import NotFound

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)


@router.get("/{name}")
async def nowhere(visitor: Looking, name: str) -> Response:
    """No page. Raises `NotFound`."""
    raise NotFound(f"there is no page /console/{name:.80}", hint="The menu leads to those that there are.")
