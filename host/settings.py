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
    """What a `Device` is told; times in seconds.

    `deadline_s` bounds each request in the device's own time: work in slices is stopped after it. A single step that
    takes too long gets the process killed: a slice after `watchdog_s`, one that may have to compile after `compile_s`
    (of a stranger's kernel after `first_s`, where given), any other after `deadline_s`. `host_steps` is as in
    `EngineSettings`. `fuel` is the budget of a kernel's invocation where a dispatch names none (None: measured at the
    start). `role` "compiler" is for a device that only tries new kernels. `failures` starts in a row may fail before
    requests are refused at once; after each the next start waits twice as long, from `backoff_s` up to
    `backoff_most_s`. `wait_s` is how long a request waits for a restart. `kernels` bounds how many are remembered.
    `module` is what a process runs (`ChildSettings`).
    """

    adapter: str | None = None
    role: Literal["device", "compiler"] = "device"
    memory_bytes: int | None = None
    pool_bytes: int = 1 << 30
    slice_ms: float = 20.0
    host_steps: bool = True
    fuel: int | None = None
    deadline_s: float = 30.0
    watchdog_s: float = 2.0
    compile_s: float = 30.0
    first_s: float | None = None
    start_s: float = 30.0
    takeup_s: float = 10.0
    exit_s: float = 2.0
    wait_s: float = 20.0
    failures: int = 4
    backoff_s: float = 0.25
    backoff_most_s: float = 30.0
    kernels: int = 4096
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
