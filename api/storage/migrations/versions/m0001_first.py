"""The first tables: keys, kernels and their names, tensors, runs and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "keys",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("revoked_at", sa.String(32)),
    )
    op.create_table(
        "kernels",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("reflection", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("owner", "name", "hash"),
    )
    op.create_table(
        "kernel_names",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("owner", "name"),
    )
    op.create_table(
        "tensors",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("dtype", sa.String(8), nullable=False),
        sa.Column("shape", sa.Text, nullable=False),
        sa.Column("nbytes", sa.Integer, nullable=False),
        sa.Column("blob", sa.String(64)),
        sa.Column("data", sa.LargeBinary),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_index("tensors_of_owner", "tensors", ["owner", "id"])
    op.create_index("tensors_of_blob", "tensors", ["blob"])
    _runs()


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("script", sa.Text, nullable=False),
        sa.Column("limits", sa.Text, nullable=False),
        sa.Column("grants", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("stdout", sa.Text, nullable=False),
        sa.Column("stderr", sa.Text, nullable=False),
        sa.Column("output_cut", sa.Boolean, nullable=False),
        sa.Column("usage", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("cancelled_by", sa.String(64)),
        sa.Column("level", sa.String(16)),
        sa.Column("idempotency_key", sa.String(255)),
        sa.Column("request_hash", sa.String(64)),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("started_at", sa.String(32)),
        sa.Column("finished_at", sa.String(32)),
        sa.UniqueConstraint("owner", "idempotency_key"),
    )
    op.create_index("runs_of_owner", "runs", ["owner", "id"])
    op.create_index("runs_of_status", "runs", ["status"])
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq"),
    )
