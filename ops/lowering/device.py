"""What lowerings may know of an adapter.

Owns the one table of what differs between adapters. Must not know kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

_LANE_UNITS = 8
"""Units of a row that a lane takes before a workgroup grows."""


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """What a lowering may know of an adapter."""

    kind: Literal["cpu", "gpu"]
    lanes: int
    """The workgroup size of kernels in which invocations work together."""
    loop_turns: int
    """How many turns all loops of one invocation may take: llvmpipe stops at 65 535, silently."""
    work: int = 1 << 27
    """Multiply-adds of a dispatch, about: tens of milliseconds' worth, since a device is deaf until one ends."""
    host_work: int = 0
    """Multiply-adds from which the host's own BLAS takes a product of f32, in the device's memory; 0: never."""
    quads: int = 1
    """Quads of neighbouring elements that an invocation of an elementwise kernel takes."""
    chunks: int = 1
    """Chunks of columns that an invocation of a reduction may fold."""
    group: int = 64
    """The workgroup size of elementwise kernels."""
    most_lanes: int = 8
    """The largest workgroup that takes a row."""
    kept: int = 0
    """Units of a row, of one element or four, that a lane of such a workgroup may keep in registers."""
    workgroup_bytes: int = 16 << 10
    """The memory that a workgroup may have; WebGPU promises 16 KiB."""
    binding: int = 1 << 27
    """Bytes of a buffer that one binding may show; WebGPU promises 128 MiB."""

    def row_lanes(self, units: int) -> int:
        """The size of a workgroup that takes a row of `units`: doubled until a lane has eight, up to `most_lanes`."""
        lanes = self.lanes
        while lanes < self.most_lanes and lanes * _LANE_UNITS < units:
            lanes *= 2
        return lanes

    def kept_units(self, units: int, lanes: int) -> int:
        """How many of a row's `units` each of `lanes` keeps, a power of two; 0 where they are too many to keep."""
        kept = 1
        while kept * lanes < units:
            kept *= 2
        return kept if kept <= self.kept else 0


CPU = DeviceClass("cpu", 8, 60_000, quads=4, chunks=16)
"""llvmpipe, which computes eight invocations at once where vectors have 256 bits."""
MAPPED = replace(CPU, host_work=1 << 20)
"""The same where the host can work in the device's memory."""
GPU = DeviceClass("gpu", 32, 1_000_000, 1 << 35, group=128, most_lanes=256, kept=8)
