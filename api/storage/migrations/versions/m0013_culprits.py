"""The quarantine by fingerprint and who dispatched the kernel, since it holds for him."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table anew with a longer key, and keep its rows."""
    rows = op.get_bind().execute(sa.text("SELECT * FROM quarantine")).mappings().all()
    op.drop_table("quarantine")
    table = op.create_table(
        "quarantine",
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", "owner"),
    )
    op.bulk_insert(table, [dict(row) for row in rows])
