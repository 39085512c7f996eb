"""Which adapter to use.

Owns the order of classes and the meaning of `KERNELGATE_ADAPTER`. Must not know wgpu.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from host.errors import AdapterNotFound
from host.frames import DeviceInfo

ORDER = ("discrete", "integrated", "virtual", "cpu")


class HasInfo(Protocol):
    """Anything that says what adapter it is."""

    @property
    def info(self) -> DeviceInfo:
        """What the adapter is."""


A = TypeVar("A", bound=HasInfo)


def ranked(adapters: Sequence[A]) -> list[A]:
    """Best first: discrete, integrated, virtual, CPU; OpenGL, which only shows the same devices again, left out."""
    usable = [adapter for adapter in adapters if adapter.info.backend != "OpenGL"]
    return sorted(usable, key=lambda adapter: ORDER.index(adapter.info.kind))


def choose(adapters: Sequence[A], wanted: str | None) -> A:
    """The best adapter, or the best whose class is `wanted` or whose name contains it. Raises `AdapterNotFound`."""
    fitting = ranked(adapters)
    if wanted:
        text = wanted.casefold()
        fitting = [
            a for a in fitting if text == a.info.kind or text in f"{a.info.name} {a.info.driver}".casefold()
        ]
    if fitting:
        return fitting[0]
    names = ", ".join(f"{a.info.name} ({a.info.kind})" for a in ranked(adapters)) or "none"
    raise AdapterNotFound(
        f"no adapter fits {wanted!r}; there are: {names}"
        if wanted
        else "this machine has no graphics adapter",
        hint="Set KERNELGATE_ADAPTER to a class or a part of a name, or install Mesa's software Vulkan "
        "(Debian: mesa-vulkan-drivers).",
    )
