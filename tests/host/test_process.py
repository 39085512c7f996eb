"""The device process by itself: how it begins and ends, and what it does with a server that lies."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from host import frames
from host.engine import EngineSettings
from host.environment import child_environment
from ops.graph import Graph, Node
from ops.wire import FrameReader, frame

pytestmark = pytest.mark.usefixtures("nothing_leaks")

WAIT_S = 30
SETTINGS = msgspec.json.encode(EngineSettings("null")).decode()


class Bare:
    """A device process at the end of a blocking socket."""

    def __init__(self, parent: int | None = None) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(WAIT_S)
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "host.process",
                str(theirs.fileno()),
                str(parent or os.getpid()),
                SETTINGS,
            ],
            pass_fds=[theirs.fileno()],
            env=child_environment(),
            cwd="/",
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        self._reader: FrameReader[Any] = FrameReader(frames.DeviceMessage, 1 << 20)
        self._messages: list[Any] = []

    def send(self, message: msgspec.Struct) -> None:
        self.socket.sendall(frame(message))

    def receive(self) -> Any:
        while not self._messages:
            data = self.socket.recv(1 << 16)
            assert data, "the device hung up"
            self._messages += self._reader.feed(data)
        return self._messages.pop(0)

    def status(self) -> int:
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait(WAIT_S)


@pytest.fixture
def bare() -> Iterator[Bare]:
    device = Bare()
    assert isinstance(device.receive(), frames.Ready)
    yield device
    device.close()


def test_each_request_is_answered_in_order_and_all_but_the_briefest_are_announced(bare: Bare) -> None:
    count = frames.INLINE_BYTES // 4 + 1
    zeros = Node("full", (), {"shape": [count], "value": 0.0, "dtype": "f32"})
    bare.send(frames.Upload(1, 1, "me", "u32", (2,), 8, data=bytes(8)))
    bare.send(frames.Download(2, 1))
    bare.send(frames.Download(3, 99))
    bare.send(frames.RunGraph(4, 1, "me", Graph([zeros], [0]), [2]))
    got = [(type(each).__name__, each.id) for each in (bare.receive() for _ in range(5))]
    assert got == [("Done", 1), ("Downloaded", 2), ("Failed", 3), ("Started", 4), ("Done", 4)]
    bare.send(frames.Download(5, 2))
    assert [type(bare.receive()).__name__ for _ in range(2)] == ["Started", "Downloaded"]


def test_a_shutdown_ends_it_well_after_what_was_asked_before(bare: Bare) -> None:
    bare.send(frames.Free(1, []))
    bare.send(frames.Shutdown(0))
    assert isinstance(bare.receive(), frames.Done)
    assert bare.status() == 0


def test_it_ends_when_the_server_hangs_up(bare: Bare) -> None:
    bare.socket.close()
    assert bare.status() == 0


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<I", 1 << 31),
        struct.pack("<I", 3) + b"\xc1\xc1\xc1",
        frame(frames.Ready(frames.DeviceInfo("", "", "", "", (), {}))),
        frame(frames.Upload(1, 1, "me", "u32", (2,), 8, descriptor=True)),
    ],
)
def test_bytes_that_are_no_request_end_it_with_an_error(bare: Bare, data: bytes) -> None:
    bare.socket.sendall(data)
    assert bare.status() == 1


@pytest.mark.parametrize(
    "upload",
    [
        frames.Upload(1, 1, "me", "u32", (2,), 8, data=bytes(4)),
        frames.Upload(1, 1, "me", "u32", (2,), 9, data=bytes(9)),
        frames.Upload(1, 1, "me", "u32", (-1,), 8, data=bytes(8)),
        frames.Upload(1, 1, "me", "u32", (1 << 62, 1 << 62), 8, data=bytes(8)),
        frames.Upload(1, 1, "me", "u32", (1,) * 1000, 4, data=bytes(4)),
        frames.Upload(1, 1, "me", "f99", (2,), 8, data=bytes(8)),
        frames.Upload(1, 1, "", "u32", (2,), 8, data=bytes(8)),
    ],
)
def test_an_upload_that_contradicts_itself_fails_alone(bare: Bare, upload: frames.Upload) -> None:
    bare.send(upload)
    assert isinstance(bare.receive(), frames.Failed)
    bare.send(frames.Upload(2, 1, "me", "u32", (2,), 8, data=bytes(8)))
    assert isinstance(bare.receive(), frames.Done)


def test_it_ends_at_once_when_its_parent_is_another() -> None:
    device = Bare(parent=1)
    assert device.status() == 0
    device.close()


def test_it_dies_with_its_parent() -> None:
    """A parent in between is killed; a pipe that only the device still holds then reads its end."""
    reading, writing = os.pipe()
    script = (
        "import os, socket, subprocess, sys, time\n"
        "ours, theirs = socket.socketpair()\n"
        "fds = [theirs.fileno(), int(sys.argv[1]), ours.fileno()]\n"
        "command = [sys.executable, '-P', '-m', 'host.process', str(fds[0]), str(os.getpid()), sys.argv[2]]\n"
        "subprocess.Popen(command, pass_fds=fds)\n"
        "ours.recv(1)\n"
        "print('ready', flush=True)\n"
        "ours.recv(1 << 20), ours.recv(1)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(writing), SETTINGS],
        pass_fds=[writing],
        env=child_environment(),
        cwd="/",
        stdout=subprocess.PIPE,
    )
    os.close(writing)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    parent.send_signal(signal.SIGKILL)
    parent.wait(WAIT_S)
    parent.stdout.close()
    assert select.select([reading], [], [], WAIT_S)[0]
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_it_gives_way_to_the_server(bare: Bare) -> None:
    tasks = Path(f"/proc/{bare.process.pid}/task")
    nice = {int(task.name): os.getpriority(os.PRIO_PROCESS, int(task.name)) for task in tasks.iterdir()}
    assert nice.pop(bare.process.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    assert set(nice.values()) == {os.getpriority(os.PRIO_PROCESS, 0) + 5}
    assert int(Path(f"/proc/{bare.process.pid}/oom_score_adj").read_text()) >= 500
