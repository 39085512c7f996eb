"""Which buffers hold the values of a plan, and when one serves another value again.

Owns `Storage` and the choice. Values are placed from the largest on, each in the smallest buffer that is free while
the value is needed; an output's buffer serves before the output is written. So a buffer is never larger than a value
in it, and the sum of all is close to what is needed at the worst moment. Must not know what steps do.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from host.plans import Ref

_LOOKED_AT = 64
_FOREVER = 1 << 62


class Storage:
    """A buffer to be: `ref` is set when it is known which. It is used from the moment `first` to `last`."""

    __slots__ = ("first", "last", "nbytes", "ref")

    def __init__(self, nbytes: int, ref: Ref | None = None) -> None:
        self.nbytes, self.ref = nbytes, ref
        self.first = self.last = -1


class _Buffer:
    """A buffer and the spans of time in which it is taken, in order."""

    __slots__ = ("ref", "spans")

    def __init__(self, ref: Ref) -> None:
        self.ref = ref
        self.spans: list[tuple[int, int]] = []

    def is_free(self, first: int, last: int) -> bool:
        """Whether nothing uses it from moment `first` to `last`."""
        place = bisect_left(self.spans, (first, last))
        before = self.spans[place - 1][1] if place else -1
        after = self.spans[place][0] if place < len(self.spans) else _FOREVER
        return before < first and last < after

    def take(self, first: int, last: int) -> None:
        """Use it then."""
        insort(self.spans, (first, last))


def place(moments: Sequence[Sequence[Storage]]) -> tuple[int, ...]:
    """Give each storage that has no place a temporary; the sizes of those. `moments` are what each step uses."""
    free: list[Storage] = []
    for moment, storages in enumerate(moments):
        for storage in storages:
            if storage.first < 0:
                storage.first = moment
                if storage.ref is None or storage.ref.kind == "output":
                    free.append(storage)
            storage.last = moment
    sizes: list[int] = []
    buffers: list[_Buffer] = []
    for storage in sorted(free, key=lambda storage: (-storage.nbytes, storage.ref is None)):
        if storage.ref is not None:
            buffers.append(_Buffer(storage.ref))
            buffers[-1].take(storage.first, _FOREVER - 1)
            continue
        recent = reversed(buffers[-_LOOKED_AT:])
        buffer = next((each for each in recent if each.is_free(storage.first, storage.last)), None)
        if buffer is None:
            buffer = _Buffer(Ref("temp", len(sizes)))
            buffers.append(buffer)
            sizes.append(storage.nbytes)
        buffer.take(storage.first, storage.last)
        storage.ref = buffer.ref
    return tuple(sizes)


def least(moments: Sequence[Sequence[Storage]]) -> int:
    """The bytes of outputs and values without a place (ask before `place`) that are needed at the worst moment.

    No choice of buffers needs less.
    """
    used: dict[Storage, tuple[int, int]] = {}
    for moment, storages in enumerate(moments):
        for storage in storages:
            used[storage] = (used[storage][0] if storage in used else moment, moment)
    changes: dict[int, int] = {}
    for storage, (first, last) in used.items():
        if storage.ref is None or storage.ref.kind == "output":
            end = last + 1 if storage.ref is None else len(moments)
            changes[first] = changes.get(first, 0) + storage.nbytes
            changes[end] = changes.get(end, 0) - storage.nbytes
    most = now = 0
    for moment in sorted(changes):
        now += changes[moment]
        most = max(most, now)
    return most
