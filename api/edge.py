"""The edge of the server: what of HTTP comes in and goes out before any route.

Owns the bounds on a request's head, on connections and on the time that a client takes, and that a long answer leaves
room for others. Must not know routes.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.errors import HeadersTooLarge, RequestTimeout
from api.problems import problem_response
from shaders.errors import KernelgateError

MAX_HEAD = 1 << 16
MAX_HEADERS = 200
MAX_AHEAD = 32
"""Requests that a client may send before the first of them is answered."""
LEAST_RATE = 1024
"""Bytes a second of a body, below which its client is given up."""
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
    without an answer, when more than `MAX_AHEAD` requests wait for theirs, or more than `connections` are open.

    A head must be there within `patience_s`, of a body `LEAST_RATE` bytes a second in any such time, or the answer is
    408. A client that takes nothing of an answer for so long is left. Time in which the server does not read is not
    the client's.
    """

    def __init__(self, *args: Any, patience_s: float, connections: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._patience_s = patience_s
        self._most = connections
        self._in_head = True
        self._arrived = 0
        self._head = 0
        self._body = 0
        self._refused = False
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            transport.abort()
        else:
            self._await_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._await_nothing()
        self._await_reader(False)
        self._unset_keepalive_if_required()  # uvicorn itself does not where the connection broke, and keeps it all
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client; a head that does not end is counted as it comes."""
        if self._refused:
            return
        if self._in_head:
            self._arrived += len(data)
        if self._in_head and self._arrived > MAX_HEAD + len(data):
            self._refuse(_too_large())
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        if len(self.pipeline) >= MAX_AHEAD:
            self._refused = True
            self.transport.close()
            raise ConnectionAbortedError("the parser stops here")
        super().on_message_begin()
        self._in_head, self._arrived, self._head, self._body = True, 0, 0, 0
        self._await_more()

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
        self._await_more()

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._await_nothing()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client does not take what is sent."""
        super().pause_writing()
        self._await_reader(True)

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        self._await_reader(False)

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed, or was not parsed on because it is too large."""
        self._await_nothing()
        if self._refused:
            return
        if self._over():
            self._refuse(_too_large())
        else:
            super().send_400_response(msg)

    def _count(self, size: int) -> None:
        self._head += size
        if self._over():
            raise HeadersTooLarge("the parser stops here")

    def _over(self) -> bool:
        return self._head > MAX_HEAD or len(self.headers or ()) > MAX_HEADERS

    # ------------------------------------------------------------------ time
    def _await_more(self) -> None:
        self._await_nothing()
        self._reading = self.loop.call_later(self._patience_s, self._late)

    def _await_nothing(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _late(self) -> None:
        """The head is not there, or too little came of the body."""
        came, self._body = self._body, 0
        if self.flow.read_paused or (not self._in_head and came >= LEAST_RATE * self._patience_s):
            self._await_more()
        elif self._in_head or not self.cycle.response_started:
            if not self._in_head:
                self.cycle.disconnected = True  # as its route is told
                self.cycle.message_event.set()
            self._refuse(
                RequestTimeout(
                    f"a request's head has {self._patience_s:g} s, its body brings {LEAST_RATE} bytes a second"
                )
            )
        else:
            self.transport.abort()

    def _await_reader(self, waits: bool) -> None:
        if self._writing is not None:
            self._writing.cancel()
        self._writing = self.loop.call_later(self._patience_s, self.transport.abort) if waits else None

    def _refuse(self, error: KernelgateError) -> None:
        """Answer, read no more, and close."""
        self._await_nothing()
        answer = problem_response(error, {"Connection": "close"})
        status = HTTPStatus(answer.status_code)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
        lines += [name + b": " + value for name, value in answer.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._refused = True
        self.loop.call_later(LINGER_S, self.transport.close)


def _too_large() -> HeadersTooLarge:
    return HeadersTooLarge(
        f"a request has at most {MAX_HEADERS} headers, and {MAX_HEAD} bytes of address and headers"
    )
