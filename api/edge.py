"""The edge of the server: what of HTTP comes in and goes out before any route.

Owns the bounds on a request's head, and that a long answer leaves room for others. Must not know routes.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.errors import HeadersTooLarge
from api.problems import problem_response

MAX_HEAD = 1 << 16
MAX_HEADERS = 200
MAX_AHEAD = 32
"""Requests that a client may send before the first of them is answered."""
LINGER_S = 1.0
"""Until a refused connection is closed: closed at once, it would take the answer with it."""


class Edge:
    """ASGI around the application: after each piece of an answer the event loop goes on.

    A piece may go out without waiting, so that a long answer would keep the loop from noticing that its client left.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def yielding(message: Message) -> None:
            await send(message)
            if message.get("more_body"):
                await asyncio.sleep(0)

        await self._app(scope, receive, yielding)


class Protocol(HttpToolsProtocol):
    """HTTP of one connection, whose requests have at most `MAX_HEADERS` headers, and `MAX_HEAD` bytes before the body.

    What is longer is answered 431 as soon as it is seen; nothing more is read, and the connection is closed. So it is,
    without an answer, when more than `MAX_AHEAD` requests wait for theirs.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._arrived = 0
        self._head = 0
        self._refused = False

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client; a head that does not end is counted as it comes."""
        if self._refused:
            return
        if self._in_head:
            self._arrived += len(data)
        if self._in_head and self._arrived > MAX_HEAD + len(data):
            self._refuse()
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        if len(self.pipeline) >= MAX_AHEAD:
            self._refused = True
            self.transport.close()
            raise ConnectionAbortedError("the parser stops here")
        super().on_message_begin()
        self._in_head, self._arrived, self._head = True, 0, 0

    def on_url(self, url: bytes) -> None:
        """A part of the address."""
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def on_headers_complete(self) -> None:
        """The body follows."""
        self._in_head = False
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed, or was not parsed on because it is too large."""
        if self._refused:
            return
        if self._over():
            self._refuse()
        else:
            super().send_400_response(msg)

    def _count(self, size: int) -> None:
        self._head += size
        if self._over():
            raise HeadersTooLarge("the parser stops here")

    def _over(self) -> bool:
        return self._head > MAX_HEAD or len(self.headers or ()) > MAX_HEADERS

    def _refuse(self) -> None:
        answer = problem_response(
            HeadersTooLarge(
                f"a request has at most {MAX_HEADERS} headers, and {MAX_HEAD} bytes of address and headers"
            ),
            {"Connection": "close"},
        )
        status = HTTPStatus(answer.status_code)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
        lines += [name + b": " + value for name, value in answer.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.write_eof()
        self._refused = True
        self.loop.call_later(LINGER_S, self.transport.close)
