"""Signatures of scripts as JSON Schema, and inputs held against them.

Owns both, over the values of `api/tensors/values.py`. Must not know where signatures come from, or HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from api.errors import InputMismatch
from api.tensors.values import InlineTensor, TensorId
from sandbox.signatures.form import (
    ANY,
    Choice,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Signature,
    Simple,
    TupleOf,
    Type,
)
from sandbox.values import MAX_ITEMS

MAX_STEPS = 2 * MAX_ITEMS
_SHOWN = 40
_NAMED = 20
_LONGEST = 300
_AS_A_TENSOR = (
    'As {"$tensor": {"shape": [2], "dtype": "f32", "data": [1, 2]}}, x=f32:[1,2] on the command line, '
    "or an array from Python."
)
_AS_A_TEXT = """In quotes it is a text: "5" in JSON, x='"5"' on the command line."""
_KINDS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "bytes": (bytes,),
    "tensor": (InlineTensor, TensorId),
}
_DOCUMENTS: dict[str, dict[str, Any]] = {
    "any": {},
    "null": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "bytes": {
        "type": "object",
        "properties": {"$bytes": {"type": "string", "contentEncoding": "base64"}},
        "required": ["$bytes"],
    },
    "tensor": {
        "type": "object",
        "properties": {
            "$tensor": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "shape": {"type": "array", "items": {"type": "integer"}},
                    "dtype": {"type": "string"},
                    "data": {"type": "array"},
                },
            }
        },
        "required": ["$tensor"],
    },
}


def document(signature: Signature) -> dict[str, Any]:
    """`input`, `output` and the `description` of a signature, the first two as JSON Schema (2020-12)."""
    return {
        "description": signature.description,
        "input": _object(signature.inputs, False if signature.others is None else _schema(signature.others)),
        "output": _with_text(_schema(signature.result), signature.result_description),
    }


def _object(fields: list[Field], others: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": others,
    }


def _property(field: Field) -> dict[str, Any]:
    schema = _with_text(_schema(field.type), field.description)
    return schema if field.default is UNSET else {**schema, "default": field.default}


def _with_text(schema: dict[str, Any], text: str) -> dict[str, Any]:
    return {**schema, "description": text} if text else schema


def _schema(type: Type) -> dict[str, Any]:
    match type:
        case Simple(kind=kind):
            return _DOCUMENTS[kind]
        case Choice(values=values):
            return {"enum": values}
        case ListOf(item=item):
            return {"type": "array", "items": _schema(item)}
        case TupleOf(items=items):
            schemas, count = [_schema(item) for item in items], len(items)
            return {"type": "array", "prefixItems": schemas, "minItems": count, "maxItems": count}
        case MapOf(value=value):
            return {"type": "object", "additionalProperties": _schema(value)}
        case Record():
            return _with_text({"title": type.name, **_object(type.fields, False)}, type.description)
        case OneOf(options=options):
            return {"anyOf": [_schema(option) for option in options]}


def check(signature: Signature, inputs: dict[str, Any]) -> None:
    """Raise `InputMismatch`, naming the input, what is wanted and what came, unless `main` can be given `inputs`."""
    checker = _Checker()
    if not checker.fit(signature.inputs, signature.others, inputs):
        raise checker.mismatch_of(signature.inputs, signature.others, inputs, "inputs")


class _Checker:
    """Holds the values of one request against types, in so many steps: a union has several for each value."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def fits(self, type: Type, value: Any) -> bool:
        """Whether `value` is a `type`. Raises `InputMismatch` when that takes too many steps."""
        self._left -= 1
        if self._left < 0:
            raise InputMismatch(
                f"the inputs take more than {MAX_STEPS} steps to check",
                hint="Give many numbers as a tensor, or annotate with fewer alternatives.",
            )
        match type, value:
            case (Simple(kind=kind), _):
                return kind == "any" or _is_of(kind, value)
            case (ListOf(item=item), list()):
                return item == ANY or all(self.fits(item, each) for each in value)
            case (TupleOf(items=items), list()):
                return len(items) == len(value) and all(map(self.fits, items, value))
            case (MapOf(value=item), dict()):
                return all(self.fits(item, each) for each in value.values())
            case (Record(fields=fields), dict()):
                return self.fit(fields, None, value)
            case (OneOf(options=options), _):
                return any(self.fits(option, value) for option in options)
            case (Choice(values=values), _):
                return any(each.__class__ is value.__class__ and each == value for each in values)
        return False

    def fit(self, fields: list[Field], others: Type | None, values: dict[str, Any]) -> bool:
        """Whether `values` are these fields, all that are required, and no other ones than `others` allows."""
        types = {field.name: field.type for field in fields}
        return all(field.name in values for field in fields if field.required) and all(
            (type := types.get(name, others)) is not None and self.fits(type, value)
            for name, value in values.items()
        )

    def mismatch_of(
        self, fields: list[Field], others: Type | None, values: dict[str, Any], where: str
    ) -> InputMismatch:
        """Why `values` are not these fields."""
        types = {field.name: field.type for field in fields}
        for name in values:
            if name not in types and others is None:
                known = ", ".join(list(types)[:_NAMED])
                hint = f"There are {known}." if known else "It takes none."
                return InputMismatch(f"{where}.{name[:_SHOWN]} is unknown", hint=hint)
        for field in fields:
            if field.required and field.name not in values:
                return InputMismatch(
                    f"{where}.{field.name} is missing: wanted {words(field.type)}", hint=_how(field.type)
                )
        wanted = [
            (types.get(name, others) or ANY, value, f"{where}.{name[:_SHOWN]}")
            for name, value in values.items()
        ]
        return self._first(wanted)

    def mismatch(self, type: Type, value: Any, where: str) -> InputMismatch:
        """Why `value` is not a `type`, said of the first place where it is not."""
        match type, value:
            case (ListOf(item=item), list()):
                return self._first((item, each, f"{where}[{number}]") for number, each in enumerate(value))
            case (TupleOf(items=items), list()) if len(items) == len(value):
                pairs = enumerate(zip(items, value, strict=True))
                return self._first((item, each, f"{where}[{number}]") for number, (item, each) in pairs)
            case (MapOf(value=item), dict()):
                return self._first((item, each, f"{where}.{name[:_SHOWN]}") for name, each in value.items())
            case (Record(fields=fields), dict()):
                return self.mismatch_of(fields, None, value, where)
            case (OneOf(options=options), list() | dict()):
                alike = [
                    option for option in options if isinstance(value, _CONTAINER.get(option.__class__, ()))
                ]
                if len(alike) == 1:
                    return self.mismatch(alike[0], value, where)
        return InputMismatch(
            f"{where}: wanted {words(type)[:_LONGEST]}, got {shown(value)}", hint=_how(type, value)
        )

    def _first(self, places: Iterable[tuple[Type, Any, str]]) -> InputMismatch:
        return next(self.mismatch(*place) for place in places if not self.fits(*place[:2]))


