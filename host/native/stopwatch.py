"""The time that a dispatch takes, by the device's own clock.

Owns a pair of timestamps, which a pass writes and a buffer takes over. Must not know what is timed.
"""

from __future__ import annotations

import struct
from typing import Any

from host.native.objects import Buffer
from host.native.private import api, libf

STAMPS_BYTES = 16
"""Of two times: when a pass began, and when it ended."""


class Stopwatch:
    """Two timestamps of `device` (a `GPUDevice`), and the buffer `stamps` that they are copied to."""

    def __init__(self, device: Any, stamps: Buffer) -> None:
        self.stamps = stamps
        self._times = device.create_query_set(type="timestamp", count=2)
        writes = api.new_struct_p(
            "WGPUPassTimestampWrites *",
            querySet=self._times._internal,
            beginningOfPassWriteIndex=0,
            endOfPassWriteIndex=1,
        )
        self.timed_pass = api.new_struct_p(
            "WGPUComputePassDescriptor *", label=api.to_c_string_view(""), timestampWrites=writes
        )
        """What describes a pass that is timed."""
        self._tick_ms = float(libf.wgpuQueueGetTimestampPeriod(device.queue._internal)) / 1e6

    def encode(self, encoder: Any) -> None:
        """Have a raw `encoder` put the two times into `stamps`."""
        raw = self.stamps.raw._internal
        libf.wgpuCommandEncoderResolveQuerySet(encoder, self._times._internal, 0, 2, raw, 0)

    def elapsed_ms(self, stamps: bytes) -> float:
        """The milliseconds between the two times in the bytes of `stamps`."""
        began, ended = struct.unpack("<2Q", stamps)
        return float(ended - began) * self._tick_ms
