"""What scripts get from us: `torch`, `kernels`, `hashing`, `routines` and `progress`.

Owns their registration and their connection to the worker's link, and the passage of inputs and results. One
process runs one script, so the connection is the process's. Must not know sockets.
"""

from __future__ import annotations

from typing import Any

from sandbox.library import hashing, kernels, progress, routines, tensors, torch
from sandbox.link import Link
from sandbox.policy import views


def install() -> None:
    """Register the views; once, in the zygote."""
    torch.install()
    kernels.install()
    hashing.install()
    routines.install()
    progress.install()


def connect(link: Link) -> None:
    """Let everything speak over `link`."""
    tensors.connect(link)
    kernels.connect(link)
    progress.connect(link)


def builtins() -> dict[str, Any]:
    """The names that need no import."""
    modules = {name: views.view(name) for name in ("torch", "kernels", "hashing", "routines")}
    return {**modules, "progress": progress.progress}


receive = tensors.receive
give = tensors.give
