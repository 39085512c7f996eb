"""Steps of a plan that the host does itself, in the device's own memory.

Owns the threads that take a step's tiles, and the arrays over its operands. `products.py`, `convolutions.py` and
`attentions.py` compute. BLAS itself has one thread (`host/environment.py`): its own threads wait for each other in
loops, which costs tens of milliseconds where cores are busy. Must not know plans or owners.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from operator import is_not
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from host import attentions, convolutions, products
from host.hand import SHARED_WORK, Hand
from host.native import Buffer, Gpu
from ops.lower import HostAttention, HostConvolution, HostProduct, HostTask
from ops.lowering.operands import Source, Target

_DTYPES: Mapping[str, npt.DTypeLike] = {"f32": np.float32, "i8": np.int8, "u8": np.uint8}

_MOST_BOUND = 64
"""Jobs that are kept, with their arrays."""
_MOST_FEW = 16
"""Tiles of a task that are kept."""

Array = npt.NDArray[Any]
Place = tuple[Buffer, int]
"""A buffer, and where in it an operand's bytes begin."""


class Job(Protocol):
    """A task over arrays, which lie where they lay when it was made."""

    def begin(self) -> None:
        """Do what comes before all tiles: also before those that are left, when others have computed meanwhile."""

    def compute(self, tile: Any) -> None:
        """Write a tile."""


class _Bound(NamedTuple):
    """A job, and what it was made of: while this is there, nothing else has their identity."""

    task: HostTask
    buffers: tuple[Buffer, ...]
    views: tuple[memoryview, ...]
    job: Job


_TILES: Mapping[type, Callable[[Any], Iterator[Any]]] = {
    HostProduct: products.tiles,
    HostConvolution: convolutions.tiles,
    HostAttention: attentions.tiles,
}
_JOBS: Mapping[type, Callable[[Any, Sequence[Array]], Job]] = {
    HostProduct: products.Product,
    HostConvolution: convolutions.Convolution,
    HostAttention: attentions.Attention,
}


class Hands:
    """As many threads as this process has cores, the caller's own among them."""

    def __init__(self, count: int | None = None) -> None:
        self._others = [Hand() for _ in range((count or os.cpu_count() or 1) - 1)]
        self._bound: OrderedDict[tuple[int, ...], _Bound] = OrderedDict()

    def work(self, gpu: Gpu, task: HostTask, places: Sequence[Place], tiles: Tiles, until: float) -> None:
        """Compute tiles of `task`, one at least, until there are none, or the time (`perf_counter`) is `until`.

        `places` are those of its operands in order; nobody else may use these buffers meanwhile.
        """
        job = self._bind(gpu, task, places)
        job.begin()
        take = partial(_take, tiles, job, until)
        others = self._others if task.work >= SHARED_WORK else ()
        for other in others:
            other.ask(take)
        try:
            take()
        finally:  # none may run on when the buffers are the device's again
            errors = [other.finish() for other in others]
        for error in filter(None, errors):
            raise error

    def forget(self) -> None:
        """Drop the jobs that are kept, since a buffer goes."""
        self._bound.clear()

    def close(self) -> None:
        """End the threads."""
        for other in self._others:
            other.close()

    def _bind(self, gpu: Gpu, task: HostTask, places: Sequence[Place]) -> Job:
        """The job of a task over its operands; that of the last time, if they lie where they lay then."""
        buffers = tuple(buffer for buffer, _ in places)
        views = tuple(map(gpu.view, buffers))
        key = (id(task), *map(id, buffers), *(offset for _, offset in places))
        bound = self._bound.get(key)
        if bound is None or any(map(is_not, bound.views, views)):
            arrays = [
                _array(view, offset, value)
                for view, (_, offset), value in zip(views, places, task.values, strict=True)
            ]
            bound = self._bound[key] = _Bound(task, buffers, views, _JOBS[type(task)](task, arrays))
            if len(self._bound) > _MOST_BOUND:
                self._bound.popitem(last=False)
        self._bound.move_to_end(key)
        return bound.job


class Tiles:
    """The tiles of a task that nobody has taken."""

    def __init__(self, task: HostTask) -> None:
        self._tiles = iter(_few(task) or _TILES[type(task)](task))
        self._lock = threading.Lock()
        self._next = next(self._tiles, None)

    @property
    def are_over(self) -> bool:
        """Whether all were taken."""
        return self._next is None

    def take(self) -> Any:
        """The next one, to whoever asks first; None where there is none."""
        with self._lock:
            tile = self._next
            self._next = next(self._tiles, None)
            return tile


@lru_cache(maxsize=256)
def _few(task: HostTask) -> tuple[Any, ...]:
    """All tiles of a task that has few, none of one that has many: to cut it takes as long as a small call of BLAS."""
    tiles = tuple(islice(_TILES[type(task)](task), _MOST_FEW + 1))
    return tiles if len(tiles) <= _MOST_FEW else ()


def _take(tiles: Tiles, job: Job, until: float) -> None:
    with np.errstate(all="ignore"):
        while (tile := tiles.take()) is not None:
            job.compute(tile)
            if time.perf_counter() > until:
                return


def _array(view: memoryview, offset: int, value: Source | Target) -> Array:
    """The elements that lie so in `view`. NumPy refuses a layout that leaves it."""
    layout, dtype = value.layout, np.dtype(_DTYPES[value.dtype])
    strides = [dtype.itemsize * stride for stride in layout.strides]
    return np.ndarray(layout.shape, dtype, view, offset + dtype.itemsize * layout.offset, strides)
