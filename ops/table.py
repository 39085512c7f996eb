"""The op table: every op by its name.

Owns the collection of rows and how they are found. Must not know what rows mean.
"""

from __future__ import annotations

from ops.errors import UnknownOpError
from ops.rows import arrays, bits, data, elementwise, hashes, keyed, reductions, streams
from ops.spec import OpSpec

TABLE: dict[str, OpSpec] = {
    row.name: row
    for rows in (elementwise, bits, reductions, arrays, data, hashes, keyed, streams)
    for row in rows.ROWS
}
_ALIASES = {alias: row for row in TABLE.values() for alias in row.aliases}
NAMESPACES = ("tensor", "hash", "bits", "data", "random", "cipher")


def find(name: str) -> OpSpec:
    """The row called `name`, by an alias too, with or without a namespace (as `tensor.` or `hash.`) in front.

    Raises `UnknownOpError`, with the names that are closest.
    """
    if name in TABLE:
        return TABLE[name]
    space, dot, rest = name.partition(".")
    bare = rest if dot and space in NAMESPACES else name
    row = TABLE.get(bare) or _ALIASES.get(bare)
    if row is None:
        raise UnknownOpError(f"there is no op {name[:64]!r}", hint=_suggest(bare))
    return row


def full_name(spec: OpSpec) -> str:
    """The name of the operation among all that there are, as grants spell it: `tensor.add`, `hash.sha256`."""
    return f"{spec.namespace}.{spec.name}"


def _suggest(name: str) -> str:
    import difflib  # a slow module that only a mistake needs

    close = difflib.get_close_matches(name[:64], TABLE, n=3)
    return f"Did you mean {' or '.join(close)}?" if close else "GET /api/ops lists all ops."
