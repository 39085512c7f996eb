"""The way from the gate to the network: resolve once, check every address, connect to a checked one.

Owns the seam where tests put a small internet of their own: `Resolve` and `Connect`. Must not know HTTP, or grants.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import httpcore2

from sandbox.gates.addresses import is_literal, is_own, special
from sandbox.gates.errors import FetchFailed, FetchLimit, FetchRefused

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Connect = Callable[[str, int], Awaitable[httpcore2.AsyncNetworkStream]]


class Network(NamedTuple):
    """How names are resolved, and addresses connected to."""

    resolve: Resolve
    connect: Connect


CONNECT_SECONDS = 5.0
ATTEMPTS = 4
_PUBLIC = (
    "No grant opens these: what listens there trusts whoever reaches it, and a script would reach it as the server. "
    "Give the run what it needs as an input."
)
READ_BYTES = 16 * 1024  # at once, so that parsing one read never holds up the server


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads of the resolver's own: a name server that stalls must not stall anything else."""
    return ThreadPoolExecutor(8, thread_name_prefix="resolve")


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of `host`, in the system's order of preference."""

    def look_up() -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [str(address[0]) for _, _, _, _, address in found]

    return await asyncio.get_running_loop().run_in_executor(_threads(), look_up)


async def system_connect(address: str, port: int) -> httpcore2.AsyncNetworkStream:
    """A connection to an address, never to a name."""
    return await httpcore2.AnyIOBackend().connect_tcp(address, port, timeout=CONNECT_SECONDS)


SYSTEM = Network(system_resolve, system_connect)


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to public addresses only; one address of a name that is not public denies the name.

    `allowance` bounds the bytes that a server may send before it has sent the headers of its response.
    """

    def __init__(self, resolve: Resolve, connect: Connect, allowance: int) -> None:
        self._resolve = resolve
        self._connect = connect
        self._allowance = allowance

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first reachable address of `host`; every one of them was checked."""
        for address in (await self._addresses(host, port))[:ATTEMPTS]:
            try:
                return Metered(await self._connect(address, port), self._allowance)
            except (OSError, httpcore2.NetworkError, httpcore2.TimeoutException):
                continue
        raise FetchFailed(
            f"no connection to {host} at port {port}",
            hint="Nothing listens there, or the server's machine cannot reach it: a proxy of its own is not used.",
        )

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            addresses = [host] if is_literal(host) else await self._resolve(host, port)
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise FetchFailed(
                f"the name {host} has no address",
                hint="The server's machine does not know it: check its spelling, and that machine's DNS.",
            )
        for address in addresses:
            if (reason := special(address)) is not None:
                raise FetchRefused(f"{host} leads to an address that is not public ({reason})", hint=_PUBLIC)
            if is_own(address):
                raise FetchRefused(f"{host} leads back to this machine", hint=_PUBLIC)
        return addresses


class Metered(httpcore2.AsyncNetworkStream):
    """A stream that may bring `allowance` bytes after each time that something was sent, and what `allow` adds."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, allowance: int) -> None:
        self._stream = stream
        self._allowance = allowance
        self._left = allowance

    def allow(self, count: int) -> None:
        """Lets `count` bytes more come before the next request."""
        self._left += count

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(min(max_bytes, READ_BYTES), timeout)
        self._left -= len(data)
        if self._left < 0:
            raise FetchLimit("the server sends far more than the headers and the body that it may send")
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._left = self._allowance
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return Metered(await self._stream.start_tls(ssl_context, server_hostname, timeout), self._allowance)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
