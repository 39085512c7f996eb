"""Long work of the processor that others need not wait for: it pauses often, and may be left then for a while.

Owns the form of such work, and doing it at once. Must not know what it is, or who waits.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Pausing = Generator[None, None, T]
"""Work that gives a `T` in the end. Between two pauses is as little as it can do, so there are many more of them than
anybody needs: `host/engine.py` makes slices of them."""


def at_once(work: Generator[object, None, T]) -> T:
    """Do all of `work`; what it gives."""
    while True:
        try:
            next(work)
        except StopIteration as over:
            made: T = over.value
            return made
