"""What tests of a `Device` share: tensors that go there and come back."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np

from host.supervisor import Device
from ops.graph import Node


def input_node(handle: int, *shape: int, dtype: str = "f32") -> Node:
    """The node that reads tensor `handle`."""
    return Node("input", (), {"handle": handle, "shape": list(shape), "dtype": dtype})


async def upload(device: Device, array: np.ndarray) -> int:
    """Make a tensor of an array; its handle."""
    handle = device.new_handle()
    await device.upload_bytes(handle, "me", "f32", array.shape, array.tobytes())
    return handle


async def download(device: Device, handle: int) -> bytes:
    """The elements of a tensor, in wire form."""
    with await device.download(handle) as shared:
        return bytes(shared.view)


async def settle() -> None:
    """Let tasks run until they wait for something."""
    for _ in range(5):
        await asyncio.sleep(0)


def cpu_seconds(pid: int | None) -> float:
    """What process `pid` has used of the processors: on a machine that does nothing else it takes no longer."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
