"""The quarantine by fingerprint, which comments and names do not change, instead of by the hash of a text."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Begin the list anew: what a text's hash stands for is not known any more."""
    op.drop_table("quarantine")
    op.create_table(
        "quarantine",
        sa.Column("fingerprint", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
