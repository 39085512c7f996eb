"""Errors as HTTP answers: RFC 9457 `application/problem+json`.

Owns the one table of codes and statuses, and the exception handlers. Must not know what raises an error.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from api.auth.scopes import addresses, methods_of
from api.errors import BodyTooLarge, InvalidRequest, MethodNotAllowed, NotFound, QuotaExceeded
from api.http.answers import json_response
from shaders.errors import ErrorRecord, KernelgateError
from shaders.suggestions import meant

log = logging.getLogger("kernelgate")

MEDIA_TYPE = "application/problem+json"
DEFAULT_STATUS = 422
UNKNOWN_FIELDS = "unknown_fields"
"""The type of pydantic's error for an object with unknown fields; its context names some of them, and has a hint."""
LEFT = 499
"""The status of a request whose client left: nobody sees it."""
STATUS = {
    "malformed_json": 400,
    "malformed_request": 400,
    "unauthorized": 401,
    "access_denied": 403,
    "admin_only": 403,
    "cross_site": 403,
    "file_refused": 403,
    "kernel_quarantined": 403,
    "permission_denied": 403,
    "scope_missing": 403,
    "script_denied": 422,
    "native_refused": 403,
    "file_not_found": 404,
    "not_found": 404,
    "run_not_found": 404,
    "key_not_found": 404,
    "kernel_not_found": 404,
    "quarantine_not_found": 404,
    "script_not_found": 404,
    "secret_not_found": 404,
    "session_not_found": 404,
    "tensor_not_found": 404,
    "unknown_op": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "cancelled": 409,
    "file_exists": 409,
    "file_is_folder": 409,
    "file_not_folder": 409,
    "folder_not_empty": 409,
    "idempotency_conflict": 409,
    "key_exists": 409,
    "name_reserved": 409,
    "session_busy": 409,
    "session_over": 410,
    "tensor_lost": 410,
    "tensor_replaced": 409,
    "body_too_large": 413,
    "host_not_allowed": 421,
    "unsupported_media_type": 415,
    "quota_exceeded": 429,
    "key_queue_full": 429,
    "too_many_sessions": 429,
    "too_many_streams": 429,
    "headers_too_large": 431,
    "internal": 500,
    "protocol": 500,
    "storage_error": 500,
    "blob_corrupt": 500,
    "coding_not_served": 501,
    "fetch_failed": 502,
    "adapter_not_found": 503,
    "device_failed": 503,
    "device_lost": 503,
    "device_restarted": 503,
    "device_unavailable": 503,
    "queue_full": 503,
    "server_restarted": 503,
    "server_stopping": 503,
    "storage_busy": 503,
    "stubs_unavailable": 503,
    "worker_crashed": 503,
    "device_timeout": 504,
    "fetch_timeout": 504,
    "device_out_of_memory": 507,
    "file_quota": 507,
    "storage_full": 507,
}
RESPONSE: dict[str, Any] = {
    "description": "a problem; `code` never changes its meaning",
    "content": {
        MEDIA_TYPE: {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail", "code"],
                "properties": {
                    "status": {"type": "integer"},
                    **{
                        name: {"type": "string"}
                        for name in ("type", "title", "detail", "code", "hint", "snippet")
                    },
                    **{name: {"type": "integer", "minimum": 1} for name in ("line", "column")},
                },
            }
        }
    },
}
HEADERS = {
    "unauthorized": {"WWW-Authenticate": 'Bearer realm="kernelgate"'},
    "queue_full": {"Retry-After": "1"},
    "session_busy": {"Retry-After": "1"},
    "too_many_sessions": {"Retry-After": "5"},
    "key_queue_full": {"Retry-After": "1"},
    "too_many_streams": {"Retry-After": "5"},
    "device_restarted": {"Retry-After": "1"},
    "device_unavailable": {"Retry-After": "5"},
    "server_stopping": {"Retry-After": "10"},
    "storage_busy": {"Retry-After": "5"},
}


