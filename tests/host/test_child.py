"""A server in front of a device that lies: each lie costs the device its life, and the server nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host.errors import DeviceCrashed, DeviceFailed, DeviceRestarted
from host.supervisor import Device, DeviceSettings

pytestmark = pytest.mark.usefixtures("nothing_leaks")

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
    "a request": "write(sock, ready); started(); sock.sendall(frame(frames.Shutdown(1)))",
}


@pytest.fixture
def lying(tmp_path: Path) -> Callable[[str], str]:
    """An executable that starts a device which does as it is told here."""

    def make(behaviour: str) -> str:
        script, python = tmp_path / "fake.py", tmp_path / "python"
        script.write_text(f"{FAKE}\n{behaviour}\nsock.recv(1 << 16)\n")
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        python.chmod(0o755)
        return str(python)

    return make


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_ends_the_device_and_the_request_it_was_told_to(
    run: Callable[..., Any], lying: Callable[[str], str], lie: str
) -> None:
    async def body() -> None:
        device = Device(DeviceSettings(adapter="null", python=lying(LIES[lie]), exit_s=0.1))
        await device.start()
        with pytest.raises(DeviceRestarted):
            await device.download(1)
        await device.close()
        assert device.generation >= 1

    run(body())


def test_what_a_dying_device_wrote_is_kept_for_its_error(
    run: Callable[..., Any], lying: Callable[[str], str]
) -> None:
    async def body() -> None:
        python = lying("print('no driver here', file=sys.stderr); sys.exit(3)")
        device = Device(DeviceSettings(adapter="null", python=python))
        with pytest.raises(DeviceFailed) as error:
            await device.start()
        assert error.value.hint == "no driver here"
        await device.close()

    run(body())


def test_a_device_that_ends_in_the_middle_of_a_request_is_no_crash_of_a_kernel(
    run: Callable[..., Any], lying: Callable[[str], str]
) -> None:
    async def body() -> None:
        python = lying("write(sock, ready); started(); sys.exit(0)")
        device = Device(DeviceSettings(adapter="null", python=python, exit_s=0.1))
        await device.start()
        with pytest.raises(DeviceCrashed, match="lost during a download: it ended") as error:
            await device.download(1)
        assert error.value.signal == 0
        await device.close()

    run(body())
