"""Compiled entry points, kept by what they were compiled from.

Owns the cache and its bound. Must not know tensors.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from host.native import Gpu, Pipeline, Slot

Groups = tuple[tuple[Slot, ...], ...]
Constants = tuple[tuple[str, float], ...]
Key = tuple[str, str, Groups, bool, Constants]


class Pipelines:
    """Pipelines by source, entry point, layout and constants; the least recently used goes first."""

    def __init__(self, gpu: Gpu, most: int = 1024) -> None:
        self._gpu, self._most = gpu, most
        self._all: OrderedDict[Key, Pipeline] = OrderedDict()

    def __len__(self) -> int:
        return len(self._all)

    def get(
        self,
        source: str,
        entry_point: str,
        groups: Sequence[tuple[Slot, ...]],
        trusted: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> Pipeline:
        """The pipeline, compiled if need be. Raises `KernelCompileError`."""
        key = _key(source, entry_point, groups, trusted, constants)
        pipeline = self._all.get(key)
        if pipeline is None:
            pipeline = self._all[key] = self._gpu.compile(source, entry_point, groups, trusted, constants)
            if len(self._all) > self._most:
                self._all.popitem(last=False)
        self._all.move_to_end(key)
        return pipeline

    def find(
        self,
        source: str,
        entry_point: str,
        groups: Sequence[tuple[Slot, ...]],
        trusted: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> Pipeline | None:
        """The pipeline, if it is kept."""
        return self._all.get(_key(source, entry_point, groups, trusted, constants))


def _key(
    source: str,
    entry_point: str,
    groups: Sequence[tuple[Slot, ...]],
    trusted: bool,
    constants: Mapping[str, float] | None,
) -> Key:
    return source, entry_point, tuple(groups), trusted, tuple(sorted((constants or {}).items()))
