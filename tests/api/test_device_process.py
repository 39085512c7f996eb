"""The device process behind its walls: attack code inside it gets nothing, and honest work goes on as before."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api import device_process
from host.errors import DeviceCrashed, DeviceOutOfMemory, DeviceRestarted, UnknownHandle
from host.frames import INLINE_BYTES
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node
from sandbox.walls import linux
from sandbox.walls.device import WALLS
from sandbox.walls.level import Level
from sandbox.walls.probe import probe
from shaders.errors import KernelgateError
from tests.api import attacked_device
from tests.sandbox.walls.device_outcomes import ALLOWED, KILLED, REFUSED, refusal

WAIT_S = 60
OWNER = "me"
ENGINES = {"cpu": "software", "numpy": "software", "null": "gpu"}
SURVIVED = {driver: [name for name in REFUSED[driver] if name not in KILLED] for driver in ALLOWED}
# One of each kind: a program, a process, another's memory, the rare parts of the kernel, privilege, the root
FATAL = (
    "execute a program",
    "execute a memory file",
    "trace the server",
    "read the memory of the server",
    "set up io_uring",
    "use the key ring",
    "load a BPF program",
    "make a user namespace",
    "mount",
)


@pytest.fixture(scope="module", autouse=True)
def walled() -> None:
    if not linux.supported() or probe().level not in (Level.FULL, Level.HARDENED):
        pytest.skip("this machine has not every wall")


@asynccontextmanager
async def opened(adapter: str, module: str = device_process.MODULE, **settings: Any) -> AsyncIterator[Device]:
    """A started device, closed at the end."""
    device = Device(DeviceSettings(adapter=adapter, module=module, **settings))
    try:
        await device.start()
        yield device
    finally:
        await device.close()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, WAIT_S))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Everything outside that could be reached: files, sockets of all kinds, another process."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with contextlib.ExitStack() as stack:

        def listening(family: int, kind: int, address: Any) -> socket.socket:
            made = stack.enter_context(socket.socket(family, kind))
            made.bind(address)
            if kind == socket.SOCK_STREAM:
                made.listen()
            return made

        name = f"\0kernelgate-test-{os.getpid()}"
        listening(socket.AF_UNIX, socket.SOCK_STREAM, f"{name}-stream")
        listening(socket.AF_UNIX, socket.SOCK_DGRAM, f"{name}-datagram")
        listening(socket.AF_UNIX, socket.SOCK_STREAM, str(tmp_path / "socket"))
        sibling = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        stack.callback(sibling.wait, WAIT_S)
        stack.callback(sibling.kill)
        assert sibling.stdin is not None
        stack.callback(sibling.stdin.close)
        yield {
            "sibling": sibling.pid,
            "secret": str(secret),
            "folder": str(tmp_path),
            "tcp_port": listening(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)).getsockname()[1],
            "udp_port": listening(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)).getsockname()[1],
            "stream": f"{name}-stream",
            "datagram": f"{name}-datagram",
            "shared": -1,
        }


async def attack(device: Device, name: str, world: dict[str, Any], thread: str = "gpu") -> str:
    """What attack `name` meets inside the device process."""
    handle = device.new_handle()
    text = json.dumps({"attack": name, "thread": thread, "world": world}).encode()
    text = text.ljust(INLINE_BYTES + 4)  # what comes in a frame is not announced, so nobody's fault
    await device.upload_bytes(handle, "attacker", "u32", (len(text) // 4,), text)
    with await device.download(handle) as met:
        return bytes(met.view).decode().strip()


@pytest.mark.parametrize("adapter", ENGINES)
def test_every_attack_from_inside_is_refused_on_each_thread(adapter: str, world: dict[str, Any]) -> None:
    driver = ENGINES[adapter]
    names = [name for name in SURVIVED[driver] if name != "32-bit system call"]

    async def everything() -> tuple[dict[tuple[str, str], str], int]:
        async with opened(adapter, attacked_device.MODULE) as device:
            met = {
                (name, thread): await attack(device, name, world, thread)
                for name in names
                for thread in ("gpu", "older")
            }
            return met, device.restarts

    met, restarts = run(everything())
    assert met == {(name, thread): refusal(driver, name) for name, thread in met}
    assert restarts == 0


@pytest.mark.parametrize(("adapter", "name"), [*(("numpy", name) for name in FATAL), ("null", FATAL[0])])
def test_a_clearly_hostile_call_ends_the_process_and_the_next_one_is_sealed_again(
    adapter: str, name: str, world: dict[str, Any]
) -> None:
    assert name in KILLED

    async def attacked() -> tuple[str, tuple[str, ...]]:
        async with opened(adapter, attacked_device.MODULE) as device:
            with pytest.raises(DeviceCrashed) as caught:
                await attack(device, name, world)
            await device.upload_bytes(device.new_handle(), OWNER, "u32", (1,), bytes(4))
            return str(caught.value), device.seal.walls

    said, walls = run(attacked())
    assert "it was ended by SIGSYS, as it made a system call that its walls forbid" in said
    assert walls == WALLS


def test_a_neighbour_of_an_attacker_on_the_software_driver_computes_on(world: dict[str, Any]) -> None:
    async def attacked() -> list[float]:
        async with opened("cpu", attacked_device.MODULE) as device:
            with pytest.raises(DeviceCrashed, match="SIGSYS"):
                await attack(device, "trace the server", world, "older")
            return await doubled(device, [1.0, 2.0])

    assert run(attacked()) == [2.0, 4.0]


async def doubled(device: Device, values: list[float]) -> list[float]:
    """By a pipeline that is compiled for it."""
    taken, result = device.new_handle(), device.new_handle()
    await device.upload_bytes(taken, OWNER, "f32", (len(values),), np.array(values, np.float32).tobytes())
    given = Node("input", (), {"handle": taken, "dtype": "f32", "shape": [len(values)]})
    await device.run_graph(1, OWNER, Graph([given, Node("add", (0, 0))], [1]), [result])
    with await device.download(result) as found:
        return [float(value) for value in np.frombuffer(found.view, np.float32)]


@pytest.mark.parametrize("adapter", ["cpu", "numpy"])
def test_large_arrays_and_products_are_right_behind_the_walls(adapter: str) -> None:
    """Memory files both ways, BLAS and its threads, and code that the driver compiles."""
    side = 600
    matrix = np.random.default_rng(0).random((side, side), np.float32)

    async def product() -> np.ndarray:
        async with opened(adapter) as device:
            taken, result = device.new_handle(), device.new_handle()
            await device.upload_bytes(taken, OWNER, "f32", (side, side), matrix.tobytes())
            given = Node("input", (), {"handle": taken, "dtype": "f32", "shape": [side, side]})
            graph = Graph([given, Node("exp", (0,)), Node("matmul", (0, 1))], [2])
            await device.run_graph(1, OWNER, graph, [result])
            with await device.download(result) as found:
                return np.frombuffer(found.view, np.float32).reshape(side, side).copy()

    np.testing.assert_allclose(run(product()), matrix @ np.exp(matrix), rtol=1e-4)


@pytest.mark.parametrize("adapter", ["cpu", "numpy"])
def test_mistakes_and_full_memory_are_told_as_without_walls(adapter: str) -> None:
    async def wrong() -> tuple[KernelgateError, KernelgateError, list[float]]:
        async with opened(adapter, memory_bytes=8 << 20) as device:
            misspelt = await failure(
                device, Node("arange", (), {"count": 4, "dtype": "f32"}), Node("exq", (0,))
            )
            too_large = await failure(device, Node("arange", (), {"count": 1 << 24, "dtype": "f32"}))
            return misspelt, too_large, await doubled(device, [3.0])

    misspelt, too_large, result = run(wrong())
    assert "exp" in str(misspelt.hint)
    assert too_large.code == DeviceOutOfMemory.code
    assert result == [6.0]


async def failure(device: Device, *nodes: Node) -> KernelgateError:
    """Why the graph of `nodes` fails."""
    with pytest.raises(KernelgateError) as caught:
        await device.run_graph(1, OWNER, Graph(list(nodes), [len(nodes) - 1]), [device.new_handle()])
    return caught.value


def test_a_process_that_is_killed_comes_back_sealed() -> None:
    async def killed() -> tuple[int, list[float], tuple[str, ...]]:
        async with opened("cpu") as device:
            kept = device.new_handle()
            await device.upload_bytes(kept, OWNER, "u32", (1,), bytes(4))
            assert device.pid is not None
            os.kill(device.pid, signal.SIGKILL)
            with pytest.raises((DeviceRestarted, UnknownHandle)):
                await device.download(kept)
            return device.restarts, await doubled(device, [5.0]), device.seal.walls

    assert run(killed()) == (1, [10.0], WALLS)


def test_it_has_no_privilege_and_can_gain_none() -> None:
    async def looked() -> str:
        async with opened("numpy") as device:
            return Path(f"/proc/{device.pid}/status").read_text()

    facts = dict(line.split(":\t", 1) for line in run(looked()).split("\n") if ":\t" in line)
    assert (facts["NoNewPrivs"], facts["Seccomp"]) == ("1", "2")
    assert {int(facts[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}


def test_a_program_that_only_privilege_reads_is_named(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("asked of root only")
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    os.chown(hidden, 12345, 12345)
    code = f"from sandbox.walls import device; device.begin([{str(hidden)!r}])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert f"Permission denied: {str(hidden)!r}" in done.stderr


def test_it_may_read_the_packages_of_a_checkout_but_not_the_checkout() -> None:
    folders = device_process.program()
    checkout = Path(device_process.__file__).parents[1]
    assert {str(checkout / name) for name in ("api", "host", "ops", "sandbox", "shaders")} <= set(folders)
    assert not [path for path in folders if checkout.is_relative_to(path)]
    assert str(Path(json.__file__).parents[1]) in folders


@pytest.mark.parametrize(
    ("kind", "driver"),
    [("cpu", "software"), ("numpy", "software"), ("null", "software")]
    + [(kind, "gpu") for kind in ("discrete", "integrated", "virtual")],
)
def test_each_kind_of_device_has_its_class_of_driver(kind: str, driver: str) -> None:
    assert device_process.driver_of(kind) == driver


def test_the_server_says_what_stands_around_device_and_compiler(
    http: Any, wait_until: Callable[..., None]
) -> None:
    wait_until(lambda: http.get("/healthz").json()["compiler"]["walls"], "the compiler is up")
    health = http.get("/healthz").json()
    assert health["device"] == health["compiler"] == {"walls": list(WALLS), "missing": ""}


def test_a_process_without_walls_says_so() -> None:
    async def unsealed() -> Any:
        async with opened("null", "host.process") as device:
            return device.seal

    assert run(unsealed()).missing == "the process was started without walls"