_CONTAINER: dict[type, type] = {ListOf: list, TupleOf: list, MapOf: dict, Record: dict}


def _is_of(kind: str, value: Any) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))


def _how(wanted: Type, value: Any = None) -> str | None:
    """How a value of `wanted` is given, where that is not plain, or `value` came instead."""
    match words(wanted), value:
        case "tensor", _:
            return _AS_A_TENSOR
        case "str", int() | float():
            return _AS_A_TEXT
    return None


def words(wanted: Type) -> str:
    """What `wanted` is, as an annotation spells it."""
    match wanted:
        case Simple(kind=kind):
            return "None" if kind == "null" else kind
        case Choice(values=values):
            return f"one of {', '.join(repr(each)[:_SHOWN] for each in values[:_NAMED])}"
        case ListOf(item=item):
            return f"list[{words(item)}]"
        case TupleOf(items=items):
            return f"tuple[{', '.join(words(item) for item in items[:_NAMED])}]"
        case MapOf(value=value):
            return f"dict[str, {words(value)}]"
        case Record(name=name):
            return name[:_SHOWN]
        case OneOf(options=options):
            return " | ".join(words(option) for option in options[:_NAMED])


def shown(value: Any) -> str:
    """What came, in few words."""
    match value:
        case InlineTensor(shape=shape, dtype=dtype):
            return f"a tensor of {dtype}{list(shape)}"
        case TensorId():
            return "a tensor"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"a dict of {len(value)}"
        case bytes():
            return f"{len(value)} bytes"
        case None:
            return "null"
        case int() if not isinstance(value, bool) and abs(value) >= _LONG:
            return "a long int"
    text = repr(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return f"{type(value).__name__} {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"


_LONG = 10**_SHOWN
