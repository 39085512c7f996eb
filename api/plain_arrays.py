"""Lists of numbers that are given for the arrays of a kernel, as the tensors that the kernel's own types make of them.

Owns which binding decides. Must not know where tensors live.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from api.asked import Asked, Given
from api.body import aside
from api.elements import from_list
from api.errors import MalformedTensor
from api.values import InlineTensor
from ops.dtypes import ROWS, DType
from shaders.reflection import BindingInfo, Reflection

_NUMBER_BYTES = 8
_BY_ELEMENT = {row.wgsl: row for row in ROWS if row.wgsl and row.kind != "bool"}


async def typed(reflection: Reflection, asked: Asked) -> dict[str, Given]:
    """What is given by array: a list of numbers, or of rows of them, for a storage binding as a tensor.

    Large ones are made in a thread. Raises `MalformedTensor` that names the array.
    """
    rows = _rows(reflection, asked)
    made: dict[str, Given] = {}
    for name, value in asked.given.items():
        row = rows.get(name)
        if isinstance(value, list) and row is not None:
            shape, flat = _flat(value, f"inputs.{name:.60}")
            made[name] = await aside(len(flat) * _NUMBER_BYTES, partial(_tensor, name, shape, flat, row))
        else:
            made[name] = value
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


def _flat(values: list[Any], where: str) -> tuple[tuple[int, ...], list[Any]]:
    """The shape and the elements of nested lists."""
    shape = [len(values)]
    while values and isinstance(values[0], list):
        width = len(values[0])
        if any(not isinstance(row, list) or len(row) != width for row in values):
            raise MalformedTensor(f"{where}: its rows differ in length")
        shape.append(width)
        values = [item for row in values for item in row]
    return tuple(shape), values


def _tensor(name: str, shape: tuple[int, ...], flat: list[Any], row: DType) -> InlineTensor:
    try:
        return InlineTensor(shape, row.name, from_list(flat, shape, row))
    except MalformedTensor as error:
        raise MalformedTensor(f"inputs.{name:.60}: {error.message}", hint=error.hint) from None
