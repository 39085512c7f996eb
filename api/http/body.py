"""Request bodies: read under a cap, and strict JSON.

Owns what counts as JSON here: UTF-8, no duplicate keys, no NaN, no numbers beyond a double, no lone surrogates, and
how many containers, keys and digits are decoded at all. Whatever is done with a large body is done in a thread. Must
not know routes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from math import inf
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, from_json

from api.errors import BodyTooLarge, InvalidRequest, MalformedJson, UnsupportedMediaType
from api.http.problems import UNKNOWN_FIELDS, invalid
from api.settings import Settings
from sandbox.values import MAX_ITEMS
from shaders.suggestions import meant

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Mask = npt.NDArray[np.bool_]
IN_THREAD = 1 << 16
"""Bytes of a body from which on it is not worked on in the event loop."""
EXPLAINED = 1 << 20
"""Bytes of a body up to which it is parsed again to say where it is wrong."""
MAX_DIGITS = 1000
"""Of a number: writing one down costs the square of them, of which nothing else can be done meanwhile."""
NAMED = 3
_SHOWN = (int, float, bool, type(None))
"""Types of values that a hint repeats."""
_LONGEST_EXAMPLE = 80
"""Characters of an example in a hint, which is shown whole or not at all."""
MAX_SCRIPT = 1 << 20
"""Characters of a script."""
_CONTAINERS = {dict, list}
_JSON_TYPES = ("", "application/json", "application/x-www-form-urlencoded", "text/plain")


class RequestModel(BaseModel):
    """Base of the JSON requests: exact types, and no field that is not known."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        """`value`, if all its fields are known. Raises `UNKNOWN_FIELDS` with the first that are not, and a hint."""
        unknown = [name for name in value if name not in cls.model_fields] if isinstance(value, dict) else []
        if unknown:
            told = {"unknown": unknown[:NAMED], "hint": _hint(unknown[0], value, cls.model_fields)}
            raise PydanticCustomError(UNKNOWN_FIELDS, "unknown fields", told)
        return value


def _hint(name: str, value: dict[str, Any], fields: Mapping[str, FieldInfo]) -> str:
    """What to do about the field `name` of `value`, where there are only `fields`."""
    close = meant(name, fields)
    whole = all(field in value for field, info in fields.items() if info.is_required())
    if close or not whole or "inputs" not in fields or "inputs" in value:
        return close or f"There are {', '.join(fields)}."
    given = value[name] if isinstance(value[name], _SHOWN) else "…"
    example = json.dumps({"inputs": {name: given}}, ensure_ascii=False)
    return (
        f"If it is an input: {example}." if len(example) <= _LONGEST_EXAMPLE else 'Inputs go into "inputs".'
    )


def media_type(request: Request) -> str:
    """The media type of the body, in lower case, without parameters; "" when none is given."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def stream(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The pieces of the body. Raises `BodyTooLarge` before reading when the length is declared, else while."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise UnsupportedMediaType(
            f"bodies in content-encoding {encoding!r:.80} are not read", hint="Send the body uncompressed."
        )
    declared = request.headers.get("content-length", "")
    size = int(declared) if declared.isdecimal() and len(declared) < 20 else 0
    if size > limit:
        raise BodyTooLarge(f"the body of {size} bytes is over the limit of {limit}")
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(f"the body is over the limit of {limit} bytes")
        if piece:
            yield piece


async def read(request: Request, limit: int) -> bytes:
    """The whole body, of at most `limit` bytes."""
    return b"".join([piece async for piece in stream(request, limit)])


def is_json(request: Request) -> bool:
    """Whether the body claims to be JSON (or claims nothing, or what `curl -d` claims)."""
    kind = media_type(request)
    return kind in _JSON_TYPES or kind.endswith("+json")


async def read_json(request: Request, limit: int, use: Callable[[Any], T]) -> T:
    """What `use` makes of the body as a JSON value, in a thread when the body is large.

    Raises `MalformedJson`, `BodyTooLarge`, `UnsupportedMediaType`, and what `use` raises.
    """
    if not is_json(request):
        raise UnsupportedMediaType(
            f"this route reads application/json, not {media_type(request):.80}", hint="Set Content-Type."
        )
    body = await read(request, limit)
    return await aside(len(body), lambda: use(parse_json(body)))


async def aside(size: int, work: Callable[[], T]) -> T:
    """The result of `work`, which goes through `size` bytes: in a thread unless they are few."""
    return await asyncio.to_thread(work) if size > IN_THREAD else work()


