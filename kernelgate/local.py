"""`LocalServer`: a Kernelgate of one's own, for as long as a test, a benchmark or a notebook needs it.

Owns the server's process from outside: a free port, a start, a wait until it is ready, a clean stop. Must not know
what is inside.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import httpx2

from kernelgate.client import Client
from kernelgate.errors import NoServer

_POLL_S = 0.05
_PORTS = range(20_000, 30_000)
"""Systems give others to who asks for any port: one of these stays free from when it is chosen to when it is used."""


class LocalServer:
    """A server process on loopback with its data in the folder `data`. Use it as a context manager.

    `settings` are environment variables such as `{"KERNELGATE_ADAPTER": "numpy"}`. `start_s` bounds the wait until
    it is ready, `stop_s` the wait until it is gone. What it logs is added to `log`.
    """

    def __init__(
        self,
        data: Path,
        *,
        settings: Mapping[str, str] | None = None,
        start_s: float = 60.0,
        stop_s: float = 20.0,
    ) -> None:
        self.data = data
        self.log = data / "server.log"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._settings = {**(settings or {}), "KERNELGATE_PORT": str(self.port), "KERNELGATE_DATA": str(data)}
        self._start_s = start_s
        self._stop_s = stop_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def key(self) -> str:
        """The key that the server made on its first start."""
        return (self.data / "admin.key").read_text().strip()

    @property
    def pid(self) -> int:
        """The server's process id. Raises `RuntimeError` when it was not started."""
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process.pid

    def client(self) -> Client:
        """A client with the server's own key."""
        return Client(self.url, self.key)

    def start(self) -> None:
        """Start the process and wait until it is ready. Raises `NoServer` with the end of its log."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "kernelgate", "serve"],
                env={**os.environ, **self._settings},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # the key, which no log has, and the address
                stderr=log,
            )
        try:
            self._wait(self._process)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> int | None:
        """Stop the process as Ctrl-C does, or kill it when that takes too long; its exit status."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(self._stop_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + self._start_s
        with httpx2.Client(base_url=self.url, timeout=5.0) as probe:
            while process.poll() is None and time.monotonic() < end:
                with contextlib.suppress(httpx2.TransportError):
                    if probe.get("/readyz").status_code == 200:
                        return
                time.sleep(_POLL_S)
        raise NoServer(self.url, self.log.read_text(errors="replace")[-2000:])


def _free_port() -> int:
    for port in random.SystemRandom().sample(_PORTS, 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("none of 100 ports of this machine is free")
