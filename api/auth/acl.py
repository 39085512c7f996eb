"""Access control: what a key may do with an object, decided from data alone.

Owns the levels, the form of an access list, and the one decision that every route, run and explanation takes. Must not
know where lists are stored (`api/auth/sharing.py`), or what an object is made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Literal, get_args

import msgspec

from api.auth.identity import Identity
from api.auth.keys import NAME
from api.errors import AccessDenied, InvalidRequest
from sandbox.gates.errors import PermissionDenied
from sandbox.gates.grants import NameGate, advise
from shaders.errors import KernelgateError

Kind = Literal["tensor", "kernel", "script", "run"]
Level = Literal["read", "use", "write", "admin"]
LEVELS = {
    "read": "find it in lists, see it, download it, follow its events",
    "use": "compute with it: give a tensor to ops, dispatches and runs, dispatch a kernel, call a script",
    "write": "replace, keep or forget it; cancel a run",
    "admin": "see and change its access list",
}
"""What each opens. A level has all that come before it."""
EVERYONE = "everyone"
MAX_ENTRIES = 64
_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_PRINCIPAL = re.compile(rf"{EVERYONE}|key:[0-9a-f]{{12}}|group:{NAME.pattern}")
_GATES: dict[Kind, NameGate] = {"tensor": "tensors", "kernel": "kernels"}


class Target(msgspec.Struct, frozen=True):
    """An object: its kind, its owner, and the id or name that it has among its owner's."""

    kind: Kind
    owner: str
    name: str

    @property
    def full_name(self) -> str:
        """What grants call it if it is another's."""
        return f"{self.owner}/{self.name}"

    @property
    def address(self) -> str:
        """Where it is served; an id says all, a name is its owner's."""
        return f"/api/{self.kind}s/{self.full_name if self.kind in ('kernel', 'script') else self.name}"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of an access list: who (`key:ID`, `group:NAME` or `everyone`) may do what."""

    to: str
    may: Level


class Rule(msgspec.Struct, frozen=True):
    """Why something is allowed: the name of the rule, and a sentence."""

    rule: str
    detail: str


def check(entries: Collection[Entry]) -> None:
    """Raise `InvalidRequest` unless `entries` can be an access list."""
    if len(entries) > MAX_ENTRIES:
        raise InvalidRequest(f"an access list has at most {MAX_ENTRIES} entries, not {len(entries)}")
    for entry in entries:
        if not _PRINCIPAL.fullmatch(entry.to):
            raise InvalidRequest(
                f"{entry.to[:60]!r} is nobody", hint="An entry is to key:ID, group:NAME or everyone."
            )
    if len({entry.to for entry in entries}) < len(entries):
        raise InvalidRequest("two entries are to the same", hint="A level has all that come before it.")


def principals(identity: Identity) -> list[str]:
    """Whom an entry may name so that it is about this key."""
    return [f"key:{identity.key_id}", *(f"group:{group}" for group in identity.groups), EVERYONE]


def require(
    identity: Identity,
    target: Target,
    entries: Collection[Entry],
    wanted: Level,
    missing: KernelgateError,
) -> Rule:
    """The rule by which a key may do `wanted` with `target`, whose list is `entries`.

    Raises `missing` if it may not even see it, `AccessDenied` if it may, and `PermissionDenied` for use that the key's
    own grants leave out.
    """
    known = list(_rules(identity, target, entries))
    for level, rule in known:
        if _RANK[level] >= _RANK[wanted]:
            _check_grants(identity, target, wanted)
            return rule
    raise _denied(identity, target, wanted) if known else missing


def _rules(identity: Identity, target: Target, entries: Collection[Entry]) -> Iterator[tuple[Level, Rule]]:
    """The rules that give a key a level, each with it."""
    if identity.owner == target.owner:
        yield "admin", Rule("owner", f"the {target.kind} is {identity.owner}'s own")
    if identity.role == "admin":
        yield "admin", Rule("role", "admins reach everybody's objects")
    mine = principals(identity)
    for entry in entries:
        if entry.to in mine:
            yield entry.may, Rule("acl", f"its access list lets {entry.to} {entry.may} it")


def _check_grants(identity: Identity, target: Target, wanted: Level) -> None:
    """Raise `PermissionDenied` if a key's grants leave out that it uses what is another's."""
    gate = _GATES.get(target.kind)
    if gate is None or wanted != "use" or identity.maximum is None or identity.owner == target.owner:
        return
    try:
        identity.maximum.require(gate, target.full_name)
    except PermissionDenied as denial:
        raise advise(denial, identity.maximum) from None


def _denied(identity: Identity, target: Target, wanted: Level) -> AccessDenied:
    entry = {"to": f"key:{identity.key_id}", "may": wanted}
    return AccessDenied(
        f"you may see the {target.kind} {target.full_name[:120]!r}, but not {wanted} it",
        hint=f"its owner, or an admin, can add {json.dumps(entry)} with PUT {target.address[:120]}/acl",
    )


assert tuple(LEVELS) == get_args(Level)
