"""A website on loopback under public names: what scripts under test may fetch."""

from __future__ import annotations

import json
import ssl
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpcore2

from sandbox.gates.network import Network

PUBLIC = "93.184.216.34"
NAMES = {"site.test": [PUBLIC], "other.test": [PUBLIC], "inner.test": ["127.0.0.1"]}
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/latin": (200, {"Content-Type": "text/plain; charset=latin-1"}, "é".encode("latin-1")),
    "/utf8": (200, {"Content-Type": "text/plain"}, "é\nline".encode()),
    "/odd": (200, {"Content-Type": "text/plain; charset=no-such"}, b"\xff"),
    "/list": (200, {"Content-Type": "application/json"}, b"[1, 2.5, null]"),
    "/notjson": (200, {"Content-Type": "application/json"}, b"<html>"),
    "/missing": (404, {}, b"nothing here"),
    "/broken": (500, {}, b"oh"),
    "/empty": (204, {}, b""),
    "/moved": (302, {"Location": "/echo?moved=1"}, b""),
    "/away": (302, {"Location": "http://other.test/echo"}, b""),
    "/inward": (302, {"Location": "http://inner.test/echo"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/big": (200, {}, b"x" * 300_000),
}


@dataclass
class Website:
    """What the server got, and where it is."""

    port: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def network(self) -> Network:
        return Network(self.resolve, self.connect)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        return NAMES.get(host, [])

    async def connect(self, address: str, port: int) -> httpcore2.AsyncNetworkStream:
        assert address == PUBLIC, "only a public address may be connected to"
        return Unsecured(await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout=60))


class Unsecured(httpcore2.AsyncNetworkStream):
    """A plain stream that says yes to TLS."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return self

    def get_extra_info(self, info: str) -> Any:
        return None if info == "ssl_object" else self._stream.get_extra_info(info)


@contextmanager
def website() -> Iterator[Website]:
    """A server in a thread."""
    site = Website()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            request = {
                "method": self.command,
                "path": self.path,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": body.decode("latin-1"),
            }
            site.seen.append(request)
            if self.path == "/silent":
                site.over.wait(20)
            echo = (200, {"Content-Type": "application/json"}, json.dumps(request).encode())
            status, headers, content = PAGES.get(self.path, echo)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            if not isinstance(sys.exception(), ConnectionError):  # who asked did not wait for the answer
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            site.over.set()
            server.shutdown()
            thread.join()
