"""`import requests`: its names for `fetch`.

Owns the module's functions and `Session`. Must not know how a request is made.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from sandbox.library import response
from sandbox.library.fetch import fetch
from sandbox.library.headers import Headers, merged, with_query
from sandbox.library.response import Response
from sandbox.policy import ownership, views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

VERBS = ("get", "head", "options", "post", "put", "patch", "delete")


def request(
    method: str,
    url: Any,
    *,
    params: Any = None,
    data: Any = None,
    json: Any = None,
    headers: Any = None,
    auth: Any = None,
    timeout: Any = None,
    allow_redirects: bool = True,
    stream: bool = False,
    verify: bool = True,
) -> Response:
    """`requests.request`. The response is whole whether or not `stream` is asked; certificates are always checked."""
    if verify is not True:
        raise ValueError("certificates are always verified")
    return fetch(
        url,
        method,
        headers=headers,
        params=params,
        json=json,
        data=data,
        timeout=timeout,
        auth=auth,
        follow=allow_redirects,
    )


def _verb(method: str, send: Callable[..., Response]) -> Callable[..., Response]:
    """`requests.get` and its like: POST, PUT and PATCH take `data` and `json` by position, GET `params`."""

    def call(url: Any, *args: Any, **options: Any) -> Response:
        names = ("params",) if method == "get" else ("data", "json") if method == "post" else ("data",)
        if len(args) > len(names):
            raise TypeError(f"{method}() takes at most {1 + len(names)} arguments by position")
        options.setdefault("allow_redirects", method != "head")
        return send(method, url, **dict(zip(names, args, strict=False)), **options)

    call.__name__ = call.__qualname__ = method
    return call


class Session(Whole):
    """Headers, parameters and credentials for several requests. There are no cookies."""

    __slots__ = ("auth", "headers", "params")

    def __init__(self) -> None:
        self.headers: Any = Headers()
        self.params: Any = {}
        self.auth: Any = None

    def request(self, method: str, url: Any, **options: Any) -> Response:
        """A request with what the session has, and what the call says instead."""
        options["headers"] = merged(self.headers, options.get("headers"))
        options.setdefault("auth", self.auth)
        return request(method, with_query(str(url), self.params), **options)

    def get(self, url: Any, *args: Any, **options: Any) -> Response:
        """GET."""
        return _verb("get", self.request)(url, *args, **options)

    def head(self, url: Any, **options: Any) -> Response:
        """HEAD."""
        return _verb("head", self.request)(url, **options)

    def options(self, url: Any, **options: Any) -> Response:
        """OPTIONS."""
        return _verb("options", self.request)(url, **options)

    def post(self, url: Any, *args: Any, **options: Any) -> Response:
        """POST."""
        return _verb("post", self.request)(url, *args, **options)

    def put(self, url: Any, *args: Any, **options: Any) -> Response:
        """PUT."""
        return _verb("put", self.request)(url, *args, **options)

    def patch(self, url: Any, *args: Any, **options: Any) -> Response:
        """PATCH."""
        return _verb("patch", self.request)(url, *args, **options)

    def delete(self, url: Any, **options: Any) -> Response:
        """DELETE."""
        return _verb("delete", self.request)(url, **options)

    def close(self) -> None:
        """Nothing to do: connections are the host's."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_error: Any) -> None:
        pass


def _exceptions() -> dict[str, Any]:
    members: dict[str, Any] = {
        cls.__name__: cls
        for cls in vars(response).values()
        if isinstance(cls, type) and issubclass(cls, response.RequestException)
    }
    return {**members, "ConnectTimeout": response.ReadTimeout, "SSLError": response.ConnectionError}


def _members() -> dict[str, Any]:
    codes = {status.name.lower(): status.value for status in HTTPStatus}
    return {
        **{verb: _verb(verb, request) for verb in VERBS},
        **_exceptions(),
        "request": request,
        "Session": Session,
        "session": Session,
        "Response": Response,
        "codes": views.Namespace("requests.codes", codes),
    }


def install() -> None:
    """Provide `requests`; scripts may set a session's attributes."""
    seal_class(Session)
    ownership.add_writable(Session)
    views.provide("requests.exceptions", _exceptions)
    views.provide("requests", _members)
