"""`/api/stubs`: what a script can use, as typed stubs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from api.access import Caller, Server
from api.errors import NotFound
from shaders.suggestions import meant

router = APIRouter(prefix="/api/stubs", tags=["ops"])
_Module = Annotated[str | None, Query(max_length=64, description="one module, as `torch.nn`; unset: all")]


@router.get("", summary="Typed stubs of what a script can use", response_class=PlainTextResponse)
async def stubs(server: Server, caller: Caller, module: _Module = None) -> PlainTextResponse:
    """Python stubs (`.pyi`) of all modules in one document, each below a line `# module NAME`, or of one module.

    `__builtins__` is what needs no import. Of the standard library they say which names scripts have.
    """
    made = await server.stubs.all()
    if module is None:
        return PlainTextResponse("\n".join(f"# module {name}\n{text}" for name, text in made.items()))
    if module not in made:
        raise NotFound(
            f"scripts have no module {module!r}", hint=meant(module, made, "GET /api/stubs has them all.")
        )
    return PlainTextResponse(made[module])
