"""What a script prints: two text streams with one bound.

Owns the buffering and the limit; the worker gives it the way out. Text leaves at once when the last left long ago,
else after 8 KB or 50 ms, and always before the worker says anything else. Must not know sockets.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from sandbox.policy.names import unmangle
from sandbox.policy.whole import Whole

StreamName = Literal["stdout", "stderr"]
Emit = Callable[[StreamName, str, bool], None]

BATCH_CHARACTERS = 8192
BATCH_S = 0.05


class Console:
    """The buffer behind both streams of this process."""

    def __init__(self) -> None:
        self.stdout = Stream(self, "stdout")
        self.stderr = Stream(self, "stderr")
        self._emit: Emit | None = None
        self._left = 0
        self._cut = False
        self._buffer: list[str] = []
        self._buffered = 0
        self._stream: StreamName = "stdout"
        self._flushed_at = 0.0
        self._busy = False
        self._timer = False

    def open(self, emit: Emit, limit_bytes: int, timer: bool = True) -> None:
        """Send what is printed from now on to `emit(stream, text, cut)`, at most `limit_bytes` of UTF-8 in all.

        `timer`: also flush from SIGALRM, so that text does not wait for the script's next word.
        """
        self._emit, self._left, self._cut = emit, limit_bytes, False
        self._buffer, self._buffered = [], 0
        self._flushed_at = 0.0
        self._timer = timer
        if timer:
            signal.signal(signal.SIGALRM, lambda *_: self.flush())

    def write(self, stream: StreamName, text: str) -> None:
        """Print `text`, as much of it as the limit leaves room for."""
        if self._cut or not text or self._emit is None:
            return
        if stream != self._stream:
            self.flush()
            self._stream = stream
        encoded = text.encode("utf-8", "backslashreplace")
        if len(encoded) > self._left:
            text, self._cut = encoded[: self._left].decode("utf-8", "ignore"), True
            encoded = text.encode()
        self._left -= len(encoded)
        self._buffer.append(encoded.decode())
        self._buffered += len(text)
        overdue = time.monotonic() - self._flushed_at > BATCH_S and text.endswith("\n")
        if self._cut or overdue or self._buffered > BATCH_CHARACTERS:
            self.flush()
        elif self._timer and self._buffered == len(text):
            signal.setitimer(signal.ITIMER_REAL, BATCH_S)

    def flush(self) -> None:
        """Send what is buffered. Harmless when it interrupts itself."""
        if self._busy or not (self._buffer or self._cut) or self._emit is None:
            return
        self._busy = True
        try:
            text, cut = unmangle("".join(self._buffer)), self._cut
            self._buffer, self._buffered = [], 0
            self._flushed_at = time.monotonic()
            self._emit(self._stream, text, cut)
            if cut:
                self._emit = None
        finally:
            self._busy = False


class Stream(Whole):
    """`sys.stdout` or `sys.stderr` of a script."""

    encoding = "utf-8"
    errors = "backslashreplace"
    closed = False

    def __init__(self, console: Console, name: StreamName) -> None:
        self._console = console
        self._name = name

    @property
    def name(self) -> str:
        """As CPython names it."""
        return f"<{self._name}>"

    def write(self, text: str) -> int:
        """Print `text`; the characters are counted as written even past the limit."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._console.write(self._name, str.__str__(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Print each of `lines`."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Send what is buffered."""
        self._console.flush()

    def isatty(self) -> bool:
        """Never."""
        return False

    def writable(self) -> bool:
        """Always."""
        return True

    def readable(self) -> bool:
        """Never."""
        return False

    def fileno(self) -> Any:
        """There is no descriptor."""
        raise OSError("the stream has no file descriptor")


CONSOLE = Console()
