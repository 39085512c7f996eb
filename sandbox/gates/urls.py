"""URLs from strangers, taken apart once, strictly.

Owns the one reading of a URL that checks and connections share: what was checked is what is asked for. Must not
know grants.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2

from sandbox.gates.addresses import is_literal
from sandbox.gates.errors import FetchRefused
from sandbox.gates.patterns import is_host_name

URL_CHARACTERS = 8192
_PORTS = {"http": 80, "https": 443}
_USERINFO = re.compile(r"//[^/?#]*@")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: `host` is a lower-case name or a canonical address, `path` the bytes on the wire."""

    scheme: str
    host: str
    port: int
    path: bytes

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must stay the same for credentials to be sent on."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def text(self) -> str:
        """The URL, normalised, without its fragment."""
        return f"{self.scheme}://{self.authority}{self.path.decode('ascii')}"


def parse(text: str) -> Target:
    """The target that URL `text` names; `FetchRefused` says what is wrong with it."""
    url = _url(text)
    if url.scheme not in _PORTS:
        hint = None if url.scheme else f"Write https://{text[:80]}."
        raise FetchRefused(f"the scheme {url.scheme[:40]!r} is not http or https", hint=hint)
    if url.userinfo:
        raise FetchRefused("a URL cannot carry credentials", hint="use a header, or a secret of the server")
    port = _PORTS[url.scheme] if url.port is None else url.port
    if not 1 <= port <= 65535:
        raise FetchRefused(f"there is no port {port}")
    return Target(url.scheme, _host(url.raw_host.decode("ascii")), port, url.raw_path)


def join(base: Target, location: str) -> Target:
    """The target of a redirect from `base` to `location`, which may be relative."""
    try:
        return parse(str(_url(base.text).join(_url(location))))
    except FetchRefused as refusal:
        raise FetchRefused(f"the redirect from {base.host} leads nowhere: {refusal.message}") from None


def redact(text: str) -> str:
    """`text`, perhaps no URL at all, short, printable and without credentials, for a log."""
    short = _USERINFO.sub("//", text[:URL_CHARACTERS]).partition("#")[0][:500]
    return "".join(character if character.isprintable() else "?" for character in short)


def _url(text: str) -> httpx2.URL:
    if len(text) > URL_CHARACTERS:
        raise FetchRefused(f"the URL has {len(text)} characters; the limit is {URL_CHARACTERS}")
    try:
        return httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError) as error:
        raise FetchRefused(f"the URL is malformed: {str(error)[:200]}") from None


def _host(raw: str) -> str:
    host = raw.removesuffix(".")
    if is_host_name(host) or is_literal(host):
        return host
    raise FetchRefused(f"{raw[:80]!r} is not a host name, nor the usual spelling of an address")
