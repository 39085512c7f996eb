"""The server process: uvicorn around the application.

Owns the announcement and the draining stop. Must not know routes.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from functools import partial
from types import FrameType

import uvicorn

from api.app import create_app
from api.errors import AddressUnavailable, CertificateUnusable
from api.http.edge import Edge, Protocol
from api.runtime import Runtime
from api.settings import Settings
from sandbox.gates.network import SYSTEM, Network
from shaders.errors import KernelgateError


class Server(uvicorn.Server):
    """Says where it serves once it does, and drains runs before it closes connections."""

    def __init__(self, settings: Settings, network: Network = SYSTEM) -> None:
        app = create_app(settings, network)
        self.runtime: Runtime = app.state.runtime
        self._draining = False
        super().__init__(
            uvicorn.Config(
                Edge(app),
                host=settings.host,
                port=settings.port,
                http=partial(Protocol, patience_s=settings.patience_s, connections=settings.connections),  # type: ignore[arg-type]
                ssl_context_factory=_tls(settings),
                loop="asyncio",
                ws="none",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=settings.behind_proxy,
                timeout_keep_alive=75,  # longer than clients keep idle connections: none sends into a closing one
                timeout_graceful_shutdown=int(settings.drain_s) + 5,
                reset_contextvars=True,  # else a request has those of the one before it on its connection
            )
        )

    def listen(self) -> None:
        """Serve until a signal. Raises what kept the server from starting, `AddressUnavailable` for a port in use."""
        with _listening(self.config.host, self.config.port) as sock:
            try:
                self.run(sockets=[sock])
            except SystemExit:
                raise self.runtime.failure or KernelgateError(
                    "the server did not start", hint="What it logged before says why."
                ) from None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the stores, listen, and announce."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if not self.started:
            return
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        if self.runtime.new_key is not None:
            path = self.runtime.settings.data / "admin.key"
            print(f"key      {self.runtime.new_key}  (shown once; kept in {path})", flush=True)
        print(f"address  {self.address}", flush=True)

    @property
    def address(self) -> str:
        """The URL of the server, which must have started."""
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        scheme = "http" if self.runtime.settings.tls_cert is None else "https"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """At the first signal let runs end; at the second stop at once."""
        if self.started and not self._draining:
            self._draining = True
            self._loop.call_soon_threadsafe(self._start_draining)
        else:
            super().handle_exit(sig, frame)

    def _start_draining(self) -> None:
        self._drain_task = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            await self.runtime.runs.stop(self.runtime.settings.drain_s)
        finally:
            self.should_exit = True


def _tls(settings: Settings) -> Callable[..., ssl.SSLContext] | None:
    """What gives uvicorn the context of HTTPS; None without a certificate. Raises `CertificateUnusable`."""
    cert, key = settings.tls_cert, settings.tls_key
    if cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=_no_password)
    except (OSError, ValueError) as error:
        raise CertificateUnusable(
            f"the certificate {cert} with the key {key or cert} cannot be used: {error}",
            hint="tls_cert and tls_key name files of PEM that belong together and have no password.",
        ) from None
    return lambda *_: context


def _no_password() -> str:
    raise ValueError("the key has a password")


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises `AddressUnavailable` when the address cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(
            family, kind, protocol
        )  # asyncio sets TCP_NODELAY only where the protocol is named
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        return sock
    except OSError as error:
        raise AddressUnavailable(
            f"cannot listen on {host}, port {port}: {error.strerror or error}",
            hint="Stop what listens there, or set KERNELGATE_PORT to a free port.",
        ) from None
