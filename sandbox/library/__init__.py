"""What scripts get from us: `torch`, `numpy`, `kernels`, `hashing`, `routines`, `progress`, `call`, gates and the like.

Owns their registration and their connection to the worker's link, and the passage of inputs and results. One
process runs one script, so the connection is the process's. Must not know sockets.
"""

from __future__ import annotations

from typing import Any

from sandbox.library import (
    environment,
    fetch,
    files,
    gate,
    hashing,
    httpx,
    kernels,
    numpy,
    os,
    pathlib,
    progress,
    requests,
    routines,
    stored,
    tensors,
    torch,
)
from sandbox.library.call import call, call_of
from sandbox.link import Link
from sandbox.policy import views


def install() -> None:
    """Register the views; once, in the zygote."""
    for part in (
        torch,
        numpy,
        kernels,
        hashing,
        routines,
        progress,
        stored,
        files,
        os,
        pathlib,
        fetch,
        requests,
        httpx,
    ):
        part.install()


def connect(link: Link) -> None:
    """Let everything speak over `link`."""
    tensors.connect(link)
    kernels.connect(link)
    progress.connect(link)
    gate.connect(link)
    stored.connect(link, _builtins_of)


def builtins() -> dict[str, Any]:
    """The names that need no import."""
    modules = {name: views.view(name) for name in ("torch", "kernels", "hashing", "routines")}
    functions = {"progress": progress.progress, "call": call, "fetch": fetch.fetch, "open": files.open}
    return {**modules, **functions}


def _builtins_of(owner: str) -> dict[str, Any]:
    """The names that need no import in a stored script of another owner's ("": of the run's own)."""
    if not owner:
        return builtins()
    return {**builtins(), "call": call_of(owner), "__import__": views.import_by(stored.finder_of(owner))}


use_environment = environment.use
finish = files.finish
receive = tensors.receive
give = tensors.give
