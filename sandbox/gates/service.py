"""All gates of one run behind one call.

Owns the dispatch of a worker's request to its gate. The server makes one `Gates` a run and closes it when the run
ends; whatever is asked, the answer is a record of `gates/frames.py` or an error that may be shown to the script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandbox.gates import environment
from sandbox.gates.fetch import FetchEvent, FetchGate, FetchLimits, Secret
from sandbox.gates.files import FileEvent, FilesGate
from sandbox.gates.folder import FileLimits
from sandbox.gates.frames import EnvironmentRead, Fetch, GateAnswer, GateRequest
from sandbox.gates.grants import Grants, NameGate
from sandbox.gates.network import Connect, Resolve, system_connect, system_resolve

GateEvent = FetchEvent | FileEvent


class Gates:
    """The gates that `grants` open. `secrets` are those that the run's owner may use; `resolve` and `connect` are
    the network (`gates/network.py`). Every request is reported to `on_event`, also from a denial."""

    def __init__(
        self,
        grants: Grants,
        *,
        secrets: Mapping[str, Secret] | None = None,
        fetch_limits: FetchLimits | None = None,
        file_limits: FileLimits | None = None,
        on_event: Callable[[GateEvent], None] = lambda event: None,
        resolve: Resolve = system_resolve,
        connect: Connect = system_connect,
    ) -> None:
        self._grants = grants
        self._fetch = FetchGate(
            grants.fetch, secrets, limits=fetch_limits, on_event=on_event, resolve=resolve, connect=connect
        )
        self._files = FilesGate(grants.files, limits=file_limits, on_event=on_event)
        self.environment = environment.values(grants)

    async def serve(self, request: GateRequest) -> GateAnswer:
        """The answer to a worker's request, or a `KernelgateError`."""
        if isinstance(request, EnvironmentRead):
            environment.deny(request.name)
        if isinstance(request, Fetch):
            return await self._fetch.fetch(request)
        return await self._files.serve(request)

    def require(self, gate: NameGate, name: str) -> None:
        """Raises `PermissionDenied` unless the run may use the operation, kernel or tensor `name`."""
        self._grants.require(gate, name)

    def changes(self) -> dict[str, bytes | None]:
        """What the run wrote to overlays: path to content, or None for removed."""
        return self._files.changes()

    async def close(self) -> None:
        """Closes connections. Operations on files that are under way end by themselves."""
        await self._fetch.close()
