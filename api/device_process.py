"""`python -P -m api.device_process FD PARENT SETTINGS`: the device process, behind the sandbox's walls.

Owns what it may read of Python, and which device counts as which kind of driver. It loads the rest by name, after the
first walls: they hold for a thread and those that it starts, and NumPy starts threads when it is loaded.
"""

from __future__ import annotations

import os
import pkgutil
import sys
import sysconfig
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from sandbox.walls import device
from sandbox.walls.device_syscalls import Driver

MODULE = "api.device_process"
_SOFTWARE = {"cpu", "numpy", "null"}
_PACKAGES = tuple(map(import_module, ("api", "host", "ops", "sandbox", "shaders")))
# What Python loads only when it needs it: then it is too late.
_LATE = ("encodings.unicode_escape",)


def program() -> list[str]:
    """The folders from which Python loads: the libraries', and our packages', but not the folder of a checkout."""
    ours = [folder for package in _PACKAGES for folder in package.__path__]
    checkout = str(Path(ours[0]).parent)
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [*ours, *libraries, *(path for path in sys.path if path != checkout)]


def driver_of(kind: str) -> Driver:
    """The class of driver behind a device of `kind` (`frames.DeviceInfo`)."""
    return "software" if kind in _SOFTWARE else "gpu"


def load() -> Callable[..., int]:
    """`host.process.main`, with everything loaded that it will ever need but the driver."""
    for name in _LATE:
        import_module(name)
    run: Callable[..., int] = pkgutil.resolve_name("host.process:main")
    return run


def main(argv: list[str]) -> int:
    """Run `host.process` behind all walls that this machine has."""
    first = device.begin(program())
    return load()(argv, lambda kind: device.sealed((*first, *device.finish(driver_of(kind)))))


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # no finalisers: a driver may crash or hang in its own
