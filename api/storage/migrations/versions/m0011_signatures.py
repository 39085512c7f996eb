"""What the `main` of a stored script takes and gives; null for those stored before, until somebody asks."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column."""
    op.add_column("scripts", sa.Column("signature", sa.LargeBinary))
