"""A request and its answer: what is told of every exchange, whatever its route does.

Owns the request's id, the headers of quotas, its entry in the audit log, its end when its key is over, and that one
with an `Idempotency-Key` is done once. Must not know routes beyond the table of scopes.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from typing import Any, Protocol

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth.audit import DONE, Entry
from api.auth.identity import Identity
from api.auth.presence import Presence
from api.auth.scopes import writes
from api.errors import Unauthorized
from api.http.idempotency import ROUTES, Kept, Name, Repeated, Repeats, checked, conflict
from api.http.problems import LEFT, problem_response
from api.ids import new_id
from api.logs import DETAILS, ENDED, during
from api.runtime import Runtime
from api.tracing import mark, use
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")


class Hash(Protocol):
    """What `hashlib` makes."""

    def update(self, data: bytes, /) -> None:
        """Take in more."""

    def hexdigest(self) -> str:
        """Of all that was taken in."""


DENIED = frozenset(["access_denied", "admin_only", "permission_denied", "scope_missing"])
COUNTED = {"access_denied": "acl", "admin_only": "scope", "scope_missing": "scope"}
"""What denials are counted under; those of grants are counted where they are made."""
_GONE: Message = {"type": "http.disconnect"}


class Exchange:
    """A request under way. Who asks, and for which route, is known once `enter` was called: its key is valid.

    `over` is why it must end, `name` what its answer is kept under, `changes` whether its route may change anything.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.id = new_id("req")
        self.path: str = scope["path"]
        self.state: dict[str, Any] = scope.setdefault("state", {})
        self.identity: Identity | None = None
        self.route = ""
        self.over: str | None = None
        self.name: Name | None = None
        self.changes = True
        self.presence = contextlib.ExitStack()
        self._receive = receive
        self._readers: set[asyncio.Task[Any]] = set()
        self._hash: Hash | None = None

    def enter(self, presence: Presence, identity: Identity, route: str) -> None:
        """It is a request of `identity` for `route`, and ends when that key is over."""
        self.identity, self.route = identity, route
        self.presence.enter_context(presence.present(identity.key_id, self))

    def marks(self) -> dict[str, str]:
        """See `logs.Subject`."""
        known = {"request_id": self.id, "route": self.route}
        return known if self.identity is None else known | {"key_id": self.identity.key_id}

    async def claim(self, request: Request, repeats: Repeats, most: int) -> None:
        """Let a request with an `Idempotency-Key` be done once, if its route makes something of at most `most` bytes.

        Raises `Repeated` for one that was answered before, `IdempotencyConflict` for another request or one that is
        under way, `InvalidRequest`.
        """
        key = checked(request.headers.get("idempotency-key"))
        if key is None or self.route not in ROUTES:
            return
        assert self.identity is not None
        name = Name(self.identity.key_id, self.route, key)
        kept = await repeats.begin(name)
        kind = request.headers.get("content-type", "")
        self._hash = hashlib.sha256(f"{request.url.query}\n{kind}\n".encode())
        if kept is None:
            self.presence.callback(repeats.over, name)
            self.name = name
            return
        await self._read_all(most)
        if self.digest() != kept.digest:
            raise conflict(kept.location or "something")
        self.changes = False
        raise Repeated(kept)

    def digest(self) -> str:
        """What tells a claimed request, as far as it was read, from others."""
        assert self._hash is not None
        return self._hash.hexdigest()

    async def _read_all(self, most: int) -> None:
        size, more = 0, True
        while more and size <= most:
            message = await self.receive()
            if message == _GONE:
                raise ClientDisconnect
            size, more = size + len(message.get("body", b"")), message.get("more_body", False)

    def end(self, reason: str) -> None:
        """From now the client has left, as far as the route knows. A second reason changes nothing."""
        if self.over:
            return
        self.over = reason
        for task in self._readers:
            task.cancel()

    async def receive(self) -> Message:
        """What the client sends next."""
        task = asyncio.current_task()
        assert task is not None
        if self.over:
            return _GONE
        self._readers.add(task)
        try:
            message = await self._receive()
            if self._hash is not None:
                self._hash.update(message.get("body", b""))
            return message
        except asyncio.CancelledError:
            if self.over and not task.uncancel():
                return _GONE
            raise
        finally:
            self._readers.discard(task)


