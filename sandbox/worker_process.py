"""A worker as the server sees it: a socket, a hold on the process, and its use.

Owns the measuring and the killing of one process. What it measures it reads from the kernel, never from the worker.
Must not know jobs.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

from ops.wire import frame
from sandbox.frames import Confine
from sandbox.handles import Handle
from sandbox.walls import rlimits
from sandbox.walls.rlimits import WorkerLimits


class WorkerProcess:
    """A forked worker that waits for its job. `connection` is the server's end of its socket, non-blocking.

    `first_words` must be said before its job: its limits, where only the worker itself can put them on.
    """

    def __init__(self, handle: Handle, connection: socket.socket) -> None:
        self.connection = connection
        self.first_words = b""
        self._handle = handle
        self._is_open = True
        self._status: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._cpu_at_start = 0.0
        self._last_cpu = 0.0
        self._rss_at_start = 0
        self._peak = 0

    @property
    def is_alive(self) -> bool:
        """Whether it has its end of the socket, as until its death: known here before the zygote tells of it."""
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    @property
    def is_settled(self) -> bool:
        """Whether the zygote has told how it ended, or has died and cannot tell."""
        return self._status.done()

    def begin(self, limits: WorkerLimits, base: int | None) -> None:
        """Put a run's limits on it and start its clocks. Raises ProcessLookupError when it is gone."""
        if rlimits.FROM_OUTSIDE:
            rlimits.apply_from_outside(self._handle.pid, limits, base)
        else:
            self.first_words = frame(Confine(limits))
        self._cpu_at_start = self._last_cpu = self._handle.cpu_s()
        self._rss_at_start = self._handle.resident_bytes()

    def pause(self) -> None:
        """Let it do nothing until `resume`; harmless when it is gone."""
        if self._is_open:
            self._handle.pause()

    def resume(self) -> None:
        """Let it go on with another job, and start its clock of the processor anew. Raises OSError when it is gone."""
        self._cpu_at_start = self._last_cpu = self._handle.cpu_s()
        self._handle.resume()

    def cpu_s(self) -> float:
        """Processor seconds used since `begin`; the last known figure when it is gone."""
        if self._is_open:  # afterwards its number may be another process's
            with suppress(OSError):
                self._last_cpu = max(self._last_cpu, self._handle.cpu_s())
        return max(0.0, self._last_cpu - self._cpu_at_start)

    def peak_bytes(self) -> int:
        """The most memory that was resident at once, beyond what was at `begin`; the last known figure."""
        if self._is_open:
            self._peak = max(self._peak, self._handle.peak_bytes() - self._rss_at_start)
        return self._peak

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

    def interrupt(self) -> None:
        """Ask it where its script is (`frames.Here`); harmless when it is gone. It need not answer."""
        if self._is_open:
            self._handle.interrupt()

    def kill(self) -> None:
        """SIGKILL; harmless when it is gone."""
        if self._is_open:
            self._handle.kill()

    async def stop(self, patience_s: float, *, at_work: bool) -> None:
        """Measure and kill it, at once. Where only its end tells its use, wait for that, up to `patience_s`: the kernel
        counts what a process that is `at_work` runs at its ticks alone, of which one may take 10 ms."""
        self.cpu_s()
        self.peak_bytes()
        self.kill()
        if at_work or not self._handle.measures:
            await self.status(patience_s)

    def close(self) -> None:
        """Kill it and let go of it. Idempotent."""
        self.kill()
        self.connection.close()
        if self._is_open:
            self._is_open = False
            self._handle.close()
