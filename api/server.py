"""The server process: uvicorn around the application.

Owns the announcement, the draining stop, and what is logged. Must not know routes.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from types import FrameType

import uvicorn

from api.app import create_app
from api.runtime import Runtime
from api.settings import Settings


class Server(uvicorn.Server):
    """Says where it serves once it does, and drains runs before it closes connections."""

    def __init__(self, settings: Settings) -> None:
        app = create_app(settings)
        self.runtime: Runtime = app.state.runtime
        self._draining = False
        super().__init__(
            uvicorn.Config(
                app,
                host=settings.host,
                port=settings.port,
                http="httptools",
                loop="asyncio",
                ws="none",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=settings.behind_proxy,
                timeout_graceful_shutdown=int(settings.drain_s) + 5,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the stores, listen, and announce."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if not self.started:
            return
        if self.runtime.new_key is not None:
            path = self.runtime.settings.data / "admin.key"
            print(f"key      {self.runtime.new_key}  (shown once; kept in {path})", flush=True)
        print(f"address  {self.address}", flush=True)

    @property
    def address(self) -> str:
        """The URL of the server, which must have started."""
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """At the first signal let runs end; at the second stop at once."""
        if self.started and not self._draining:
            self._draining = True
            self._loop.call_soon_threadsafe(self._start_draining, sig, frame)
        else:
            super().handle_exit(sig, frame)

    def _start_draining(self, sig: int, frame: FrameType | None) -> None:
        self._drain_task = self._loop.create_task(self._drain(sig, frame))

    async def _drain(self, sig: int, frame: FrameType | None) -> None:
        await self.runtime.runs.stop(self.runtime.settings.drain_s)
        super().handle_exit(sig, frame)


def configure_logging() -> None:
    """Short lines on standard error."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s", datefmt="%H:%M:%S"
    )
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
