"""Request bodies: read under a cap, and strict JSON.

Owns what counts as JSON here: UTF-8, no duplicate keys, no NaN, no numbers beyond a double, no lone surrogates.
Must not know routes.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any, NoReturn, TypeVar

import msgspec
from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, ValidationError

from api.errors import BodyTooLarge, InvalidRequest, MalformedJson, UnsupportedMediaType
from api.problems import describe

M = TypeVar("M", bound=BaseModel)
IN_THREAD = 1 << 18
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"')
_CONTAINERS = {dict, list}
_JSON_TYPES = ("", "application/json", "application/x-www-form-urlencoded", "text/plain")


class RequestModel(BaseModel):
    """Base of the JSON requests: exact types, and no field that is not known."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


def media_type(request: Request) -> str:
    """The media type of the body, in lower case, without parameters; "" when none is given."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def stream(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The pieces of the body. Raises `BodyTooLarge` before reading when the length is declared, else while."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise UnsupportedMediaType(
            f"bodies in content-encoding {encoding!r} are not read", hint="Send the body uncompressed."
        )
    declared = request.headers.get("content-length", "")
    size = int(declared) if declared.isdecimal() else 0
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


async def read_json(request: Request, limit: int) -> Any:
    """The body as a JSON value. Raises `MalformedJson`, `BodyTooLarge`, `UnsupportedMediaType`."""
    if not is_json(request):
        raise UnsupportedMediaType(
            f"this route reads application/json, not {media_type(request)}", hint="Set Content-Type."
        )
    body = await read(request, limit)
    if len(body) > IN_THREAD:
        return await asyncio.to_thread(parse_json, body)
    return parse_json(body)


def parse_json(body: bytes) -> Any:
    """Strict JSON in `body`. Raises `MalformedJson` saying what is wrong, with line and column where known."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        _explain(body, error)
    if _keys(value) != _STRING.sub(b"", body).count(b":"):
        _explain(body, ValueError("a key appears twice in one object"))
    return value


def _keys(value: Any) -> int:
    """How many keys all objects inside `value` have together."""
    count, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            count += len(item)
            waiting.extend(item.values())
        elif isinstance(item, list) and not _CONTAINERS.isdisjoint(map(type, item)):
            waiting.extend(item)
    return count


def _explain(body: bytes, error: Exception) -> NoReturn:
    """Parse again, slowly, for a message that says where; `error` is what the fast parser found."""
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
    raise MalformedJson(str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise MalformedJson(f"the key {twice[:80]!r} appears twice in one object")
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
        raise InvalidRequest(describe(error.errors(include_url=False, include_input=False))) from None


def json_body(model: type[M]) -> Any:
    """A FastAPI dependency: the JSON body as a `model`."""

    async def read_model(request: Request) -> M:
        return validate(model, await read_json(request, request.app.state.runtime.settings.json_bytes))

    return Depends(read_model)


def body_schema(model: type[BaseModel]) -> dict[str, Any]:
    """What `openapi_extra` needs so that `/docs` shows a body that `json_body` reads."""
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": model.model_json_schema()}},
        }
    }
