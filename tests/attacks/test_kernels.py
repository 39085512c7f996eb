"""Hostile kernels in the real device process, while a neighbour computes: each ends as its first line says.

`ends TEXT`: a loop is stopped, and the error points at TEXT. `gives N…`: the first words of the output. `runs`: any
numbers, of its own. `refused CODE`: never gets to the device, as the parser or the compiler says no. A second line that
begins with `on a GPU:` says what is otherwise there, where the driver ends no loops and invocations keep step. Whatever
happens, the neighbour's numbers are right, what it keeps stays as it is, and the process is the same.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from host import frames
from host.supervisor import Device, DeviceSettings
from shaders.errors import KernelgateError
from shaders.reflect import reflect

ADAPTER = os.environ.get("KERNELGATE_TEST_ADAPTER", "cpu")
FILES = sorted((Path(__file__).parent / "kernels").glob("*.wgsl"))
ON_A_GPU = "// on a GPU: "
WORDS = 1024
WAIT_S = 300
NEIGHBOUR = """@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> seen: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    var x = g.x + seen[l];
    for (var i = 0u; i < 500u; i++) { x = x * 1664525u + 1013904223u; }
    seen[l] = x;
    workgroupBarrier();
    out[g.x] = seen[63u - l];
}
"""


def outcome(path: Path) -> tuple[str, str]:
    first, second, *_ = path.read_text().split("\n", 2)
    if ADAPTER != "cpu" and second.startswith(ON_A_GPU):
        first = second.removeprefix(ON_A_GPU)
    verb, _, rest = first.removeprefix("// ").partition(" ")
    return verb, rest


def expected_of_neighbour() -> np.ndarray:
    x = np.arange(4096, dtype=np.uint32)
    for _ in range(500):
        x = x * np.uint32(1664525) + np.uint32(1013904223)
    return x.reshape(-1, 64)[:, ::-1].ravel()


async def dispatch(device: Device, owner: str, kernel: str, name: str, count: int, groups: int) -> np.ndarray:
    handle = device.new_handle()
    step = frames.Step("main", (groups, 1, 1), [frames.Bound(name, handle)])
    await device.dispatch(handle, owner, kernel, [step], [frames.Fresh(handle, "u32", (count,))])
    with await device.download(handle) as shared:
        found = np.frombuffer(bytes(shared.view), np.uint32)
    await device.free([handle])
    return found


async def keep(device: Device, number: int) -> int:
    """A tensor of the neighbour's that holds `number` everywhere."""
    handle = device.new_handle()
    data = np.full(WORDS, number, np.uint32).tobytes()
    await device.upload_bytes(handle, "neighbour", "u32", [WORDS], data)
    return handle


async def is_kept(device: Device, handle: int, number: int) -> bool:
    with await device.download(handle) as shared:
        return bool((np.frombuffer(bytes(shared.view), np.uint32) == number).all())


@asynccontextmanager
async def neighbour(device: Device) -> AsyncIterator[list[bool]]:
    """Someone who computes all the time; whether each result was right."""
    await device.add_kernel("neighbour", reflect(NEIGHBOUR))
    expected, right, is_over = expected_of_neighbour(), list[bool](), asyncio.Event()

    async def compute() -> None:
        while not is_over.is_set():
            right.append(
                bool((await dispatch(device, "neighbour", "neighbour", "out", 4096, 64) == expected).all())
            )

    task = asyncio.create_task(compute())
    try:
        yield right
    finally:
        is_over.set()
        await task


async def attack(device: Device, path: Path) -> None:
    verb, rest = outcome(path)
    if verb == "refused":
        with pytest.raises(KernelgateError) as refused:
            await device.add_kernel(path.stem, reflect(path.read_text()), warm=True)
        assert refused.value.code == rest
        return
    kernel = reflect(path.read_text())
    await device.add_kernel(path.stem, kernel, warm=True)
    if verb == "ends":
        with pytest.raises(KernelgateError) as ended:
            await dispatch(device, "attacker", path.stem, "o", WORDS, 16)
        error = ended.value
        assert error.code in ("fuel_exhausted", "driver_loop_limit"), error
        assert error.line is not None
        assert error.column is not None
        assert kernel.source.split("\n")[error.line - 1][error.column - 1 :].startswith(rest)
        return
    found = await dispatch(device, "attacker", path.stem, "o", WORDS, 16)
    if verb == "gives":
        numbers = [int(number) for number in rest.split()]
        assert found[: len(numbers)].tolist() == numbers
    else:
        assert verb == "runs"


def test_hostile_kernels_end_as_they_say_and_the_neighbour_notices_nothing() -> None:
    async def body() -> None:
        device = Device(DeviceSettings(adapter=ADAPTER, fuel=1 << 20))
        await device.start()
        try:
            kept = {await keep(device, number): number for number in range(1, 65)}
            async with neighbour(device) as right:
                for path in FILES:
                    before = len(right)
                    try:
                        await attack(device, path)
                    except BaseException as error:
                        error.add_note(path.name)
                        raise
                    assert all(right[before:]), path.name
            assert len(right) > 10
            for handle, number in kept.items():
                assert await is_kept(device, handle, number)
            await device.free(list(kept))
            assert device.generation == 1
            assert device.memory.live_bytes == 0
        finally:
            await device.close()

    asyncio.run(asyncio.wait_for(body(), WAIT_S))


def test_the_folder_holds_every_kind_of_outcome() -> None:
    assert len(FILES) > 80
    assert {outcome(path)[0] for path in FILES} == {"ends", "gives", "runs", "refused"}
