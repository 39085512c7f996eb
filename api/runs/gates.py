"""What runs reach beyond their workers: which grants they get, their open gates, and the record of every request.

Owns the rules of who may be granted what, the events and metrics of the gates, and the audit lines of denials. Must
not know HTTP, or how a gate works.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import msgspec

from api.auth.audit import AuditLog, Entry
from api.auth.identity import Identity
from api.auth.secrets import SecretStore
from api.background import later
from api.metrics import Metrics
from api.runs.events import EventLog
from api.settings import Settings
from api.usage.accounts import Accounts
from sandbox.gates.errors import FetchRefused, FileRefused, GrantError, PermissionDenied
from sandbox.gates.fetch import FetchEvent, Secret
from sandbox.gates.folder import FileLimits
from sandbox.gates.frames import EnvironmentRead, GateAnswer, GateRequest
from sandbox.gates.grants import Grants, NameGate, advise, allows, intersect, parse
from sandbox.gates.network import Network
from sandbox.gates.service import GateEvent, Gates

audit = logging.getLogger("kernelgate.audit")

AUDIT_LINES = 100  # of one run; further denials are counted only
_DENIALS = frozenset([PermissionDenied.code, FetchRefused.code, FileRefused.code])
_NEVER = ("/proc", "/sys", "/dev", "/run")


class Gatekeeper:
    """Decides what a run is granted, and opens its gates."""

    def __init__(
        self,
        settings: Settings,
        metrics: Metrics,
        network: Network,
        accounts: Accounts,
        log: AuditLog,
        secrets: SecretStore,
    ) -> None:
        self._settings = settings
        self._metrics = metrics
        self._network = network
        self._accounts = accounts
        self._log = log
        self._secrets = secrets

    def grants(self, identity: Identity, asked: object) -> Grants:
        """What a run of `identity` gets of the grants that it asks for. Raises `GrantError`."""
        granted = intersect(identity.maximum, parse(asked))
        for grant in granted.files:
            self._check_folder(grant.folder)
        for name, value in granted.env.items():
            if value is None:
                raise GrantError(f"grants: env: {name} has no value, and the key has none for it")
        return granted

    def require(self, identity: Identity, gate: NameGate, name: str) -> None:
        """Raises `PermissionDenied` unless the key itself may use the operation or kernel `name` outside of runs."""
        if identity.maximum is not None:
            self.check(identity, identity.maximum, gate, name)

    def check(self, identity: Identity, grants: Grants, gate: NameGate, name: str) -> None:
        """Raises `PermissionDenied`, on record, unless `grants` open `name` where there is no run yet."""
        try:
            grants.require(gate, name)
        except PermissionDenied as denial:
            self._count(gate, f"a request of {identity.owner}", denial.asked, denial.code)
            raise advise(denial, identity.maximum) from None

    async def open(self, run_id: str, identity: Identity, grants: Grants, events: EventLog) -> RunGates:
        """The gates of a run, to be closed. Raises `StorageError` if the server's secrets cannot be read."""
        names = {grant.secret for grant in grants.fetch if grant.secret is not None}
        secrets = await self._secrets.reveal(identity.owner, names)
        return RunGates(self, self._settings, self._network, run_id, identity, grants, secrets, events)

    def denied(
        self, gate: str, run_id: str, identity: Identity, asked: str, code: str, *, line: bool = True
    ) -> None:
        """Count a denial inside a run, and write it down."""
        self._count(gate, f"{run_id} of {identity.owner}", asked, code, line=line)
        if line and self._accounts.of(identity).admit_failure():
            what = f"{run_id}: {asked}"
            entry = Entry(identity.key_id, identity.owner, f"gate {gate}", what, code)
            later(self._log.add(entry), "the record of a denial")

    def _count(self, gate: str, who: str, asked: str, code: str, *, line: bool = True) -> None:
        self._metrics.denied.labels(gate).inc()
        if line:
            audit.warning("denied %s: %s: %s: %s", who, gate, asked, code)

    def _check_folder(self, folder: str) -> None:
        """Refuse folders that are the machine's or the server's own, or hold them."""
        data = PurePosixPath(self._settings.data.resolve())
        path = PurePosixPath(folder)
        if path.is_relative_to(data) or data.is_relative_to(path):
            raise GrantError(f"grants: files: {folder} holds, or is in, the server's own data folder")
        if any(path.is_relative_to(never) for never in _NEVER):
            raise GrantError(f"grants: files: {folder} is the system's own and never granted")


