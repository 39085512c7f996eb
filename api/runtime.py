"""Everything that a running server consists of, and the order in which it starts and stops.

Owns the data folder's layout, the processes and the stores. Must not know routes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable

from api import devices
from api.auth import keys
from api.auth.audit import AuditLog
from api.auth.keyring import Keyring
from api.auth.logins import Logins
from api.auth.presence import Presence
from api.auth.secrets import SecretStore
from api.auth.sharing import Sharing, sweep
from api.http.idempotency import Repeats
from api.kernels.builds import Builder
from api.kernels.compiling import Compiler
from api.kernels.lane import Lane
from api.kernels.launcher import Launcher
from api.kernels.quarantine import Quarantine
from api.kernels.standby import Standby
from api.kernels.store import KernelStore
from api.metrics import Metrics
from api.readiness import Readiness
from api.runs.execution import Executor
from api.runs.gates import Gatekeeper
from api.runs.manager import RunManager
from api.runs.resumption import resume
from api.runs.sessions import Sessions
from api.runs.sse import Streams
from api.runs.submission import Desk
from api.runs.work import Work
from api.scripts.store import ScriptStore
from api.scripts.stubs import Stubs
from api.settings import Settings
from api.starting import Start
from api.storage import folder
from api.storage.blobs import BlobStore, storage_errors
from api.storage.database import Database
from api.storage.reserve import Reserve
from api.tensors.residency import Residency
from api.tensors.spill import Spill
from api.tensors.store import TensorStore
from api.tracing import tracer_of, use
from api.upkeep import Upkeep
from api.usage.accounts import Accounts
from api.usage.holdings import Holdings
from host.frames import Usage
from host.supervisor import Device
from sandbox.gates.network import SYSTEM, Network
from sandbox.pool import PoolSettings, WorkerPool
from shaders.errors import KernelgateError

log = logging.getLogger("kernelgate")


class Runtime:
    """A server. The stores are ready when `start` returns; the processes start meanwhile, `ready` waits for them.

    `network` is what the gate of HTTP speaks to.
    """

    def __init__(self, settings: Settings, network: Network = SYSTEM) -> None:
        self.settings = settings
        self.new_key: str | None = None
        self.failure: KernelgateError | None = None
        self.tracer = tracer_of(settings.otel)
        self.metrics = Metrics()
        self.reserve = Reserve(settings.data / "reserve", settings.reserve_bytes)
        self.database = Database(settings.database, self.reserve)
        self.blobs = BlobStore(settings.data / "blobs", self.reserve)
        self.device = devices.shared(settings)
        self.device.on_charge = self._count_device
        self.compiler = devices.compiler(settings, min(settings.quick_compile_s, settings.compile_s))
        self.patient = Standby(lambda: devices.compiler(settings, settings.compile_s), settings.lane_idle_s)
        self.lane = Lane(self.device, lambda: devices.heavy(settings), settings.lane_idle_s)
        self.pool = WorkerPool(
            PoolSettings(
                size=settings.workers,
                allow_weak=settings.allow_weak_sandbox,
                allow_native=settings.allow_native,
                on_kill=lambda code: self.metrics.kills.labels(code).inc(),
            )
        )
        self.keys = Keyring(self.database, settings.quotas)
        self.logins = Logins()
        self.sharing = Sharing(self.database)
        self.holdings = Holdings()
        self.accounts = Accounts(self.holdings)
        self.audit = AuditLog(self.database, settings.audit_days)
        self.repeats = Repeats(self.database)
        self.spill = Spill(settings.data / "spill", settings.spill_bytes, self.reserve)
        self.residency = Residency(self.device, settings.resident_bytes, self.spill)
        self.tensors = TensorStore(
            self.database,
            self.blobs,
            self.device,
            self.residency,
            self.spill,
            self.holdings,
            self.sharing,
            settings.transient_tensors,
        )
        self.quarantine = Quarantine(self.database)
        self.compiling = Compiler(self.compiler, self.patient, self.database, self.quarantine)
        self.kernels = KernelStore(
            self.database, Builder(self.pool, self.compiling, self.compiler_ready), self.sharing
        )
        self.launcher = Launcher(
            self.device,
            self.lane,
            self.compiling,
            self.quarantine,
            self.metrics,
            settings.heavy_compile_ms,
        )
        self.scripts = ScriptStore(self.database, self.sharing, self.pool)
        self.streams = Streams(settings.event_streams)
        self.stubs = Stubs()
        self.secrets = SecretStore(self.database, settings.data / "secrets.key")
        self.gates = Gatekeeper(settings, self.metrics, network, self.accounts, self.audit, self.secrets)
        self.desk = Desk(settings, self.gates, self.pool, self.tensors)
        self.sessions = Sessions(settings, self.pool, self.launcher, self.tensors, self.gates, self.accounts)
        executor = Executor(
            settings,
            self.database,
            self.pool,
            self.launcher,
            self.kernels,
            self.scripts,
            self.tensors,
            self.gates,
            self.accounts,
            self.metrics,
            self.ready,
        )
        self.runs = RunManager(
            settings, self.database, executor, self.metrics, self.sessions, self.accounts, self.sharing
        )
        self.readiness = Readiness(self.device, self.compiler, self.database, self.reserve)
        self.upkeep = Upkeep(settings, self.database, self.tensors, self.reserve)
        self.presence = Presence(self.keys, [self.runs, self.sessions])
        self._starts: dict[str, Start] = {}
        self._lock = -1

    async def start(self) -> None:
        """Open the data folder and begin to start the processes. Raises `StorageError`."""
        began = time.perf_counter()
        use(self.tracer)  # for the runs that are taken up
        with storage_errors():
            self._lock = folder.take(self.settings.data)
            self.blobs.open_folder()
            self.spill.open_folder()
        self._begin("device", lambda: self._start_device("device", self.device))
        self._begin("workers", self.pool.start)
        await self.database.start()
        await self.quarantine.start()
        await self.database.do(sweep)
        self.new_key = await asyncio.to_thread(
            keys.ensure_admin, self.database, self.settings.data / "admin.key"
        )
        self._begin("compiler", self._start_compiler)
        await asyncio.to_thread(self.reserve.fill)
        await resume(self.database, self.keys, self.desk, self.runs)
        self.runs.start()
        self.sessions.start()
        self.upkeep.start()
        self.presence.sweeper.start()
        self.audit.sweeper.start()
        log.debug("stores opened in %.0f ms", (time.perf_counter() - began) * 1000)

    async def stop(self) -> None:
        """Let runs end for a while, then stop the processes and close the stores."""
        await asyncio.gather(self.presence.sweeper.stop(), self.audit.sweeper.stop())
        await self.runs.stop(self.settings.drain_s)
        await asyncio.gather(self.sessions.stop(), self.upkeep.stop())
        await asyncio.gather(*(start.stop() for start in self._starts.values()))
        await asyncio.gather(self.lane.close(), self.patient.close())
        await asyncio.gather(self.pool.close(), self.device.close(), self.compiler.close())
        self.database.close()
        self.blobs.close()
        if self._lock >= 0:
            os.close(self._lock)

    async def ready(self) -> None:
        """Return when device and workers are up. Raises why they are not."""
        for name in ("device", "workers"):
            await self._starts[name].wait(self.settings.start_s)

    async def compiler_ready(self) -> None:
        """Return when the compiler is up. Raises why it is not."""
        await self._starts["compiler"].wait(self.settings.start_s)

    def count(self, kind: str, work: Work, began: float) -> None:
        """Count a piece of work that was no run: its kind and duration."""
        self.metrics.runs.labels(kind, "succeeded").inc()
        self.metrics.duration.labels(kind).observe(time.perf_counter() - began)

    def _count_device(self, usage: Usage) -> None:
        """Count time on the device, whatever came of it."""
        name = self.device.info.name if self.device.info is not None else "unknown"
        self.metrics.device_seconds.labels(name).inc(usage.device_ms / 1000)

    async def reasons(self) -> list[str]:
        """Why the server is not ready; nothing when it is. While the compiler starts, only new kernels wait."""
        found = [
            f"{name}: {start.error or 'starting'}"
            for name, start in self._starts.items()
            if not start.up and (start.error or name != "compiler")
        ]
        return [*found, *await self.readiness.reasons()]

    def _begin(self, name: str, attempt: Callable[[], Awaitable[object]]) -> None:
        self._starts[name] = Start(name, attempt)

    async def _start_compiler(self) -> None:
        """The compiler, and at last the spare: neither takes the processors from what a server must have."""
        await self._starts["device"].settled()
        await self._start_device("compiler", self.compiler)
        await self._starts["workers"].settled()
        spare = self.settings.spare
        if self.settings.adapter not in ("numpy", "null") if spare is None else spare:
            self.device.keep_spare()

    async def _start_device(self, name: str, device: Device) -> None:
        await device.start()
        if device.seal.missing:
            log.warning("%s: a wall is missing around its process: %s", name, device.seal.missing)
