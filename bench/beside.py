"""NumPy with all its threads, in a process of its own: a peer of what has BLAS with one thread in this one.

Run as a program it is that process: it multiplies when a size is written to it, and writes the seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np

_THREADS = {"OPENBLAS_NUM_THREADS": str(os.cpu_count()), "OPENBLAS_THREAD_TIMEOUT": "10"}
"""All cores; and threads that have nothing to do sleep after 2^10 ticks, instead of looking for work for 120 ms and
taking a core from whoever has the next turn. Their own rate is the same."""


class NumPy:
    """The process, as long as a `with` block lasts."""

    def __enter__(self) -> NumPy:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _THREADS,
            text=True,
            bufsize=1,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def multiply(self, size: int) -> float:
        """The seconds of a product of two squares of f32."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(size, file=self._process.stdin)
        return float(self._process.stdout.readline())


def main() -> None:
    """Answer each size with seconds until there are no more."""
    squares: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
    for line in sys.stdin:
        size = int(line)
        if size not in squares:
            left, right = np.random.default_rng(0).standard_normal((2, size, size), dtype=np.float32)
            squares[size] = left, right, left @ right
        left, right, made = squares[size]
        began = time.perf_counter()
        np.matmul(left, right, out=made)
        print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    main()
