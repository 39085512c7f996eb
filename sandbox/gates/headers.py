"""Headers from strangers, in both directions.

Owns which headers a script may send, which survive a redirect to another host, and which come back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sandbox.gates.errors import FetchLimit, FetchRefused

Headers = list[tuple[str, str]]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
_FORBIDDEN = _HOP_BY_HOP - {"connection", "keep-alive"} | {
    "expect",
    "host",
    "http2-settings",
    "proxy-authenticate",
    "proxy-authorization",
}
_OURS = {"accept-encoding", "connection", "content-length", "keep-alive"}  # harmless to ask for, set by us
_HARMLESS = {
    "accept",
    "accept-language",
    "content-language",
    "content-type",
    "if-modified-since",
    "if-none-match",
    "range",
    "user-agent",
}


def outgoing(headers: Iterable[tuple[str, str]], limit: int) -> Headers:
    """The headers of a script that go out, checked; those that the gate sets itself are left out."""
    kept: Headers = []
    used = 0
    for name, value in headers:
        check(name, value)
        used += len(name) + len(value) + 4
        if used > limit:
            raise FetchLimit(f"the request's headers have more than {limit} bytes")
        if name.lower() in _FORBIDDEN:
            raise FetchRefused(f"the header {name} is the gate's to set", hint="leave it out")
        if name.lower() not in _OURS:
            kept.append((name, value.strip(" \t")))
    return kept


def check(name: str, value: str) -> None:
    """Raises `FetchRefused` unless this is one header line, and only one."""
    if not _TOKEN.fullmatch(name):
        raise FetchRefused(f"{name[:40]!r} is not a header's name")
    if not _VALUE.fullmatch(value):
        raise FetchRefused(f"the value of the header {name} has characters that no header may have")


def is_settable(name: str) -> bool:
    """Whether the gate may add a header of this name for somebody: one that does not frame the request itself."""
    return _TOKEN.fullmatch(name) is not None and name.lower() not in _FORBIDDEN | _OURS


def without(headers: Headers, name: str) -> Headers:
    """`headers` without those called `name`."""
    return [(n, v) for n, v in headers if n.lower() != name.lower()]


def harmless(headers: Headers) -> Headers:
    """What follows a redirect to another origin: nothing that could be a credential."""
    return [(name, value) for name, value in headers if name.lower() in _HARMLESS]


def incoming(raw: Iterable[tuple[bytes, bytes]], limit: int) -> Headers:
    """The headers of a response for the script, without those that describe the connection and the coding."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw]
    if sum(len(name) + len(value) + 4 for name, value in pairs) > limit:
        raise FetchLimit(f"the response's headers have more than {limit} bytes")
    dropped = _HOP_BY_HOP | {"content-encoding", "content-length"}
    return [(name, value) for name, value in pairs if name.lower() not in dropped]


def first(raw: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The first header of a response that is called `name`."""
    return next((value.decode("latin-1") for key, value in raw if key.lower() == name), None)
