"""`api/auth/scopes.py`: every route needs a scope, and a key has those that it was made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.app import create_app
from api.auth.scopes import ROUTES, SCOPES, check, methods_of, of_role, require, writes
from api.errors import AdminOnly, InvalidRequest, ScopeMissing
from api.settings import Settings


def test_every_route_of_the_api_has_a_scope(tmp_path: Path) -> None:
    paths = create_app(Settings(data=tmp_path)).openapi()["paths"]
    served = {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method in methods
        if path.startswith("/api/")
    }
    assert served == set(ROUTES)
    assert set(ROUTES.values()) == set(SCOPES)


def test_an_address_takes_the_methods_of_all_its_routes() -> None:
    assert methods_of("/api/runs") == ["GET", "POST"]
    assert methods_of("/api/tensors/ten_1") == ["DELETE", "GET", "PATCH", "PUT"]
    assert methods_of("/api/runs/run_1/events") == ["GET"]
    assert methods_of("/api/nothing") == methods_of("/healthz") == []


def test_a_user_has_all_but_what_is_an_admins() -> None:
    assert of_role("admin") == set(SCOPES)
    assert of_role("admin") - of_role("user") == {"keys:admin", "quarantine:admin", "audit:admin"}
    check("user", ["runs:read"])
    for role, scope in (("user", "keys:admin"), ("admin", "runs:everything")):
        with pytest.raises(InvalidRequest, match=scope):
            check(role, [scope])


@pytest.mark.parametrize("route", ROUTES)
def test_a_route_is_open_to_its_scope_and_closed_to_all_others(route: str) -> None:
    scope = ROUTES[route]
    require("admin", [scope], route)
    with pytest.raises(ScopeMissing, match=scope):
        require("admin", set(SCOPES) - {scope}, route)
    if scope.endswith(":admin"):
        with pytest.raises(AdminOnly):
            require("user", SCOPES, route)
    else:
        require("user", [scope], route)


def test_a_route_without_a_scope_is_closed() -> None:
    with pytest.raises(KeyError):
        require("admin", SCOPES, "GET /api/secret")


def test_computing_keeps_nothing_and_reading_changes_nothing() -> None:
    computing = {
        "POST /api/ops/{name}",
        "POST /api/kernels/reflect",
        "POST /api/kernels/{name}/dispatch",
        "POST /api/explain",
    }
    assert {route for route in ROUTES if not writes(route)} == computing | {
        route for route in ROUTES if route.startswith("GET ")
    }
