"""The compilers: who takes long goes on in the second one, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from api.kernels.compiling import Compiler
from api.kernels.quarantine import Quarantine
from api.kernels.standby import Standby
from api.storage.database import Database
from host.errors import KernelCompilerTimeout
from host.supervisor import Device, DeviceSettings
from shaders.reflect import reflect
from shaders.reflection import Reflection

WAIT_S = 120
QUICK_S, PATIENT_S = 0.5, 3.0


def kernel(loops: int, number: int = 1) -> Reflection:
    """A driver without a GPU compiles 200 loops for more than 10 s."""
    body = "".join(f"for (var i = 0u; i < o[1] + {number}u; i++) {{ o[0]++; }}\n" for _ in range(loops))
    return reflect(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
        f"@compute @workgroup_size(1) fn main() {{\n{body} o[2] = 1u;\n}}"
    )


@asynccontextmanager
async def compiler(folder: Path, quick_s: float, patient_s: float) -> AsyncIterator[tuple[Compiler, Standby]]:
    database = Database(folder / "db")
    await database.start()
    quick = Device(DeviceSettings(adapter="cpu", role="compiler", compile_s=quick_s))
    patient = Standby(
        lambda: Device(DeviceSettings(adapter="cpu", role="compiler", compile_s=patient_s)), WAIT_S
    )
    await quick.start()
    try:
        yield Compiler(quick, patient, database, Quarantine(database)), patient
    finally:
        await patient.close()
        await quick.close()
        database.close()


def test_a_kernel_that_takes_long_is_compiled_by_the_second_compiler_which_starts_then(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with compiler(tmp_path, 0.01, WAIT_S) as (trying, patient):
            assert patient.device is None
            assert await trying.add_kernel("me", "long", kernel(4), warm=True) > 0
            assert patient.device is not None

    asyncio.run(asyncio.wait_for(body(), WAIT_S))


def test_nobody_waits_for_a_kernel_that_takes_long_but_its_like(tmp_path: Path) -> None:
    async def body() -> None:
        async with compiler(tmp_path, QUICK_S, PATIENT_S) as (trying, _):
            bombs = [
                asyncio.create_task(trying.add_kernel("stranger", f"b{n}", kernel(200, n), warm=True))
                for n in range(2)
            ]
            await asyncio.sleep(0)
            await trying.add_kernel("neighbour", "short", kernel(0), warm=True)
            assert not any(bomb.done() for bomb in bombs)
            found = await asyncio.gather(*bombs, return_exceptions=True)
            assert [type(each) for each in found] == [KernelCompilerTimeout] * 2
            assert all(f"{PATIENT_S:g} s" in str(each) for each in found)

    asyncio.run(asyncio.wait_for(body(), WAIT_S))


def test_a_kernel_is_compiled_after_one_of_each_others_however_many_they_posted(tmp_path: Path) -> None:
    async def body() -> None:
        async with compiler(tmp_path, WAIT_S, WAIT_S) as (trying, _):
            done = list[str]()

            async def add(owner: str, number: int) -> None:
                await trying.add_kernel(owner, f"k{number}", kernel(0, number), warm=True)
                done.append(owner)

            await asyncio.gather(*(add("many", number) for number in range(20)), add("one", 20))
            assert done.index("one") <= 1

    asyncio.run(asyncio.wait_for(body(), WAIT_S))
