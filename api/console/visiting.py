"""Who looks at a page, and what becomes of an error there: a page too, not a document of JSON.

Owns the dependency and the class of route that pages share. Must not know pages.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from api.access import Server
from api.console.rendering import PLACES, Visitor, page
from api.errors import InvalidRequest, Unauthorized
from api.http import browser
from api.http.problems import status_of, title_of
from shaders.errors import KernelgateError

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route whose errors are pages; who is not logged in is led to where one logs in."""

    def get_route_handler(self) -> Handler:
        """The handler, with errors caught."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except Unauthorized:
                where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                address = f"/console/login?then={quote(where, safe='')}"
                return Response(status_code=303, headers={"Location": address, "Cache-Control": "no-store"})
            except RequestValidationError as error:
                named = ", ".join(str(each["loc"][-1]) for each in error.errors())
                return _shown(request, InvalidRequest(f"the address says what cannot be: {named[:80]}"))
            except KernelgateError as error:
                return _shown(request, error)

        return answer


def _shown(request: Request, error: KernelgateError) -> Response:
    request.state.problem = error.code
    visitor = getattr(request.state, "visitor", None)
    return page(
        "error",
        visitor,
        status_of(error.code),
        error=error.record(),
        title=title_of(error.code),
        lists=_list_of(error.hint or ""),
    )


def _list_of(hint: str) -> tuple[str, str] | None:
    """The page that lists what the route does that `hint` begins with: its name and title."""
    return next(
        ((name, title) for name, (title, route) in PLACES.items() if hint.startswith(f"{route} lists")), None
    )


async def visitor_of(request: Request, server: Server) -> Visitor:
    """Who looks. Raises `HostNotAllowed`, `CrossSite`, and `Unauthorized` without a login or when its key is over."""
    browser.check_host(request, server.settings)
    login = browser.login_of(request, server.logins)
    if login is None:
        raise Unauthorized("nobody is logged in")
    identity = await server.keys.check(login.key)
    visitor = Visitor(login, identity)
    request.state.visitor = visitor
    request.state.exchange.enter(server.presence, identity, "GET /console")
    return visitor


Looking = Annotated[Visitor, Depends(visitor_of)]


def needs(route: str) -> Any:
    """A dependency: the visitor may use `route` of the REST interface. Raises `AdminOnly`, `ScopeMissing`."""

    async def check(visitor: Looking) -> None:
        visitor.require(route)

    return Depends(check)
