"""The history of the database's shape, for Alembic. `HEAD` names the newest revision."""

HEAD = "0013"
