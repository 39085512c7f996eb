"""Server-sent events: their text, the answer that streams them, and how many streams a key may have open.

Owns the format, the comments that keep a quiet stream alive, and the end of a stream whose client leaves, which is no
incident. Must not know runs.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from api.errors import TooManyStreams
from api.runs.events import Event

PING = b": ping\n\n"
PING_S = 15.0
PIECE = 1 << 18
"""Characters sent before it is seen whether the client reads."""


class Streams:
    """The open streams of each key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def opened(self, key: str) -> Iterator[None]:
        """Count a stream of `key` while the block lasts. Raises `TooManyStreams`."""
        if self._open[key] >= self._most:
            raise TooManyStreams(
                f"{self._most} event streams of this key are open, the most that it may have",
                hint="Close one, or poll GET /api/runs/{run_id}.",
            )
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]


class EventStream(Response):
    """The answer that sends pages of events as they come."""

    media_type = "text/event-stream"

    def __init__(self, pages: AsyncIterator[list[Event]], ping_s: float = PING_S) -> None:
        super().__init__(headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._pages = pages
        self._ping_s = ping_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the last page, or until the client leaves."""
        sending = asyncio.create_task(self._send(send))
        watching = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({sending, watching}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            sending.cancel()
            watching.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in self._pieces():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _pieces(self) -> AsyncIterator[bytes]:
        """The text of the stream, with a comment whenever nothing happened for a while."""
        page = asyncio.ensure_future(anext(self._pages, None))
        try:
            while True:
                await asyncio.wait({page}, timeout=self._ping_s)
                if not page.done():
                    yield PING
                    continue
                events = page.result()
                if events is None:
                    return
                text = "".join(map(text_of, events))
                for start in range(0, len(text), PIECE):
                    yield text[start : start + PIECE].encode()
                page = asyncio.ensure_future(anext(self._pages, None))
        finally:
            page.cancel()
            await asyncio.gather(page, return_exceptions=True)


def text_of(event: Event) -> str:
    """An event as it is sent. Its data is JSON, which has no line breaks."""
    return f"event: {event.type}\ndata: {event.data}\nid: {event.seq}\n\n"


async def _gone(receive: Receive) -> None:
    message: Any = None
    while message is None or message["type"] != "http.disconnect":
        message = await receive()
