"""What a run may use, and the errors of one that is over: each names its limit, the value and the use.

Must not know who measures.
"""

from __future__ import annotations

from dataclasses import dataclass

from sandbox import errors
from shaders.errors import KernelgateError


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use: seconds of wall clock and processor, megabytes (2**20), bytes of output."""

    wall_s: float
    cpu_s: float
    memory_mb: int
    output_bytes: int

    def wall_error(self, wall_s: float, cpu_s: float) -> KernelgateError:
        """The error of a run that took `wall_s` seconds, `cpu_s` of them on the processor."""
        return errors.WallLimitError(
            f"the run was stopped at its time limit of {self.wall_s:g} s; it took {wall_s:.2f} s, "
            f"{cpu_s:.2f} s of them on the processor",
            hint="Ask for a larger limit wall_s, or do less.",
        )

    def cpu_error(self, cpu_s: float) -> KernelgateError:
        """The error of a run that used `cpu_s` seconds of the processor."""
        return errors.CpuLimitError(
            f"the run was stopped at its processor time limit of {self.cpu_s:g} s; it used {cpu_s:.2f} s",
            hint="Ask for a larger limit cpu_s, or move the work to tensors or a kernel.",
        )

    def memory_error(self, peak_bytes: int) -> KernelgateError:
        """The error of a run that asked for more memory when it had `peak_bytes`."""
        return errors.MemoryLimitError(
            f"the run was stopped at its memory limit of {self.memory_mb} MB when it asked for more; "
            f"{peak_bytes / (1 << 20):.1f} MB were resident",
            hint="Ask for a larger limit memory_mb, or keep data in tensors.",
        )

    def output_error(self, sent_bytes: int) -> KernelgateError:
        """The error of a run whose worker sent `sent_bytes` of output."""
        return errors.OutputLimitError(
            f"the run was stopped at its output limit of {self.output_bytes} bytes; its worker sent {sent_bytes}"
        )
