"""Kernels that are made of a template."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; a kernel of WGSL leaves them empty."""
    op.add_column("kernels", sa.Column("template", sa.Text))
    op.add_column("kernels", sa.Column("params", sa.Text))
