"""How much memory a device process may take, and whether one died of wanting more.

Owns the bound of its buffers, and the ceiling on its address space. Only software drivers get one: they compile and
compute in ordinary memory, where a hostile kernel can ask for all there is; the driver of a real GPU maps far more than
it uses. Must not know kernels.
"""

from __future__ import annotations

import contextlib
import os
import resource

ROOM = 4 << 30
"""Bytes beside the buffers. A process at rest maps 1 GiB; honest kernels compile in far less than what is left."""
_WORDS = ("out of memory", "memory allocation of", "bad_alloc")


def limit(kind: str, memory_bytes: int | None) -> None:
    """Let this process map `ROOM` beside `memory_bytes` of buffers, if its adapter is a software one."""
    buffers = memory_bytes or default_memory(kind)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if kind == "cpu" and buffers is not None and (most == resource.RLIM_INFINITY or buffers + ROOM < most):
        with contextlib.suppress(ValueError, OSError):  # not every system bounds it
            resource.setrlimit(resource.RLIMIT_AS, (buffers + ROOM, buffers + ROOM))


def was_short(last_words: str, peak_bytes: int, inherited_bytes: int, memory_bytes: int | None) -> bool:
    """Whether a process that died had no memory left, by what it wrote or by its peak.

    At the ceiling some drivers say so and abort, others use the null pointer that they got: then half of `ROOM` beside
    the `memory_bytes` of buffers, which no honest kernel needs, tells. A peak of about the `inherited_bytes` that it
    began with (`ops/processes.py`) is its parent's and says nothing.
    """
    spoke = any(words in last_words.lower() for words in _WORDS)
    is_own = peak_bytes > inherited_bytes + ROOM // 16
    return spoke or (is_own and memory_bytes is not None and peak_bytes > memory_bytes + ROOM // 2)


def default_memory(kind: str) -> int | None:
    """Half of the machine's memory for an adapter that lives in it; None (the driver decides) for a GPU."""
    if kind != "cpu":
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
