"""Tensors as they are stored and shown.

Owns `TensorRecord`, its document for clients, and its rows. Must not know where elements are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from api.auth import sharing
from api.auth.acl import Target
from api.auth.identity import Identity
from api.ids import now
from api.quotas import Quotas
from api.storage import tables
from api.usage.stored import check_bytes
from ops.graph import TensorType

AT_ONCE = 500
"""Rows that are asked for, or changed, in one statement."""


class TensorRecord(msgspec.Struct, frozen=True):
    """A tensor: `blob` or `data` hold its elements in wire form; a transient one has neither.

    One with `persist` is stored until somebody deletes it, others as long as retention lets them.
    """

    id: str
    owner: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    created_at: str
    blob: str | None = None
    data: bytes | None = None
    persist: bool = False

    @property
    def stored(self) -> bool:
        """Whether its elements are on disk."""
        return self.blob is not None or self.data is not None

    @property
    def target(self) -> Target:
        """What access lists call it."""
        return Target("tensor", self.owner, self.id)

    @property
    def type(self) -> TensorType:
        """Its shape and dtype."""
        return TensorType(self.shape, self.dtype)

    def document(self) -> dict[str, Any]:
        """What a client is told of it."""
        return {
            "id": self.id,
            "shape": self.shape,
            "dtype": self.dtype,
            "nbytes": self.nbytes,
            "stored": self.stored,
            "persist": self.persist,
            "created_at": self.created_at,
        }


def find(db: sa.Connection, tensor_id: str) -> TensorRecord | None:
    """The record of a stored tensor."""
    row = db.execute(sa.select(tables.tensors).where(tables.tensors.c.id == tensor_id)).first()
    return None if row is None else _record(row)


def page(
    db: sa.Connection, identity: Identity, limit: int, before: str | None, owner: str | None
) -> list[TensorRecord]:
    """The stored tensors that a key may read, of all owners or one, the newest first, without their elements."""
    c = tables.tensors.c
    query = sa.select(
        c.id,
        c.owner,
        c.dtype,
        c.shape,
        c.nbytes,
        c.blob,
        sa.literal(b"").label("data"),
        c.created_at,
        c.persist,
    )
    query = query.order_by(c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(c.id < before)
    if owner is not None:
        query = query.where(c.owner == owner)
    parts = sharing.readable(query, "tensor", identity, c.owner, c.id)
    rows = [row for part in parts for row in db.execute(part)]
    return [_record(row) for row in sorted(rows, key=lambda row: row.id, reverse=True)[:limit]]


def _record(row: sa.Row[Any]) -> TensorRecord:
    shape = tuple(msgspec.json.decode(row.shape, type=list[int]))
    return TensorRecord(
        row.id, row.owner, row.dtype, shape, row.nbytes, row.created_at, row.blob, row.data, row.persist
    )


def insert(
    db: sa.Connection, records: Sequence[TensorRecord], replace: str | None, quotas: Quotas
) -> list[str]:
    """Store records, in place of the tensor `replace`; the blob that it referred to, if any. Raises `QuotaExceeded`."""
    old = [] if replace is None else _delete(db, replace)
    if records:
        check_bytes(db, records[0].owner, quotas, sum(record.nbytes for record in records))
        rows = [
            {
                **msgspec.structs.asdict(record),
                "shape": msgspec.json.encode(record.shape).decode(),
                "used_at": record.created_at,
            }
            for record in records
        ]
        db.execute(sa.insert(tables.tensors), rows)
    return old


def forget(db: sa.Connection, tensor_id: str) -> list[str]:
    """Delete a tensor with its access list; the blob that it referred to, if any."""
    owner = db.execute(sa.select(tables.tensors.c.owner).where(tables.tensors.c.id == tensor_id)).scalar()
    if owner is not None:
        sharing.forget(db, Target("tensor", owner, tensor_id))
    return _delete(db, tensor_id)


def _delete(db: sa.Connection, tensor_id: str) -> list[str]:
    """Delete a row; the blob that it referred to, if any."""
    c = tables.tensors.c
    row = db.execute(sa.select(c.blob).where(c.id == tensor_id)).first()
    db.execute(sa.delete(tables.tensors).where(c.id == tensor_id))
    return [] if row is None or row.blob is None else [row.blob]


def mark(db: sa.Connection, tensor_id: str, persist: bool) -> None:
    """Say whether a tensor is kept whatever retention says."""
    db.execute(sa.update(tables.tensors).where(tables.tensors.c.id == tensor_id).values(persist=persist))


def touch(db: sa.Connection, ids: list[str]) -> None:
    """Say that tensors were used now."""
    at, c = now(), tables.tensors.c
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        db.execute(sa.update(tables.tensors).where(c.id.in_(part)).values(used_at=at))


def used_of(db: sa.Connection, digests: list[str]) -> set[str]:
    """Those of `digests` that a tensor refers to."""
    c = tables.tensors.c
    return set(db.execute(sa.select(c.blob).where(c.blob.in_(digests))).scalars())


def is_used(db: sa.Connection, digest: str) -> bool:
    """Whether a tensor refers to a blob."""
    return (
        db.execute(sa.select(tables.tensors.c.id).where(tables.tensors.c.blob == digest).limit(1)).first()
        is not None
    )
