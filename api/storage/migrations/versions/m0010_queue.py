"""What a run that waits is made from again after a restart."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns."""
    op.add_column("runs", sa.Column("key_id", sa.String(40)))
    op.add_column("runs", sa.Column("asked", sa.LargeBinary))
