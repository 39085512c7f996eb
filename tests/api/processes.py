"""A server in a process of its own, as an owner starts it, for tests that kill it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2


@contextlib.contextmanager
def serve(data: Path) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    """A server process, killed at the end if it still runs, and a client of it."""
    command = [sys.executable, "-m", "kernelgate", "serve", "--port", "0", "--data", str(data)]
    with subprocess.Popen([*command, "--adapter", "null"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = next(line.split()[1] for line in process.stdout if line.startswith("address"))
            key = (data / "admin.key").read_text().strip()
            with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
                yield process, http
        finally:
            process.kill()


def children_of(pid: int) -> list[int]:
    """The processes whose parent is `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may end while we look
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def descendants_of(pid: int) -> list[int]:
    """The children of `pid`, and theirs."""
    children = children_of(pid)
    return children + [below for child in children for below in descendants_of(child)]
