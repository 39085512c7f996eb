"""The zygote: a warm process that forks workers and runs nobody's code itself.

Owns the walls' preparation, and the loop that forks and reaps; what workers share is imported by their trade: scripts
of a language, or templates. Started as `python -m sandbox.zygote TRADE FD`, the descriptor being its end of the
server's socket (`control.py`). It ends when that socket does, and its workers with it. Must not know jobs.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import select
import signal
import socket
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from typing import NoReturn

import msgspec

from ops.processes import peak_bytes
from ops.wire import FrameError
from sandbox import handles, native, restricted, template, worker
from sandbox.control import Channel, Exited, Kill, NotSpawned, Ready, ServerMessage, Spawn, Spawned
from sandbox.walls.preparation import Prepared, prepare_zygote
from sandbox.walls.rlimits import WorkerLimits

NICENESS = 5
# What a worker may hold before its run's own limits arrive from the server.
WIDE = WorkerLimits(memory_bytes=1 << 40, cpu_s=3600)
_CODECS = (
    "ascii latin_1 utf_16 utf_16_le utf_16_be utf_32 utf_8_sig cp1252 idna raw_unicode_escape unicode_escape"
)
TRADES = {
    "restricted": worker.Trade(restricted.warm, partial(worker.ScriptWorker, language=restricted)),
    "native": worker.Trade(native.warm, partial(worker.ScriptWorker, language=native)),
    "template": worker.Trade(template.warm, template.TemplateWorker),
}


class Zygote:
    """Serves one server."""

    def __init__(self, channel: Channel[ServerMessage], prepared: Prepared, trade: worker.Trade) -> None:
        self._channel = channel
        self._prepared = prepared
        self._trade = trade
        self._living: set[int] = set()
        self._wake, self._woken = os.pipe()
        for end in (self._wake, self._woken):
            os.set_blocking(end, False)

    def serve(self) -> NoReturn:
        """Fork and reap until the server goes away."""
        report = self._prepared.report
        self._send(Ready(report.level, report.reason, self._prepared.base, tuple(sorted(sys.modules))))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == self._wake:
                    os.read(self._wake, 4096)
                    self._reap()
                else:
                    self._answer()

    def _answer(self) -> None:
        try:
            for message, connection in self._channel.receive():
                match message:
                    case Spawn():
                        assert connection is not None
                        self._fork(connection)
                    case Kill(pid=pid) if pid in self._living:  # not reaped: the number is still its own
                        os.kill(pid, signal.SIGKILL)
        except (OSError, EOFError, FrameError):
            self._end()

    def _fork(self, connection: int) -> None:
        """Make a worker, or say why there is none: the machine may be out of namespaces, processes or memory."""
        try:
            self._prepared.before_fork()
            pid = os.fork()
        except OSError as error:
            self._send(NotSpawned(f"{errno.errorcode.get(error.errno or 0)}, {error.strerror}"))
            os.close(connection)
            return
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            worker.become(connection, self._seal, self._trade)
        os.close(connection)
        self._living.add(pid)
        descriptor = handles.descriptor_of(pid)
        self._send(Spawned(pid, descriptor is not None), descriptor)
        if descriptor is not None:
            os.close(descriptor)

    def _seal(self, keep: Collection[int]) -> None:
        self._prepared.seal(WIDE, keep)

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._living.discard(pid)
            cpu_s = usage.ru_utime + usage.ru_stime
            self._send(Exited(pid, status, cpu_s, peak_bytes(usage)))

    def _send(self, message: msgspec.Struct, descriptor: int | None = None) -> None:
        try:
            self._channel.send(message, descriptor)
        except OSError:
            self._end()

    def _end(self) -> NoReturn:
        """The server is gone."""
        for pid in self._living:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        os._exit(0)


def main(trade: worker.Trade, descriptor: int) -> NoReturn:
    """The zygote's life."""
    # before the library is hardened, as no annotations are read any more afterwards
    channel: Channel[ServerMessage] = Channel(socket.socket(fileno=descriptor), ServerMessage)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    for name in _CODECS.split():
        importlib.import_module(f"encodings.{name}")
    trade.warm()
    prepared = prepare_zygote()
    gc.collect()
    gc.freeze()
    Zygote(channel, prepared, trade).serve()


if __name__ == "__main__":
    main(TRADES[sys.argv[1]], int(sys.argv[2]))
