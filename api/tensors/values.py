"""The JSON wire of inputs and results: tagged values to Python ones and back.

Owns `$tensor`, `$bytes`, `$float` and the `$$` escape, the depth of nesting, and how many values and tensors a request
gives. Must not know where a tensor lives: parsing leaves `InlineTensor` and `TensorId`, rendering asks for each
tensor's JSON.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from api.errors import InvalidRequest, MalformedTensor, ResultTooLarge
from api.tensors import elements
from ops.graph import TensorRef
from sandbox.errors import ValueFormError
from sandbox.values import MAX_ITEMS

MAX_DEPTH = 64
MAX_TENSORS = 1024
"""Tensors of a request."""
MAX_DIGITS = 4300
"""Of an int in JSON: Python's own reader takes no more."""
_FIRST_UNREADABLE = 10**MAX_DIGITS
_FIRST_LONG = 10**500
_PATH = 80
_CONTAINERS = {list, dict}


@dataclass(frozen=True, slots=True)
class InlineTensor:
    """A tensor whose elements (wire form) came with the request."""

    shape: tuple[int, ...]
    dtype: str
    data: bytes


@dataclass(frozen=True, slots=True)
class TensorId:
    """A tensor that the server stores."""

    id: str


TensorValue = InlineTensor | TensorId
_BRANCHES = {list, dict, InlineTensor, TensorId}


def parse(value: Any, where: str, limit: int) -> Any:
    """The Python value of a JSON one at the path `where`; tensors of more than `limit` bytes are refused.

    Raises `InvalidRequest`, `MalformedTensor` or `ValueFormError`, naming the path.
    """
    return Parser(limit).parse(value, where)


def check_items(value: Any, where: str, most: int) -> None:
    """Raise `ValueFormError` when the lists and objects inside `value` have more than `most` items together."""
    items, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | dict):
            items += len(item)
            if items > most:
                raise ValueFormError(f"{where} has more than {most} items")
            waiting.extend(item.values() if isinstance(item, dict) else item)


