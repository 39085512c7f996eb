"""A device process as the operating system has it: started, killed, waited for, and what it wrote last.

Owns its id and its standard error. Must not know what is said over its socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from host.environment import child_environment
from ops import processes

_READ_BYTES, _PIECES = 4096, 16
"""So much is read of what it writes at once, and so many pieces of it are kept."""
_LAST_BYTES = 2000
"""Of these so many bytes are its last words."""
_MEANINGS: dict[int, str] = {signal.SIGSYS: ", as it made a system call that its walls forbid"}


class Ending(NamedTuple):
    """The number of the signal that ended a process (0: none did), and the most memory that it had, in bytes."""

    signal: int
    peak_bytes: int

    def __str__(self) -> str:
        if not self.signal:
            return "it ended"
        return f"it was ended by {processes.signal_name(self.signal)}{_MEANINGS.get(self.signal, '')}"


class Spawned:
    """A process that runs `command` and inherits descriptor `fd`, nothing else. Raises `OSError`.

    Its peak of memory begins with `inherited_bytes`, its parent's own. `was_killed`: by whoever has it.
    """

    def __init__(self, command: Sequence[str], fd: int) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[fd],
            env=child_environment(),
            cwd="/",
        )
        self.inherited_bytes = processes.own_peak_bytes()
        self.was_killed = False
        assert self._process.stderr is not None
        self._stderr = self._process.stderr
        self._words: deque[bytes] = deque(maxlen=_PIECES)
        os.set_blocking(self._stderr.fileno(), False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._stderr.fileno(), self._read)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def kill(self) -> None:
        """Kill it, if it has not ended."""
        self.was_killed = True
        if self._process.returncode is None:  # its id is its own until `_wait` returns
            os.kill(self.pid, signal.SIGKILL)

    async def end(self) -> Ending:
        """Wait until it has ended; all that it wrote has been read then. To be called once."""
        try:
            ending = await self._loop.run_in_executor(None, self._wait)
        except RuntimeError:  # the loop is closing, and has no threads any more
            self.kill()
            ending = self._wait()
        self._read()
        self._loop.remove_reader(self._stderr.fileno())
        self._stderr.close()
        return ending

    def last_words(self) -> str:
        """The end of what it wrote to its standard error."""
        return b"".join(self._words)[-_LAST_BYTES:].decode(errors="replace").strip()

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            text = os.read(self._stderr.fileno(), _READ_BYTES)
            if text:
                self._words.append(text)
            else:
                self._loop.remove_reader(self._stderr.fileno())

    def _wait(self) -> Ending:
        """On a thread of its own: wait for the end."""
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return Ending(max(-self._process.returncode, 0), processes.peak_bytes(usage))
