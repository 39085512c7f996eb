"""The tables of the database, as SQLAlchemy Core.

Owns columns and indexes; `api/storage/migrations/` creates them. Must not know who reads them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)

metadata = MetaData()
_BYTES = BigInteger().with_variant(Integer, "sqlite")

keys = Table(
    "keys",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("revoked_at", String(32)),
    Column("grants", Text),
    Column("groups", Text, nullable=False, server_default="[]"),
    Column("scopes", Text),
    Column("quotas", Text, nullable=False, server_default="{}"),
    Column("expires_at", String(32)),
)

audit = Table(
    "audit",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("at", String(32), nullable=False),
    Column("key_id", String(40)),
    Column("owner", String(64), nullable=False),
    Column("action", String(80), nullable=False),
    Column("resource", Text, nullable=False),
    Column("outcome", String(64), nullable=False),
    Column("request_id", String(40)),
    Index("audit_of_key", "key_id", "id"),
    Index("audit_of_owner", "owner", "id"),
)

answers = Table(
    "answers",
    metadata,
    Column("key_id", String(40), nullable=False),
    Column("route", String(80), nullable=False),
    Column("key", String(255), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("status", Integer, nullable=False),
    Column("location", Text),
    Column("body", Text, nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("key_id", "route", "key"),
    Index("answers_by_age", "at"),
)

acl = Table(
    "acl",
    metadata,
    Column("kind", String(8), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("grantee", String(64), nullable=False),
    Column("may", String(8), nullable=False),
    PrimaryKeyConstraint("grantee", "kind", "owner", "name"),
    Index("acl_of_object", "kind", "owner", "name"),
)

secrets = Table(
    "secrets",
    metadata,
    Column("owner", String(64), nullable=False),
    Column("name", String(128), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    PrimaryKeyConstraint("owner", "name"),
)

kernels = Table(
    "kernels",
    metadata,
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("source", Text, nullable=False),
    Column("reflection", LargeBinary, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("template", Text),
    Column("params", Text),
    PrimaryKeyConstraint("owner", "name", "hash"),
)

compile_times = Table(
    "compile_times",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("milliseconds", Float, nullable=False),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("fingerprint", String(64), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("reason", String(16), nullable=False),
    Column("detail", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    PrimaryKeyConstraint("fingerprint", "owner"),
)

kernel_names = Table(
    "kernel_names",
    metadata,
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("updated_at", String(32), nullable=False),
    PrimaryKeyConstraint("owner", "name"),
)

scripts = Table(
    "scripts",
    metadata,
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("source", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("nbytes", Integer, nullable=False, server_default="0"),
    Column("signature", LargeBinary),
    PrimaryKeyConstraint("owner", "name", "hash"),
    Index("scripts_bytes", "owner", "nbytes"),
)

script_names = Table(
    "script_names",
    metadata,
    Column("owner", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("updated_at", String(32), nullable=False),
    PrimaryKeyConstraint("owner", "name"),
)

tensors = Table(
    "tensors",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("dtype", String(8), nullable=False),
    Column("shape", Text, nullable=False),
    Column("nbytes", _BYTES, nullable=False),
    Column("blob", String(64)),
    Column("data", LargeBinary),
    Column("created_at", String(32), nullable=False),
    Index("tensors_of_owner", "owner", "id"),
    Column("persist", Boolean, nullable=False, server_default=true()),
    Column("used_at", String(32), nullable=False, server_default=""),
    Index("tensors_of_blob", "blob"),
    Index("tensors_by_use", "persist", "used_at", "id", "nbytes"),
    Index("tensors_bytes", "owner", "nbytes"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("script", Text, nullable=False),
    Column("limits", Text, nullable=False),
    Column("grants", Text, nullable=False),
    Column("result", Text),
    Column("error", Text),
    Column("stdout", Text, nullable=False),
    Column("stderr", Text, nullable=False),
    Column("output_cut", Boolean, nullable=False),
    Column("usage", Text, nullable=False),
    Column("reason", Text),
    Column("cancelled_by", String(64)),
    Column("level", String(16)),
    Column("level_reason", Text),
    Column("idempotency_key", String(255)),
    Column("request_hash", String(64)),
    Column("created_at", String(32), nullable=False),
    Column("started_at", String(32)),
    Column("finished_at", String(32)),
    Column("files", Text, nullable=False, server_default="{}"),
    Column("key_id", String(40)),
    Column("asked", LargeBinary),
    Column("emptied_at", String(32)),
    Column("stored_bytes", _BYTES, nullable=False, server_default="0"),
    Column("event_bytes", _BYTES, nullable=False, server_default="0"),
    UniqueConstraint("owner", "idempotency_key"),
    Index("runs_of_owner", "owner", "id"),
    Index("runs_of_status", "status"),
    Index("runs_by_end", "finished_at", "id", "stored_bytes", "event_bytes", "emptied_at"),
)

events = Table(
    "events",
    metadata,
    Column("run_id", String(40), ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String(16), nullable=False),
    Column("data", Text, nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("run_id", "seq"),
)
