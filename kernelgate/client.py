"""`Client` and `AsyncClient`: a connection to one Kernelgate with one key.

Owns how requests are sent, by blocking or in an event loop, and the streams of events. What may be asked for is in
`kernelgate/calls.py`. Must not import the server's folders: it works where only the client is installed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import Any

import httpx2

from kernelgate.calls import Calls
from kernelgate.environment import DEFAULT_URL, default_key, default_url
from kernelgate.errors import NoServer
from kernelgate.jobs import at
from kernelgate.runs import Event, Follower
from kernelgate.session import AsyncSession, Session, opened
from kernelgate.steps import (
    Ask,
    Awaiting,
    Blocking,
    Pause,
    Step,
    Steps,
    T,
    checked,
    pause_after_break,
    retried,
)


def _address(url: str) -> str:
    """`url` without a slash at its end. Raises `ValueError` for what is no address of a server."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ValueError(f"{url!r} is no address: {error}") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(f"{url!r} is no address of a server, as {DEFAULT_URL} is: see KERNELGATE_URL")
    return url.rstrip("/")


class _Connection:
    """What both clients are: an address, a key, a patience."""

    def __init__(self, url: str | None, key: str | None, timeout: float, retries: int) -> None:
        self.url = _address(url or default_url())
        key = default_key() if key is None else key
        if key and not key.isascii():
            raise ValueError("a key has no characters beyond ASCII: see KERNELGATE_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout
        self._retries = retries
        self._options: dict[str, Any] = {"base_url": self.url, "headers": headers, "timeout": timeout}

    def _sent(self, ask: Ask) -> dict[str, Any]:
        return {
            "method": ask.method,
            "url": ask.path,
            "timeout": self._timeout + ask.wait,
            **ask.options,
        }

    def _nobody(self, error: httpx2.TransportError) -> NoServer:
        nobody = NoServer(self.url, error)
        nobody.__cause__ = error
        return nobody

    def _pause_before(self, attempt: int, error: httpx2.TransportError) -> float:
        """Seconds until a stream that broke is taken up again. Raises `NoServer` when that was tried enough."""
        if attempt >= self._retries:
            raise self._nobody(error)
        return pause_after_break(attempt)


class Client(Calls, _Connection, Blocking):
    """A connection that blocks. Use it as a context manager, or call `close`.

    `url` comes from KERNELGATE_URL (or KERNELGATE_PORT on loopback) and `key` from KERNELGATE_KEY, or from the
    `admin.key` of a server's data folder on this machine. `timeout` is in seconds and bounds each request beyond
    the time that it asks the server to wait. What can be done twice without harm is tried again, at most `retries`
    times, when the connection breaks, and when the server says when (`Retry-After`). `transport` replaces the network.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        super().__init__(url, key, timeout, retries)
        self._http = httpx2.Client(**self._options, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def drive(self, steps: Steps[T]) -> T:
        """Do `steps`, and return what they do."""
        tried = retried(steps, self._retries)
        answer = None
        while True:
            try:
                step = tried.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            answer = self._do(step)

    def _do(self, step: Step) -> httpx2.Response | NoServer | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            return self._http.request(**self._sent(step))
        except httpx2.TransportError as error:
            return self._nobody(error)

    def session(
        self,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        idle_s: float | None = None,
    ) -> Session:
        """A worker that keeps its variables from cell to cell. Use it as a context manager, or `close` it.

        `limits` are each cell's, but for memory and tensors; without a cell it ends after `idle_s` seconds.
        """
        return Session(self.drive(opened(limits, grants, idle_s)), self)

    def events(self, run_id: str, after: str | None = None) -> Iterator[Event]:
        """The run's events from the first (or after the one with id `after`) until it is over.

        A stream that breaks is taken up where it was.
        """
        follower, attempt = Follower(after), 0
        while True:
            seen = follower.after
            try:
                with self._http.stream(
                    "GET", f"{at('runs', run_id)}/events", headers=follower.headers
                ) as response:
                    if response.status_code >= 400:
                        response.read()
                    for line in checked(response).iter_lines():
                        yield from follower.feed(line)
                return
            except httpx2.TransportError as error:
                attempt = 0 if follower.after != seen else attempt + 1
                time.sleep(self._pause_before(attempt, error))


class AsyncClient(Calls, _Connection, Awaiting):
    """A connection for an event loop: the methods and arguments of `Client`, with `await`.

    Use it in `async with`, or `close` it.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(url, key, timeout, retries)
        self._http = httpx2.AsyncClient(**self._options, transport=transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def drive(self, steps: Steps[T]) -> T:
        """Do `steps`, and return what they do."""
        tried = retried(steps, self._retries)
        answer = None
        while True:
            try:
                step = tried.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            answer = await self._do(step)

    async def _do(self, step: Step) -> httpx2.Response | NoServer | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._http.request(**self._sent(step))
        except httpx2.TransportError as error:
            return self._nobody(error)

    async def session(
        self,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        idle_s: float | None = None,
    ) -> AsyncSession:
        """`Client.session`, as `async with await client.session() as session`."""
        return AsyncSession(await self.drive(opened(limits, grants, idle_s)), self)

    async def events(self, run_id: str, after: str | None = None) -> AsyncIterator[Event]:
        """`Client.events`, as `async for event in client.events(run_id)`."""
        follower, attempt = Follower(after), 0
        while True:
            seen = follower.after
            try:
                path = f"{at('runs', run_id)}/events"
                async with self._http.stream("GET", path, headers=follower.headers) as response:
                    if response.status_code >= 400:
                        await response.aread()
                    async for line in checked(response).aiter_lines():
                        for event in follower.feed(line):
                            yield event
                return
            except httpx2.TransportError as error:
                attempt = 0 if follower.after != seen else attempt + 1
                await asyncio.sleep(self._pause_before(attempt, error))
