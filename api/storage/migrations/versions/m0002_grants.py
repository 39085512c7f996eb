"""What a key may grant at most, and the files that a run changed in its overlays."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("keys", sa.Column("grants", sa.Text))
    op.add_column("runs", sa.Column("files", sa.Text, nullable=False, server_default="{}"))
