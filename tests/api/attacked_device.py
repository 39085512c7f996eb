"""`python -P -m tests.api.attacked_device FD PARENT SETTINGS`: `api.device_process`, with engines that run attacks.

It puts up the same walls at the same moments; only the engines behind the adapters' names are others
(`attacked_engines.py`).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

from api import device_process
from sandbox.walls import device

MODULE = "tests.api.attacked_device"
ENGINES = {"cpu": "AttackedWgpu", "numpy": "AttackedNumpy", "null": "AttackedAsGpu"}


def main(argv: list[str]) -> int:
    """As `api.device_process.main`."""
    first = device.begin([*device_process.program(), str(Path(__file__).parents[1])])
    run = device_process.load()
    engines = import_module("host.engine")._ENGINES
    engines |= {name: f"tests.api.attacked_engines:{engine}" for name, engine in ENGINES.items()}

    def seal(kind: str) -> device.Sealed:
        return device.sealed((*first, *device.finish(device_process.driver_of(kind))))

    return run(argv, seal)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
