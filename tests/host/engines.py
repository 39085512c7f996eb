"""What tests of engines share: which adapter they open, and tensors that are put there, computed and taken back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from host.engine import Engine, finish
from host.frames import Argument, Bound, DispatchKernel, Fresh, RunGraph, Step, Usage
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from ops.reference import dtype_name

ADAPTER = os.environ.get("KERNELGATE_TEST_ADAPTER", "cpu")
"""As `EngineSettings.adapter`: a software driver, or what whoever runs the tests names."""
MEMORY = 1 << 28
"""Bytes of the buffers of an engine."""


def go() -> None:
    """Nobody cancels."""


def put(engine: Engine, handle: int, array: np.ndarray, dtype: str | None = None, owner: str = "me") -> None:
    """Make tensor `handle` of an array in wire form, of its own dtype unless another is named."""
    type = TensorType(array.shape, dtype or dtype_name(array.dtype))
    engine.upload(handle, owner, type, Source(array.nbytes, array.tobytes()))


def take(engine: Engine, handle: int) -> bytes:
    """The elements of tensor `handle`, in wire form."""
    data = bytearray()
    engine.download(handle, data.extend)
    return bytes(data)


def run_graph(engine: Engine, graph: Graph, outputs: Sequence[int]) -> Usage:
    """Compute a graph at once."""
    return finish(engine.run_graph(RunGraph(1, 1, "me", graph, list(outputs)), go))


def get(engine: Engine, handle: int, dtype: Any = np.uint32) -> np.ndarray:
    """The elements of tensor `handle`, flat."""
    return np.frombuffer(take(engine, handle), dtype)


def dispatch(
    engine: Engine,
    *arguments: Argument,
    fresh: Fresh | None = None,
    workgroups: tuple[int, int, int] = (1, 1, 1),
    owner: str = "me",
    kernel: str = "k",
) -> Usage:
    """Do one step at once; `fresh` is what its binding `b` writes."""
    given = [*arguments, *([] if fresh is None else [Bound("b", fresh.handle)])]
    request = DispatchKernel(
        1, 1, owner, kernel, [Step("main", workgroups, given)], [] if fresh is None else [fresh]
    )
    return finish(engine.dispatch(request, go))


def source(handle: int, *shape: int, dtype: str = "u32") -> Node:
    """The node that reads tensor `handle`."""
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})
