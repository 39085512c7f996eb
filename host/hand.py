"""A thread that does a job when it is asked to, and can be waited for.

Owns the thread and two locks, which both are held while there is nothing to do. A pool of threads costs 0.1 ms more for
each job, a tenth of what a small one takes. Must not know what is done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

SHARED_WORK = 1 << 24
"""Multiply-adds from which on it pays to ask another hand."""

Work = Callable[[], object]


class Hand:
    """One thread. Whoever asks it finishes the job before he asks for the next."""

    def __init__(self) -> None:
        self._asked, self._done = threading.Lock(), threading.Lock()
        self._asked.acquire()
        self._done.acquire()
        self._job: Work | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="hand", daemon=True)
        self._thread.start()

    def ask(self, job: Work) -> None:
        """Have `job` done."""
        self._job = job
        self._asked.release()

    def finish(self) -> BaseException | None:
        """Wait until the job is done, or take it back where it has not begun; what it raised."""
        if self._asked.acquire(blocking=False):
            self._job = None
            return None
        self._done.acquire()
        error, self._error = self._error, None
        return error

    def close(self) -> None:
        """End the thread."""
        self._job = None
        self._asked.release()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._asked.acquire()
            job, self._job = self._job, None
            if job is None:
                return
            try:
                job()
            except BaseException as error:
                self._error = error
            del job  # it may hold what is gone when it is finished
            self._done.release()
