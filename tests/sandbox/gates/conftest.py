"""A small internet on loopback: names and addresses of our choice, a public server and an internal one.

The internal server stands for everything that is not public: each connection to it is a leak.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpcore2
import pytest

from sandbox.gates.fetch import FetchEvent, FetchGate, FetchLimits, Secret
from sandbox.gates.frames import Fetch, FetchResponse
from sandbox.gates.grants import Grants, parse
from shaders.errors import KernelgateError
from tests.sandbox.website import Unsecured

T = TypeVar("T")
PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:2800:220:1::1"
NAMES: dict[str, list[str]] = {
    "public.test": [PUBLIC],
    "other.test": [PUBLIC],
    "a.ok.test": [PUBLIC],
    "six.test": [PUBLIC_6],
    "dead.test": ["93.184.216.99", PUBLIC],
    "none.test": [],
    "xn--bcher-kva.test": [PUBLIC],
    "private.test": ["127.0.0.1"],
    "localhost": ["127.0.0.1"],
    "ten.test": ["10.0.0.5"],
    "meta.test": ["169.254.169.254"],
    "cgnat.test": ["100.64.0.1"],
    "mixed.test": [PUBLIC, "127.0.0.1"],
    "v6loop.test": ["::1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "mappedpublic.test": [f"::ffff:{PUBLIC}"],
    "compatible.test": ["::127.0.0.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "nat64local.test": ["64:ff9b:1::7f00:1"],
    "sixto4.test": ["2002:7f00:1::1"],
    "teredo.test": ["2001:0:7f00:1::1"],
    "sitelocal.test": ["fec0::1"],
    "linklocal6.test": ["fe80::1%lo"],
    "zero.test": ["0.0.0.0"],
    "zeronet.test": ["0.1.2.3"],
    "unspecified.test": ["::"],
    "bcast.test": ["255.255.255.255"],
    "multicast.test": ["224.0.0.251"],
    "ula.test": ["fd00::1"],
    "awsmeta6.test": ["fd00:ec2::254"],
    "azure.test": ["168.63.129.16"],
    "oracle.test": ["192.0.0.192"],
    "alibaba.test": ["100.100.100.200"],
    "bench.test": ["198.18.0.1"],
    "ietf.test": ["192.0.0.8"],
    "docs.test": ["203.0.113.7"],
    "docs6.test": ["2001:db8::1"],
    "unassigned6.test": ["4000::1"],
    "junk.test": ["not an address"],
}


@dataclass
class Seen:
    """One request that the public server got."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Result:
    """What became of one request: an answer or an error's code, what was reported, and what was reached."""

    response: FetchResponse | None
    error: KernelgateError | None
    events: list[FetchEvent]
    seen: list[Seen]
    leaks: int

    @property
    def outcome(self) -> str:
        return "ok" if self.error is None else self.error.code


