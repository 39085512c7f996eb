"""The files of pages: styles, scripts, pictures, each served at an address that names its version.

Owns the version of a file, which changes when it or a script that it imports does, so that browsers may keep each for
ever. Must not know pages.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".safetensors": "application/vnd.safetensors",
}
NAMES = frozenset(path.name for path in FOLDER.iterdir() if path.suffix in KINDS)
_IMPORT = re.compile(r'((?:from|import) ")\./([\w.]+)(")')


@cache
def content(name: str) -> bytes:
    """The file `name`, one of `NAMES`, as it is served: imports of scripts of ours name versions."""
    data = (FOLDER / name).read_bytes()
    if not name.endswith(".js"):
        return data
    return _IMPORT.sub(lambda found: f"{found[1]}{address(found[2])}{found[3]}", data.decode()).encode()


@cache
def address(name: str) -> str:
    """The address of the file `name`, one of `NAMES`."""
    return f"/console/static/{name}?v={hashlib.sha256(content(name)).hexdigest()[:12]}"
