"""What a browser may do: the hosts it may know us by, the pages a request may come from, the headers of ours.

Owns the cookie and every check that a login needs and a bearer key does not. Must not know pages.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from fastapi import Request, Response

from api.auth.logins import Login, Logins
from api.errors import CrossSite, HostNotAllowed, Unauthorized
from api.settings import Settings

COOKIE = "kernelgate_login"
CSRF_HEADER = "x-csrf-token"
SAFE = ("GET", "HEAD")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Of every page."""


def check_host(request: Request, settings: Settings) -> None:
    """Raise `HostNotAllowed` unless the browser knows us by a name of ours.

    A page of elsewhere whose name is made to lead here (DNS rebinding) would otherwise be one of our pages to it.
    """
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    allowed = _allowed(settings)
    if host not in allowed:
        raise HostNotAllowed(
            f"the console is not served as {host[:80]!r}, but as {', '.join(sorted(allowed))}",
            hint="The owner lists further names in KERNELGATE_CONSOLE_HOSTS.",
        )


def _allowed(settings: Settings) -> Collection[str]:
    return {*LOOPBACK, settings.host, *(host.lower() for host in settings.console_hosts)}


def check_origin(request: Request) -> None:
    """Raise `CrossSite` for a request that a browser sends for a page which is not ours.

    Browsers tell by `Sec-Fetch-Site`, and `none` is what a person typed; older ones by `Origin` alone.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        ours = site == "same-origin" or (site == "none" and request.method in SAFE)
    else:
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not ours:
        raise CrossSite("this came from a page of another site", hint="Open the console itself.")


def login_of(request: Request, logins: Logins) -> Login | None:
    """The login that the request's cookie names."""
    name = request.cookies.get(COOKIE)
    return None if name is None else logins.find(name)


def key_of(request: Request, logins: Logins, settings: Settings) -> str:
    """The key of the login that a request to the REST interface carries in place of one, from a page of ours.

    Raises `Unauthorized`, `HostNotAllowed`, `CrossSite`.
    """
    login = login_of(request, logins)
    if login is None:
        raise Unauthorized("no key was sent")
    check_host(request, settings)
    check_origin(request)
    if request.method not in SAFE:
        check_token(login, request.headers.get(CSRF_HEADER, ""))
    return login.key


def check_token(login: Login, token: str) -> None:
    """Raise `CrossSite` unless `token` is the one that only our pages know."""
    if not login.vouches(token):
        raise CrossSite("the page's token is missing or old", hint="Load the page again.")


def set_cookie(response: Response, request: Request, name: str) -> None:
    """Let the browser keep a login, out of the reach of scripts, and send it from our own pages alone."""
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, name, httponly=True, samesite="strict", secure=secure, path="/")


def drop_cookie(response: Response) -> None:
    """Let the browser forget its login."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
