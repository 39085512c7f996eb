"""`Grants`: what a run may reach, as pure data.

Owns the JSON form of grants, their validation, and the rule that a run may reach what it asked for and its key
allows. Must not know how a gate is served, or what a key is.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from typing import Annotated, Literal, get_args

import msgspec

from sandbox.gates.addresses import is_literal, special
from sandbox.gates.errors import GrantError, PermissionDenied
from sandbox.gates.headers import is_settable
from sandbox.gates.patterns import (
    covers_name,
    is_host_name,
    is_name_pattern,
    meet_all,
    meet_hosts,
    meet_names,
)
from sandbox.gates.wording import told
from shaders.suggestions import meant

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
Mode = Literal["ro", "overlay", "rw"]
NameGate = Literal["ops", "kernels", "tensors"]
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}\Z")]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
Patterns = Annotated[tuple[str, ...], msgspec.Meta(max_length=256)]
_STRENGTH: dict[Mode, int] = {"ro": 0, "overlay": 1, "rw": 2}


class FetchGrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Requests to `host` (a host pattern) by these methods on these ports.

    `secret` names a secret of the owner's that the server adds to such requests as `header`, over https only.
    """

    host: str
    methods: tuple[Method, ...] = ("GET",)
    ports: tuple[Port, ...] = (443, 80)
    secret: Name | None = None
    header: str = "Authorization"

    def __post_init__(self) -> None:
        name = self.host.removeprefix(".")
        if is_literal(self.host):
            if (reason := special(self.host)) is not None:
                raise ValueError(f"the address {self.host} is not public ({reason}); no grant opens it")
        elif self.host != "*" and not is_host_name(name):
            raise ValueError(
                f"{self.host[:80]!r} is not a lower-case host name alone, as example.org, .suffix or *"
            )
        if not is_settable(self.header):
            raise ValueError(f"{self.header[:80]!r} is no header that can carry a secret")


class FileGrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The host's `folder`, seen by the script as `path`.

    `ro` reads; `rw` writes too; `overlay` keeps writes apart and gives them back with the run's result. A request
    may leave the folder out: it is the one that the key has at `path`. Quotas are for the whole folder, or for what
    an overlay holds.
    """

    path: str
    folder: str = ""
    mode: Mode = "ro"
    quota_bytes: Count = 64 << 20
    quota_files: Count = 1000

    def __post_init__(self) -> None:
        for what, text in (("path", self.path), ("folder", self.folder or "/")):
            plain = text.startswith("/") and not text.startswith("//") and posixpath.normpath(text) == text
            if not plain or "\0" in text or len(text) > 1024:
                raise ValueError(f"{what} {text[:80]!r} is not an absolute path in its plain form")


class Grants(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All that a run may reach beyond arithmetic. Without grants every gate is closed, but for our own ops.

    In a request or a key an `env` value of null stands for the value that the key holds (request), or for any value
    that the request brings along (key). `native`: the script is plain CPython with these packages. `ops`, `kernels`
    and `tensors` are name patterns (`gates/patterns.py`). `fuel` is the most that each thread of a kernel gets; None is
    no bound.
    """

    native: Annotated[tuple[Literal["numpy"], ...], msgspec.Meta(max_length=1)] = ()
    fetch: Annotated[tuple[FetchGrant, ...], msgspec.Meta(max_length=64)] = ()
    files: Annotated[tuple[FileGrant, ...], msgspec.Meta(max_length=16)] = ()
    env: Annotated[dict[Name, str | None], msgspec.Meta(max_length=64)] = {}
    ops: Patterns = ("tensor.*", "hash.*", "bits.*", "data.*", "random.*", "cipher.*")
    kernels: Patterns = ("*",)
    tensors: Patterns = ()
    fuel: Annotated[int, msgspec.Meta(ge=1, le=(1 << 32) - 1)] | None = None

    def __post_init__(self) -> None:
        for pattern in (*self.ops, *self.kernels, *self.tensors):
            if not is_name_pattern(pattern):
                raise ValueError(f"{pattern[:80]!r} is not a name or a pattern that ends in * or **")
        if len({grant.path for grant in self.files}) < len(self.files):
            raise ValueError("two grants in files have the same path")

    def opens(self, gate: NameGate, name: str) -> bool:
        """Whether a pattern of `gate` covers the exact name `name`."""
        patterns: tuple[str, ...] = getattr(self, gate)
        return "*" not in name and any(covers_name(pattern, name) for pattern in patterns)

    def require(self, gate: NameGate, name: str) -> None:
        """Raises `PermissionDenied` unless a pattern of `gate` covers the exact name `name`."""
        if not self.opens(gate, name):
            raise PermissionDenied(gate, repr(name[:200]), {gate: [name[:200]]})


_FIELDS = (*Grants.__struct_fields__, *FetchGrant.__struct_fields__, *FileGrant.__struct_fields__)
_WORDS = {"methods": get_args(Method), "mode": get_args(Mode), "native": ("numpy",)}
"""The words that a field takes."""
_UNKNOWN = re.compile(r"(?:^|: )(\w+) is not a field")
_NO_WORD = re.compile(r"(\w+)(?:\[\d+\])?: '(.*)' is not one of the words")
_FORM = (
    'As in {"fetch": [{"host": "example.org"}], "files": [{"path": "/data"}]}; docs/api.md#grants has all.'
)