class Parser:
    """Parses the values of one request, of which all together there are at most so many."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items = 0
        self._tensors = 0

    def parse(self, value: Any, where: str, depth: int = 0) -> Any:
        """As `parse`, whose docstring says more."""
        if depth > MAX_DEPTH:
            raise InvalidRequest(f"{where} is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, list):
            self._count(len(value), where)
            if _CONTAINERS.isdisjoint(map(type, value)):
                return value
            return [self.parse(item, f"{where}[{n}]"[:_PATH], depth + 1) for n, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        tag = next(iter(value)) if len(value) == 1 else ""
        if tag == "$tensor":
            return self.tensor(value[tag], where)
        if tag == "$bytes":
            return _bytes(value[tag], where)
        if tag == "$float":
            return _float(value[tag], where)
        self._count(len(value), where)
        return {
            _unescape(key, where): self.parse(item, f"{where}.{key:.60}"[:_PATH], depth + 1)
            for key, item in value.items()
        }

    def tensor(self, body: Any, where: str) -> TensorValue:
        """The value of a `$tensor`. Raises `MalformedTensor`, or `InvalidRequest` beyond `MAX_TENSORS`."""
        self._tensors += 1
        if self._tensors > MAX_TENSORS:
            raise InvalidRequest(
                f"{where} is a tensor too many: a request gives at most {MAX_TENSORS}",
                hint="Stack small tensors into one.",
            )
        return parse_tensor(body, where, self._limit)

    def _count(self, items: int, where: str) -> None:
        self._items += items
        if self._items > MAX_ITEMS:
            raise ValueFormError(
                f"{where} brings the values over {MAX_ITEMS} items",
                hint="Use a tensor, or bytes, for many numbers.",
            )


def parse_tensor(body: Any, where: str, limit: int) -> TensorValue:
    """The value of a `$tensor`: `{"id"}` or `{"shape", "dtype", "data"}`. Raises `MalformedTensor`."""
    if not isinstance(body, dict):
        raise MalformedTensor(f"{where}: a $tensor is an object")
    if "id" in body and "data" not in body:
        if not isinstance(body["id"], str):
            raise MalformedTensor(f"{where}: a tensor's id is a string")
        return TensorId(body["id"])
    missing = [name for name in ("shape", "dtype", "data") if name not in body]
    extra = [name for name in body if name not in ("shape", "dtype", "data", "id")]
    if missing or extra:
        word = f"lacks {missing[0]}" if missing else f"has an unknown field {extra[0][:60]!r}"
        raise MalformedTensor(f"{where}: the tensor {word}", hint="Give id alone, or shape, dtype and data.")
    try:
        row = elements.named_dtype(body["dtype"])
        shape = elements.parse_shape(body["shape"])
        elements.size_of(shape, row, limit)
        return InlineTensor(shape, row.name, elements.from_list(body["data"], shape, row))
    except MalformedTensor as error:
        raise MalformedTensor(f"{where}: {error.message}", hint=error.hint) from None


def tensors_in(value: Any) -> list[TensorValue]:
    """Every tensor inside a parsed value, in order."""
    found: list[TensorValue] = []
    map_tensors(value, found.append)
    return found


def map_tensors(value: Any, change: Callable[[TensorValue], Any]) -> Any:
    """A parsed value in which each tensor is what `change` makes of it."""
    if isinstance(value, InlineTensor | TensorId):
        return change(value)
    if isinstance(value, list):
        if _BRANCHES.isdisjoint(map(type, value)):
            return value
        return [map_tensors(item, change) for item in value]
    if isinstance(value, dict):
        return {key: map_tensors(item, change) for key, item in value.items()}
    return value


def render(value: Any, tensors: Mapping[int, Any], depth: int = 0) -> Any:
    """The JSON value of a script's result; `tensors` holds the JSON of each handle. Raises `ResultTooLarge`,
    or `ValueFormError` for a number that no JSON can carry.
    """
    if depth > MAX_DEPTH:
        raise ResultTooLarge(f"the result is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, TensorRef):
        return tensors[value.handle]
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, int):
        return value if abs(value) < _FIRST_LONG else _long(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": elements.special_name(value)}
    if isinstance(value, list | tuple):
        if _PLAIN.issuperset(map(type, value)):
            return value
        return [render(item, tensors, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_escape(str(key)): render(item, tensors, depth + 1) for key, item in value.items()}
    return value


def _long(value: int) -> msgspec.Raw:
    """`value` written down, which takes the square of its digits: one at a time others get a turn in between."""
    if abs(value) >= _FIRST_UNREADABLE:
        raise ValueFormError(
            f"an int of the result has more than {MAX_DIGITS} digits, which readers of JSON refuse",
            hint="Return it as a string, or as bytes: n.to_bytes(…).",
        )
    return msgspec.Raw(str(value).encode())


_PLAIN = {str, bool, type(None)}
_RENDERED = {TensorRef, list, tuple, dict}


def refs_in(value: Any) -> list[TensorRef]:
    """Every tensor inside a script's result, in order."""
    found, waiting = [], [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, TensorRef):
            found.append(item)
        elif isinstance(item, list | tuple):
            if not _RENDERED.isdisjoint(map(type, item)):
                waiting.extend(reversed(item))
        elif isinstance(item, dict):
            waiting.extend(reversed(list(item.values())))
    return found


def _escape(key: str) -> str:
    return f"${key}" if key.startswith("$") else key


def _unescape(key: str, where: str) -> str:
    if key.startswith("$$"):
        return key[1:]
    if key.startswith("$"):
        raise InvalidRequest(
            f"{where} has the key {key[:60]!r}, which is no tag of a value here",
            hint=f"A key of your own that begins with $ is written ${key[:60]}.",
        )
    return key


def _bytes(text: Any, where: str) -> bytes:
    try:
        return base64.b64decode(text if isinstance(text, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequest(f"{where}: $bytes holds a base64 string") from None


def _float(name: Any, where: str) -> float:
    value = elements.special_value(name)
    if value is None:
        raise InvalidRequest(f'{where}: $float is "NaN", "Infinity" or "-Infinity"')
    return value