def parse_json(body: bytes) -> Any:
    """Strict JSON in `body`. Raises `MalformedJson` saying what is wrong, with line and column where known.

    Raises `InvalidRequest`, before anything is decoded, for more than `MAX_ITEMS` lists, objects and keys, and likewise
    `MalformedJson` for a number of more than `MAX_DIGITS` digits.
    """
    containers, keys, digits = structure(body)
    if has_run(digits, MAX_DIGITS + 1):
        raise MalformedJson(
            f"a number has more than {MAX_DIGITS} digits",
            hint="Send it as a string, and read it with int(…).",
        )
    if containers + keys > MAX_ITEMS:
        raise InvalidRequest(
            f"the body has {containers + keys} lists, objects and keys, over the limit of {MAX_ITEMS}",
            hint="Send many numbers as one tensor, or upload them.",
        )
    try:
        value = from_json(
            body, allow_inf_nan=False
        )  # msgspec takes 15 µs for 1e300, during which nothing else runs
    except ValueError as error:
        _explain(body, error)
    found, is_finite = _looked_at(value)
    if found != keys:
        _explain(body, ValueError("a key appears twice in one object"))
    if not is_finite:
        raise MalformedJson("a number is out of range")
    return value


def structure(body: bytes) -> tuple[int, int, Mask]:
    """How many lists and objects, and how many keys, the JSON text `body` has, and where it has digits outside of
    strings, but for the escapes in these. Nothing is decoded."""
    if b"\\" in body:
        body = body.replace(rb"\\", b"").replace(rb"\"", b"")
    text = np.frombuffer(body, np.uint8)
    outside = np.bitwise_xor.accumulate((text == ord('"')).view(np.uint8)) == 0
    opened = np.count_nonzero(((text == ord("[")) | (text == ord("{"))) & outside)
    keys = np.count_nonzero((text == ord(":")) & outside)
    return int(opened), int(keys), (text >= ord("0")) & (text <= ord("9")) & outside


def has_run(mask: Mask, length: int) -> bool:
    """Whether `length` (1 or more) neighbours in `mask` are true. The runs that are looked for double in length."""
    reached = 1
    while reached < length and mask.any():
        step = min(reached, length - reached)
        mask = mask[:-step] & mask[step:]
        reached += step
    return bool(mask.any())


def _looked_at(value: Any) -> tuple[int, bool]:
    """How many keys all objects inside `value` have together, and whether all its numbers are finite."""
    count, is_finite, waiting = 0, True, [[value]]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            count += len(item)
            item = list(item.values())
        kinds = set(map(type, item))
        if float in kinds:
            is_finite = is_finite and inf not in item and -inf not in item
        if not _CONTAINERS.isdisjoint(kinds):
            waiting.extend(each for each in item if type(each) in _CONTAINERS)
    return count, is_finite


def _explain(body: bytes, error: Exception) -> NoReturn:
    """Parse again, slowly, for a message that says where; `error` is what the fast parser found."""
    if len(body) > EXPLAINED:
        raise MalformedJson(str(error)) from None
    try:
        json.loads(body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as found:
        raise MalformedJson(found.msg, line=found.lineno, column=found.colno) from None
    except UnicodeDecodeError as found:
        raise MalformedJson(f"byte {found.start} of the body is not UTF-8") from None
    except RecursionError:
        raise MalformedJson("the body is nested too deeply") from None
    except ValueError as found:
        raise MalformedJson(str(found)) from None
    if "hex escape" in str(error):
        raise MalformedJson(
            "a string has half of a surrogate pair, which is no character",
            hint=r"Write a character beyond U+FFFF as itself, or as both halves: \ud83d\ude00.",
        ) from None
    raise MalformedJson(str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise MalformedJson(f"the key {key[:80]!r} appears twice in one object")
            seen.add(key)
    return made


def _refuse_constant(text: str) -> NoReturn:
    raise MalformedJson(
        f"{text} is not JSON",
        hint='Write {"$float": "NaN"}, or the string "NaN" inside a tensor\'s data.',
    )


def validate(model: type[M], value: Any) -> M:
    """`value` as a `model`. Raises `InvalidRequest` that names the field."""
    if not isinstance(value, dict):
        raise InvalidRequest("the body must be a JSON object")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(error.errors(include_url=False, include_input=False)) from None


def json_body(model: type[M], prepare: Callable[[M, Settings], T]) -> Any:
    """A FastAPI dependency: what `prepare` makes of the JSON body as a `model`, in a thread when it is large."""

    async def read_model(request: Request) -> T:
        settings: Settings = request.app.state.runtime.settings
        return await read_json(
            request, settings.json_bytes, lambda value: prepare(validate(model, value), settings)
        )

    return Depends(read_model)


def as_is(asked: M, settings: Settings) -> M:
    """Nothing is to be prepared."""
    return asked


def body_schema(model: type[BaseModel]) -> dict[str, Any]:
    """What `openapi_extra` needs so that `/docs` shows a body that `json_body` reads."""
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _inlined(model.model_json_schema())}},
        }
    }


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` with each of its `$defs` in the place of the references to it, which would lead nowhere in OpenAPI."""
    known = schema.get("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return inline(known[part["$ref"].removeprefix("#/$defs/")])
        return {key: inline(item) for key, item in part.items() if key != "$defs"}

    inlined: dict[str, Any] = inline(schema)
    return inlined
