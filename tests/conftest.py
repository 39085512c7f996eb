"""What tests of the whole stack share: one real server on a port and data folder of its own."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import hypothesis
import pytest

from kernelgate import Client
from kernelgate.local import LocalServer

# No test judges time: a busy machine is no fault of an example.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")

# A shell in the background lets its commands ignore Ctrl-C, and they whatever they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A real server with its device, compiler and workers, for the whole session."""
    with LocalServer(tmp_path_factory.mktemp("server"), start_s=300) as running:
        yield running


@pytest.fixture(scope="session")
def client(server: LocalServer) -> Iterator[Client]:
    """A client of `server` with its own key."""
    with server.client() as connected:
        yield connected
