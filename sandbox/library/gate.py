"""The road from the façade of files and HTTP to the gates.

Owns the link that they share, and what becomes of the host's answers. Must not know paths or URLs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from sandbox.gates.frames import FetchResponse, FileEntry, FileInfo
from sandbox.link import Link
from sandbox.policy.denials import PermissionDenied

_link: Link | None = None
# Made at import, in the zygote, as `link.py` says.
decode_response: Callable[[bytes], FetchResponse] = msgspec.msgpack.Decoder(FetchResponse).decode
decode_info: Callable[[bytes], FileInfo] = msgspec.msgpack.Decoder(FileInfo).decode
decode_entries: Callable[[bytes], list[FileEntry]] = msgspec.msgpack.Decoder(list[FileEntry]).decode


def connect(link: Link | None) -> None:
    """Ask over `link`; over none, every gate is closed."""
    global _link
    _link = link


def ask(kind: Callable[..., msgspec.Struct], **fields: Any) -> bytes:
    """The answer to the request `kind(**fields)`. Raises `PermissionDenied` or `HostError`."""
    if _link is None:
        raise PermissionDenied(f"{kind.__name__}: nothing here serves the gates")
    return _link.ask(kind, **fields)
