"""Lists of numbers that are given for the arrays of a kernel, as the tensors that the kernel's own types make of them.

Owns which binding decides. Must not know where tensors live.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from api.errors import MalformedTensor
from api.http.body import aside
from api.kernels.asked import Asked, Given
from api.tensors.elements import from_list, parse_shape
from api.tensors.values import InlineTensor
from ops.dtypes import ROWS, DType
from shaders.reflection import BindingInfo, Reflection

_NUMBER_BYTES = 8
_BY_ELEMENT = {row.wgsl: row for row in ROWS if row.wgsl and row.kind != "bool"}


async def typed(reflection: Reflection, asked: Asked) -> dict[str, Given]:
    """What is given by array: a list of numbers, or of rows of them, for a storage binding as a tensor.

    Large ones are made in a thread. Raises `MalformedTensor` that names the array.
    """
    rows = _rows(reflection, asked)
    made = dict(asked.given)
    for name, value in asked.given.items():
        if isinstance(value, list) and name in rows:
            made[name] = await aside(_count(value) * _NUMBER_BYTES, partial(_tensor, name, value, rows[name]))
    return made


def _rows(reflection: Reflection, asked: Asked) -> dict[str, DType]:
    """The dtype of each array that has one, from the binding of its name or the first that a step gives it to."""
    infos = {info.name: info for info in reflection.bindings if info.kind == "storage"}
    arrays: dict[str, BindingInfo] = {}
    for step in asked.steps:
        for binding, array in step.bind.items():
            if binding in infos:
                arrays.setdefault(array, infos[binding])
    return {
        name: _BY_ELEMENT[info.element]
        for name, info in (infos | arrays).items()
        if info.element in _BY_ELEMENT
    }


def _count(values: list[Any]) -> int:
    """How many numbers nested lists have, if all are as long as the first."""
    count, first = len(values), values[:1]
    while first and isinstance(first[0], list):
        count, first = count * len(first[0]), first[0][:1]
    return count


def _tensor(name: str, values: list[Any], row: DType) -> InlineTensor:
    try:
        shape, flat = _flat(values)
        return InlineTensor(shape, row.name, from_list(flat, shape, row))
    except MalformedTensor as error:
        raise MalformedTensor(f"inputs.{name:.60}: {error.message}", hint=error.hint) from None


def _flat(values: list[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """The shape and the elements of nested lists. Raises `MalformedTensor`."""
    shape = [len(values)]
    while values and isinstance(values[0], list):
        width = len(values[0])
        if any(not isinstance(row, list) or len(row) != width for row in values):
            raise MalformedTensor("its rows differ in length")
        shape.append(width)
        values = [item for row in values for item in row]
    return parse_shape(shape), values
