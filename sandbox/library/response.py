"""`Response`: what comes back from the gate of HTTP, called as `requests` and `httpx` call it.

Owns the object, and the exceptions of both. Must not know how a request is made.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Literal, Self, overload

from ops.loose import Json, Option
from sandbox.gates.frames import FetchResponse
from sandbox.library.headers import Headers
from sandbox.policy.whole import Whole


class RequestException(OSError):
    """A request failed. `response` is set once there is one."""

    def __init__(self, *args: object, response: Response | None = None) -> None:
        super().__init__(*args)
        self.response = response


class HTTPError(RequestException):
    """`raise_for_status` met a status of 400 or more."""


class ConnectionError(RequestException):
    """The other side could not be reached, or does not speak HTTP properly."""


class Timeout(RequestException):
    """The response was not complete in time."""


class ReadTimeout(Timeout):
    """The same: who was slow is not known."""


class InvalidURL(RequestException, ValueError):
    """No grant opens this: a malformed URL or header, another scheme, an address that is not public."""


class TooManyRedirects(RequestException):
    """The request, its response, or the number of redirects is over a limit."""


class JSONDecodeError(RequestException, json.JSONDecodeError):
    """The body is not JSON."""


class Redirect(Whole):
    """A response on the way: only its URL is known."""

    __slots__ = ("url",)

    def __init__(self, url: str) -> None:
        self.url = url

    def __repr__(self) -> str:
        return f"<Redirect from {self.url!r}>"


class Response(Whole):
    """A whole response. `encoding` is what `text` is decoded by; a script may set it."""

    __slots__ = ("_answer", "_seconds", "encoding")

    def __init__(self, answer: Any, seconds: float = 0.0) -> None:
        if not isinstance(answer, FetchResponse):
            raise TypeError("a response comes from a request")
        self._answer = answer
        self._seconds = seconds
        self.encoding: str | None = _charset(self.headers.get("content-type", ""))

    @property
    def status_code(self) -> int:
        """The status."""
        return self._answer.status

    @property
    def reason(self) -> str:
        """The words beside the status."""
        return self._answer.reason

    reason_phrase = reason

    @property
    def url(self) -> str:
        """Where it came from, after all redirects."""
        return self._answer.url

    @property
    def headers(self) -> Headers:
        """Its headers; their names have no case."""
        return Headers(self._answer.headers)

    @property
    def history(self) -> list[Redirect]:
        """The redirects before it, oldest first."""
        return [Redirect(url) for url in self._answer.history]

    @property
    def elapsed(self) -> timedelta:
        """The time from request to response."""
        return timedelta(seconds=self._seconds)

    @property
    def ok(self) -> bool:
        """Whether the status is below 400."""
        return self.status_code < 400

    @property
    def is_success(self) -> bool:
        """Whether the status is in the two hundreds."""
        return 200 <= self.status_code < 300

    @property
    def is_error(self) -> bool:
        """Whether the status is 400 or more."""
        return not self.ok

    @property
    def is_redirect(self) -> bool:
        """Whether it leads elsewhere."""
        return 300 <= self.status_code < 400 and "location" in self.headers

    @property
    def content(self) -> bytes:
        """The body."""
        return self._answer.body

    @property
    def text(self) -> str:
        """The body as text; what cannot be decoded is replaced."""
        try:
            return str(self._answer.body, self.encoding or "utf-8", "replace")
        except LookupError:
            return str(self._answer.body, "utf-8", "replace")

    def json(self, **options: Option) -> Json:
        """The body as JSON. Raises `JSONDecodeError`, which is a ValueError."""
        try:
            return json.loads(self._answer.body, **options)
        except json.JSONDecodeError as error:
            raise JSONDecodeError(error.msg, error.doc, error.pos) from None

    def iter_bytes(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """The body in pieces."""
        size = int(chunk_size or 65536)
        if size < 1:
            raise ValueError("chunk_size must be positive")
        body = self._answer.body
        return iter([body[start : start + size] for start in range(0, len(body), size)])

    iter_content = iter_bytes

    def iter_text(self, chunk_size: int | None = None) -> Iterator[str]:
        """The text in pieces."""
        size, text = int(chunk_size or 65536), self.text
        return iter([text[start : start + size] for start in range(0, len(text), size)])

    @overload
    def iter_lines(self, decode_unicode: Literal[False] = False) -> Iterator[bytes]: ...

    @overload
    def iter_lines(self, decode_unicode: Literal[True]) -> Iterator[str]: ...

    def iter_lines(self, decode_unicode: bool = False) -> Iterator[str] | Iterator[bytes]:
        """The lines of the body, as bytes unless they are to be decoded."""
        return iter(self.text.splitlines()) if decode_unicode else iter(self._answer.body.splitlines())

    def raise_for_status(self) -> Response:
        """The response itself. Raises `HTTPError` when its status is 400 or more."""
        if self.ok:
            return self
        whose = "Client" if self.status_code < 500 else "Server"
        raise HTTPError(f"{self.status_code} {whose} Error: {self.reason} for url: {self.url}", response=self)

    def read(self) -> bytes:
        """The body."""
        return self._answer.body

    def close(self) -> None:
        """Nothing to do: the response is whole."""

    def __bool__(self) -> bool:
        return self.ok

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"<Response [{self.status_code}]>"


def _charset(content_type: str) -> str | None:
    """The encoding that a content type names, when it is a known one."""
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            try:
                return codecs.lookup(value.strip(" '\"")).name
            except (LookupError, ValueError):
                return None
    return None
