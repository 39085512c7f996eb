"""`Session` and `AsyncSession`: a worker on the server that keeps its variables from cell to cell.

Owns the cells' form for callers. Must not know how a request is sent: `Client.session` opens one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from kernelgate.jobs import asked, finished, posted
from kernelgate.runs import Run
from kernelgate.steps import Awaiting, Blocking, Steps, T, method, request


def opened(
    limits: Mapping[str, float] | None, grants: Mapping[str, object] | None, idle_s: float | None
) -> Steps[str]:
    """The id of a new session."""
    given = {"limits": dict(limits or {}), "grants": dict(grants or {}), "idle_s": idle_s}
    record = yield from posted("/api/sessions", json={key: value for key, value in given.items() if value})
    return str(record["id"])


class SessionCalls:
    """What both kinds of session do. `id` is the session's."""

    id: str

    @method
    def run(
        self, script: str, inputs: Mapping[str, object] | None = None, *, check: bool = True
    ) -> Steps[Run]:
        """The finished run of a cell, for which `inputs` are variables. Raises its error, unless `check` is false."""
        body = yield from asked(inputs, script=script)
        return (yield from finished(f"/api/sessions/{self.id}/run", body, check))

    @method
    def value(self, script: str, /, **inputs: object) -> Steps[Any]:
        """The value of the last expression of a cell. Raises its error."""
        body = yield from asked(inputs, script=script)
        run = yield from finished(f"/api/sessions/{self.id}/run", body, True)
        return run.result

    @method
    def close(self) -> Steps[None]:
        """End it, with all its variables. Closing twice is harmless."""
        yield from request("DELETE", f"/api/sessions/{self.id}")


class Session(SessionCalls, Blocking):
    """A session of a `Client`. It ends with its block, or when it is closed."""

    def __init__(self, id: str, client: Blocking) -> None:
        self.id = id
        self._client = client

    def drive(self, steps: Steps[T]) -> T:
        """What `steps` return."""
        return self._client.drive(steps)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncSession(SessionCalls, Awaiting):
    """A session of an `AsyncClient`. It ends with its block, or when it is closed."""

    def __init__(self, id: str, client: Awaiting) -> None:
        self.id = id
        self._client = client

    async def drive(self, steps: Steps[T]) -> T:
        """What `steps` return."""
        return await self._client.drive(steps)

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
