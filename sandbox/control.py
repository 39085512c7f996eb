"""The messages between the server and the zygote, over a socket that keeps message boundaries.

Owns the records. The zygote runs no stranger's code, but its children do, so that its messages are decoded against
a schema too. Must not know asyncio or forks.
"""

from __future__ import annotations

import msgspec


class Ready(msgspec.Struct, frozen=True, tag="ready", tag_field="t"):
    """The zygote is warm. `level` is the strength of the walls that its workers get, `reason` why not more.

    `base` is its address space in bytes, which limits of memory count from; `modules` what it has imported.
    """

    level: str
    reason: str
    base: int | None
    modules: tuple[str, ...] = ()


class Spawn(msgspec.Struct, frozen=True, tag="spawn", tag_field="t"):
    """Fork a worker; its socket is the descriptor sent along."""


class Spawned(msgspec.Struct, frozen=True, tag="spawned", tag_field="t"):
    """A worker exists; its pidfd is the descriptor sent along. Answers come in the order of the requests."""

    pid: int


class NotSpawned(msgspec.Struct, frozen=True, tag="not_spawned", tag_field="t"):
    """No worker could be made, for this reason; also an answer in the order of the requests."""

    reason: str


class Exited(msgspec.Struct, frozen=True, tag="exited", tag_field="t"):
    """A worker ended with this wait status, after so many processor seconds and so many bytes resident at once."""

    pid: int
    status: int
    cpu_s: float
    peak_bytes: int


ZygoteMessage = Ready | Spawned | NotSpawned | Exited
MAX_MESSAGE = 65536

encode = msgspec.msgpack.Encoder().encode
decode_zygote = msgspec.msgpack.Decoder(ZygoteMessage).decode
decode_server = msgspec.msgpack.Decoder(Spawn).decode
