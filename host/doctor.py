"""What adapters this machine has, found out by a process of its own: a broken driver costs only that process.

Owns that process, which is `host/probe.py`, and the reading of what it prints.
"""

from __future__ import annotations

import subprocess
import sys

import msgspec

from host.environment import child_environment
from host.errors import DeviceFailed
from host.frames import DeviceInfo


def adapters(timeout_s: float = 30.0) -> list[DeviceInfo]:
    """Every adapter, the one that would be chosen first. Raises `DeviceFailed` when the search crashes or hangs."""
    command = [sys.executable, "-P", "-m", "host.probe"]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=timeout_s, env=child_environment(), cwd="/", check=True
        )
        return msgspec.json.decode(done.stdout, type=list[DeviceInfo])
    except subprocess.TimeoutExpired:
        raise DeviceFailed(f"the search for adapters did not end within {timeout_s:g} s") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()[-500:]
        raise DeviceFailed(
            f"the search for adapters ended with status {error.returncode}", hint=said or None
        ) from None
    except msgspec.MsgspecError as error:
        raise DeviceFailed(f"the search for adapters printed something else: {error}") from None
