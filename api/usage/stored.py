"""How much an owner has stored, as the quotas bound it.

Owns the queries, which see what their transaction has done. Must not know what is stored.
"""

from __future__ import annotations

import sqlalchemy as sa

from api.errors import QuotaExceeded
from api.quotas import Quotas
from api.storage import tables


def check_bytes(db: sa.Connection, owner: str, quotas: Quotas, more: int = 0) -> None:
    """Raise `QuotaExceeded` if `more` bytes (0: any at all) are over the quota `stored_bytes`."""
    most = quotas.stored_bytes
    if most is not None:
        used = sum(_sum(db, table, owner) for table in (tables.tensors, tables.scripts))
        if used + max(more, 1) > most:
            raise QuotaExceeded.of("stored_bytes", most, used, more)


def check_kernels(db: sa.Connection, owner: str, quotas: Quotas) -> None:
    """Raise `QuotaExceeded` if one more kernel is over the quota `kernels`."""
    if quotas.kernels is not None:
        c = tables.kernels.c
        used = db.execute(sa.select(sa.func.count()).where(c.owner == owner)).scalar_one()
        if used >= quotas.kernels:
            raise QuotaExceeded.of("kernels", quotas.kernels, used)


def _sum(db: sa.Connection, table: sa.Table, owner: str) -> int:
    found = sa.select(sa.func.coalesce(sa.func.sum(table.c.nbytes), 0)).where(table.c.owner == owner)
    return int(db.execute(found).scalar_one())