class Exchanges:
    """ASGI around the routes of `server`."""

    def __init__(self, app: ASGIApp, server: Runtime) -> None:
        self._app, self._server = app, server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(scope, receive)
        exchange.state["exchange"] = exchange
        answer = _Answer(self._server, exchange, send)
        began = time.perf_counter()
        use(self._server.tracer)
        with during(exchange):
            try:
                with exchange.presence:
                    await self._app(scope, exchange.receive, answer.send)
                await answer.finish()
            except Exception:
                await answer.record("internal")
                raise
            finally:
                answer.tell(scope["method"], (time.perf_counter() - began) * 1000)


class _Answer:
    """The answer of an exchange, as it is sent. Its `stage` is `none`, `sized` (its length is known), `stream` or
    `over`."""

    def __init__(self, server: Runtime, exchange: Exchange, send: Send) -> None:
        self._server, self._exchange, self._send = server, exchange, send
        self._stage = "none"
        self._status = LEFT
        self._held: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Send what the route sends. What was done is on record before the first of it."""
        if self._stage == "over":
            return
        if message["type"] == "http.response.start":
            await self._start(message)
            return
        if not message.get("more_body"):
            self._stage = "over"
        if self._held is not None:
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            await self._keep(self._held)
            await self._send(self._held)
            message = {**message, "body": self._body}
        await self._send(message)

    async def _keep(self, start: Message) -> None:
        """Keep an answer for the same request; what was made is told all the same where that fails."""
        assert self._exchange.name is not None
        location = MutableHeaders(scope=start).get("location")
        kept = Kept(self._exchange.digest(), start["status"], location, self._body.decode())
        try:
            await self._server.repeats.keep(self._exchange.name, kept)
        except KernelgateError as error:
            log.error("the answer of %s is not kept: %s", self._exchange.id, error)

    async def finish(self) -> None:
        """The route has sent all: a stream that was cut short ends as it would have."""
        if self._stage == "stream" and self._exchange.over:
            await self._send({"type": "http.response.body", "body": b""})

    def tell(self, method: str, ms: float) -> None:
        """Say in the log that it is over; the status of a request whose client left is `LEFT`."""
        code = self._exchange.state.get("problem")
        details = {"status": self._status, "ms": round(ms, 3)} | ({"code": code} if code else {})
        what = self._exchange.route or f"{method:.20} {self._exchange.path:.80}"
        ENDED.info("%s: %d", what, self._status, extra={DETAILS: details})

    async def record(self, outcome: str, made: str | None = None) -> None:
        """Write down that `outcome` came of what may have changed something, or was denied, unless it was answered.

        `made` is the address of what was made.
        """
        exchange, identity = self._exchange, self._exchange.identity
        if self._stage != "none" or identity is None:
            return
        if outcome in COUNTED:
            self._server.metrics.denied.labels(COUNTED[outcome]).inc()
        if not ((exchange.changes and writes(exchange.route)) or outcome in DENIED):
            return
        if outcome == DONE or self._server.accounts.of(identity).admit_failure():
            key_id, owner = identity.key_id, identity.owner
            what = made or exchange.path
            await self._server.audit.add(Entry(key_id, owner, exchange.route, what, outcome, exchange.id))

    async def _start(self, message: Message) -> None:
        headers, status = MutableHeaders(scope=message), message["status"]
        self._status = status
        mark()
        if self._exchange.over and status == LEFT:
            await self._refuse(self._exchange.over)
            return
        outcome = DONE if status < 400 else self._exchange.state.get("problem", str(status))
        await self.record(outcome, headers.get("location"))
        self._stage = "sized" if "content-length" in headers else "stream"
        headers["X-Request-Id"] = self._exchange.id
        if self._exchange.identity is not None:
            headers.update(self._server.accounts.of(self._exchange.identity).headers())
        if self._exchange.name is not None and status < 300:
            self._held = message
            return
        await self._send(message)

    async def _refuse(self, reason: str) -> None:
        """Answer in place of a route that believes that its client has left."""
        await self.record(reason)
        self._stage = "over"
        refusal = Unauthorized(f"the request was ended: {reason}", hint="Ask an admin for another key.")
        self._status = 401
        response = problem_response(refusal, {"Connection": "close", "X-Request-Id": self._exchange.id})
        await self._send(
            {"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers}
        )
        await self._send({"type": "http.response.body", "body": response.body})


async def answered_again(_: Request, error: Exception) -> Response:
    """The answer that a request was given before."""
    assert isinstance(error, Repeated)
    kept = error.kept
    location = {} if kept.location is None else {"Location": kept.location}
    return Response(
        kept.body, kept.status, {**location, "Idempotency-Replayed": "true"}, media_type="application/json"
    )