class RunGates:
    """The gates of one run. Each request becomes an event of the run, each denial a line and a count."""

    def __init__(
        self,
        keeper: Gatekeeper,
        settings: Settings,
        network: Network,
        run_id: str,
        identity: Identity,
        grants: Grants,
        secrets: Mapping[str, Secret],
        events: EventLog,
    ) -> None:
        self._keeper = keeper
        self._run_id = run_id
        self._identity = identity
        self._events = events
        self._denials = 0
        self._open: set[tuple[NameGate, str]] = set()
        self.has_overlay = any(grant.mode == "overlay" for grant in grants.files)
        self._gates = Gates(
            grants,
            secrets=secrets,
            file_limits=FileLimits(overlay_bytes=settings.overlay_bytes),
            on_event=self._report,
            resolve=network.resolve,
            connect=network.connect,
        )

    def serve_run(self, run_id: str, events: EventLog) -> None:
        """From now on requests are those of this run, and go into its events."""
        self._run_id, self._events, self._denials = run_id, events, 0

    @property
    def environment(self) -> Mapping[str, str]:
        """The values that the run sees."""
        return self._gates.environment

    async def serve(self, request: GateRequest) -> GateAnswer:
        """What a gate answers. Raises `KernelgateError`s of the gates, which report files and HTTP themselves."""
        if isinstance(request, EnvironmentRead):
            with self._on_record("env"):
                return await self._gates.serve(request)
        try:
            return await self._gates.serve(request)
        except PermissionDenied as denial:
            raise advise(denial, self._identity.maximum) from None

    def require(self, gate: NameGate, name: str) -> None:
        """Raises `PermissionDenied` unless the run may use the operation, kernel or tensor `name`."""
        if (gate, name) in self._open:
            return
        with self._on_record(gate):
            self._gates.require(gate, name)
        self._open.add((gate, name))

    @contextmanager
    def _on_record(self, gate: str) -> Iterator[None]:
        """Make a denial inside an event, a line and a count."""
        try:
            yield
        except PermissionDenied as denial:
            event = {"gate": gate, "asked": denial.asked, "denied": denial.code, "reason": denial.message}
            self._events.add("gate", {**event, **self._lacking(denial.grant)})
            self._deny(gate, denial.asked, denial.code)
            raise advise(denial, self._identity.maximum) from None

    def files(self) -> bytes:
        """What the run changed in its overlays, as JSON: path to `$bytes`, or to null for what it removed."""
        changes = self._gates.changes().items()
        return msgspec.json.encode({path: _content(content) for path, content in changes})

    async def close(self) -> None:
        """Close connections."""
        await self._gates.close()

    def _report(self, event: GateEvent) -> None:
        gate = "fetch" if isinstance(event, FetchEvent) else "files"
        told: dict[str, Any] = {
            name: round(value, 3) if name == "ms" else value
            for name, value in msgspec.to_builtins(event).items()
            if value is not None
        }
        lacking = self._lacking(event.grant) if event.grant is not None else {}
        self._events.add("gate", {"gate": gate, **told, **lacking})
        if event.denied in _DENIALS:
            self._deny(gate, event.reason or "", event.denied)

    def _lacking(self, grant: dict[str, object]) -> dict[str, object]:
        """The grant that is missing, and whose grants it is missing in: the run's, or already the key's."""
        return {"grant": grant, "by": "run" if allows(self._identity.maximum, grant) else "key"}

    def _deny(self, gate: str, asked: str, code: str) -> None:
        self._denials += 1
        line = self._denials <= AUDIT_LINES
        self._keeper.denied(gate, self._run_id, self._identity, repr(asked[:500]), code, line=line)


def _content(content: bytes | None) -> dict[str, str] | None:
    return None if content is None else {"$bytes": base64.b64encode(content).decode()}
