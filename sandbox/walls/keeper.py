"""The keeper: the process between the server and the zygote, where PID namespaces are used.

Owns the death of the zygote and of everything below it. Must not know what they do.

The first child of a new PID namespace is its process 1, so the process that the server started cannot itself be in the
namespace of its workers. It stays outside as the keeper: it holds no descriptor, waits for the zygote, and ends as
that one did. Who dies takes all below along, and leaves no zombie:

* the zygote ends or is killed: the kernel kills every process of its PID namespace and of those below; the keeper
  reaps the zygote and ends;
* the keeper gets SIGTERM: it kills and reaps the zygote, then ends;
* the keeper is killed by SIGKILL: the parent-death signal kills the zygote. The server should prefer SIGTERM, or just
  close the zygote's socket: so the zygote is reaped here and not by whoever is the machine's process 1.

Where the kernel does none of that, a worker watches a `Lifeline`.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import NoReturn

from sandbox.walls import descriptors, linux


def fork_init() -> None:
    """Fork; returns in the child, which is process 1 of the PID namespace unshared before. The parent never returns."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    pid = os.fork()
    if pid:
        _keep(pid)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    die_with_parent()


def die_with_parent() -> None:
    """SIGKILL to this process when the thread that forked it ends. Forgotten when the user changes or privilege is
    gained."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)


class Lifeline:
    """A pipe whose writing end only the zygote keeps: its children see it closed when that one is gone."""

    def __init__(self) -> None:
        self.descriptor, self._held = os.pipe()

    def watch(self) -> None:
        """In a child: end this process as soon as the zygote has ended. `descriptor` must stay open."""
        os.close(self._held)
        threading.Thread(target=self._wait, name="lifeline", daemon=True).start()

    def _wait(self) -> None:
        os.read(self.descriptor, 1)
        os._exit(0)

    def close(self) -> None:
        """Close both ends, in the zygote."""
        os.close(self.descriptor)
        os.close(self._held)


def _keep(pid: int) -> NoReturn:
    def kill(*_: object) -> None:
        os.kill(pid, signal.SIGKILL)

    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, kill)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # so that the ends of pipes and sockets that others hold are seen as closed when the zygote closes them
    descriptors.close_all_but(())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(code if code >= 0 else 128 - code)
