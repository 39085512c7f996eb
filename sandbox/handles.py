"""A hold on another process: to kill it and to read its clocks, by what the system has.

Owns the two kinds. A number alone is no hold: once its process was reaped, it may be another one's. What has no pidfds
therefore leaves killing to the parent, which has not reaped what it kills. Must not know jobs, or who asks.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class Handle(Protocol):
    """A process. `measures` says whether its use can be read while it lives; if not, the figures are 0."""

    pid: int
    measures: bool

    def kill(self) -> None:
        """SIGKILL; harmless when it is gone."""
        ...

    def interrupt(self) -> None:
        """SIGUSR1, where that is possible; harmless when it is gone."""
        ...

    def pause(self) -> None:
        """Let it do nothing, where that is possible; harmless when it is gone."""
        ...

    def resume(self) -> None:
        """Let it go on."""
        ...

    def cpu_s(self) -> float:
        """Processor seconds that it has used. Raises OSError when it is gone."""
        ...

    def resident_bytes(self) -> int:
        """Memory that is resident now; 0 when it is gone."""
        ...

    def peak_bytes(self) -> int:
        """The most memory that was resident at once; 0 when it is gone."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class PidFd(Handle):
    """A process of Linux by its pidfd, which is closed with it; inside its namespace it is called `pid`.

    Raises OSError where there is no `/proc`.
    """

    measures = True

    def __init__(self, descriptor: int, pid: int) -> None:
        self._descriptor = descriptor
        try:
            self.pid = _outer_pid(descriptor, pid)
        except OSError:
            self.close()
            raise

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def interrupt(self) -> None:
        self._send(signal.SIGUSR1)

    def pause(self) -> None:
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, number)

    def cpu_s(self) -> float:
        clock = (~self.pid << 3) | 2  # of a process, as clock_getcpuclockid(3) makes it
        return time.clock_gettime(clock)

    def resident_bytes(self) -> int:
        return self._status_bytes(b"VmRSS:")

    def peak_bytes(self) -> int:
        return self._status_bytes(b"VmHWM:")

    def close(self) -> None:
        os.close(self._descriptor)

    def _status_bytes(self, field: bytes) -> int:
        try:
            with open(f"/proc/{self.pid}/status", "rb") as status:
                text = status.read()
        except OSError:
            return 0
        start = text.find(field)
        return int(text[start:].split(maxsplit=2)[1]) * 1024 if start >= 0 else 0


class ByParent(Handle):
    """A process by its number, which its parent is asked to kill. Its use is known at its end only."""

    measures = False

    def __init__(self, pid: int, ask_to_kill: Callable[[int], None]) -> None:
        self.pid = pid
        self._ask_to_kill = ask_to_kill

    def kill(self) -> None:
        self._ask_to_kill(self.pid)

    def interrupt(self) -> None:
        pass

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    def cpu_s(self) -> float:
        return 0.0

    def resident_bytes(self) -> int:
        return 0

    def peak_bytes(self) -> int:
        return 0

    def close(self) -> None:
        pass


def descriptor_of(child: int) -> int | None:
    """A pidfd of a child that is not reaped yet, to be sent to who shall hold it; None where there are no such."""
    return os.pidfd_open(child) if hasattr(os, "pidfd_open") else None


def _outer_pid(descriptor: int, pid: int) -> int:
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as info:
        found = re.search(r"^Pid:\s+(\d+)", info.read(), re.MULTILINE)
    return int(found.group(1)) if found and int(found.group(1)) > 0 else pid
