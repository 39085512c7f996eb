"""Tensors between a script and the server: the engine that asks over the link, inputs, and results.

Owns the worker's implementation of `ops.torch.engine.Engine`. Must not know ops or sockets.
"""

from __future__ import annotations

from typing import Any

from ops.graph import Graph, TensorRef
from ops.torch import engine
from ops.torch.handles import from_ref, refs
from ops.torch.tensor import Tensor
from sandbox import values
from sandbox.frames import Compute, Explain, Free, Read
from sandbox.library import numpy
from sandbox.link import Link
from sandbox.records import opened


class LinkEngine:
    """Computes by asking the server."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`, in order."""
        answer: list[TensorRef] = values.unpack(self._link.ask(Compute, graph=graph))
        return answer

    def explain(self, graph: Graph, wgsl: bool) -> str:
        """How `graph` would be computed, in words."""
        return self._link.ask(Explain, graph=graph, wgsl=wgsl).decode()

    def read(self, handle: int) -> bytes:
        """The elements of a tensor in wire form."""
        return self._link.ask(Read, handle=handle)

    def free(self, handles: list[int]) -> None:
        """Forget tensors."""
        self._link.send(Free(handles))


def connect(link: Link) -> None:
    """Compute over `link`."""
    engine.use(LinkEngine(link))


def receive(value: Any) -> Any:
    """`value` with a tensor in the place of each reference."""
    if isinstance(value, TensorRef):
        return from_ref(value)
    if isinstance(value, list):
        return [receive(item) for item in value]
    if isinstance(value, dict):
        return {key: receive(item) for key, item in value.items()}
    return value


def give(result: object) -> bytes:
    """`result` packed; all its tensors are computed at once. Raises `ValueFormError`."""
    tensors = values.tensors_in(result, lambda value: isinstance(value, Tensor), opened)
    known = dict(zip(map(id, tensors), refs(tensors), strict=True)) if tensors else {}

    def stand_in(value: object) -> Any:
        if id(value) in known:
            return known[id(value)]
        fields = opened(value)
        return numpy.plain(value) if fields is None else fields

    return values.pack(result, stand_in, "result")
