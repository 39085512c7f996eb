"""Compiled entry points, kept by what they were compiled from.

Owns the cache and its bound. Must not know tensors.
"""

from __future__ import annotations

from collections import OrderedDict

from host.native import Gpu, Pipeline, Program


class Pipelines:
    """Pipelines by program; the least recently used goes first."""

    def __init__(self, gpu: Gpu, most: int = 1024) -> None:
        self._gpu, self._most = gpu, most
        self._all: OrderedDict[Program, Pipeline] = OrderedDict()

    def __len__(self) -> int:
        return len(self._all)

    def get(self, program: Program) -> Pipeline:
        """The pipeline, compiled if need be. Raises `KernelCompileError`."""
        pipeline = self._all.get(program)
        if pipeline is None:
            pipeline = self._all[program] = self._gpu.compile(program)
            if len(self._all) > self._most:
                self._all.popitem(last=False)
        self._all.move_to_end(program)
        return pipeline

    def find(self, program: Program) -> Pipeline | None:
        """The pipeline, if it is kept."""
        return self._all.get(program)
