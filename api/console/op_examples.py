"""A request for each operation, which a reader may change and send.

Owns the shapes and numbers of those that no page of the documentation has; `op_examples.toml` has them where small
tensors of one shape will not do. Must not know pages.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from ops import samples
from ops.handbook import json_of
from ops.spec import REQUIRED, Attribute, OpSpec

SHAPE = [2, 3]
_DTYPES = ("f32", "i32", "u32", "bool")
_ATTRIBUTES: dict[str, Any] = {
    "axis": 0,
    "axes": [0],
    "sizes": SHAPE,
    "dtype": "f32",
    "integer": 1,
    "number": 1.0,
    "integers": [1, 0],
    "extents": 2,
}
"""What attributes that must be given have, by type."""


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is special of an operation's example: shapes of its inputs, elements of some, attributes."""

    shapes: list[list[int]] = []
    data: dict[str, list[int | float]] = {}
    attributes: dict[str, Any] = {}


_FORMS = msgspec.convert(tomllib.loads(Path(__file__).with_suffix(".toml").read_text()), dict[str, Form])


def example(spec: OpSpec) -> dict[str, Any]:
    """The body of a request for an operation."""
    if spec.namespace != "tensor":
        known = samples.sample(spec)
        return {"inputs": [json_of(value) for value in known.inputs], "attributes": known.attributes}
    form = _FORMS.get(spec.name) or _FORMS.get(spec.name.partition(".")[0], Form())
    count = 2 if spec.variadic else len(spec.inputs) - spec.optional
    needed = {each.name: _given(each) for each in spec.attributes if each.default == REQUIRED}
    return {
        "inputs": [_tensor(spec, number, form) for number in range(len(form.shapes) or count)],
        "attributes": needed | form.attributes,
    }


def _given(attribute: Attribute) -> Any:
    return attribute.choices[0] if attribute.choices else _ATTRIBUTES.get(attribute.type)


def _tensor(spec: OpSpec, number: int, form: Form) -> dict[str, Any]:
    name = min(number, len(spec.inputs) - 1)  # of a variadic one, all are called alike
    taken = spec.input_dtypes[name] if spec.input_dtypes else spec.dtypes
    dtype = next(each for each in (*_DTYPES, *taken) if each in taken)
    shape = form.shapes[number] if form.shapes else SHAPE
    data = form.data.get(spec.inputs[name]) or [_element(each, dtype) for each in range(math.prod(shape))]
    return {"$tensor": {"shape": shape, "dtype": dtype, "data": data}}


def _element(place: int, dtype: str) -> float | bool:
    """Fractions between 0 and 1 are in the domain of every function; 0 and 1 are places of every axis."""
    if dtype == "bool":
        return place % 2 == 0
    return (place % 7 + 1) / 8 if dtype == "f32" else place % 2
