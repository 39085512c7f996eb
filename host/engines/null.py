"""The engine that computes nothing: every tensor reads as zeros, every check is the real one."""

from __future__ import annotations

from collections.abc import Sequence

from host.engine import EngineSettings, Stop, Write
from host.engines.plain import LIMITS, PlainEngine
from host.frames import DeviceInfo, Fresh
from host.shared import Source
from host.tensors import wire_bytes
from ops.graph import Graph, TensorType

_CHUNK = bytes(1 << 20)


class NullEngine(PlainEngine[None]):
    """Holds types without elements."""

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings, DeviceInfo("Null", "null", "none", "", (), dict(LIMITS)))

    def _read(self, type: TensorType, source: Source) -> None:
        del type, source

    def _write(self, type: TensorType, storage: None, write: Write) -> None:
        left = wire_bytes(type)
        while left:
            count = min(left, len(_CHUNK))
            write(memoryview(_CHUNK)[:count])
            left -= count

    def _compute(self, graph: Graph, stop: Stop) -> list[None]:
        return [None] * len(graph.outputs)

    def _dispatch(self, fresh: Sequence[Fresh]) -> list[None]:
        return [None for _ in fresh]
