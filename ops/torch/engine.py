"""Who computes a script's tensors.

Owns the protocol that a worker's link to the server implements, the engine in use, and the handles that tensors hold.
Must not know graphs' meaning or sockets.
"""

from __future__ import annotations

from typing import Protocol

from ops.graph import Graph, TensorRef
from shaders.errors import KernelgateError


class EngineError(KernelgateError):
    """A value was asked for where nothing computes."""

    code = "no_engine"
    title = "Nothing here computes tensors"


class Engine(Protocol):
    """Computes graphs and keeps their results under handles."""

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`, in order."""
        ...

    def explain(self, graph: Graph, wgsl: bool) -> str:
        """How `graph` would be computed, in words; `wgsl`: with the source of kernels."""
        ...

    def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        ...

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        ...


_engine: Engine | None = None
_dropped: list[int] = []


def use(engine: Engine | None) -> None:
    """Let `engine` compute from now on; handles of the one before are forgotten."""
    global _engine
    _engine = engine
    _dropped.clear()


class Handle:
    """Holds a tensor of the engine as long as anything refers to it; freed with the next call of the engine."""

    __slots__ = ("_engine", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self._engine = _engine

    def __del__(self) -> None:
        if self._engine is _engine:
            _dropped.append(self.number)


def compute(graph: Graph) -> list[TensorRef]:
    """The outputs of `graph` by the engine in use."""
    return _current().compute(graph)


def explain(graph: Graph, wgsl: bool) -> str:
    """How the engine in use would compute `graph`."""
    return _current().explain(graph, wgsl)


def read(handle: int) -> bytes:
    """The elements of a tensor of the engine in use, in wire form."""
    return _current().read(handle)


def _current() -> Engine:
    """The engine in use, after it was told which tensors were dropped. Raises `EngineError`."""
    if _engine is None:
        raise EngineError("there is no engine to compute with", hint="Call ops.torch.engine.use first.")
    if _dropped:
        handles = _dropped.copy()
        _dropped.clear()
        _engine.free(handles)
    return _engine
