"""`import httpx`: its names for `fetch`.

Owns the module's functions and `Client`. Must not know how a request is made.
"""

from __future__ import annotations

from typing import Any, Self, TypedDict, Unpack

from ops.loose import Json
from sandbox.library import response
from sandbox.library.fetch import Content, Credentials, Timeout, fetch
from sandbox.library.headers import Headers, HeadersLike, Query, merged, with_query
from sandbox.library.response import Response
from sandbox.policy import views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

VERBS = ("get", "head", "options", "post", "put", "patch", "delete")
TIMEOUT_S = 5.0


def request(
    method: str,
    url: str,
    *,
    params: Query | None = None,
    content: Content | None = None,
    data: Content | None = None,
    json: Json = None,
    headers: HeadersLike | None = None,
    auth: Credentials | None = None,
    timeout: Timeout = TIMEOUT_S,
    follow_redirects: bool = False,
) -> Response:
    """`httpx.request`: redirects are followed only if asked, and five seconds are all unless more are asked."""
    return fetch(
        url,
        method,
        headers=headers,
        params=params,
        json=json,
        data=data if content is None else content,
        timeout=timeout,
        auth=auth,
        follow=follow_redirects,
    )


class Options(TypedDict, total=False):
    """What each verb takes by name."""

    params: Query | None
    content: Content | None
    data: Content | None
    json: Json
    headers: HeadersLike | None
    auth: Credentials | None
    timeout: Timeout
    follow_redirects: bool


class Client(Whole):
    """Headers, parameters and a base URL for several requests. There are no cookies."""

    __slots__ = ("_base", "_options", "_params", "headers")

    def __init__(
        self,
        *,
        base_url: str = "",
        headers: HeadersLike | None = None,
        params: Query | None = None,
        auth: Credentials | None = None,
        timeout: Timeout = TIMEOUT_S,
        follow_redirects: bool = False,
    ) -> None:
        self._base = str(base_url)
        self._params = params
        self._options: Options = {"auth": auth, "timeout": timeout, "follow_redirects": follow_redirects}
        self.headers: Headers = Headers(headers or ())

    def request(self, method: str, url: str, **options: Unpack[Options]) -> Response:
        """A request with what the client has, and what the call says instead."""
        chosen: Options = {**self._options, **options}
        chosen["headers"] = merged(self.headers, options.get("headers"))
        whole = with_query(self._joined(str(url)), self._params)
        return request(method, whole, **chosen)

    def get(self, url: str, **options: Unpack[Options]) -> Response:
        """GET."""
        return self.request("get", url, **options)

    def head(self, url: str, **options: Unpack[Options]) -> Response:
        """HEAD."""
        return self.request("head", url, **options)

    def options(self, url: str, **options: Unpack[Options]) -> Response:
        """OPTIONS."""
        return self.request("options", url, **options)

    def post(self, url: str, **options: Unpack[Options]) -> Response:
        """POST."""
        return self.request("post", url, **options)

    def put(self, url: str, **options: Unpack[Options]) -> Response:
        """PUT."""
        return self.request("put", url, **options)

    def patch(self, url: str, **options: Unpack[Options]) -> Response:
        """PATCH."""
        return self.request("patch", url, **options)

    def delete(self, url: str, **options: Unpack[Options]) -> Response:
        """DELETE."""
        return self.request("delete", url, **options)

    def close(self) -> None:
        """Nothing to do: connections are the host's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def _joined(self, url: str) -> str:
        """`url`, below the base URL unless it is a whole one."""
        if "://" in url or not self._base:
            return url
        return f"{self._base.rstrip('/')}/{url.lstrip('/')}" if url else self._base


def _members() -> dict[str, Any]:
    return {
        **{verb: getattr(Client(), verb) for verb in VERBS},
        "request": request,
        "Client": Client,
        "Response": Response,
        "HTTPError": response.RequestException,
        "RequestError": response.RequestException,
        "TransportError": response.RequestException,
        "HTTPStatusError": response.HTTPError,
        "ConnectError": response.ConnectionError,
        "TimeoutException": response.Timeout,
        "ConnectTimeout": response.ReadTimeout,
        "ReadTimeout": response.ReadTimeout,
        "TooManyRedirects": response.TooManyRedirects,
        "UnsupportedProtocol": response.InvalidURL,
        "InvalidURL": response.InvalidURL,
    }


def install() -> None:
    """Provide `httpx`."""
    seal_class(Client)
    views.provide("httpx", _members)
