"""Copies of much memory, by several threads.

Owns the threads. One core moves bytes more slowly than a GPU takes and gives them; a few together keep up. Must not
know what is copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

_MOST_THREADS = 8
"""Threads that copy together, at most."""
_LEAST_PIECE = 1 << 20
"""Bytes of a piece: less is not worth another thread."""
_PAGE = 4096


def in_pieces(nbytes: int, move: Callable[[int, int], None]) -> None:
    """Call `move(begin, end)` for pieces that cover `nbytes` bytes, several at a time, and return when all are done.

    Pieces begin at multiples of a page. Raises what a call raises.
    """
    if nbytes <= _LEAST_PIECE:
        move(0, nbytes)
        return
    count = min(_MOST_THREADS, os.cpu_count() or 1)
    size = -(-max(nbytes // count, _LEAST_PIECE) // _PAGE) * _PAGE
    others = [_hands().submit(move, begin, min(begin + size, nbytes)) for begin in range(size, nbytes, size)]
    try:
        move(0, min(size, nbytes))
    finally:
        wait(others)  # none may go on when the caller's memory is gone
    for other in others:
        other.result()


@cache
def _hands() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MOST_THREADS, "copy")
