"""`import requests`: its names for `fetch`.

Owns the module's functions and `Session`. Must not know how a request is made.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Self, TypedDict, Unpack

from ops.loose import Json
from sandbox.library import response
from sandbox.library.fetch import Content, Credentials, Timeout, fetch
from sandbox.library.headers import Headers, HeadersLike, Query, merged, with_query
from sandbox.library.response import Response
from sandbox.policy import ownership, views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

VERBS = ("get", "head", "options", "post", "put", "patch", "delete")


def request(
    method: str,
    url: str,
    *,
    params: Query | None = None,
    data: Content | None = None,
    json: Json = None,
    headers: HeadersLike | None = None,
    auth: Credentials | None = None,
    timeout: Timeout = None,
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


class Common(TypedDict, total=False):
    """What each verb takes by name."""

    headers: HeadersLike | None
    auth: Credentials | None
    timeout: Timeout
    allow_redirects: bool
    stream: bool
    verify: bool


class OfGet(Common, total=False):
    """What `get` takes by name alone."""

    data: Content | None
    json: Json


class OfPost(Common, total=False):
    """What `post` takes by name alone."""

    params: Query | None


class OfPut(OfPost, total=False):
    """What `put` and `patch` take by name alone."""

    json: Json


class Options(OfPut, total=False):
    """What the others take by name."""

    data: Content | None


class Session(Whole):
    """Headers, parameters and credentials for several requests. There are no cookies."""

    __slots__ = ("auth", "headers", "params")

    def __init__(self) -> None:
        self.headers: Headers = Headers()
        self.params: Query = {}
        self.auth: Credentials | None = None

    def request(self, method: str, url: str, **options: Unpack[Options]) -> Response:
        """A request with what the session has, and what the call says instead."""
        options["headers"] = merged(self.headers, options.get("headers"))
        options.setdefault("auth", self.auth)
        return request(method, with_query(str(url), self.params), **options)

    def get(self, url: str, params: Query | None = None, **options: Unpack[OfGet]) -> Response:
        """GET."""
        return self.request("get", url, params=params, **options)

    def head(self, url: str, **options: Unpack[Options]) -> Response:
        """HEAD; redirects are followed only if asked."""
        options.setdefault("allow_redirects", False)
        return self.request("head", url, **options)

    def options(self, url: str, **options: Unpack[Options]) -> Response:
        """OPTIONS."""
        return self.request("options", url, **options)

    def post(
        self, url: str, data: Content | None = None, json: Json = None, **options: Unpack[OfPost]
    ) -> Response:
        """POST."""
        return self.request("post", url, data=data, json=json, **options)

    def put(self, url: str, data: Content | None = None, **options: Unpack[OfPut]) -> Response:
        """PUT."""
        return self.request("put", url, data=data, **options)

    def patch(self, url: str, data: Content | None = None, **options: Unpack[OfPut]) -> Response:
        """PATCH."""
        return self.request("patch", url, data=data, **options)

    def delete(self, url: str, **options: Unpack[Options]) -> Response:
        """DELETE."""
        return self.request("delete", url, **options)

    def close(self) -> None:
        """Nothing to do: connections are the host's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
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
        **{verb: getattr(Session(), verb) for verb in VERBS},
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
