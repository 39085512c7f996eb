"""The page at `/docs`: routes and errors, rendered from the OpenAPI description without any outside host.

Owns how the description becomes HTML. Must not know what routes do.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader, select_autoescape

from api.http.problems import status_of
from shaders.errors import KernelgateError

_environment = Environment(
    loader=PackageLoader("api", "templates"), autoescape=select_autoescape(default=True), trim_blocks=True
)


@cache
def page(app: FastAPI) -> str:
    """The whole page."""
    description = app.openapi()
    return _environment.get_template("docs.html.j2").render(
        title=description["info"]["title"],
        version=description["info"]["version"],
        groups=_groups(description),
        errors=_errors(),
    )


def _groups(description: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route.get("tags", ["other"])[0], []).append(_route(path, method, route))
    return groups


def _route(path: str, method: str, route: dict[str, Any]) -> dict[str, Any]:
    contents = route.get("requestBody", {}).get("content", {})
    return {
        "path": path,
        "method": method.upper(),
        "summary": route.get("summary", ""),
        "description": route.get("description", ""),
        "parameters": route.get("parameters", []),
        "bodies": {
            kind: json.dumps(content.get("schema", {}), indent=1) for kind, content in contents.items()
        },
    }


def _errors() -> list[dict[str, Any]]:
    classes = sorted(KernelgateError.catalogue().items())
    return [{"code": code, "status": status_of(code), "title": cls.title} for code, cls in classes]
