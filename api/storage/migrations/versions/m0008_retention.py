"""What retention goes by: the sizes of runs and their events, the last use of tensors, and which of them are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BYTES = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the columns and fill them; tensors that are there stay until they are deleted."""
    if op.get_bind().dialect.name != "sqlite":  # there all integers have 64 bits
        op.alter_column("tensors", "nbytes", type_=_BYTES)
    op.add_column("tensors", sa.Column("persist", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("tensors", sa.Column("used_at", sa.String(32), nullable=False, server_default=""))
    op.execute("UPDATE tensors SET used_at = created_at")
    op.create_index("tensors_by_use", "tensors", ["persist", "used_at", "id", "nbytes"])
    op.add_column("runs", sa.Column("emptied_at", sa.String(32)))
    op.add_column("runs", sa.Column("stored_bytes", _BYTES, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("event_bytes", _BYTES, nullable=False, server_default="0"))
    op.execute(
        "UPDATE runs SET stored_bytes = length(script) + coalesce(length(result), 0) + length(stdout)"
        " + length(stderr) + length(files),"
        " event_bytes = (SELECT coalesce(sum(length(data)), 0) FROM events WHERE run_id = runs.id)"
    )
    op.create_index("runs_by_end", "runs", ["finished_at", "id", "stored_bytes", "event_bytes", "emptied_at"])
