"""The form of a signature: what the inputs and the result of a script's `main` are.

Owns the records and their bounds. They come from a worker, which is assumed to be controlled by an attacker. Must not
know Python's syntax, JSON Schema, or how values are checked.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from ops.wire import FrameError

MAX_BYTES = 1 << 15
"""Of a signature, as JSON."""

Kind = Literal["any", "null", "bool", "int", "float", "str", "bytes", "tensor"]
Scalar = bool | int | float | str | None


class Simple(msgspec.Struct, frozen=True, tag="simple", tag_field="is"):
    """A value of one kind; `float` has the ints too, `any` all."""

    kind: Kind


class Choice(msgspec.Struct, frozen=True, tag="choice", tag_field="is"):
    """One of these values."""

    values: list[bool | int | str | None]


class ListOf(msgspec.Struct, frozen=True, tag="list", tag_field="is"):
    """A list of any length."""

    item: Type


class TupleOf(msgspec.Struct, frozen=True, tag="tuple", tag_field="is"):
    """A list with these items."""

    items: list[Type]


class MapOf(msgspec.Struct, frozen=True, tag="map", tag_field="is"):
    """A dict whose keys are strings."""

    value: Type


class Record(msgspec.Struct, frozen=True, tag="record", tag_field="is"):
    """A dict with the fields of the class `name`, and no others."""

    name: str
    fields: list[Field]
    description: str = ""


class OneOf(msgspec.Struct, frozen=True, tag="one_of", tag_field="is"):
    """What is one of these."""

    options: list[Type]


Type = Simple | Choice | ListOf | TupleOf | MapOf | Record | OneOf


class Field(msgspec.Struct, frozen=True):
    """An argument of `main`, or a field of a record; `default` where it is known and plain."""

    name: str
    type: Type
    required: bool = True
    default: Scalar | UnsetType = UNSET
    description: str = ""


class Signature(msgspec.Struct, frozen=True):
    """What `main` takes by name, and gives. `others` is what further inputs are; None: there may be none."""

    inputs: list[Field]
    result: Type
    others: Type | None = None
    description: str = ""
    result_description: str = ""


ANY = Simple("any")
UNKNOWN = Signature([], ANY, others=ANY)
"""Of a script that does not tell."""


def to_json(signature: Signature) -> bytes:
    """A signature as it is stored. Raises `FrameError` for one that is too long."""
    data = msgspec.json.encode(signature)
    if len(data) > MAX_BYTES:
        raise FrameError(f"a signature takes {len(data)} bytes; the most is {MAX_BYTES}")
    return data


def from_json(data: bytes) -> Signature:
    """A stored signature."""
    return _decoder.decode(data)


_decoder = msgspec.json.Decoder(Signature)
