"""Attacks through sockets."""

from __future__ import annotations

import socket

from tests.sandbox.walls.attacks.base import Attack, World, kernel

AF_VSOCK = 40


def _socket(family: int, kind: int = socket.SOCK_STREAM) -> socket.socket:
    made = socket.socket(family, kind)
    made.settimeout(2)
    return made


def _tcp(world: World) -> None:
    _socket(socket.AF_INET).connect(("127.0.0.1", world.tcp_port))


def _udp(world: World) -> None:
    _socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", world.udp_port))


def _abstract_stream(world: World) -> None:
    _socket(socket.AF_UNIX).connect(world.stream)


def _by_path(world: World) -> None:
    """Nobody listens there: where there is no wall, that is what it meets."""
    _socket(socket.AF_UNIX).connect(f"{world.folder}/socket")


def _abstract_datagram(world: World) -> None:
    """Without `socket` and `connect`: half of a pair, if it were one of datagrams, can be sent anywhere."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pair[0].sendto(b"x", world.datagram)


def _address_on_stream(world: World) -> None:
    socket.socketpair()[0].sendto(b"x", world.datagram)


def _listen(_: World) -> None:
    _socket(socket.AF_INET).bind(("127.0.0.1", 0))


def _listen_abstract(_: World) -> None:
    _socket(socket.AF_UNIX).bind(b"\0kernelgate-test-of-a-worker")


def _pass_descriptor(_: World) -> None:
    ours, theirs = socket.socketpair()
    socket.send_fds(ours, [b"x"], [theirs.fileno()])


def _receive_descriptor(_: World) -> None:
    ours, theirs = socket.socketpair()
    theirs.send(b"x")
    socket.recv_fds(ours, 1, 1)


ROWS = (
    Attack("connect by TCP", _tcp, {"namespaces": "ENETUNREACH", "landlock": "EACCES", "seccomp": "SIGSYS"}),
    Attack("listen by TCP", _listen, {"landlock": "EACCES", "seccomp": "SIGSYS"}),
    Attack("send by UDP", _udp, {"namespaces": "ENETUNREACH", "seccomp": "SIGSYS"}),
    Attack(
        "connect to an abstract socket",
        _abstract_stream,
        {"namespaces": "ECONNREFUSED", "landlock": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "send to an abstract socket",
        _abstract_datagram,
        {"namespaces": "ECONNREFUSED", "landlock": "EPERM", "seccomp": "EPERM"},
    ),
    Attack("connect to a socket by its path", _by_path, {"seccomp": "SIGSYS"}),
    Attack("send to an address on a stream", _address_on_stream, {"seccomp": "EPERM"}),
    Attack("listen on an abstract socket", _listen_abstract, {"seccomp": "SIGSYS"}),
    Attack(
        "open a raw socket",
        lambda w: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        {"capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "open a packet socket",
        lambda w: _socket(socket.AF_PACKET, socket.SOCK_RAW),
        {"capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "open a netlink socket", lambda w: _socket(socket.AF_NETLINK, socket.SOCK_RAW), {"seccomp": "SIGSYS"}
    ),
    Attack(
        "open a socket of the kernel's ciphers",
        lambda w: _socket(socket.AF_ALG, socket.SOCK_SEQPACKET),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "open a socket to the hypervisor",
        lambda w: _socket(AF_VSOCK),
        {"seccomp": "SIGSYS"},
        machine_refuses=True,
    ),
    Attack(
        "make a pair of another family",
        lambda w: kernel("socketpair", 16, 3, 0, bytes(8)),
        {"seccomp": "EPERM"},
    ),
    Attack("pass a descriptor", _pass_descriptor, {"seccomp": "SIGSYS"}),
    Attack("receive a descriptor", _receive_descriptor, {"seccomp": "SIGSYS"}),
)
