"""Work on a device that is lost meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

from api.keys import Identity
from api.values import InlineTensor
from api.work import Work
from host.errors import DeviceRestarted
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node

WAIT_S = 30


def test_work_that_waited_for_the_next_device_says_that_its_tensors_are_lost() -> None:
    async def scenario() -> None:
        device = Device(DeviceSettings(adapter="null"))
        await device.start()
        try:
            tensors: Any = None  # nothing is given by id
            work = Work(device, tensors, Identity("key", "owner", "user"))
            ref = await work.admit(InlineTensor((1,), "f32", b"\0\0\0\0"))
            leaf = {"handle": ref.handle, "shape": [1], "dtype": "f32"}
            graph = Graph([Node("input", (), leaf), Node("neg", (0,))], [1])
            assert device.pid is not None
            os.kill(device.pid, signal.SIGKILL)
            async with asyncio.timeout(WAIT_S):
                while device.state == "ready":
                    await asyncio.sleep(0)
                assert device.generation == 1
                with pytest.raises(DeviceRestarted):
                    await work.graph(graph)
        finally:
            await device.close()

    with asyncio.Runner() as runner:
        runner.run(scenario())
