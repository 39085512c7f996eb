"""`/console`, `/console/login`, `/console/logout`, and the files of the pages."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response

from api.access import Server
from api.console import files
from api.console.rendering import PLACES, may, page
from api.console.visiting import Looking, PageRoute
from api.errors import NotFound, Unauthorized
from api.http import body, browser

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
MAX_FORM = 1 << 14
_INSIDE = re.compile(r"/console[\w/?&=%.@~+-]*", re.ASCII)


@router.get("")
async def first(visitor: Looking) -> Response:
    """Where a login leads: the first of the places that a key may see."""
    places = [name for name, (_, route) in PLACES.items() if may(visitor.identity, route)]
    where = "runs" if "runs" in places else (places or ["runs"])[0]
    return Response(status_code=303, headers={"Location": f"/console/{where}"})


@router.get("/login")
async def entrance(request: Request, server: Server, then: str = "") -> Response:
    """Where a person gives a key."""
    browser.check_host(request, server.settings)
    return page("login", None, then=_inside(then), wrong=False)


@router.post("/login")
async def enter(request: Request, server: Server) -> Response:
    """Begin a login, and go where the person wanted to."""
    browser.check_host(request, server.settings)
    browser.check_origin(request)
    form = await _form(request)
    key, then = form.get("key", "").strip(), _inside(form.get("then", ""))
    try:
        await server.keys.check(key)
    except Unauthorized:
        return page("login", None, 401, then=then, wrong=True)
    answer = Response(status_code=303, headers={"Location": then, "Cache-Control": "no-store"})
    browser.set_cookie(answer, request, server.logins.begin(key))
    return answer


@router.post("/logout")
async def leave(request: Request, server: Server, visitor: Looking) -> Response:
    """End a login."""
    browser.check_origin(request)
    browser.check_token(visitor.login, (await _form(request)).get("csrf", ""))
    server.logins.end(request.cookies[browser.COOKIE])
    answer = Response(status_code=303, headers={"Location": "/console/login", "Cache-Control": "no-store"})
    browser.drop_cookie(answer)
    return answer


@router.get("/static/{name}")
async def file(name: str) -> Response:
    """A style or script of the pages. Whoever has its address has its version, and may keep it."""
    if name not in files.NAMES:
        raise NotFound(f"nothing is served at /console/static/{name:.80}")
    keep = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    return Response(files.content(name), 200, keep, files.KINDS[Path(name).suffix])


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    text = (await body.read(request, MAX_FORM)).decode("utf-8", "replace")
    return {name: values[-1] for name, values in parse_qs(text, max_num_fields=8).items()}


def _inside(address: str) -> str:
    """`address` if it is a page of ours, else the first one."""
    return address if _INSIDE.fullmatch(address) else "/console"
