"""Scopes: which routes a key may use.

Owns the table of routes and the scopes that each role has. Must not know keys, or what a route does.
"""

from __future__ import annotations

from collections.abc import Collection

from api.errors import AdminOnly, InvalidRequest, ScopeMissing
from shaders.suggestions import meant

SCOPES = {
    "runs:read": "see runs and sessions, and follow events",
    "runs:write": "start and cancel runs and sessions, call stored scripts",
    "scripts:read": "see stored scripts",
    "scripts:write": "store and forget scripts",
    "kernels:read": "see stored kernels",
    "kernels:write": "store and forget kernels",
    "kernels:run": "dispatch kernels",
    "tensors:read": "see and download tensors",
    "tensors:write": "upload, keep, replace and forget tensors",
    "ops:read": "list the ops, and what scripts can use",
    "ops:run": "compute single ops",
    "device:read": "see the device",
    "access:read": "see access lists, and why something is allowed or not",
    "access:write": "change access lists",
    "secrets:read": "list secrets, without their values",
    "secrets:write": "store, replace and forget secrets",
    "keys:admin": "make, list and revoke keys",
    "quarantine:admin": "see and lift quarantines",
    "audit:admin": "read the audit log",
}
"""What each opens. Those that end in `:admin` are of the role admin alone."""

ROUTES = {
    "POST /api/runs": "runs:write",
    "GET /api/runs": "runs:read",
    "GET /api/runs/{run_id}": "runs:read",
    "DELETE /api/runs/{run_id}": "runs:write",
    "GET /api/runs/{run_id}/events": "runs:read",
    "POST /api/sessions": "runs:write",
    "GET /api/sessions": "runs:read",
    "GET /api/sessions/{session_id}": "runs:read",
    "POST /api/sessions/{session_id}/run": "runs:write",
    "DELETE /api/sessions/{session_id}": "runs:write",
    "POST /api/scripts": "scripts:write",
    "GET /api/scripts": "scripts:read",
    "GET /api/scripts/{name}": "scripts:read",
    "POST /api/scripts/{name}": "runs:write",
    "DELETE /api/scripts/{name}": "scripts:write",
    "POST /api/kernels": "kernels:write",
    "GET /api/kernels": "kernels:read",
    "GET /api/kernels/{name}": "kernels:read",
    "DELETE /api/kernels/{name}": "kernels:write",
    "POST /api/kernels/reflect": "kernels:run",
    "POST /api/kernels/{name}/dispatch": "kernels:run",
    "GET /api/quarantine": "quarantine:admin",
    "DELETE /api/quarantine/{fingerprint}": "quarantine:admin",
    "POST /api/tensors": "tensors:write",
    "GET /api/tensors": "tensors:read",
    "GET /api/tensors/{tensor_id}": "tensors:read",
    "PUT /api/tensors/{tensor_id}": "tensors:write",
    "DELETE /api/tensors/{tensor_id}": "tensors:write",
    "GET /api/tensors/{tensor_id}/data": "tensors:read",
    "PUT /api/tensors/{tensor_id}/data": "tensors:write",
    "PATCH /api/tensors/{tensor_id}": "tensors:write",
    "GET /api/ops": "ops:read",
    "POST /api/ops/{name}": "ops:run",
    "GET /api/stubs": "ops:read",
    "GET /api/device": "device:read",
    "GET /api/{kind}/{name}/acl": "access:read",
    "PUT /api/{kind}/{name}/acl": "access:write",
    "POST /api/explain": "access:read",
    "GET /api/secrets": "secrets:read",
    "PUT /api/secrets/{name}": "secrets:write",
    "DELETE /api/secrets/{name}": "secrets:write",
    "POST /api/keys": "keys:admin",
    "GET /api/keys": "keys:admin",
    "GET /api/keys/{key_id}": "keys:admin",
    "DELETE /api/keys/{key_id}": "keys:admin",
    "GET /api/audit": "audit:admin",
}
"""The scope that each route needs, by method and path. A route that is not here serves nobody."""


def of_role(role: str) -> frozenset[str]:
    """All that a key of this role can have, and has unless it was made with fewer."""
    return frozenset(scope for scope in SCOPES if role == "admin" or not scope.endswith(":admin"))


def check(role: str, scopes: Collection[str]) -> None:
    """Raise `InvalidRequest` unless a key of this role can have all of `scopes`."""
    for scope in scopes:
        if scope not in of_role(role):
            raise InvalidRequest(
                f"scopes: the role {role} has no {scope[:60]!r}",
                hint=meant(scope, of_role(role), f"Scopes: {', '.join(sorted(of_role(role)))}."),
            )


def require(role: str, scopes: Collection[str], route: str) -> None:
    """Raise unless a key of this role and with these scopes may use `route`: `AdminOnly`, `ScopeMissing`."""
    scope = ROUTES[route]
    if scope not in of_role(role):
        raise AdminOnly("this needs an admin's key")
    if scope not in scopes:
        raise ScopeMissing(
            f"{route} needs the scope {scope}, which the key does not have",
            hint=f"An admin can make a key with it: POST /api/keys with {scope!r} among its scopes.",
        )


def writes(route: str) -> bool:
    """Whether `route` changes what is kept; what only computes keeps nothing."""
    return not route.startswith("GET ") and not ROUTES[route].endswith((":run", ":read"))


def addresses() -> list[str]:
    """Where there is something, each once."""
    return list(dict.fromkeys(route.partition(" ")[2] for route in ROUTES))


def methods_of(path: str) -> list[str]:
    """The methods that the address `path` takes; none for one that is not in the table as it stands."""
    asked = path.split("/")
    return sorted(
        method
        for method, _, known in (route.partition(" ") for route in ROUTES)
        if len(asked) == len(parts := known.split("/")) and all(map(_fits, parts, asked))
    )


def _fits(part: str, asked: str) -> bool:
    return part == asked or part.startswith("{")
