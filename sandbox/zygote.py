"""The zygote: a warm process that forks workers and runs nobody's code itself.

Owns the walls' preparation, and the loop that forks and reaps; what workers share is imported by their trade: scripts
of a language, or templates. Started as `python -m sandbox.zygote TRADE FD`, the descriptor being a socket that keeps
message boundaries (`control.py`). It ends when that socket does, and its workers with it. Must not know jobs.
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
from collections.abc import Collection, Sequence
from functools import partial
from typing import NoReturn

from sandbox import native, restricted, template, worker
from sandbox.control import MAX_MESSAGE, Exited, NotSpawned, Ready, Spawned, decode_server, encode
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

    def __init__(self, control: socket.socket, prepared: Prepared, trade: worker.Trade) -> None:
        self._control = control
        self._prepared = prepared
        self._trade = trade
        self._wake, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def serve(self) -> NoReturn:
        """Fork and reap until the server goes away."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
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
            data, descriptors, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 1)
        except OSError:
            data, descriptors = b"", []
        if not data:
            os._exit(0)
        decode_server(data)
        self._fork(descriptors[0])

    def _fork(self, connection: int) -> None:
        """Make a worker, or say why there is none: the machine may be out of namespaces, processes or memory."""
        try:
            self._prepared.before_fork()
            pid = os.fork()
        except OSError as error:
            self._send(encode(NotSpawned(f"{errno.errorcode.get(error.errno or 0)}, {error.strerror}")))
            os.close(connection)
            return
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            worker.become(connection, self._seal, self._trade)
        os.close(connection)
        handle = os.pidfd_open(pid)
        self._send(encode(Spawned(pid)), [handle])
        os.close(handle)

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
            cpu_s = usage.ru_utime + usage.ru_stime
            self._send(encode(Exited(pid, status, cpu_s, usage.ru_maxrss * 1024)))

    def _send(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._control, [data], descriptors)
        except OSError:  # the server is gone
            os._exit(0)


def main(trade: worker.Trade, descriptor: int) -> NoReturn:
    """The zygote's life."""
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    for name in _CODECS.split():
        importlib.import_module(f"encodings.{name}")
    trade.warm()
    prepared = prepare_zygote()
    gc.collect()
    gc.freeze()
    zygote = Zygote(control, prepared, trade)
    report = prepared.report
    control.send(encode(Ready(report.level, report.reason, prepared.base, tuple(sorted(sys.modules)))))
    zygote.serve()


if __name__ == "__main__":
    main(TRADES[sys.argv[1]], int(sys.argv[2]))
