"""All modules of the server, for what has to be true of everything in them."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import api
import host
import ops
import sandbox
import shaders

FOLDERS: tuple[ModuleType, ...] = (shaders, ops, host, sandbox, api)


def import_all() -> None:
    """Import every module, so that all error classes are known."""
    for folder in FOLDERS:
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
            if not module.name.endswith("__main__") and ".migrations." not in module.name:
                importlib.import_module(module.name)
