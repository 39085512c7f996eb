"""The gate for HTTP: makes the requests that a run was granted, under caps, and reports each of them.

Owns the decision (host, method, port), redirects, secrets, deadlines and sizes. Nothing of the server's environment
takes part: no proxies, no cookies, no stored credentials. Must not know workers: it gets `Fetch` records.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import get_args

import httpcore2
import httpx2

from sandbox.gates import headers, urls
from sandbox.gates.addresses import is_literal, special
from sandbox.gates.decoding import ACCEPTED, Body
from sandbox.gates.errors import (
    FetchFailed,
    FetchLimit,
    FetchRefused,
    FetchTimeout,
    PermissionDenied,
    grant_for,
)
from sandbox.gates.frames import Fetch, FetchResponse
from sandbox.gates.grants import FetchGrant, Method
from sandbox.gates.network import (
    READ_BYTES,
    CheckedNetwork,
    Connect,
    Metered,
    Resolve,
    system_connect,
    system_resolve,
)
from sandbox.gates.patterns import covers_host
from shaders.errors import KernelgateError

_REDIRECTS = {301, 302, 303, 307, 308}
SHORTEST_SECRET = 8
_PIECES = 4096  # and one more for each 64 bytes: a body in crumbs costs time, not memory


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Caps of one run: bytes of a request's body, of headers, of a response's body decompressed; seconds of a
    request with its redirects; redirects; requests at once; and HTTP requests, redirects included, in all."""

    request_bytes: int = 8 << 20
    header_bytes: int = 64 << 10
    response_bytes: int = 16 << 20
    seconds: float = 30.0
    redirects: int = 5
    concurrent: int = 4
    requests: int = 1000


@dataclass(frozen=True, slots=True)
class Secret:
    """The value of a header that the server adds: it never reaches the script, an event or an error."""

    value: str = field(repr=False)

    def __post_init__(self) -> None:
        headers.check("Authorization", self.value)
        if self.value != self.value.strip(" \t") or len(self.value) < SHORTEST_SECRET:
            raise FetchRefused(
                f"a secret has {SHORTEST_SECRET} characters or more, and no space at its ends",
                hint="what is shorter is guessed, and cannot be told from what is said by chance",
            )

    def appears_in(self, data: bytes) -> bool:
        """Whether `data` has the value, or its last word if that is as long as a secret must be."""
        word = self.value.split()[-1]
        parts = [self.value, *([word] if len(word) >= SHORTEST_SECRET else [])]
        return any(part.encode("latin-1") in data for part in parts)


@dataclass(slots=True)
class FetchEvent:
    """One HTTP request, made or denied.

    `denied` is the code of the error that it ended in, `reason` its message, `grant` what would have opened the gate.
    """

    method: str
    url: str
    status: int | None = None
    sent_bytes: int = 0
    received_bytes: int = 0
    ms: float = 0.0
    denied: str | None = None
    reason: str | None = None
    grant: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class _Hop:
    """One request of a chain. `trusted`: no redirect has led to another origin yet; only then are secrets sent."""

    method: str
    target: urls.Target
    headers: headers.Headers
    body: bytes
    trusted: bool = True

    def follow(self, status: int, location: str) -> _Hop:
        """The next hop. Another origin gets no header that might be a credential; the method is as browsers do."""
        target = urls.join(self.target, location)
        same = target.origin == self.target.origin
        kept = self.headers if same else headers.harmless(self.headers)
        trusted = self.trusted and same
        if self.method == "HEAD" or status in (307, 308) or (status != 303 and self.method != "POST"):
            return replace(self, target=target, headers=kept, trusted=trusted)
        kept = headers.without(headers.without(kept, "content-type"), "content-language")
        return _Hop("GET", target, kept, b"", trusted)


