"""What tests of engines share: which adapter they open, and tensors that are put there, computed and taken back."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from host.engine import Engine, finish
from host.frames import RunGraph, Usage
from host.shared import Source
from ops.graph import Graph, TensorType

ADAPTER = os.environ.get("KERNELGATE_TEST_ADAPTER", "cpu")
"""As `EngineSettings.adapter`: a software driver, or what whoever runs the tests names."""


def go() -> None:
    """Nobody cancels."""


def put(engine: Engine, handle: int, array: np.ndarray, dtype: str = "f32", owner: str = "me") -> None:
    """Make tensor `handle` of an array in wire form."""
    engine.upload(handle, owner, TensorType(array.shape, dtype), Source(array.nbytes, array.tobytes()))


def take(engine: Engine, handle: int) -> bytes:
    """The elements of tensor `handle`, in wire form."""
    data = bytearray()
    engine.download(handle, data.extend)
    return bytes(data)


def run_graph(engine: Engine, graph: Graph, outputs: Sequence[int]) -> Usage:
    """Compute a graph at once."""
    return finish(engine.run_graph(RunGraph(1, 1, "me", graph, list(outputs)), go))
