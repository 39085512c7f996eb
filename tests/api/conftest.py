"""One real server (software Vulkan, real workers) on a loopback port, shared by the tests of the API."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api import keys
from api.database import Database
from api.server import Server
from api.settings import Settings

WAIT_S = 60.0


class RunningServer:
    """A server in a thread of this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.server = Server(settings)
        self._thread = threading.Thread(target=self.server.run, name="server")
        self._thread.start()
        wait_until(lambda: self.server.started or not self._thread.is_alive(), "the server listens")
        assert self._thread.is_alive(), "the server did not start"
        self.url = self.server.address
        self.key = (settings.data / "admin.key").read_text().strip()
        self.http = httpx2.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=WAIT_S
        )
        self._clients = [self.http]
        wait_until(lambda: self.http.get("/readyz").status_code == 200, "the server is ready")

    def stop(self) -> None:
        """Stop as a signal does, and wait until all is closed."""
        for client in self._clients:
            client.close()
        self.server.should_exit = True
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive(), "the server did not stop"

    def key_for(self, name: str) -> dict[str, str]:
        """The headers of a new user's key."""
        data = Database(self.settings.data / "kernelgate.db")
        data.open()
        try:
            _, token = data.run(lambda db: keys.create(db, name, "user"))
        finally:
            data.close()
        return {"Authorization": f"Bearer {token}"}

    def client_for(self, name: str) -> httpx2.Client:
        """A client with a new user's key."""
        client = httpx2.Client(base_url=self.url, headers=self.key_for(name), timeout=WAIT_S)
        self._clients.append(client)
        return client


def wait_until(condition: Callable[[], bool], what: str, seconds: float = WAIT_S) -> None:
    """Return when `condition` holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s until {what}"
        time.sleep(0.005)


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Start a server of one's own, on the NumPy device: `with start(workers=1) as running:`."""

    @contextlib.contextmanager
    def starter(data: Path | None = None, **changes: Any) -> Iterator[RunningServer]:
        settings = Settings(
            port=0, drain_s=0, data=data or tmp_path_factory.mktemp("data"), **{"adapter": "numpy", **changes}
        )
        running = RunningServer(settings)
        try:
            yield running
        finally:
            running.stop()

    return starter


@pytest.fixture(scope="session")
def running(start: Callable[..., Any]) -> Iterator[RunningServer]:
    """The shared server."""
    with start(adapter="cpu") as server:
        yield server


@pytest.fixture(scope="session")
def http(running: RunningServer) -> httpx2.Client:
    """A client of the shared server with the admin key."""
    return running.http


@pytest.fixture(scope="session", name="wait_until")
def wait_until_fixture() -> Callable[..., None]:
    """`wait_until(condition, what)`: bounded."""
    return wait_until
