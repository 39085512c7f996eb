"""One real server (software Vulkan, real workers) on a loopback port, shared by the tests of the API."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
import sqlalchemy as sa

from api.auth import keys
from api.server import Server
from api.settings import Settings
from api.storage.database import Database
from sandbox.gates.grants import parse
from sandbox.gates.network import SYSTEM, Network
from tests.api.postgres import MISSING, PostgresServer, programs
from tests.sandbox.support import ManualClock

T = TypeVar("T")
WAIT_S = 60.0
ON_BOTH = (
    "auth.audit",
    "auth.keys",
    "auth.presence",
    "auth.secrets",
    "auth.sharing",
    "commands",
    "device_time",
    "dispatch",
    "doctor.trials",
    "explain",
    "health",
    "http.idempotency",
    "kernels.builds",
    "kernels.quarantine",
    "kernels.store",
    "kill",
    "load",
    "malformed",
    "ops",
    "overview",
    "restart",
    "retention",
    "runs.events",
    "runs.gates",
    "runs.manager",
    "runs.resumption",
    "runs.sessions",
    "scripts.store",
    "storage.backup",
    "storage.database",
    "tensors.residency",
    "tensors.splitting",
    "tensors.store",
    "usage.stored",
)
"""The modules whose tests run on SQLite and on PostgreSQL."""
LONG_ON_POSTGRES = (
    "auth.presence",
    "device_time",
    "dispatch",
    "explain",
    "health",
    "kernels.builds",
    "kernels.quarantine",
    "kernels.store",
    "kill",
    "load",
    "malformed",
    "ops",
    "overview",
    "restart",
    "runs.gates",
    "runs.manager",
    "runs.resumption",
    "runs.sessions",
    "tensors.residency",
    "tensors.splitting",
    "tensors.store",
    "usage.stored",
)
"""Of these, those that do so with `--full` only, since they take minutes."""


class RunningServer:
    """A server in a thread of this process. `http` asks it with the admin's key, `stranger` with none."""

    def __init__(self, settings: Settings, network: Network = SYSTEM) -> None:
        self.settings = settings
        self.server = Server(settings, network)
        self._thread = threading.Thread(target=self.server.run, name="server")
        self._clients: list[httpx2.Client] = []
        self._thread.start()
        try:
            self._begin()
        except BaseException:
            self.stop()  # else it goes on beside the tests of others
            raise

    def _begin(self) -> None:
        """Return when it is ready."""
        wait_until(lambda: self.server.started or not self._thread.is_alive(), "the server listens")
        assert self._thread.is_alive(), "the server did not start"
        self.url = self.server.address
        self.key = (self.settings.data / "admin.key").read_text().strip()
        headers = {"Authorization": f"Bearer {self.key}"}
        self.http = httpx2.Client(base_url=self.url, headers=headers, timeout=WAIT_S)
        self.stranger = httpx2.Client(base_url=self.url, timeout=WAIT_S)
        self._clients += [self.http, self.stranger]
        wait_until(lambda: self.http.get("/readyz").status_code == 200, "the server is ready", 5 * WAIT_S)

    def stop(self) -> None:
        """Stop as a signal does, and wait until all is closed."""
        for client in self._clients:
            client.close()
        self.server.should_exit = True
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive(), "the server did not stop"

    def key_for(self, name: str, grants: object = None, role: str = "user", **more: Any) -> dict[str, str]:
        """The headers of a new key, a user's unless it says otherwise; `more` is as in `NewKey`.

        Its name begins with `name`, which is its owner's: tests that share a server may ask for the same.
        """
        most = None if grants is None else parse(grants)
        unique = f"{name}-{secrets.token_hex(4)}"
        new = keys.NewKey(unique, role, grants=most, **{"owner": name, **more})
        _, token = self.beside(lambda db: keys.create(db, new))
        return {"Authorization": f"Bearer {token}"}

    def hold_time(self, monkeypatch: pytest.MonkeyPatch) -> ManualClock:
        """The clock that limits scripts which begin from now on: it moves when the test moves it.

        They look at it as often as their limit is long, and have long to say where they are when it is over.
        """
        clock, pool = ManualClock(), self.server.runtime.pool
        monkeypatch.setattr(pool, "_settings", replace(pool._settings, clock=clock))
        monkeypatch.setattr("sandbox.session.LAST_WORDS_S", 20.0)
        return clock

    def for_commands(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let commands work on this server's data."""
        monkeypatch.setenv("KERNELGATE_DATA", str(self.settings.data))
        if self.settings.database_url is not None:
            monkeypatch.setenv("KERNELGATE_DATABASE_URL", self.settings.database_url.get_secret_value())

    def beside(self, work: Callable[[sa.Connection], T]) -> T:
        """Do `work` on the database as another process does."""
        data = Database(self.settings.database)
        data.open()
        try:
            return data.run(work)
        finally:
            data.close()

    def client_for(self, name: str, grants: object = None, role: str = "user", **more: Any) -> httpx2.Client:
        """A client with a new key."""
        headers = self.key_for(name, grants, role, **more)
        client = httpx2.Client(base_url=self.url, headers=headers, timeout=WAIT_S)
        self._clients.append(client)
        return client


def wait_until(condition: Callable[[], bool], what: str, seconds: float = WAIT_S) -> None:
    """Return when `condition` holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s until {what}"
        time.sleep(0.005)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of a server run on SQLite, those of what is stored on PostgreSQL too."""
    if "new_database" in metafunc.fixturenames:
        module = metafunc.module.__name__.removeprefix("tests.api.").replace("test_", "")
        marks = [pytest.mark.full] * (module in LONG_ON_POSTGRES)
        kinds = [pytest.param("sqlite", id=pytest.HIDDEN_PARAM)]
        kinds += [pytest.param("postgresql", marks=marks)] * (module in ON_BOTH)
        metafunc.parametrize("new_database", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server."""
    found = programs()
    if found is None:
        pytest.skip(MISSING)
    server = PostgresServer(found)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest) -> Callable[[Path], str | None]:
    """Gives each data folder a database: its URL, or None for SQLite in the folder."""
    if request.param == "sqlite":
        return lambda folder: None
    server: PostgresServer = request.getfixturevalue("postgres")
    return cache(lambda folder: server.database())


@pytest.fixture
def source(tmp_path: Path, new_database: Callable[[Path], str | None]) -> Path | str:
    """Where an empty database is."""
    return new_database(tmp_path) or tmp_path / "kernelgate.db"


@pytest.fixture(scope="session")
def start(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[Path], str | None]
) -> Callable[..., Any]:
    """Start a server of one's own, on the NumPy device: `with start(workers=1) as running:`."""

    @contextlib.contextmanager
    def starter(
        data: Path | None = None, network: Network = SYSTEM, **changes: Any
    ) -> Iterator[RunningServer]:
        data = data or tmp_path_factory.mktemp("data")
        given = {"adapter": "numpy", "database_url": new_database(data), **changes}
        settings = Settings(port=0, drain_s=0, data=data, **given)
        running = RunningServer(settings, network)
        try:
            yield running
        finally:
            running.stop()

    return starter


@pytest.fixture(scope="package")  # it is gone when tests of other folders count what they leave open
def running(start: Callable[..., Any]) -> Iterator[RunningServer]:
    """The shared server."""
    with start(adapter="cpu") as server:
        yield server


@pytest.fixture(scope="package")
def http(running: RunningServer) -> httpx2.Client:
    """A client of the shared server with the admin key."""
    return running.http


@pytest.fixture(scope="session", name="wait_until")
def wait_until_fixture() -> Callable[..., None]:
    """`wait_until(condition, what)`: bounded."""
    return wait_until
