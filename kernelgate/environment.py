"""Where the server is and which key to use, unless somebody says so.

Owns the client's environment variables. Must not know HTTP.
"""

from __future__ import annotations

import os
from pathlib import Path

DEFAULT_URL = "http://127.0.0.1:8765"


def default_url() -> str:
    """The address from the environment, else loopback."""
    port = os.environ.get("KERNELGATE_PORT")
    return os.environ.get("KERNELGATE_URL") or (f"http://127.0.0.1:{port}" if port else DEFAULT_URL)


def data_folder() -> Path:
    """Where a server on this machine keeps its data, unless it was told otherwise."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(os.environ.get("KERNELGATE_DATA") or f"{home}/kernelgate").expanduser()


def default_key() -> str | None:
    """The key from the environment, else that of a server's data folder on this machine, else None."""
    key = os.environ.get("KERNELGATE_KEY")
    if key:
        return key
    try:
        return (data_folder() / "admin.key").read_text().strip()
    except OSError:
        return None
