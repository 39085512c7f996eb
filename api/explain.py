"""Why a key may do something, or not.

Owns the actions that can be asked about. Decides nothing: each action asks what decides in a run or a route, and the
answer has that one's words. Must not know HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, get_args

import msgspec
import sqlalchemy as sa

from api import objects
from api.auth.acl import Level, Rule
from api.auth.identity import Identity
from api.auth.scopes import ROUTES
from api.auth.scopes import require as require_scope
from api.errors import InvalidRequest
from api.kernels.store import kernel_name
from api.quotas import Quotas
from api.runtime import Runtime
from api.usage.accounts import Account
from api.usage.stored import check_bytes, check_kernels
from ops.table import find, full_name
from sandbox.gates import environment, fetch, files, urls
from sandbox.gates.errors import PermissionDenied
from sandbox.gates.frames import FileStat, FileWrite
from sandbox.gates.grants import FetchGrant, FileGrant, Grants, Method, advise
from shaders.errors import KernelgateError

RULES = {
    "owner": "the object is the owner's own",
    "role": "admins reach everybody's objects, and some routes are theirs alone",
    "acl": "the object's access list",
    "run_grants": "the grants that the run has, or lacks although its key allows them",
    "key_grants": "the grants of the key: the most that its runs may have",
    "gate": "no grant opens this, whoever asks",
    "scope": "the scopes of the key",
    "quota": "a quota of the key",
    "key_state": "the key is revoked or expired",
}
"""What an answer can name."""
_RULE_OF = {
    "access_denied": "acl",
    "kernel_not_found": "acl",
    "run_not_found": "acl",
    "script_not_found": "acl",
    "tensor_not_found": "acl",
    "admin_only": "role",
    "scope_missing": "scope",
    "quota_exceeded": "quota",
    "fetch_refused": "gate",
    "file_refused": "gate",
}
"""The rule that denied, by the code of the error. What is not here is no denial, and raised."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is asked: may the key `identity` do it to `resource`, in a run that gets `grants`?

    `asked`: these were given; without them the question is whether any run of the key may.
    """

    server: Runtime
    identity: Identity
    grants: Grants
    resource: str
    asked: bool


Judge = Callable[[Case], Awaitable[Rule]]
Check = Callable[[Case], Awaitable[None]]


async def explain(case: Case, action: str, caller: Identity) -> dict[str, Any]:
    """Whether an action is allowed, by which rule, and which grant would change it.

    Raises `InvalidRequest` for no action, and what the action raises that is no denial. `caller` is told more of what
    he administers than the key itself would be.
    """
    judge = ACTIONS.get(action)
    if judge is None:
        raise InvalidRequest(f"{action[:60]!r} is no action", hint=f"Actions: {', '.join(ACTIONS)}.")
    try:
        rule = await judge[1](case)
    except PermissionDenied as denial:
        return _by_grants(case, advise(denial, case.identity.maximum))
    except KernelgateError as error:
        if error.code not in _RULE_OF:
            raise
        entry = await _entry(case, action, caller) if _RULE_OF[error.code] == "acl" else {}
        return {**_denied(error, _RULE_OF[error.code]), **entry}
    return {"allowed": True, "rule": rule.rule, "detail": rule.detail}


def _by_grants(case: Case, denial: PermissionDenied) -> dict[str, Any]:
    """A denial by grants; where none were asked for, what the key allows is allowed to a run that asks."""
    if denial.by == "run" and not case.asked:
        detail = f"the key allows it to a run whose grants include {json.dumps(denial.grant)}"
        return {"allowed": True, "rule": "key_grants", "detail": detail, "grant": denial.grant}
    return {**_denied(denial, f"{denial.by}_grants"), "grant": denial.grant}


def _denied(error: KernelgateError, rule: str) -> dict[str, Any]:
    return {
        "allowed": False,
        "rule": rule,
        "detail": error.message,
        "hint": error.hint,
        "code": error.code,
    }


async def _entry(case: Case, action: str, caller: Identity) -> dict[str, Any]:
    """The entry that would open an object, for one who can make it."""
    level, kind, name = _object(action, case)
    if "/" not in name and kind in ("kernels", "scripts"):
        name = f"{case.identity.owner}/{name}"
    try:
        await objects.find(case.server, caller, kind, name, "admin")
    except KernelgateError:
        return {}
    return {"grant": {"acl": [{"to": f"key:{case.identity.key_id}", "may": level}]}}


def _object(action: str, case: Case) -> tuple[Level, str, str]:
    """The level, kind and name that an action on an object is about."""
    fixed = {"kernel:dispatch": "kernels", "script:call": "scripts"}.get(action)
    if fixed is not None:
        return "use", fixed, case.resource
    kind, _, name = case.resource.removeprefix("/api/").partition("/")
    return _LEVELS[action], kind, name


async def _reach(action: str, case: Case) -> Rule:
    level, kind, name = _object(action, case)
    target = await objects.find(case.server, case.identity, kind, name, level)
    return await case.server.sharing.require(case.identity, target, level, InvalidRequest("it is gone"))


def _on_object(action: str) -> Judge:
    async def judge(case: Case) -> Rule:
        return await _reach(action, case)

    return judge


async def _dispatch(case: Case) -> Rule:
    """A run looks at its grants first; what no run asked for yet is looked up first."""
    name = kernel_name(case.identity, case.resource)
    if case.asked:
        case.grants.require("kernels", name)
    rule = await _reach("kernel:dispatch", case)
    case.grants.require("kernels", name)
    return rule


async def _fetch(case: Case) -> Rule:
    method, space, url = case.resource.partition(" ")
    if not space:
        method, url = "GET", case.resource
    if method not in get_args(Method):
        raise InvalidRequest(f"{method[:20]!r} is no method", hint="As GET https://example.org/path.")
    return _opened(fetch.opening(case.grants.fetch, method, urls.parse(url)))


async def _read_file(case: Case) -> Rule:
    return _on_file(case, FileStat(1, case.resource))


async def _write_file(case: Case) -> Rule:
    return _on_file(case, FileWrite(1, case.resource, b"", "replace"))


def _on_file(case: Case, request: FileStat | FileWrite) -> Rule:
    found = files.opening(files.mounts(case.grants.files), request)
    if found is None:
        return Rule("run_grants", "it is a folder above granted ones")
    return _opened(found[0])


async def _env(case: Case) -> Rule:
    if case.resource not in case.grants.env:
        environment.deny(case.resource)
    return Rule("run_grants", "the value is among the run's grants")


async def _op(case: Case) -> Rule:
    case.grants.require("ops", full_name(find(case.resource)))
    return Rule("run_grants", f"a pattern of {json.dumps(list(case.grants.ops))} covers it")


async def _route(case: Case) -> Rule:
    if case.resource not in ROUTES:
        raise InvalidRequest(f"{case.resource[:80]!r} is no route", hint="As POST /api/runs.")
    require_scope(case.identity.role, case.identity.scopes, case.resource)
    return Rule("scope", f"the key has the scope {ROUTES[case.resource]}")


async def _quota(case: Case) -> Rule:
    check = _QUOTAS.get(case.resource)
    if check is None:
        raise InvalidRequest(f"{case.resource[:60]!r} is no quota", hint=f"Quotas: {', '.join(_QUOTAS)}.")
    await check(case)
    limit = getattr(case.identity.quotas, case.resource)
    return Rule("quota", "it is not bounded" if limit is None else f"it is {limit:,}, of which some are left")


def _in_memory(check: Callable[[Account], None]) -> Check:
    async def judge(case: Case) -> None:
        check(case.server.accounts.of(case.identity))

    return judge


def _in_database(check: Callable[[sa.Connection, str, Quotas], None]) -> Check:
    async def judge(case: Case) -> None:
        owner, quotas = case.identity.owner, case.identity.quotas
        await case.server.database.do(lambda db: check(db, owner, quotas))

    return judge


def _opened(grant: FetchGrant | FileGrant) -> Rule:
    return Rule("run_grants", f"the grant {json.dumps(msgspec.to_builtins(grant))} opens it")


_QUOTAS: dict[str, Check] = {
    "runs_at_once": _in_memory(Account.check_at_once),
    "runs_a_minute": _in_memory(Account.check_a_minute),
    "device_ms_a_minute": _in_memory(Account.check_device),
    "resident_bytes": _in_memory(lambda account: account.check_resident(1)),
    "stored_bytes": _in_database(check_bytes),
    "kernels": _in_database(check_kernels),
}
"""What raises `QuotaExceeded` when nothing is left."""
_LEVELS: dict[str, Level] = {
    "object:read": "read",
    "object:use": "use",
    "object:write": "write",
    "object:admin": "admin",
}
ACTIONS: dict[str, tuple[str, Judge]] = {
    "fetch": ("`GET https://example.org/path`; `GET` may be left out", _fetch),
    "file:read": ("a path as the script sees it", _read_file),
    "file:write": ("likewise", _write_file),
    "env": ("the name of a value", _env),
    "op": ("the name of an op", _op),
    "kernel:dispatch": ("a kernel's name, or `owner/name`", _dispatch),
    "script:call": ("a script's name, or `owner/name`", _on_object("script:call")),
    **{
        action: ("an address, as `tensors/ten_…` or `kernels/alice/fft`", _on_object(action))
        for action in _LEVELS
    },
    "quota": ("the name of a quota", _quota),
    "route": ("a route, as `POST /api/runs`", _route),
}
"""What can be asked about: what its resource is, and what judges it."""
