"""The device processes that a server may have: the one that all share, compilers, the heavy lane's.

Owns what settings each gets. Must not know when one runs, or what is asked of it.
"""

from __future__ import annotations

from typing import Any

from api import device_process
from api.settings import Settings
from host.supervisor import Device, DeviceSettings

COMPILER_BYTES = 256 << 20
"""For the buffers of one dispatch over one workgroup."""
LANE_BYTES = 4 << 30
"""For the buffers of the heavy lane, which are copies."""


def shared(settings: Settings) -> Device:
    """The device that all share, not started."""
    return _device(settings, first_s=_first_s(settings))


def compiler(settings: Settings, patience_s: float) -> Device:
    """A compiler that gives a kernel `patience_s` seconds, not started."""
    return _device(settings, role="compiler", memory_bytes=COMPILER_BYTES, compile_s=patience_s)


def heavy(settings: Settings) -> Device:
    """The heavy lane's device, not started."""
    return _device(settings, memory_bytes=LANE_BYTES)


def _device(settings: Settings, **more: Any) -> Device:
    given: dict[str, Any] = {
        "adapter": settings.adapter,
        "host_steps": settings.host_steps,
        "fuel": settings.fuel,
        "memory_bytes": settings.device_bytes,
        "deadline_s": settings.device_deadline_s,
        "watchdog_s": settings.watchdog_s,
        "compile_s": settings.compile_s,
        "module": device_process.MODULE,
    }
    return Device(DeviceSettings(**given | more))


def _first_s(settings: Settings) -> float:
    """Seconds that the first slice of a kernel may take where all share the device: those that are there are known to
    compile in little time."""
    return 2 * settings.watchdog_s + 4 * settings.heavy_compile_ms / 1e3
