"""Groups, scopes, quotas and an end for keys; the audit log; what quotas count."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns, the table and indexes."""
    op.add_column("keys", sa.Column("groups", sa.Text, nullable=False, server_default="[]"))
    op.add_column("keys", sa.Column("scopes", sa.Text))
    op.add_column("keys", sa.Column("quotas", sa.Text, nullable=False, server_default="{}"))
    op.add_column("keys", sa.Column("expires_at", sa.String(32)))
    op.create_table(
        "audit",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("key_id", sa.String(40)),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("action", sa.String(80), nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(64), nullable=False),
        sa.Column("request_id", sa.String(40)),
    )
    op.create_index("audit_of_key", "audit", ["key_id", "id"])
    op.create_index("audit_of_owner", "audit", ["owner", "id"])
    op.add_column("scripts", sa.Column("nbytes", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE scripts SET nbytes = length(source)")
    op.create_index("scripts_bytes", "scripts", ["owner", "nbytes"])
    op.create_index("tensors_bytes", "tensors", ["owner", "nbytes"])
