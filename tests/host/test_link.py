"""Frames and descriptors over a socket pair."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from host import frames
from host.link import Link, pair, write
from ops.wire import FrameError


class End:
    """A link that keeps what it receives."""

    def __init__(self, sock: socket.socket, limit: int = 1 << 20) -> None:
        self.received: asyncio.Queue[tuple[Any, int | None]] = asyncio.Queue()
        self.ended: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self.link: Link[Any] = Link(
            sock,
            frames.ServerMessage,
            limit,
            lambda message, fd: self.received.put_nowait((message, fd)),
            self.ended.set_result,
        )


def _upload(id: int, descriptor: bool) -> frames.Upload:
    return frames.Upload(
        id, 1, "me", "u32", (1,), 4, data=b"" if descriptor else b"abcd", descriptor=descriptor
    )


def _file(text: bytes) -> int:
    fd = os.memfd_create("test")
    os.write(fd, text)
    return fd


@pytest.mark.usefixtures("nothing_leaks")
def test_frames_and_descriptors_arrive_in_order_and_paired(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        left, right = End(ours), End(theirs)
        for id in range(200):
            fd = _file(b"%d" % id) if id % 3 == 0 else None
            left.link.send(_upload(id, fd is not None), fd)
            if fd is not None:
                os.close(fd)  # the link has a duplicate
        for id in range(200):
            message, fd = await right.received.get()
            assert message.id == id
            assert (fd is not None) == (id % 3 == 0)
            if fd is not None:
                assert os.pread(fd, 10, 0) == b"%d" % id
                os.close(fd)
        left.link.close()
        assert await right.ended is None

    run(body())


def test_a_frame_larger_than_the_socket_takes_arrives_whole(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        left, right = End(ours), End(theirs, limit=64 << 20)
        left.link.send(frames.Free(1, list(range(5_000_000))))
        left.link.send(_upload(2, False))
        message, _ = await right.received.get()
        assert len(message.handles) == 5_000_000
        assert (await right.received.get())[0].id == 2
        left.link.close()
        right.link.close()

    run(body())


def test_a_blocking_writer_fills_the_socket_and_is_read_whole(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        right = End(theirs, limit=64 << 20)
        ours.setblocking(False)
        fd = _file(b"beside")
        message = frames.Upload(1, 1, "me", "u32", (1,), 4, data=bytes(10 << 20), descriptor=True)
        await asyncio.to_thread(write, ours, message, fd)
        os.close(fd)
        message, received = await right.received.get()
        assert len(message.data) == 10 << 20
        assert received is not None
        assert os.pread(received, 10, 0) == b"beside"
        os.close(received)
        ours.close()
        assert await right.ended is None

    run(body())


@pytest.mark.parametrize(
    ("what", "data"),
    [
        ("too long", struct.pack("<I", 1 << 30)),
        ("not MessagePack", struct.pack("<I", 4) + b"\xc1\xc1\xc1\xc1"),
        ("no message of ours", struct.pack("<I", 1) + b"\x01"),
    ],
)
def test_bytes_that_are_no_frame_end_the_link(run: Callable[..., Any], what: str, data: bytes) -> None:
    async def body() -> None:
        ours, theirs = pair()
        right = End(theirs)
        ours.sendall(data)
        assert isinstance(await right.ended, FrameError), what
        ours.close()

    run(body())


def test_a_frame_without_its_descriptor_ends_the_link(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        right = End(theirs)
        write(ours, _upload(1, descriptor=True))
        assert isinstance(await right.ended, FrameError)
        ours.close()

    run(body())


@pytest.mark.usefixtures("nothing_leaks")
def test_descriptors_under_way_are_closed_with_the_link(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        left, right = End(ours), End(theirs)
        fd = _file(b"x")
        left.link.send(_upload(1, True), fd)
        os.close(fd)
        left.link.close()
        left.link.close()
        left.link.send(_upload(2, False))
        assert await right.ended is None

    run(body())


@pytest.mark.usefixtures("nothing_leaks")
def test_descriptors_for_a_peer_that_is_gone_are_closed(run: Callable[..., Any]) -> None:
    async def body() -> None:
        ours, theirs = pair()
        left = End(ours)
        theirs.close()
        fd = _file(b"x")
        for id in range(3):
            left.link.send(_upload(id, True), fd)
        os.close(fd)
        assert await left.ended is None

    run(body())
