"""What a device is told when it is made, and what of that a process of it is told.

Must not know where settings come from.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Literal

from host.child import ChildSettings
from host.clock import Clock, LoopClock
from host.engine import EngineSettings


@dataclass(frozen=True)
class DeviceSettings:
    """What a `Device` is told; times in seconds. Those that one process needs mean what `ChildSettings` says."""

    adapter: str | None = None
    role: Literal["device", "compiler"] = "device"
    """A "compiler" only tries new kernels."""
    memory_bytes: int | None = None
    pool_bytes: int = 1 << 30
    slice_ms: float = 20.0
    host_steps: bool = True
    fuel: int | None = None
    """The budget of a kernel's invocation where a dispatch names none; None: measured at the start."""
    deadline_s: float = 30.0
    """Bounds the device's own time for a request: work in slices is stopped after it. A single step of other requests
    that takes longer gets the process killed."""
    watchdog_s: float = 2.0
    """After so long a slice gets the process killed."""
    compile_s: float = 30.0
    """The same for a step that may have to compile."""
    first_s: float | None = None
    """The same for the first step of a stranger's kernel; None: `compile_s`."""
    start_s: float = 30.0
    takeup_s: float = 10.0
    exit_s: float = 2.0
    wait_s: float = 20.0
    """How long a request waits for a restart."""
    failures: int = 4
    """Starts in a row that may fail before requests are refused at once."""
    backoff_s: float = 0.25
    """The pause after the first of them; each is twice the one before."""
    backoff_most_s: float = 30.0
    """The longest pause."""
    kernels: int = 4096
    """Kernels that are remembered, to be told to the next process."""
    python: str = sys.executable
    module: str = "host.process"
    clock: Clock = field(default_factory=LoopClock)

    def child(self) -> ChildSettings:
        """The part that one process needs."""
        engine = EngineSettings(
            self.adapter, self.memory_bytes, self.pool_bytes, self.slice_ms, self.host_steps, self.fuel
        )
        return ChildSettings(
            self.python, self.module, engine, self.watchdog_s, self.start_s, self.takeup_s, self.exit_s
        )