def parse(data: object) -> Grants:
    """The grants that JSON-like `data` describes; `GrantError` names the field that is wrong."""
    try:
        return msgspec.convert(data, Grants)
    except (msgspec.ValidationError, RecursionError) as error:
        message = told(error, "grants")
        raise GrantError(message, hint=_hint(message)) from None


def _hint(message: str) -> str:
    """What may have been meant; else how grants are written."""
    if unknown := _UNKNOWN.search(message):
        return meant(unknown[1], _FIELDS, _FORM)
    if word := _NO_WORD.search(message):
        return f"Use {', '.join(_WORDS[word[1]])}."
    return _FORM


_NONE = Grants()


def to_json(grants: Grants, default: Grants = _NONE) -> dict[str, object]:
    """The JSON form of `grants`, without what is as in `default`; `parse` reads it back, if that is a run's."""
    named = {name: getattr(grants, name) for name in grants.__struct_fields__}
    return {
        name: msgspec.to_builtins(value) for name, value in named.items() if value != getattr(default, name)
    }


def shown(grants: Grants, default: Grants = _NONE) -> dict[str, object]:
    """`to_json` for others' eyes: without the values of `env`."""
    plain = to_json(grants, default)
    if grants.env:
        plain["env"] = dict.fromkeys(grants.env)
    return plain


def intersect(key_maximum: Grants | None, requested: Grants) -> Grants:
    """What a run gets: all that it requested and its key allows. A maximum of None allows everything.

    Raises `GrantError` for a folder left out where no key could name it.
    """
    if key_maximum is None:
        if nameless := [grant.path for grant in requested.files if not grant.folder]:
            raise GrantError(f"grants: files: {nameless[0]} names no folder, and the key has none for it")
        return requested
    return Grants(
        native=tuple(name for name in requested.native if name in key_maximum.native),
        fetch=_meet_fetch(key_maximum.fetch, requested.fetch),
        files=tuple(met for grant in requested.files if (met := _meet_file(key_maximum.files, grant))),
        env=_meet_env(key_maximum.env, requested.env),
        ops=meet_all(key_maximum.ops, requested.ops, meet_names, covers_name),
        kernels=meet_all(key_maximum.kernels, requested.kernels, meet_names, covers_name),
        tensors=meet_all(key_maximum.tensors, requested.tensors, meet_names, covers_name),
        fuel=min((fuel for fuel in (key_maximum.fuel, requested.fuel) if fuel is not None), default=None),
    )


def advise(denial: PermissionDenied, key_maximum: Grants | None) -> PermissionDenied:
    """`denial`, with `by` and a hint that say whether the key or the run lacks the grant."""
    grant = json.dumps(denial.grant)
    if allows(key_maximum, denial.grant):
        denial.by = "run"
        denial.hint = f"A run whose grants include {grant} may do this: its key allows it."
    else:
        denial.by = "key"
        denial.hint = (
            f"A run whose grants include {grant} may do this, but its key's grants leave it out: "
            "an admin can make a key with them."
        )
    return denial


def allows(key_maximum: Grants | None, grant: dict[str, object]) -> bool:
    """Whether a run may be granted all of `grant`, the JSON of some grants, by a key with this maximum."""
    if key_maximum is None:
        return True
    try:
        wanted = parse(grant)
    except GrantError:
        return False
    met = intersect(key_maximum, wanted)
    if any(len(getattr(met, gate)) < len(getattr(wanted, gate)) for gate in grant):
        return False
    files = zip(wanted.files, met.files, strict=True)
    return all(asked.mode == "ro" or got.mode != "ro" for asked, got in files)


def _meet_fetch(allowed: Sequence[FetchGrant], requested: Sequence[FetchGrant]) -> tuple[FetchGrant, ...]:
    """Every pair's common part. A request's secret must be the key's, whose header it gets; it is not added unasked."""
    met = []
    for ours, theirs in ((a, r) for r in requested for a in allowed):
        host = meet_hosts(ours.host, theirs.host)
        methods = tuple(method for method in theirs.methods if method in ours.methods)
        ports = tuple(port for port in theirs.ports if port in ours.ports)
        if host and methods and ports and theirs.secret in (None, ours.secret):
            header = theirs.header if theirs.secret is None else ours.header
            met.append(FetchGrant(host, methods, ports, theirs.secret, header))
    return tuple(dict.fromkeys(met))


def _meet_file(allowed: Sequence[FileGrant], requested: FileGrant) -> FileGrant | None:
    """The request on the first of the key's folders that it names or lies in, no stronger than that one."""
    for ours in allowed:
        folder = requested.folder or ours.folder
        same_path = bool(requested.folder) or requested.path == ours.path
        if same_path and posixpath.commonpath((ours.folder, folder)) == ours.folder:
            return FileGrant(
                requested.path,
                folder,
                min(ours.mode, requested.mode, key=_STRENGTH.__getitem__),
                min(ours.quota_bytes, requested.quota_bytes),
                min(ours.quota_files, requested.quota_files),
            )
    return None


def _meet_env(allowed: dict[str, str | None], requested: dict[str, str | None]) -> dict[str, str | None]:
    """The requested names that the key knows, with the value on which both agree."""
    met: dict[str, str | None] = {}
    for name, value in requested.items():
        ours = allowed.get(name)
        if name in allowed and (value is None or ours is None or value == ours):
            met[name] = ours if value is None else value
    return met
