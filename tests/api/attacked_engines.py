"""Engines of a device process that somebody has taken over: whoever uploads as `attacker` has them attack.

The upload is JSON, {"attack": a name of `ATTACKS`, "thread": "gpu" or "older", "world": fields of `World`}; the tensor
then holds what the attack met. "older" is a thread that was there before the walls, as a driver's are.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from typing import Any

import msgspec

from host.engine import EngineSettings
from host.engines.numpy import NumpyEngine
from host.engines.wgpu import WgpuEngine
from host.shared import Source
from ops.graph import TensorType
from tests.sandbox.walls.attacks import ATTACKS
from tests.sandbox.walls.attacks.base import World
from tests.sandbox.walls.runner import attempt

ATTACKER = "attacker"


class Attacked:
    """Comes before an engine in the order of bases."""

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)  # type: ignore[call-arg]
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._obey, daemon=True).start()

    def upload(self, handle: int, owner: str, type: TensorType, source: Source) -> None:
        if owner == ATTACKER:
            text = bytearray(source.nbytes)
            source.read_into(memoryview(text))
            order = json.loads(text)
            if order["thread"] == "older":
                self._orders.put(order)
                met = self._outcomes.get()
            else:
                met = attack(order)
            source = Source(source.nbytes, met.encode().ljust(source.nbytes))
        super().upload(handle, owner, type, source)  # type: ignore[misc]

    def _obey(self) -> None:
        while True:
            self._outcomes.put(attack(self._orders.get()))


def attack(order: dict[str, Any]) -> str:
    """Do what `order` says; what it met."""
    fields = {
        key: value.encode() if key in ("stream", "datagram") else value
        for key, value in order["world"].items()
    }
    world = World(server=os.getppid(), file=-1, pipe=-1, terminal=-1, int80=None, **fields)
    return attempt(lambda: ATTACKS[order["attack"]].act(world))


class AttackedWgpu(Attacked, WgpuEngine):
    """On the software driver."""


class AttackedNumpy(Attacked, NumpyEngine):
    """Behind the same walls, and quicker to start."""


class AttackedAsGpu(Attacked, NumpyEngine):
    """Says that it is a GPU, and so gets the walls of one."""

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        self.info = msgspec.structs.replace(self.info, kind="discrete")
