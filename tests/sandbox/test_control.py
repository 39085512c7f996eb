"""The socket between server and zygote: messages stay whole and in order, each with its own descriptor."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from ops.wire import FrameError, frame
from sandbox.control import Channel, Exited, Kill, Ready, ServerMessage, Spawn, Spawned, ZygoteMessage
from tests.sandbox.support import descriptors

Ends = tuple[socket.socket, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    first, second = socket.socketpair()
    with first, second:
        yield first, second


def test_messages_come_in_order_each_with_its_own_descriptor(ends: Ends) -> None:
    sender = Channel[ServerMessage](ends[0], ZygoteMessage)
    receiver = Channel[ServerMessage](ends[1], ServerMessage)
    pipes = [os.pipe() for _ in range(3)]
    for reading, writing in pipes:
        sender.send(Kill(writing))
        sender.send(Spawn(), reading)
        os.close(reading)
    got: list[tuple[ServerMessage, int | None]] = []
    while len(got) < 6:
        got += receiver.receive()
    assert [type(message) for message, _ in got] == [Kill, Spawn] * 3
    for number, ((_, writing), (_, reading)) in enumerate(zip(pipes, got[1::2], strict=True)):
        assert reading is not None
        os.write(writing, str(number).encode())
        assert os.read(reading, 9) == str(number).encode()
        os.close(writing)
        os.close(reading)


def test_a_message_in_many_pieces_is_one_message(ends: Ends) -> None:
    receiver = Channel[ZygoteMessage](ends[1], ZygoteMessage)
    exited = Exited(1, 9, 0.5, 1 << 20)
    for byte in frame(exited)[:-1]:
        ends[0].send(bytes([byte]))
        assert list(receiver.receive()) == []
    ends[0].send(frame(exited)[-1:])
    assert list(receiver.receive()) == [(exited, None)]


def test_a_large_message_is_sent_whole(ends: Ends) -> None:
    ends[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
    ready = Ready("full", "", None, tuple(f"module{number}" for number in range(4000)))
    Channel[ServerMessage](ends[0], ServerMessage).send(ready)
    receiver = Channel[ZygoteMessage](ends[1], ZygoteMessage)
    got: list[tuple[ZygoteMessage, int | None]] = []
    while not got:
        got += receiver.receive()
    assert got == [(ready, None)]


def test_the_end_of_the_peer_is_told_after_what_it_said(ends: Ends) -> None:
    Channel[ServerMessage](ends[0], ServerMessage).send(Spawned(1))
    ends[0].close()
    receiver = Channel[ZygoteMessage](ends[1], ZygoteMessage)
    assert list(receiver.receive()) == [(Spawned(1), None)]
    with pytest.raises(EOFError):
        list(receiver.receive())


@pytest.mark.parametrize(
    "data", [frame(Spawned(1, True)), frame(Spawn()), b"\xff\xff\xff\xff", b"\1\0\0\0\xc1"]
)
def test_what_breaks_the_protocol_is_an_error(ends: Ends, data: bytes) -> None:
    ends[0].send(data)
    with pytest.raises(FrameError):
        list(Channel[ZygoteMessage](ends[1], ZygoteMessage).receive())


def test_a_descriptor_whose_message_never_came_whole_is_closed_with_the_channel(ends: Ends) -> None:
    before = descriptors()
    socket.send_fds(ends[0], [frame(Spawn())[:3]], [0])
    receiver = Channel[ServerMessage](ends[1], ServerMessage)
    assert list(receiver.receive()) == []
    assert descriptors() == before + 1
    receiver.close()
    assert descriptors() == before - 1, "the socket went too"