def status_of(code: str) -> int:
    """The HTTP status of an error code; 422 for what is wrong with the user's text or values."""
    return STATUS.get(code, DEFAULT_STATUS)


def title_of(code: str) -> str:
    """What `code` means, in one line."""
    return KernelgateError.catalogue().get(code, KernelgateError).title


def problem(record: ErrorRecord) -> dict[str, Any]:
    """The problem document of an error: in an answer of its own, or as the `error` of a run."""
    document: dict[str, Any] = {
        "type": f"/docs#error-{record.code}",
        "title": title_of(record.code),
        "status": status_of(record.code),
        "detail": record.message,
        "code": record.code,
    }
    for name in ("hint", "line", "column", "snippet"):
        value = getattr(record, name)
        if value is not None:
            document[name] = value
    return document


def problem_response(error: KernelgateError, headers: dict[str, str] | None = None) -> Response:
    """The answer for `error`."""
    document = problem(error.record())
    told = {**HEADERS.get(error.code, {}), **_retry(error), **(headers or {})}
    return json_response(document, document["status"], told, MEDIA_TYPE)


def _retry(error: KernelgateError) -> dict[str, str]:
    """When a quota has some again; at least a second, since 0 is no wait."""
    if not isinstance(error, QuotaExceeded) or error.retry_after_s is None:
        return {}
    return {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}


def install(app: FastAPI) -> None:
    """Make every error of `app` a problem document."""
    app.add_exception_handler(KernelgateError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(Exception, _unexpected)


def _answer(request: Request, error: KernelgateError, headers: dict[str, str] | None = None) -> Response:
    """The answer for `error`; the request's state has its code as `problem`."""
    request.state.problem = error.code
    return problem_response(error, headers)


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, KernelgateError)
    if status_of(error.code) == 500:
        log.error("%s %s: %s: %s", request.method, request.url.path, error.code, error.message)
    return _answer(request, error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _answer(request, invalid(error.errors()))


def invalid(errors: Any) -> InvalidRequest:
    """The first of pydantic's errors as one that names the field."""
    first = errors[0]
    where = _where(first["loc"])
    if first["type"] == UNKNOWN_FIELDS:
        *others, last = [_where((*first["loc"], name)) for name in first["ctx"]["unknown"]]
        fields = f"{', '.join(others)} and {last} are not fields" if others else f"{last} is not a field"
        return InvalidRequest(f"{fields} of this request", hint=first["ctx"]["hint"])
    if first["type"] == "missing":
        return InvalidRequest(f"{where} is missing")
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{where}: {first['msg']}{more}")


def _where(path: Iterable[object]) -> str:
    """The path of a field; what the client called it is cut."""
    return ".".join(str(part)[:40] for part in path)[:80] or "the body"


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == 404:
        hint = meant(path, addresses(), "See /docs.")
        return _answer(request, NotFound(f"nothing is served at {path:.80}", hint=hint))
    if error.status_code == 405:
        taken = ", ".join(methods_of(path))
        hint = f"It takes {taken}." if taken else "See /docs."
        refused = MethodNotAllowed(f"{path:.80} does not take {request.method:.20}", hint=hint)
        return _answer(request, refused, {**(error.headers or {}), **({"Allow": taken} if taken else {})})
    if error.status_code == 413:
        return _answer(request, BodyTooLarge("the body is larger than this server takes"))
    return _answer(request, InvalidRequest(str(error.detail)))


async def _left(request: Request, error: Exception) -> Response:
    request.state.problem = "client_left"
    return Response(status_code=LEFT)


async def _unexpected(request: Request, error: Exception) -> Response:
    """Starlette raises `error` again after this: uvicorn logs its traceback and closes the connection."""
    incident = secrets.token_hex(4)
    log.error("%s %s: incident %s: %s", request.method, request.url.path, incident, type(error).__name__)
    return problem_response(
        KernelgateError(
            f"something failed inside the server; incident {incident} is in its log",
            hint="Report the incident's id to the server's owner.",
        ),
        {"Connection": "close"},
    )