def reply(body: bytes = b"ok", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def raw_deflate(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coder.compress(data) + coder.flush()


BOMB = gzip.compress(bytes(64 << 20), 1)
PAGES: dict[str, bytes] = {
    "/": reply(b"ok", "200 OK", "Set-Cookie: a=b", "X-Thing: 1"),
    "/missing": reply(b"none", "404 Not Found"),
    "/gzip": reply(gzip.compress(b"text" * 100), "200 OK", "Content-Encoding: gzip"),
    "/members": reply(
        gzip.compress(b"one") + gzip.compress(b"two") + bytes(8), "200 OK", "Content-Encoding: gzip"
    ),
    "/deflate": reply(zlib.compress(b"text" * 100), "200 OK", "Content-Encoding: deflate"),
    "/rawdeflate": reply(raw_deflate(b"text" * 100), "200 OK", "Content-Encoding: deflate"),
    "/chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    "/bomb": reply(BOMB, "200 OK", "Content-Encoding: gzip"),
    "/bombinbomb": reply(gzip.compress(BOMB), "200 OK", "Content-Encoding: gzip, gzip"),
    "/cutgzip": reply(gzip.compress(b"text" * 100)[:-12], "200 OK", "Content-Encoding: gzip"),
    "/notgzip": reply(b"plain", "200 OK", "Content-Encoding: gzip"),
    "/brotli": reply(b"\x8b\x00\x80a\x03", "200 OK", "Content-Encoding: br"),
    "/big": reply(bytes(3 << 20)),
    "/claims": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc",
    "/hugeheader": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000 + b"\r\nContent-Length: 0\r\n\r\n",
    "/largeheader": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\nContent-Length: 0\r\n\r\n",
    "/manyheaders": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 50_000 + b"Content-Length: 0\r\n\r\n",
    "/hundreds": b"HTTP/1.1 103 Early\r\n\r\n" * 400_000,
    "/switch": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nraw",
    "/http09": b"just text, as in 1991\r\n",
    "/garbage": b"\x00\xff\xfe" * 100,
    "/status": b"HTTP/1.1 99999 NO\r\n\r\n",
    "/badchunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n",
    "/hugechunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc",
    "/negativechunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
    "/crumbs": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1\r\nx\r\n" * 200_000
    + b"0\r\n\r\n",
    "/twolengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nokokok",
    "/negativelength": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok",
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "/nothing": b"",
    "/trailers": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    + b"A: b\r\n" * 50_000,
    "/chunkext": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"a" * 300_000 + b"\r\nx\r\n",
    "/emptyblocks": reply(
        b"\x78\x9c" + b"\x00\x00\x00\xff\xff" * 100_000, "200 OK", "Content-Encoding: deflate"
    ),
    "/nolength": b"HTTP/1.1 200 OK\r\n\r\n" + bytes(3 << 20),
    "/nulheader": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
    "/dictionary": reply(b"\x78\xbb\x00\x00\x00\x01abc", "200 OK", "Content-Encoding: deflate"),
    "/twolocations": reply(
        b"", "302 Found", "Location: http://public.test/", "Location: http://private.test/"
    ),
    "/loop": reply(b"", "302 Found", "Location: /loop"),
    "/pingpong": reply(b"", "302 Found", "Location: http://other.test/pingpong"),
    "/nolocation": reply(b"odd", "302 Found"),
    "/relative": reply(b"", "302 Found", "Location: chunked"),
    "/303": reply(b"", "303 See Other", "Location: /"),
    "/307": reply(b"", "307 Temporary Redirect", "Location: /"),
    "/302": reply(b"", "302 Found", "Location: /"),
    "/away": reply(b"", "307 Temporary Redirect", "Location: http://other.test/"),
    "/awaytls": reply(b"", "307 Temporary Redirect", "Location: https://other.test/"),
    "/detour": reply(b"", "307 Temporary Redirect", "Location: https://other.test/back"),
    "/back": reply(b"", "307 Temporary Redirect", "Location: https://public.test/"),
    "/echo": reply(b'{"authorization": "Bearer s3cret-and-long"}'),
    "/echogzip": reply(gzip.compress(b"you sent s3cret-and-long"), "200 OK", "Content-Encoding: gzip"),
    "/echoheader": reply(b"", "200 OK", "X-Yours: s3cret-and-long"),
    "/echoreason": reply(b"", "200 s3cret-and-long"),
    "/echolocation": reply(b"", "302 Found", "Location: s3cret-and-long://other.test/?k=s3cret-and-long"),
    "/echobroken": b"HTTP/1.1 200 OK\r\ns3cret-and-long : \0\r\n\r\n",
    "/downgrade": reply(b"", "307 Temporary Redirect", "Location: http://public.test/"),
}


@dataclass
class Internet:
    """Both servers, while `run` runs. `leaks` counts connections to the internal one."""

    seen: list[Seen] = field(default_factory=list)
    leaks: int = 0
    connections: int = 0
    active: int = 0
    most_active: int = 0
    lookups: dict[str, int] = field(default_factory=dict)
    _ports: dict[str, int] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def run(self, scenario: Callable[[], Awaitable[T]]) -> T:
        """Runs `scenario` with the servers up, for at most 20 seconds."""

        async def main() -> T:
            public = await asyncio.start_server(self._serve_public, "127.0.0.1", 0)
            internal = await asyncio.start_server(self._serve_internal, "127.0.0.1", 0)
            self._ports = {
                "public": public.sockets[0].getsockname()[1],
                "internal": internal.sockets[0].getsockname()[1],
            }
            try:
                async with asyncio.timeout(20):
                    return await scenario()
            finally:
                public.close()
                internal.close()
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

        return asyncio.run(main())

    def gate(self, grants: Grants, secrets: dict[str, Secret] | None = None, **options: Any) -> FetchGate:
        """A gate whose network is this one."""
        return FetchGate(grants.fetch, secrets, resolve=self.resolve, connect=self.connect, **options)

    def fetch(
        self,
        url: str,
        grants: object,
        *,
        limits: FetchLimits | None = None,
        secrets: dict[str, Secret] | None = None,
        **request: Any,
    ) -> Result:
        """One request through a gate of its own."""
        events: list[FetchEvent] = []

        async def scenario() -> Result:
            gate = self.gate(parse(grants), secrets, limits=limits, on_event=events.append)
            response, error = None, None
            try:
                response = await gate.fetch(Fetch(1, request.pop("method", "GET"), url, **request))
            except KernelgateError as failure:
                error = failure
            finally:
                await gate.close()
            return Result(response, error, events, self.seen, self.leaks)

        return self.run(scenario)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups[host] = self.lookups.get(host, 0) + 1
        if host == "rebind.test":
            return [PUBLIC] if self.lookups[host] == 1 else ["127.0.0.1"]
        if host in NAMES:
            return NAMES[host]
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [str(address[0]) for *_, address in found]

    async def connect(self, address: str, port: int) -> httpcore2.AsyncNetworkStream:
        if address == "93.184.216.99":
            raise OSError("unreachable")
        public = address in (PUBLIC, PUBLIC_6)
        self.connections += public
        self.leaks += not public
        where = self._ports["public" if public else "internal"]
        return Unsecured(await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", where, timeout=60))

    async def _serve_internal(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.leaks += 1
        writer.write(reply(b"SECRET"))
        writer.close()

    async def _serve_public(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = [line.split(": ", 1) for line in head[1:] if line]
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.seen.append(Seen(method, path, headers, body))
        self.active += 1
        self.most_active = max(self.active, self.most_active)
        try:
            return await self._answer(path, method, writer)
        finally:
            self.active -= 1

    async def _answer(self, path: str, method: str, writer: asyncio.StreamWriter) -> bool:
        if path.startswith("/to/"):
            writer.write(reply(b"", "302 Found", f"Location: {path[4:]}"))
        elif path in ("/stall", "/drip"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            await self._trickle(writer if path == "/drip" else None)
        elif path == "/silent":
            await self._trickle(None)
        elif path == "/wait":
            for _ in range(50):
                await asyncio.sleep(0)
            writer.write(reply())
        else:
            page = PAGES[path]
            writer.write(page.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == "HEAD" else page)
        await writer.drain()
        return path == "/" or path == "/wait"

    async def _trickle(self, writer: asyncio.StreamWriter | None) -> None:
        """Nothing, or a byte every 20 ms, for at most 10 s."""
        never = asyncio.Event()
        for _ in range(500):
            try:
                await asyncio.wait_for(never.wait(), 0.02)
            except TimeoutError:
                if writer is not None:
                    writer.write(b"x")
                    await writer.drain()


@pytest.fixture
def internet() -> Internet:
    return Internet()
