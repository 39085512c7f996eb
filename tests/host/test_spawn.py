"""How a process ended, and what it wrote last, is known once it is gone; it inherits one descriptor."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from host.spawn import Ending, Spawned

pytestmark = pytest.mark.usefixtures("nothing_leaks")

Run = Callable[..., Any]


def spawned(text: str) -> Spawned:
    """A process of Python that does `text`."""
    read, write = os.pipe()
    try:
        return Spawned([sys.executable, "-IS", "-c", text, str(write)], write)
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize(
    ("text", "signal", "how"),
    [
        ("pass", 0, "it ended"),
        ("raise SystemExit(3)", 0, "it ended"),
        ("import os; os.abort()", signal.SIGABRT, "it was ended by SIGABRT"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSYS)",
            signal.SIGSYS,
            "it was ended by SIGSYS, as it made a system call that its walls forbid",
        ),
    ],
)
def test_an_ending_tells_the_signal_and_what_it_means(run: Run, text: str, signal: int, how: str) -> None:
    async def body() -> Ending:
        return await spawned(text).end()

    ending = run(body())
    assert (ending.signal, str(ending)) == (signal, how)
    assert ending.peak_bytes > 1 << 20


def test_the_last_of_what_a_process_wrote_is_kept_and_no_more(run: Run) -> None:
    async def body() -> str:
        process = spawned("import sys; sys.stderr.write('x' * 100_000 + ' the end')")
        await process.end()
        return process.last_words()

    words = run(body())
    assert words.endswith("x the end")
    assert len(words) <= 2000


def test_a_process_that_is_killed_is_known_as_killed(run: Run) -> None:
    async def body() -> Ending:
        process = spawned("import time; time.sleep(600)")
        process.kill()
        ending = await process.end()
        assert process.was_killed
        process.kill()  # its id may be another's by now
        return ending

    assert run(body()).signal == signal.SIGKILL


def test_a_process_has_the_descriptor_that_it_was_given_and_no_other(run: Run) -> None:
    async def body() -> str:
        process = spawned(
            "import os, sys\n"
            "os.fstat(int(sys.argv[1]))\n"
            "print([fd for fd in range(3, 64) if fd != int(sys.argv[1]) and os.path.exists(f'/dev/fd/{fd}')],"
            " file=sys.stderr)"
        )
        await process.end()
        return process.last_words()

    assert run(body()) == "[]"
