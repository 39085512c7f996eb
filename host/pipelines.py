"""Compiled entry points, kept by what they were compiled from.

Owns the cache and its bound. Must not know tensors.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from host.native import Gpu, Pipeline, Slot

Groups = tuple[tuple[Slot, ...], ...]


class Pipelines:
    """Pipelines by source, entry point and layout; the least recently used goes first."""

    def __init__(self, gpu: Gpu, most: int = 1024) -> None:
        self._gpu, self._most = gpu, most
        self._all: OrderedDict[tuple[str, str, Groups, bool], Pipeline] = OrderedDict()

    def __len__(self) -> int:
        return len(self._all)

    def get(
        self, source: str, entry_point: str, groups: Sequence[tuple[Slot, ...]], trusted: bool = False
    ) -> Pipeline:
        """The pipeline, compiled if need be. Raises `KernelCompileError`."""
        key = (source, entry_point, tuple(groups), trusted)
        pipeline = self._all.get(key)
        if pipeline is None:
            pipeline = self._all[key] = self._gpu.compile(source, entry_point, groups, trusted)
            if len(self._all) > self._most:
                self._all.popitem(last=False)
        self._all.move_to_end(key)
        return pipeline
