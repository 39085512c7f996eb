"""The edge of the server: what of HTTP comes in and goes out before any route.

Owns the bounds on a request's head, on connections and on the time that a client takes, and that a long answer leaves
room for others. Must not know routes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, NoReturn

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.errors import CodingNotServed, HeadersTooLarge, MalformedRequest, RequestTimeout
from api.http.problems import problem_response
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

    What is longer is answered 431 as soon as it is seen, and what others could take for something else than this server
    400 or 501; nothing more is read, and the connection is closed. So it is, without an answer, when more than
    `MAX_AHEAD` requests wait for theirs, or more than `connections` are open.

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
        self._why: KernelgateError | None = None
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
        """The body follows. Whose length is not clear is not read: who stands between may see another request in it."""
        unclear = _unclear(self.headers, self.parser.get_http_version(), self.parser.should_upgrade())
        if unclear is not None:
            self._stop(unclear)
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
        self._in_head = True
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
        """Answer what cannot be parsed, or was not parsed on: then `_why` says what is wrong with it."""
        if not self._refused:
            self._refuse(self._why or MalformedRequest("what came is not a request of HTTP/1.1"))

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > MAX_HEAD or len(self.headers) > MAX_HEADERS:
            self._stop(_too_large())

    def _stop(self, error: KernelgateError) -> NoReturn:
        """In a call of the parser's: let it stop, and have `send_400_response` called."""
        self._why = error
        raise error

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
        else:
            self._refuse(
                RequestTimeout(
                    f"a request's head has {self._patience_s:g} s, its body brings {LEAST_RATE} bytes a second"
                )
            )

    def _await_reader(self, waits: bool) -> None:
        if self._writing is not None:
            self._writing.cancel()
        self._writing = self.loop.call_later(self._patience_s, self.transport.abort) if waits else None

    def _refuse(self, error: KernelgateError) -> None:
        """Read no more, answer if what is written now is the answer to the request in hand, and close."""
        self._await_nothing()
        self._refused = True
        if not self._answerable():
            self.transport.abort()
            return
        if not self._in_head:
            self.cycle.disconnected = True  # as its route is told
            self.cycle.message_event.set()
        answer = problem_response(error, {"Connection": "close"})
        status = HTTPStatus(answer.status_code)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
        lines += [name + b": " + value for name, value in answer.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(LINGER_S, self.transport.close)

    def _answerable(self) -> bool:
        """Whether no answer is begun, nor owed to an earlier request, for which the client would take this one."""
        if self._in_head:
            return self.cycle is None or self.cycle.response_complete
        return not self.pipeline and not self.cycle.response_started


def _unclear(
    headers: Sequence[tuple[bytes, bytes]], version: str, upgrades: bool
) -> MalformedRequest | CodingNotServed | None:
    """Why the end of a request with this head cannot be told for sure (RFC 9112, sections 3.2 and 6.1); None if it can.

    The parser refuses the rest of what is not clear: two lengths, a length beside a coding, folded lines, bare LF.
    """
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    codings = [value.strip().lower() for value in values.get(b"transfer-encoding", [])]
    if codings not in ([], [b"chunked"]):
        return CodingNotServed(
            f"the transfer coding {b', '.join(codings).decode('latin-1')!r:.80} is not read",
            hint="Send the body as it is, or chunked.",
        )
    if codings and version != "1.1":
        return MalformedRequest(f"there are no transfer codings in HTTP/{version}")
    if upgrades and (codings or values.get(b"content-length", [b"0"]) != [b"0"]):
        return CodingNotServed(
            "a request with a body cannot ask for another protocol", hint="Leave the header Upgrade out."
        )
    hosts = len(values.get(b"host", []))
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        return MalformedRequest("a request has one header Host")
    return None


def _too_large() -> HeadersTooLarge:
    return HeadersTooLarge(
        f"a request has at most {MAX_HEADERS} headers, and {MAX_HEAD} bytes of address and headers"
    )
