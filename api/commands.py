"""The server's commands: `serve`, `doctor`, `keys`, `backup`, `restore`. `kernelgate` finds them by entry point.

Owns their arguments and what they print. Must not know HTTP.
"""

from __future__ import annotations

import argparse
import ipaddress
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_origin

import msgspec
import sqlalchemy as sa
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from api import quotas
from api.auth import audit
from api.auth import keys as key_store
from api.auth.identity import parse_maximum
from api.auth.keys import KeyRecord, NewKey
from api.command_line import Parser, add_json, command, json_file, tell
from api.doctor.diagnosis import diagnose, lines
from api.errors import KeyNotFound
from api.ids import now
from api.logs import configure
from api.server import Server
from api.settings import Settings
from api.storage.backup import back_up, require_database
from api.storage.database import Database
from api.storage.reserve import Reserve
from api.storage.restore import restore as restore_from
from shaders.errors import KernelgateError
from shaders.suggestions import meant


@command
def serve(argv: Sequence[str]) -> int:
    """Start the host and serve until a signal. Statuses: 0 after a signal, 1 when it cannot start."""
    parser = Parser(
        prog="kernelgate serve",
        usage="%(prog)s [--SETTING VALUE ...]",
        description="Start the host.",
        epilog="Each may also be in the environment, as KERNELGATE_QUEUE_LENGTH, or in the file, as queue_length.",
        allow_abbrev=False,
    )
    for name, field in Settings.model_fields.items():
        if field.annotation != SecretStr | None:  # everybody on the machine sees the flags of a process
            _add_flag(parser, name, field)
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        flag = unknown[0].partition("=")[0]
        parser.error(f"{flag} is no flag of serve. {meant(flag, map(_flag, Settings.model_fields))}".rstrip())
    given = {name: value for name, value in vars(options).items() if value is not None}
    settings = Settings.read(**given)
    refuse_open_host(settings)
    server = Server(settings)
    configure(settings.log_format)
    try:
        server.listen()
    except KeyboardInterrupt:
        return 130
    return 0


