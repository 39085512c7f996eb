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


def key_file() -> Path:
    """Where a server on this machine keeps the key that it made."""
    return data_folder() / "admin.key"


def default_key() -> str | None:
    """The key from the environment, else that of a server's data folder on this machine, else None."""
    key = os.environ.get("KERNELGATE_KEY")
    if key:
        return key
    try:
        return key_file().read_text().strip()
    except OSError:
        return None


def about_the_key() -> str:
    """Where `default_key` comes from, for somebody whose key is refused."""
    if os.environ.get("KERNELGATE_KEY"):
        return "The key is that in KERNELGATE_KEY; `kernelgate keys list`, on the server's host, shows the valid ones."
    if default_key() is None:
        return f"Set KERNELGATE_KEY; there is no {key_file()} to read a key from."
    return f"The key is that in {key_file()}; if the server keeps its data elsewhere, set KERNELGATE_KEY."
