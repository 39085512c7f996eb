"""A server in front of a device that lies: each lie costs the device its life, and the server nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host import ceiling
from host.errors import DeviceCrashed, DeviceFailed, DeviceHung, DeviceRestarted
from host.supervisor import Device, DeviceSettings
from ops import processes
from ops.graph import Graph

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]
Lying = Callable[[str], str]

FAKE = """
import os, socket, struct, sys
from host import frames
from host.link import write
from ops.wire import frame
sock = socket.socket(fileno=int(sys.argv[4]))
ready = frames.Ready(frames.DeviceInfo("Fake", "null", "", "", (), {}))
def file(size):
    fd = os.memfd_create("fake")
    os.ftruncate(fd, size)
    return fd
def started():
    sock.recv(1 << 16)
    write(sock, frames.Started(1))
"""
DOWNLOADED = "frames.Downloaded(1, 100, carrier=1, descriptor=True)"
LIES = {
    "a file that can shrink": f"write(sock, ready); started(); write(sock, {DOWNLOADED}, file(100))",
    "a descriptor that is no file": f"write(sock, ready); started(); write(sock, {DOWNLOADED}, os.pipe()[0])",
    "a carrier that never came": "write(sock, ready); started(); write(sock, frames.Downloaded(1, 100, carrier=5))",
    "a missing descriptor": f"write(sock, ready); started(); write(sock, {DOWNLOADED})",
    "an answer to nothing": "write(sock, ready); started(); write(sock, frames.Done(99))",
    "progress of nothing": "write(sock, ready); started(); write(sock, frames.Progressed(99, 0.5))",
    "more than all": "write(sock, ready); started(); write(sock, frames.Progressed(1, 1.5))",
    "no number": "write(sock, ready); started(); write(sock, frames.Progressed(1, float('nan')))",
    "a start out of order": "write(sock, ready); sock.recv(1 << 16); write(sock, frames.Started(7))",
    "a frame of 2 GB": "write(sock, ready); started(); sock.sendall(struct.pack('<I', 1 << 31))",
    "no frame at all": "write(sock, ready); started(); sock.sendall(struct.pack('<I', 4) + bytes(4))",
    "a second start of what has one step": "write(sock, ready); started(); write(sock, frames.Started(1))",
    "a second readiness": "write(sock, ready); started(); write(sock, ready)",
    "a request": "write(sock, ready); started(); sock.sendall(frame(frames.Shutdown(1)))",
}


@pytest.fixture
def lying(tmp_path: Path) -> Lying:
    """An executable that starts a device which does as it is told here."""

    def make(behaviour: str) -> str:
        script, python = tmp_path / "fake.py", tmp_path / "python"
        script.write_text(f"{FAKE}\n{behaviour}\nsock.recv(1 << 16)\n")
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        python.chmod(0o755)
        return str(python)

    return make


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_ends_the_device_and_the_request_it_was_told_to(run: Run, lying: Lying, lie: str) -> None:
    async def body() -> None:
        device = Device(DeviceSettings(adapter="null", python=lying(LIES[lie]), exit_s=0.1))
        await device.start()
        with pytest.raises(DeviceRestarted):
            await device.download(1)
        await device.close()
        assert device.generation >= 1

    run(body())


def test_what_a_dying_device_wrote_is_kept_for_its_error(run: Run, lying: Lying) -> None:
    async def body() -> None:
        python = lying("print('no driver here', file=sys.stderr); sys.exit(3)")
        device = Device(DeviceSettings(adapter="null", python=python))
        with pytest.raises(DeviceFailed) as error:
            await device.start()
        assert error.value.hint == "no driver here"
        await device.close()

    run(body())


def test_a_device_that_ends_in_the_middle_of_a_request_is_no_crash_of_a_kernel(
    run: Run, lying: Lying
) -> None:
    async def body() -> None:
        python = lying("write(sock, ready); started(); sys.exit(0)")
        device = Device(DeviceSettings(adapter="null", python=python, exit_s=10))  # what is late is killed
        await device.start()
        with pytest.raises(DeviceCrashed, match="lost during a download: it ended") as error:
            await device.download(1)
        assert error.value.signal == 0
        await device.close()

    run(body())


def test_a_device_that_begins_steps_for_ever_is_late(run: Run, lying: Lying) -> None:
    async def body() -> None:
        python = lying(
            "import time\n"
            "write(sock, ready); started()\n"
            "while True: write(sock, frames.Started(1, slice=True)); time.sleep(0.01)"
        )
        settings = DeviceSettings(adapter="null", python=python, deadline_s=0.1, compile_s=0.1, exit_s=0.1)
        device = Device(settings)
        await device.start()
        with pytest.raises(DeviceHung, match="a graph ran on beyond its limit"):
            await device.run_graph(1, "me", Graph([], []), [])
        await device.close()

    run(body())


def test_a_device_that_two_times_dies_of_what_is_next_crashed_on_it(run: Run, lying: Lying) -> None:
    async def body() -> None:
        device = Device(
            DeviceSettings(adapter="null", python=lying("write(sock, ready); sock.recv(1 << 16); sys.exit()"))
        )
        await device.start()
        with pytest.raises(DeviceCrashed, match="two device processes were lost as they came to an upload"):
            await device.upload_bytes(1, "me", "u32", [1], bytes(4))
        await device.close()
        assert device.generation >= 2

    run(body())


def test_a_death_by_a_signal_without_a_name_is_noticed(run: Run, lying: Lying) -> None:
    async def body() -> None:
        python = lying("write(sock, ready); started(); os.kill(os.getpid(), 40)")
        device = Device(DeviceSettings(adapter="null", python=python, exit_s=0.1))
        await device.start()
        with pytest.raises(DeviceCrashed, match="ended by signal 40"):
            await device.download(1)
        await device.close()

    run(body())


def test_a_crash_below_a_large_server_is_not_taken_for_want_of_memory(
    run: Run, lying: Lying, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device's peak begins with its parent's, which here is over all that a device may take."""
    monkeypatch.setattr(ceiling, "ROOM", processes.own_peak_bytes() // 2)

    async def body() -> None:
        python = lying("import signal; write(sock, ready); started(); os.kill(os.getpid(), signal.SIGSEGV)")
        device = Device(DeviceSettings(adapter="null", python=python, memory_bytes=1 << 20, exit_s=0.1))
        await device.start()
        with pytest.raises(DeviceCrashed) as error:
            await device.download(1)
        assert not error.value.starved
        await device.close()

    run(body())


def test_a_request_that_cannot_be_sent_leaves_nothing_to_watch(run: Run, manual_clock: Any) -> None:
    async def body() -> None:
        clock = manual_clock()
        device = Device(DeviceSettings(adapter="null", clock=clock, takeup_s=9.0))
        await device.start()
        with pytest.raises(OSError, match="Bad file descriptor"):
            await device.upload(1, "me", "u32", [1], -1, 0, 4)
        for handle in (1, 2):
            await device.upload_bytes(handle, "me", "u32", [1], bytes(4))
            clock.advance(9.0)
        await device.download(1)
        assert device.generation == 1
        await device.close()

    run(body())