def refuse_open_host(settings: Settings) -> None:
    """Raise unless the address is on loopback, or what travels there is encrypted: by us, or by a proxy in front."""
    if settings.behind_proxy or settings.tls_cert is not None or settings.host == "localhost":
        return
    try:
        loopback = ipaddress.ip_address(settings.host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise KernelgateError(
            f"{settings.host} is beyond loopback, where keys would travel unencrypted",
            hint="Give --tls-cert and --tls-key; or put a TLS proxy in front and give --behind-proxy.",
        )


def _flag(name: str) -> str:
    """How a setting is given on the command line."""
    return f"--{name.replace('_', '-')}"


def _add_flag(parser: argparse.ArgumentParser, name: str, field: FieldInfo) -> None:
    """The flag of a setting; its text becomes a value where that of the environment does."""
    flag, text = _flag(name), (field.description or "").replace("%", "%%")
    if field.annotation is bool or field.annotation == bool | None:
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
    elif get_origin(field.annotation) in (dict, tuple):
        parser.add_argument(flag, type=_json_value, metavar="JSON", help=text)
    else:
        parser.add_argument(flag, metavar="VALUE", help=text)


def _json_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it is not JSON: {error}") from None


@command
def doctor(argv: Sequence[str]) -> int:
    """Say what this machine offers. Status 0 if it has all that a server needs."""
    parser = Parser(prog="kernelgate doctor", description="Test what this machine offers.")
    add_json(parser)
    options = parser.parse_args(argv)
    found = diagnose(Settings.read())
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        print("\n".join(lines(found)))
    return 1 if found["problems"] else 0


@command
def keys(argv: Sequence[str]) -> int:
    """Make, list and revoke keys in the data folder, whether or not the server runs."""
    parser = Parser(prog="kernelgate keys", description="Make, list and revoke keys.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="list all keys")
    create = actions.add_parser("create", help="make a key and print it, once")
    create.add_argument("name", help="up to 32 of a-z, 0-9, - and _")
    create.add_argument("--role", choices=key_store.ROLES, default="user", help="what it may do (user)")
    create.add_argument("--owner", help="whose objects the key uses (its name)")
    create.add_argument("--group", action="append", default=[], help="what it belongs to; may be given again")
    create.add_argument(
        "--scope", action="append", help="a scope that it has, in place of its role's; may be given again"
    )
    create.add_argument("--grants", metavar="FILE", help="JSON of the most that its runs may be granted")
    create.add_argument("--quotas", metavar="FILE", help="JSON of how much it may use")
    create.add_argument("--expires-in", metavar="SECONDS", type=float, help="until it ends (never)")
    revoke = actions.add_parser("revoke", help="revoke a key; a running server stops its work within 3 s")
    revoke.add_argument("id", help="as `keys list` shows it")
    for action in (listed, create, revoke):
        add_json(action)
    options = parser.parse_args(argv)
    settings = Settings.read()
    if options.action != "create":
        require_database(settings)
    database = Database(settings.database, Reserve(settings.data / "reserve", settings.reserve_bytes))
    try:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        database.open()
        return _change_keys(database, settings, options)
    finally:
        database.close()


@command
def backup(argv: Sequence[str]) -> int:
    """Write a backup of all that is stored, whether or not the server runs."""
    parser = Parser(prog="kernelgate backup", description="Back up all that is stored.")
    parser.add_argument("file", type=Path, help="the file to write, which has the admin's key too")
    add_json(parser)
    options = parser.parse_args(argv)
    target = options.file
    done = back_up(Settings.read(), target)
    text = f"{target}: {sum(done.tables.values())} rows, {done.blobs} blobs, revision {done.revision}"
    tell(options.json, {"file": str(target), **msgspec.to_builtins(done)}, text)
    for digest in done.missing:
        print(f"kernelgate: the blob {digest} is missing from the data folder", file=sys.stderr)
    return 0


@command
def restore(argv: Sequence[str]) -> int:
    """Restore a backup into an empty data folder and database."""
    parser = Parser(prog="kernelgate restore", description="Restore a backup.")
    parser.add_argument("file", type=Path, help="what `kernelgate backup` wrote")
    add_json(parser)
    options = parser.parse_args(argv)
    settings = Settings.read()
    done = restore_from(settings, options.file)
    text = f"{settings.data}: {sum(done.tables.values())} rows, {done.blobs} blobs, as of {done.created_at}"
    tell(options.json, {"data": str(settings.data), **msgspec.to_builtins(done)}, text)
    return 0


def _change_keys(database: Database, settings: Settings, options: argparse.Namespace) -> int:
    if options.action == "list":
        records = database.run(key_store.listed)
        documents = [record.document(settings.quotas, now()) for record in records]
        tell(options.json, documents, "\n".join((_HEAD, *map(_row, records))))
        return 0
    if options.action == "create":
        asked = _new_key(options)
        record, token = database.run(lambda db: _create(db, asked), durable=True)
        tell(options.json, {**record.document(settings.quotas, now()), "token": token}, token)
        if not options.json:
            print(
                f"key {record.id} for {record.owner} ({record.role}); it is not shown again", file=sys.stderr
            )
        return 0
    if database.run(lambda db: _revoke(db, options.id), durable=True, frees=True):
        tell(options.json, {"revoked": options.id}, f"key {options.id} is revoked")
        return 0
    raise KeyNotFound(f"there is no valid key {options.id}", hint="`kernelgate keys list` shows them.")


def _create(db: sa.Connection, asked: NewKey) -> tuple[KeyRecord, str]:
    made = key_store.create(db, asked)
    audit.insert(db, audit.Entry(None, audit.HOST, "keys create", f"/api/keys/{made[0].id}", audit.DONE))
    return made


def _revoke(db: sa.Connection, key_id: str) -> bool:
    revoked = key_store.revoke(db, key_id)
    if revoked:
        audit.insert(db, audit.Entry(None, audit.HOST, "keys revoke", f"/api/keys/{key_id}", audit.DONE))
    return revoked


def _new_key(options: argparse.Namespace) -> NewKey:
    """The key that the arguments ask for. Raises OSError, `GrantError`, `InvalidRequest`."""
    return NewKey(
        options.name,
        options.role,
        options.owner,
        None if options.grants is None else parse_maximum(json_file(Path(options.grants))),
        tuple(options.group),
        None if options.scope is None else tuple(options.scope),
        {} if options.quotas is None else quotas.parse(json_file(Path(options.quotas))),
        None if options.expires_in is None else key_store.expiry(options.expires_in),
    )


def _columns(*cells: str) -> str:
    return "{:<12}  {:<20} {:<20} {:<6} {:<24}  {}".format(*cells)


_HEAD = _columns("id", "name", "owner", "role", "created at", "state")


def _row(record: KeyRecord) -> str:
    """A key as `keys list` shows it; `opens` are the gates that its own grants speak of."""
    ends = {"revoked": f" {record.revoked_at}", "expired": f" {record.expires_at}"}
    state = record.state(now())
    until = f" until {record.expires_at}" if state == "valid" and record.expires_at else ends.get(state, "")
    row = _columns(record.id, record.name, record.owner, record.role, record.created_at, f"{state}{until}")
    if record.grants is None:
        return row
    return f"{row}, opens {', '.join(json.loads(record.grants)) or 'the default'}"
