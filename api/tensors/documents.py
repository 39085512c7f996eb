"""A tensor as JSON has it: `{"$tensor": …}`.

Owns that form as it is answered; how one is read is `values.py`. Must not know HTTP.
"""

from __future__ import annotations

from typing import Any

from api.tensors.elements import named_dtype, to_list
from api.tensors.records import TensorRecord
from api.tensors.store import TensorStore


async def tensor_json(tensors: TensorStore, record: TensorRecord, *, inline: bool) -> dict[str, Any]:
    """The `$tensor` of a record: its id and type, with the elements when `inline`."""
    told: dict[str, Any] = {"id": record.id, "shape": record.shape, "dtype": record.dtype}
    if inline:
        async with tensors.elements(record) as view:
            told["data"] = to_list(view, named_dtype(record.dtype))
    return {"$tensor": told}
