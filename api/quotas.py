"""Quotas: how much a key may use, as data.

Owns their names, their JSON form, and how a key's own go over those of its role. Must not know what counts the use
(`api/usage/accounts.py`, `api/usage/stored.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from api.errors import InvalidRequest
from sandbox.gates.wording import told

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e15)]
Given = Mapping[str, int | float | None]


class Quotas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The most that a key may use; None is no bound.

    `runs_at_once` are runs that wait or run, `device_ms_a_minute` measured milliseconds. What is kept is its owner's,
    and counted for all keys of the owner together: `resident_bytes` on the device, `stored_bytes` of stored tensors and
    scripts, `kernels` stored, each version.
    """

    runs_at_once: Count | None = None
    runs_a_minute: Count | None = None
    device_ms_a_minute: Amount | None = None
    resident_bytes: Count | None = None
    stored_bytes: Count | None = None
    kernels: Count | None = None

    def replaced(self, given: Given) -> Quotas:
        """These with those of `given`, where null is no bound."""
        return msgspec.structs.replace(self, **given)

    def within(self, most: Quotas) -> Quotas:
        """The lesser of each of these and of `most`."""
        pairs = {name: (getattr(self, name), getattr(most, name)) for name in self.__struct_fields__}
        return Quotas(
            **{
                name: min((each for each in pair if each is not None), default=None)
                for name, pair in pairs.items()
            }
        )


UNBOUNDED = Quotas()


def parse(data: object) -> Given:
    """The quotas that JSON-like `data` names, null for no bound. Raises `InvalidRequest` that names the field."""
    try:
        found = msgspec.convert(data, Quotas)
    except msgspec.ValidationError as error:
        hint = f"Quotas: {', '.join(Quotas.__struct_fields__)}."
        raise InvalidRequest(told(error, "quotas"), hint=hint) from None
    assert isinstance(data, Mapping)
    return {name: getattr(found, name) for name in data}
