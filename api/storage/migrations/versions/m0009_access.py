"""Access lists, and secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "acl",
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("grantee", sa.String(64), nullable=False),
        sa.Column("may", sa.String(8), nullable=False),
        sa.PrimaryKeyConstraint("grantee", "kind", "owner", "name"),
    )
    op.create_index("acl_of_object", "acl", ["kind", "owner", "name"])
    op.create_table(
        "secrets",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("owner", "name"),
    )
