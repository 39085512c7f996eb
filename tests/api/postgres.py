"""A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket alone."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import psycopg

START_S = 60.0
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "shared_buffers": "16MB",
    "max_connections": "50",
}
MISSING = "PostgreSQL's programs are not installed (Debian: postgresql); scripts/test --full installs them"


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`; Debian does not put it on the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return folders[-1] if folders else None


class PostgresServer:
    """Runs as `postgres` where the tests run as root, which PostgreSQL refuses to."""

    def __init__(self, bin: Path) -> None:
        self._bin = bin
        self._account = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self._folder = Path(tempfile.mkdtemp(prefix="kg-pg-"))
        self._names = (f"test{number}" for number in count())
        shutil.chown(self._folder, self._account)
        initdb = [str(bin / "initdb"), "-D", str(self._data), "-E", "UTF8", "--locale=C", "-A", "trust", "-N"]
        subprocess.run(initdb, user=self._user, check=True, capture_output=True, timeout=START_S, cwd="/")
        self.start()

    @property
    def _user(self) -> str | None:
        return self._account if os.geteuid() == 0 else None

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> None:
        """Start, and return when it answers."""
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._bin / "postgres"), "-D", str(self._data), "-k", str(self._folder), *options]
        self._log = (self._folder / "log").open("ab")
        self._process = subprocess.Popen(
            command, user=self._user, stdout=self._log, stderr=self._log, cwd="/"
        )
        end = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self._url("postgres")).close()
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                assert time.monotonic() < end, "PostgreSQL does not answer"
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """Stop at once, as a machine that goes down does."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(START_S)
        self._log.close()

    def close(self) -> None:
        """Stop, and leave nothing."""
        self.stop()
        shutil.rmtree(self._folder)

    def database(self, encoding: str = "UTF8") -> str:
        """The URL of a new, empty database."""
        name = next(self._names)
        self.execute("postgres", f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}'")
        return self._url(name)

    def execute(self, database: str, statement: str) -> None:
        """Execute a statement in a database."""
        with psycopg.connect(self._url(database), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]

    def _url(self, database: str) -> str:
        return f"postgresql://{self._account}@/{database}?host={self._folder}"
