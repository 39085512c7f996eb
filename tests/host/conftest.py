"""What the device's tests share: a clock that stands still, devices that are closed again, and kernels by hand."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.meter import Meter
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node
from shaders.errors import KernelgateError
from shaders.reflect import reflect
from shaders.reflection import BindingInfo, EntryPoint, Guard, GuardedEntry, Reflection
from tests.clock import ManualClock
from tests.host.engines import ADAPTER, MEMORY

T = TypeVar("T")
WAIT_S = 60


@pytest.fixture
def manual_clock() -> type[ManualClock]:
    """The class, since a clock belongs to the loop that uses it."""
    return ManualClock


@pytest.fixture
def run() -> Callable[[Awaitable[Any]], Any]:
    """Run a coroutine to its end, within a bound."""

    def run(coroutine: Awaitable[T]) -> T:
        async def bounded() -> T:
            return await asyncio.wait_for(coroutine, WAIT_S)

        return asyncio.run(bounded())

    return run


Opened = Callable[..., AbstractAsyncContextManager[Device]]


@pytest.fixture
def opened() -> Opened:
    """`async with opened(adapter=…) as device`: a started device, closed at the end."""

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Device]:
        device = Device(DeviceSettings(**settings))
        try:
            await device.start()
            yield device
        finally:
            await device.close()

    return opened


TakenUp = Callable[[Meter], Awaitable[None]]


@pytest.fixture
def taken_up() -> TakenUp:
    """Wait until a device works on the request of a meter."""

    async def taken_up(meter: Meter) -> None:
        while not meter.started:
            await asyncio.sleep(0)

    return taken_up


def _processes() -> set[str]:
    return {
        pid
        for pid in os.listdir("/proc")
        if pid.isdigit() and b"host.process" in _read(Path("/proc", pid, "cmdline"))
    }


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture
def nothing_leaks() -> Iterator[None]:
    """The test leaves no descriptor and no process of ours behind."""
    names = {thread.name for thread in threading.enumerate()}
    assert "server" not in names, "another test's server still runs here, and opens descriptors at any time"
    children, descriptors = _children(), _descriptors()
    yield
    assert _children() == children
    assert _descriptors() <= descriptors  # what other tests left to the collector may close meanwhile


def _descriptors() -> set[tuple[str, str]]:
    """The open descriptors, each with what it leads to."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


def _children() -> set[str]:
    own = str(os.getpid())
    found = set()
    for pid in _processes():
        stat = _read(Path("/proc", pid, "stat")).rsplit(b")", 1)[-1].split()
        if stat and stat[1].decode() == own:
            found.add(pid)
    return found


def binding(
    name: str, number: int, access: str = "read", type: str = "array<u32>", group: int = 0, **more: Any
) -> BindingInfo:
    """A storage binding of 4-byte elements, or what `more` says."""
    facts: dict[str, Any] = {"kind": "storage", "element": "u32", "min_size": 4, "stride": 4, **more}
    return BindingInfo(group=group, binding=number, name=name, access=access, type=type, **facts)  # type: ignore[arg-type]


def reflection(source: str, *bindings: BindingInfo, entry: str = "main") -> Reflection:
    """A kernel of one entry point that reaches all `bindings`."""
    entries = (EntryPoint(entry, (64, 1, 1), tuple(b.name for b in bindings)),)
    return Reflection(source, entries, bindings, guarded(source, entry))


def guarded(source: str, entry: str) -> Guard:
    """What the guard makes of `source`; a text that it refuses goes to the compiler as it is."""
    try:
        guard = reflect(source).guard
    except KernelgateError:
        guard = None
    return guard or Guard(source, (), {entry: GuardedEntry(0, 0, True)})


@pytest.fixture
def kernels() -> Any:
    """Makers of reflections by hand, so that a fault of the parser cannot hide one of the device."""

    class Kernels:
        binding = staticmethod(binding)
        reflection = staticmethod(reflection)
        double = reflection(
            "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
            "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
            "  if (id.x < arrayLength(&b)) { b[id.x] = b[id.x] + a[id.x] * 2u; }\n}\n",
            binding("a", 0),
            binding("b", 1, "read_write"),
        )

    return Kernels


@pytest.fixture
def slow_graph() -> Callable[[int], Graph]:
    """A graph of so many powers, for which the NumPy engine takes microseconds each, since it makes them in Python."""

    def graph(count: int) -> Graph:
        return Graph([Node("arange", (), {"count": count, "dtype": "i32"}), Node("pow", (0, 0))], [1])

    return graph


@pytest.fixture(scope="module")
def gpu() -> Iterator[WgpuEngine]:
    """The real engine, open for all tests of a module."""
    opened = WgpuEngine(EngineSettings(ADAPTER, memory_bytes=MEMORY))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    """The real engine, whose slices are short."""
    opened = WgpuEngine(EngineSettings(ADAPTER, slice_ms=2.0))
    yield opened
    opened.close()


@pytest.fixture
def everything_is_given_back(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the test the engine that it used holds nothing beside the tensors up to number 99, which are freed."""
    yield
    for name in {"engine", "gpu"} & set(request.fixturenames):
        engine = request.getfixturevalue(name)
        engine.free(list(range(100)))
        assert (engine.memory().live_bytes, engine.memory().tensors) == (0, 0)
