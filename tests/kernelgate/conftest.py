"""What tests of the command line share: a folder to work in, and the environment that points at the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.local import LocalServer


@pytest.fixture
def here(server: LocalServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to work in, with the environment that points at the server."""
    monkeypatch.setenv("KERNELGATE_URL", server.url)
    monkeypatch.setenv("KERNELGATE_KEY", server.key)
    monkeypatch.chdir(tmp_path)
    return tmp_path
