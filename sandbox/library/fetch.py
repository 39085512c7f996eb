"""`fetch`: one HTTP request by the gate.

Owns what a call's arguments become on the wire, and the exception for each of the gate's errors. Must not know
sessions.
"""

from __future__ import annotations

import base64
import json as json_format
import time
from typing import Any, Protocol

from ops.loose import Json
from sandbox.gates.frames import Fetch
from sandbox.library import gate
from sandbox.library.headers import Headers, HeadersLike, Query, form, merged, text, with_query
from sandbox.library.response import (
    ConnectionError,
    InvalidURL,
    ReadTimeout,
    RequestException,
    Response,
    TooManyRedirects,
)
from sandbox.policy import ownership
from sandbox.policy.classes import seal_class
from sandbox.policy.denials import HostError, standing_for


class Readable(Protocol):
    """What is open for reading, as a file."""

    def read(self) -> str | bytes:
        """All that is left."""


Content = Query | bytearray | Readable
"""A body: text, bytes, a file, or the fields of a form."""
Credentials = tuple[str | bytes, str | bytes]
Timeout = float | tuple[float | None, float | None] | None
"""Seconds for all of it; a pair, as `requests` has it, is added up."""
_FORM = "application/x-www-form-urlencoded"
_ERRORS: dict[str, type[RequestException]] = {
    "fetch_refused": InvalidURL,
    "fetch_limit": TooManyRedirects,
    "fetch_timeout": ReadTimeout,
    "fetch_failed": ConnectionError,
}


def fetch(
    url: str,
    method: str = "GET",
    *,
    headers: HeadersLike | None = None,
    params: Query | None = None,
    json: Json = None,
    data: Content | None = None,
    timeout: Timeout = None,
    auth: Credentials | None = None,
    follow: bool = True,
) -> Response:
    """Make an HTTP request that the run was granted; the whole response, its body decompressed.

    `params` go into the query; the body is `json`, or `data`: text, bytes, a file, or the fields of a form. `auth`
    is a pair of name and password. Redirects are followed, each checked anew, unless `follow` is false; `timeout`
    is for all of it, in seconds. Raises `PermissionDenied` and the exceptions of `requests`.
    """
    body, kind = _body(data, json)
    implied = {"Content-Type": kind, "Authorization": _basic(auth)}
    sent = merged({name: value for name, value in implied.items() if value is not None}, headers)
    began = time.perf_counter()
    try:
        answer = gate.ask(
            Fetch,
            method=text(method).upper(),
            url=with_query(text(url), params),
            headers=sent,
            body=body,
            timeout_s=_seconds(timeout),
            follow=bool(follow),
        )
    except HostError as error:
        raise standing_for(
            error.record, _ERRORS.get(error.record.code, RequestException)(error.record.message)
        ) from None
    return Response(gate.decode_response(answer), time.perf_counter() - began)


def _body(data: Any, json: Json) -> tuple[bytes, str | None]:
    """The body and the content type that it implies."""
    if json is not None and data is None:
        return json_format.dumps(json, allow_nan=False).encode(), "application/json"
    if data is None:
        return b"", None
    if hasattr(data, "read"):
        data = data.read()
    if isinstance(data, str):
        return str.__str__(data).encode(), None
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data), None
    return form(data).encode(), _FORM


def _basic(auth: Credentials | None) -> str | None:
    """The header of a name and a password."""
    if auth is None:
        return None
    name, password = auth
    return "Basic " + base64.b64encode(f"{text(name)}:{text(password)}".encode()).decode()


def _seconds(timeout: Timeout) -> float | None:
    """All seconds of a timeout: a number, or a pair for connecting and reading."""
    if timeout is None:
        return None
    if isinstance(timeout, list | tuple):
        parts = [float(part) for part in timeout if part is not None]
        return sum(parts) if parts else None
    return float(timeout)


def install() -> None:
    """Seal the classes; let scripts set a response's `encoding`."""
    seal_class(Response)
    seal_class(Headers)
    ownership.add_writable(Response)
