"""A worker as the server sees it: a socket, a pidfd, and clocks.

Owns the measuring and the killing of one process. What it measures it reads from the kernel, never from the worker.
Must not know jobs.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import time
from contextlib import suppress

from sandbox.walls.rlimits import WorkerLimits, apply_from_outside


class WorkerProcess:
    """A forked worker that waits for its job. `connection` is the server's end of its socket, non-blocking."""

    def __init__(self, pid: int, handle: int, connection: socket.socket) -> None:
        self.pid = pid
        self.connection = connection
        self._handle = handle
        self._status: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._cpu_at_start = 0.0
        self._last_cpu = 0.0
        self._rss_at_start = 0
        self._peak = 0

    @property
    def is_alive(self) -> bool:
        """Whether it runs, as the kernel says: a death is known here before the zygote tells of it."""
        if self._handle < 0:
            return False
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)  # a pidfd is readable once its process has ended
        return not poll.poll(0)

    @property
    def is_settled(self) -> bool:
        """Whether the zygote has told how it ended, or has died and can not tell."""
        return self._status.done()

    def begin(self, limits: WorkerLimits, base: int | None) -> None:
        """Put a run's limits on it and start its clocks. Raises ProcessLookupError when it is gone."""
        apply_from_outside(self.pid, limits, base)
        self._cpu_at_start = self._last_cpu = self._cpu_clock()
        self._rss_at_start = self._status_bytes("VmRSS")

    def cpu_s(self) -> float:
        """Processor seconds used since `begin`; the last known figure when it is gone."""
        if self._handle >= 0:  # afterwards its number may be another process's
            with suppress(OSError):
                self._last_cpu = self._cpu_clock()
        return max(0.0, self._last_cpu - self._cpu_at_start)

    def peak_bytes(self) -> int:
        """The most memory that was resident at once, beyond what was at `begin`; the last known figure."""
        if self._handle >= 0:
            self._peak = max(self._peak, self._status_bytes("VmHWM") - self._rss_at_start)
        return self._peak

    def _cpu_clock(self) -> float:
        return time.clock_gettime((~self.pid << 3) | 2)

    def _status_bytes(self, field: str) -> int:
        try:
            with open(f"/proc/{self.pid}/status", "rb") as status:
                text = status.read()
        except OSError:
            return 0
        start = text.find(field.encode() + b":")
        return int(text[start:].split(maxsplit=2)[1]) * 1024 if start >= 0 else 0

    def ended(self, status: int | None, cpu_s: float = 0.0, peak_bytes: int = 0) -> None:
        """The zygote reaped it with this wait status and use; None when the zygote died first."""
        self._last_cpu = max(self._last_cpu, cpu_s)
        self._peak = max(self._peak, peak_bytes - self._rss_at_start)
        if not self._status.done():
            self._status.set_result(status)

    async def status(self, patience_s: float) -> int | None:
        """Its wait status, or None when that is not known within `patience_s`."""
        try:
            async with asyncio.timeout(patience_s):
                return await asyncio.shield(self._status)
        except TimeoutError:
            return None

    def kill(self) -> None:
        """SIGKILL; harmless when it is gone."""
        if self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """Kill it and let go of its descriptors. Idempotent."""
        self.kill()
        self.connection.close()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
