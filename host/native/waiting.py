"""Until a device is done, or lost.

Owns how that is found out: drivers notice the end of a GPU's work themselves, but late, by a good part of what a large
product takes; and wgpu-py only logs that a device is lost. Must not know what is waited for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from host.errors import DeviceLost
from host.native.private import ffi, lib

_SPIN_S, _NAP = 1e-3, 1 / 32
"""How long a GPU is asked again and again whether it is done, and after which part of the time that it took already
from then on."""
_TRUE = 0xFF
"""The byte of a C function's boolean that says something: it is declared wider than what the function sets."""


class Waiter:
    """Waits for `device` (a raw one). `looks`: by asking it, not by sleeping until its driver says so."""

    def __init__(self, device: Any, looks: bool) -> None:
        self._device, self._looks = device, looks
        self._loss = _LossHandler()
        logging.getLogger("wgpu").addHandler(self._loss)

    def close(self) -> None:
        """Notice no loss any more."""
        logging.getLogger("wgpu").removeHandler(self._loss)

    def wait(self, is_over: Callable[[], bool] = lambda: False) -> None:
        """Block until nothing runs, or `is_over`. Raises `DeviceLost`."""
        if self._looks:
            self._look(is_over)
        else:
            lib.wgpuDevicePoll(self._device, True, ffi.NULL)
        self.check()

    def check(self, error: str = "") -> None:
        """Raise `DeviceLost` if the log or `error` says so: only a new process helps."""
        reason = error if "device is lost" in error else self._loss.reason
        if reason is not None:
            raise DeviceLost(f"the driver lost the device: {reason}")

    def _look(self, is_over: Callable[[], bool]) -> None:
        """Ask until nothing runs, or `is_over`, with naps when it takes long. Raises `DeviceLost`."""
        began = time.perf_counter()
        while not lib.wgpuDevicePoll(self._device, False, ffi.NULL) & _TRUE and not is_over():
            spent = time.perf_counter() - began
            if spent > _SPIN_S:
                self.check()
                time.sleep(spent * _NAP)


class _LossHandler(logging.Handler):
    """Notices the line in the log of wgpu-py."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reason: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "device was lost" in text or "DEVICE LOST" in text:
            self.reason = text[:500]
