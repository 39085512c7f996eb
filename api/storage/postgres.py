"""Connections to PostgreSQL as Kernelgate needs them, loaded only where PostgreSQL is used.

Owns the settings of a new connection and the escape for the one character that PostgreSQL's text cannot hold: scripts
print NUL, and what they printed is stored. Must not know SQL beyond that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection
from psycopg.types.string import StrDumperUnknown, TextLoader

from api.errors import StorageError

_ESCAPE = "\x1a"


def escape(text: str) -> str:
    """`text` without NUL: after each escape character stands which one it was."""
    if "\0" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")


def unescape(text: str) -> str:
    """Undo `escape`."""
    if _ESCAPE not in text:
        return text
    return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(escape(obj))


class _Loader(TextLoader):
    def load(self, data: Any) -> Any:
        return unescape(super().load(data))  # type: ignore[arg-type]  # bytes only where the encoding is not UTF-8


def prepare(connection: Connection[Any], settings: Sequence[str]) -> None:
    """Make a new connection ready. Raises `StorageError` for a database that is not in UTF-8."""
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StorageError(
            "the database is not in UTF-8", hint="Make it with ENCODING 'UTF8' TEMPLATE template0."
        )
    connection.adapters.register_dumper(str, _Dumper)
    for name in ("text", "varchar"):
        connection.adapters.register_loader(name, _Loader)
    for setting in settings:
        connection.execute(setting)
    connection.commit()