class FetchGate:
    """The requests of one run. `secrets` are those of the server that the run's owner may use.

    `resolve` and `connect` are the network; whatever they are, only public addresses are connected to.
    """

    def __init__(
        self,
        grants: Sequence[FetchGrant],
        secrets: Mapping[str, Secret] | None = None,
        *,
        limits: FetchLimits | None = None,
        on_event: Callable[[FetchEvent], None] = lambda event: None,
        resolve: Resolve = system_resolve,
        connect: Connect = system_connect,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._grants = tuple(grants)
        self._secrets = secrets or {}
        self._limits = limits = limits or FetchLimits()
        self._on_event = on_event
        self._clock = clock
        self._requests = 0
        self._turns = asyncio.Semaphore(limits.concurrent)
        self._network = CheckedNetwork(resolve, connect, limits.header_bytes + READ_BYTES)
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def fetch(self, request: Fetch) -> FetchResponse:
        """The response to `request`. Raises `PermissionDenied`, `FetchRefused`, `FetchLimit`, `FetchTimeout` or
        `FetchFailed`; a response with a status of 400 and more is no error."""
        seconds = self._limits.seconds
        if request.timeout_s is not None and request.timeout_s < seconds:  # a NaN is not less
            seconds = max(0.0, request.timeout_s)
        self._count()
        try:
            async with asyncio.timeout(seconds), self._turns:
                return await self._follow(request)
        except TimeoutError:
            raise FetchTimeout(f"the response was not complete within {seconds:g} seconds") from None

    async def close(self) -> None:
        """Closes idle connections."""
        if self._pool is not None:
            await self._pool.aclose()

    async def _follow(self, request: Fetch) -> FetchResponse:
        make_hop, asked, method = partial(self._first, request), request.url, request.method
        history: list[str] = []
        while True:
            with self._reported(method[:16], urls.redact(asked)) as event:
                hop = make_hop()
                event.method, event.url = hop.method, urls.redact(hop.target.text)
                response, location = await self._request(hop, event, history)
            if location is None or not request.follow:
                return response
            if len(history) == self._limits.redirects:
                raise FetchLimit(
                    f"more than {self._limits.redirects} redirects, the last to {location[:200]!r}"
                )
            self._count()
            history.append(hop.target.text)
            make_hop, asked, method = partial(hop.follow, response.status, location), location, hop.method

    def _first(self, request: Fetch) -> _Hop:
        """The request that the script made, checked as far as it can be without a grant."""
        if request.method not in get_args(Method):
            raise FetchRefused(
                f"{request.method[:20]!r} is not one of the methods {', '.join(get_args(Method))}"
            )
        if len(request.body) > self._limits.request_bytes:
            raise FetchLimit(f"the request's body has more than {self._limits.request_bytes} bytes")
        kept = headers.outgoing(request.headers, self._limits.header_bytes)
        return _Hop(request.method, urls.parse(request.url), kept, request.body)

    async def _request(
        self, hop: _Hop, event: FetchEvent, history: list[str]
    ) -> tuple[FetchResponse, str | None]:
        """One request on the wire: the response, and where it redirects to."""
        sent = self._complete(hop, opening(self._grants, hop.method, hop.target))
        event.sent_bytes = len(hop.body)
        url = httpcore2.URL(
            scheme=hop.target.scheme.encode(),
            host=hop.target.host.encode(),
            port=hop.target.port,
            target=hop.target.path,
        )
        content = hop.body if hop.body or hop.method in ("POST", "PUT", "PATCH") else None
        raw = [(name.encode(), value.encode("latin-1")) for name, value in sent]
        with _failures(hop.target.host, told=not self._secrets):
            async with self._connections().stream(hop.method, url, headers=raw, content=content) as response:
                event.status = response.status
                if response.status < 200:
                    raise FetchFailed(f"{hop.target.host} wants to switch to another protocol")
                self._refuse_echo(hop, [part for header in response.headers for part in header])
                self._refuse_echo(hop, [response.extensions.get("reason_phrase", b"")])
                kept = headers.incoming(response.headers, self._limits.header_bytes)
                body = await self._read(hop, response, event)
                self._refuse_echo(hop, [body])
        reason = response.extensions.get("reason_phrase", b"").decode("latin-1")
        location = headers.first(response.headers, b"location") if response.status in _REDIRECTS else None
        return FetchResponse(response.status, reason, hop.target.text, kept, body, list(history)), location

    async def _read(self, hop: _Hop, response: httpcore2.Response, event: FetchEvent) -> bytes:
        """The body, taken as it comes, so that neither crumbs nor silence outlast the deadline."""
        body = Body(headers.first(response.headers, b"content-encoding"), self._limits.response_bytes)
        stream = response.extensions["network_stream"]
        assert isinstance(stream, Metered)
        stream.allow(2 * self._limits.response_bytes)  # framing included
        pieces = 0
        async for piece in response.aiter_stream():
            pieces += 1
            event.received_bytes += len(piece)
            if pieces > _PIECES + event.received_bytes // 64:
                raise FetchLimit(f"{hop.target.host} sends its response in too many small pieces")
            body.feed(piece)
            if pieces % 64 == 0:
                await asyncio.sleep(0)
        return body.finish()

    def _complete(self, hop: _Hop, grant: FetchGrant) -> headers.Headers:
        """The headers as they go out, the server's own and the secret among them."""
        ours = [("Host", hop.target.authority), ("Accept-Encoding", ACCEPTED)]
        sent = hop.headers
        if not any(name.lower() == "user-agent" for name, _ in sent):
            ours.append(("User-Agent", "kernelgate"))
        if grant.secret is not None and hop.trusted:
            if hop.target.scheme != "https":
                raise FetchRefused(f"the secret {grant.secret} is sent over https only")
            secret = self._secrets.get(grant.secret)
            if secret is None:
                raise FetchRefused(f"the server has no secret {grant.secret}")
            sent = headers.without(sent, grant.header)
            ours.append((grant.header, secret.value))
        return ours + sent

    def _refuse_echo(self, hop: _Hop, parts: Iterable[bytes]) -> None:
        """Raise `FetchRefused` for a response that says one of the run's secrets."""
        for name, secret in self._secrets.items():
            if any(map(secret.appears_in, parts)):
                raise FetchRefused(
                    f"{hop.target.host} sent the secret {name} back: its response is withheld",
                    hint="grant a secret for addresses that keep it to themselves",
                )

    def _connections(self) -> httpcore2.AsyncConnectionPool:
        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=_tls(),
                max_connections=self._limits.concurrent,
                keepalive_expiry=15.0,
                network_backend=self._network,
            )
        return self._pool

    def _count(self) -> None:
        self._requests += 1
        if self._requests > self._limits.requests:
            raise FetchLimit(f"the run made more than {self._limits.requests} requests")

    @contextmanager
    def _reported(self, method: str, url: str) -> Iterator[FetchEvent]:
        """An event that is sent when the block ends, however it ends."""
        event, start = FetchEvent(method, url), self._clock()
        try:
            yield event
        except KernelgateError as error:
            event.denied, event.reason, event.grant = error.code, error.message, grant_for(error)
            raise
        except asyncio.CancelledError:
            event.denied, event.reason = FetchTimeout.code, "it took too long, or the run ended"
            raise
        finally:
            event.ms = (self._clock() - start) * 1000
            self._on_event(event)


def opening(grants: Iterable[FetchGrant], method: str, target: urls.Target) -> FetchGrant:
    """The first grant that covers a request. Raises `PermissionDenied`, or `FetchRefused` for what none opens."""
    for grant in grants:
        if method in grant.methods and target.port in grant.ports and covers_host(grant.host, target.host):
            return grant
    if is_literal(target.host) and (reason := special(target.host)) is not None:
        raise FetchRefused(f"{target.host} is not a public address ({reason}); no grant opens it")
    wanted = {"host": target.host, "methods": [method], "ports": [target.port]}
    raise PermissionDenied("fetch", f"{method} {target.scheme}://{target.authority}", {"fetch": [wanted]})


@contextmanager
def _failures(host: str, *, told: bool) -> Iterator[None]:
    """Turns what the network and the parser raise into `FetchFailed`; `told`: their words may be told."""
    try:
        yield
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
        what = (told and str(error)[:200]) or type(error).__name__
        raise FetchFailed(f"the exchange with {host} failed: {what}") from None


@cache
def _tls() -> ssl.SSLContext:
    """Certificates as the system trusts them; no variable of the environment has a say."""
    return httpx2.create_ssl_context(trust_env=False)
