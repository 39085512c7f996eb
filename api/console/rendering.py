"""From templates to pages.

Owns the environment of the templates and what every page has: who is logged in, where one can go. Must not know what a
page shows.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import msgspec
from fastapi import Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from api.auth import scopes
from api.auth.identity import Identity
from api.auth.logins import Login
from api.console import files
from api.http.browser import HEADERS

PLACES = {
    "play": ("Playground", "POST /api/runs"),
    "runs": ("Runs", "GET /api/runs"),
    "kernels": ("Kernels", "GET /api/kernels"),
    "scripts": ("Scripts", "GET /api/scripts"),
    "ops": ("Operations", "GET /api/ops"),
    "tensors": ("Tensors", "GET /api/tensors"),
    "keys": ("Keys", "GET /api/keys"),
    "secrets": ("Secrets", "GET /api/secrets"),
    "device": ("Device", "GET /api/device"),
}
"""What stands in the console's menu: a title, and the route whose scope it needs."""


class Visitor(msgspec.Struct, frozen=True):
    """Who looks at a page: a login, and the key behind it."""

    login: Login
    identity: Identity

    def require(self, route: str) -> None:
        """Raise `AdminOnly` or `ScopeMissing` unless the visitor may use `route` of the REST interface."""
        scopes.require(self.identity.role, self.identity.scopes, route)


def bytes_text(nbytes: float) -> str:
    """A size as people read it, in powers of 1024."""
    size = float(nbytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def ms_text(ms: float) -> str:
    """A duration as people read it."""
    if ms < 1000:
        return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{int(ms // 60_000)} min {int(ms % 60_000 // 1000)} s"


def link(path: str, **query: str | None) -> str:
    """The address of a page with what is asked of it; None and "" are left out."""
    asked = urlencode({name: value for name, value in query.items() if value})
    return f"{path}?{asked}" if asked else path


def plain(document: Any) -> Any:
    """A document as JSON has it, all of its JSON parsed."""
    return msgspec.json.decode(msgspec.json.encode(document))


def prose(text: str) -> Markup:
    """Text whose parts between backquotes are code."""
    parts = [
        Markup("<code>{}</code>" if number % 2 else "{}").format(part)
        for number, part in enumerate(text.split("`"))
    ]
    return Markup("").join(parts)


_environment = Environment(
    loader=PackageLoader("api.console", "templates"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.globals["static"] = files.address
_environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
_environment.filters.update(size=bytes_text, duration=ms_text, prose=prose)


def page(
    template: str, visitor: Visitor | None, status: int = 200, here: str | None = None, **content: Any
) -> Response:
    """The page `template` with `content`, which has the menu of what the visitor may see; `here` is its place there,
    unless it has the template's name."""
    identity = visitor.identity if visitor else None
    text = _environment.get_template(f"{template}.html.j2").render(
        identity=identity,
        csrf=visitor.login.csrf if visitor else "",
        places=[
            (name, title) for name, (title, route) in PLACES.items() if identity and may(identity, route)
        ],
        here=here or template,
        may=lambda route: identity is not None and may(identity, route),
        **content,
    )
    return Response(text, status, HEADERS, "text/html; charset=utf-8")


def may(identity: Identity, route: str) -> bool:
    """Whether a key has the scope of a route."""
    return scopes.ROUTES[route] in identity.scopes
