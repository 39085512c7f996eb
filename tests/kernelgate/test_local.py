"""A server of one's own: the port that it is given."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from kernelgate import local
from kernelgate.local import LocalServer

GIVEN = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.mark.skipif(not GIVEN.exists(), reason="this system does not say which ports it gives")
def test_nobody_who_asks_for_any_port_is_given_that_of_a_server_before_it_starts(tmp_path: Path) -> None:
    first, last = map(int, GIVEN.read_text().split())
    assert not [port for port in (LocalServer(tmp_path).port for _ in range(50)) if first <= port <= last]


def test_a_port_that_somebody_has_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", LocalServer(tmp_path).port))
        port = taken.getsockname()[1]
        monkeypatch.setattr(local, "_PORTS", [port] * 100)
        with pytest.raises(RuntimeError, match="none of 100 ports"):
            LocalServer(tmp_path)
