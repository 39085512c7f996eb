"""What of the file system a process needs to load a program, its libraries and a graphics driver: the paths, as data.

Owns the paths and the variables that name more of them. Must not know how a path is granted more than its rights'
names (`landlock.py`). Nothing here may name a folder in which people keep things of their own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from pathlib import Path

from sandbox.walls.landlock import DEVICE, LIST, READ, WRITE

# why: which
_READ = {
    "shared libraries, and where the loader finds them": (
        "/lib",
        "/lib64",
        "/usr/lib*",
        "/usr/local/lib*",
        "/usr/local/nvidia",
        "/opt/rocm*",
        "/opt/amdgpu*",
        "/run/opengl-driver",
        "/nix/store",
        "/etc/ld.so.cache",
    ),
    "which drivers there are, and their settings": (
        "/etc/vulkan",
        "/usr/share/vulkan",
        "/usr/local/share/vulkan",
        "/etc/xdg/vulkan",
        "/etc/glvnd",
        "/usr/share/glvnd",
        "/etc/drirc",
        "/usr/share/drirc.d",
        "/usr/share/libdrm",
        "/etc/nvidia",
        "/usr/share/nvidia",
    ),
    "Python's start: locale, time zone, TLS, random numbers": (
        "/usr/share/locale",
        "/usr/share/zoneinfo",
        "/etc/localtime",
        "/etc/ssl/openssl.cnf",
        "/dev/urandom",
    ),
    "what the kernel says of this process and of the hardware": (
        "/proc/self/cgroup",
        "/proc/self/cmdline",
        "/proc/self/comm",
        "/proc/self/maps",
        "/proc/self/stat",
        "/proc/self/status",
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/version",
        "/proc/devices",
        "/proc/driver/nvidia*",
        "/proc/sys/vm",
        "/sys/devices",
        "/sys/dev/char",
        "/sys/class/drm",
        "/sys/bus/pci",
        "/sys/module/nvidia*",
        "/sys/kernel/mm",
    ),
}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/dri", "/dev/nvidia*", "/dev/kfd", "/dev/dxg")
_WRITE = ("/proc/self/oom_score_adj",)
_LIST = ("/proc/self/task",)  # not its files: the network's tables are among them

# Variables of the environment: what they name
_LIBRARY_FOLDERS = ("LD_LIBRARY_PATH",)
_MANIFESTS = ("VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES")
_DATA_FOLDERS = ("XDG_DATA_DIRS", "XDG_CONFIG_DIRS")
_HOME_FOLDERS = (".local/share/vulkan", ".config/vulkan")


def allowed(program: Iterable[str], environment: Mapping[str, str]) -> dict[str, int]:
    """The rights on each path that exists: what `program` names, read; and what libraries and drivers need."""
    patterns = [path for paths in _READ.values() for path in paths]
    read = {*_existing(patterns), *filter(os.path.exists, (*program, *_named_by(environment)))}
    return (
        dict.fromkeys(read, READ)
        | dict.fromkeys(_existing(_DEVICES), DEVICE)
        | dict.fromkeys(_existing(_WRITE), WRITE)
        | dict.fromkeys(_existing(_LIST), LIST)
    )


def _existing(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        yield from glob(pattern)


def _named_by(environment: Mapping[str, str]) -> Iterator[str]:
    def values(names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield from filter(None, environment.get(name, "").split(os.pathsep))

    yield from values(_LIBRARY_FOLDERS)
    for folder in values(_DATA_FOLDERS):
        yield os.path.join(folder, "vulkan")
    if home := environment.get("HOME"):
        yield from (os.path.join(home, folder) for folder in _HOME_FOLDERS)
    for manifest in values(_MANIFESTS):
        yield manifest
        yield from _library_of(Path(manifest))


def _library_of(manifest: Path) -> Iterator[str]:
    """The library that a driver's manifest names by a path, if it does; others are found where libraries lie."""
    try:
        library = str(json.loads(manifest.read_bytes())["ICD"]["library_path"])
    except (OSError, ValueError, KeyError, TypeError):
        return  # the loader says what is wrong with it
    if "/" in library:
        yield str(manifest.parent / library)
