"""`import httpx`: its names for `fetch`.

Owns the module's functions and `Client`. Must not know how a request is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.library import response
from sandbox.library.fetch import fetch
from sandbox.library.headers import Headers, merged, with_query
from sandbox.library.response import Response
from sandbox.policy import views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole

VERBS = ("get", "head", "options", "post", "put", "patch", "delete")
TIMEOUT_S = 5.0


def request(
    method: str,
    url: Any,
    *,
    params: Any = None,
    content: Any = None,
    data: Any = None,
    json: Any = None,
    headers: Any = None,
    auth: Any = None,
    timeout: Any = TIMEOUT_S,
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


def _verb(method: str) -> Callable[..., Response]:
    def call(url: Any, **options: Any) -> Response:
        return request(method, url, **options)

    call.__name__ = call.__qualname__ = method
    return call


class Client(Whole):
    """Headers, parameters and a base URL for several requests. There are no cookies."""

    __slots__ = ("_base", "_options", "headers")

    def __init__(
        self,
        *,
        base_url: Any = "",
        headers: Any = None,
        params: Any = None,
        auth: Any = None,
        timeout: Any = TIMEOUT_S,
        follow_redirects: bool = False,
    ) -> None:
        self._base = str(base_url)
        self._options = {
            "params": params,
            "auth": auth,
            "timeout": timeout,
            "follow_redirects": follow_redirects,
        }
        self.headers = Headers(headers or ())

    def request(self, method: str, url: Any, **options: Any) -> Response:
        """A request with what the client has, and what the call says instead."""
        common = dict(self._options)
        params = common.pop("params")
        options["headers"] = merged(self.headers, options.get("headers"))
        return request(method, with_query(self._joined(str(url)), params), **{**common, **options})

    def get(self, url: Any, **options: Any) -> Response:
        """GET."""
        return self.request("get", url, **options)

    def head(self, url: Any, **options: Any) -> Response:
        """HEAD."""
        return self.request("head", url, **options)

    def options(self, url: Any, **options: Any) -> Response:
        """OPTIONS."""
        return self.request("options", url, **options)

    def post(self, url: Any, **options: Any) -> Response:
        """POST."""
        return self.request("post", url, **options)

    def put(self, url: Any, **options: Any) -> Response:
        """PUT."""
        return self.request("put", url, **options)

    def patch(self, url: Any, **options: Any) -> Response:
        """PATCH."""
        return self.request("patch", url, **options)

    def delete(self, url: Any, **options: Any) -> Response:
        """DELETE."""
        return self.request("delete", url, **options)

    def close(self) -> None:
        """Nothing to do: connections are the host's."""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: Any) -> None:
        pass

    def _joined(self, url: str) -> str:
        """`url`, below the base URL unless it is a whole one."""
        if "://" in url or not self._base:
            return url
        return f"{self._base.rstrip('/')}/{url.lstrip('/')}" if url else self._base


def _members() -> dict[str, Any]:
    return {
        **{verb: _verb(verb) for verb in VERBS},
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
