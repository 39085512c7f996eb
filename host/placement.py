"""Which buffers hold the values of a plan, when one serves another value again, and when one is there at all.

Owns `Storage` and the choice. If all buffers together come close to what no choice can do without, they are there all
the time. If not, the plan is cut into stages, and buffers go between them: so the bound holds for every program. Must
not know what steps do.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from host.pauses import Pausing
from host.plans import Ref, Stage

SLACK = Fraction(6, 5)
"""How much of `least` the buffers of a stage may take together."""
SMALL = 1 << 20
"""Bytes that a plan may always take: to save less is not worth the wait between two stages."""
_LOOKED_AT = 64
"""The buffers made last among which a free one is looked for, so that long programs take linear time."""


class Storage:
    """A buffer to be: `ref` is set when it is known which."""

    __slots__ = ("nbytes", "ref")

    def __init__(self, nbytes: int, ref: Ref | None = None) -> None:
        self.nbytes, self.ref = nbytes, ref


_Span = tuple[int, int]
"""The first and the last moment at which something is needed."""
_Spans = Mapping[Storage, _Span]


@dataclass(slots=True, eq=False)
class _Buffer:
    """A buffer, the values that are in it one after the other, and the spans of these in order."""

    nbytes: int
    values: list[Storage] = field(default_factory=list)
    spans: list[_Span] = field(default_factory=list)

    def is_free(self, span: _Span) -> bool:
        """Whether nothing uses it then."""
        place = bisect_left(self.spans, span)
        is_over = place == 0 or self.spans[place - 1][1] < span[0]
        return is_over and (place == len(self.spans) or span[1] < self.spans[place][0])

    def add(self, value: Storage, span: _Span) -> _Buffer:
        """Put a value into it."""
        self.values.append(value)
        insort(self.spans, span)
        return self


_Cut = tuple[int, list[_Buffer], list[_Buffer]]
"""A stage: its end, what it takes, and what goes after it."""


def place(
    moments: Sequence[Sequence[Storage]], outputs: Sequence[Storage] = (), small: int = SMALL
) -> Pausing[tuple[tuple[int, ...], tuple[Stage, ...]]]:
    """Give each storage without a place a temporary; the sizes of those, and the stages of the program.

    `moments` are what each step uses, `outputs` the storages that stay, whether a step writes them or not. In no stage
    do buffers take more than `small` bytes and more than `SLACK` of `least`.
    """
    spans = _spans(moments, outputs)
    yield
    needed = _needed(spans, len(moments))
    most = max(int(max(needed) * SLACK), small)
    buffers = yield from _all_the_time(spans)
    if sum(buffer.nbytes for buffer in buffers) <= most:
        return _placed([(len(moments), buffers, [])])
    return _placed((yield from _Walk(most, needed).stages(spans, len(moments))))


def least(moments: Sequence[Sequence[Storage]], outputs: Sequence[Storage] = ()) -> int:
    """The bytes of outputs and values without a place (ask before `place`) that are needed at the worst moment.

    No choice of buffers needs less.
    """
    return max(_needed(_spans(moments, outputs), len(moments)))


def _spans(moments: Sequence[Sequence[Storage]], outputs: Sequence[Storage]) -> _Spans:
    """When each storage that needs a place is needed, by the first moment; outputs stay."""
    spans: dict[Storage, _Span] = {}
    for moment, storages in enumerate(moments):
        for storage in storages:
            if storage.ref is None or storage.ref.kind == "output":
                spans[storage] = (spans[storage][0] if storage in spans else moment, moment)
    for output in outputs:
        spans[output] = (spans[output][0] if output in spans else 0, len(moments))
    return spans


def _needed(spans: _Spans, moments: int) -> list[int]:
    """The bytes of what is needed at each moment, and after the last."""
    changes = [0] * (moments + 2)
    for storage, (first, last) in spans.items():
        changes[first] += storage.nbytes
        changes[last + 1] -= storage.nbytes
    return list(accumulate(changes[:-1]))


def _all_the_time(spans: _Spans) -> Pausing[list[_Buffer]]:
    """Buffers for all values from the largest on, each in the smallest that is free then.

    An output's buffer serves before the output is written. So a buffer is never larger than a value in it.
    """
    buffers: list[_Buffer] = []
    for value in sorted(spans, key=lambda value: (-value.nbytes, value.ref is None)):
        recent = () if value.ref else reversed(buffers[-_LOOKED_AT:])
        buffer = next((each for each in recent if each.is_free(spans[value])), None)
        if buffer is None:
            buffer = _Buffer(value.nbytes)
            buffers.append(buffer)
        buffer.add(value, spans[value])
        yield
    return buffers


class _Walk:
    """A way through a program in its order, on which buffers never take more than `most` bytes together.

    A value takes a buffer that waits, or a new one; if there is no room for it, the buffers that wait go first. There
    is room then, since a value takes no larger buffer than there is `room` for at every moment at which it is needed.
    """

    def __init__(self, most: int, needed: Sequence[int]) -> None:
        self._most, self._room = most, [most - nbytes for nbytes in needed]
        self._held = 0
        self._idle: list[_Buffer] = []
        self._taken: list[_Buffer] = []

    def stages(self, spans: _Spans, moments: int) -> Pausing[list[_Cut]]:
        """The stages of a program."""
        made, dead = defaultdict[int, list[Storage]](list), defaultdict[int, list[Storage]](list)
        for value, (first, last) in spans.items():
            made[first].append(value)
            dead[last].append(value)
        cuts: list[_Cut] = []
        buffers: dict[Storage, _Buffer] = {}
        for moment in range(moments):
            places = {value: self._reused(value, spans[value]) for value in made[moment]}
            fresh = [value for value, found in places.items() if found is None]
            if self._held + sum(value.nbytes for value in fresh) > self._most:
                cuts.append((moment, self._taken, self._idle))
                self._held -= sum(buffer.nbytes for buffer in self._idle)
                self._taken, self._idle = [], []
            buffers |= {value: found or self._created(value, spans[value]) for value, found in places.items()}
            for value in dead[moment]:
                insort(self._idle, buffers.pop(value), key=lambda each: each.nbytes)
            yield
        return [*cuts, (moments, self._taken, [])]

    def _reused(self, value: Storage, span: _Span) -> _Buffer | None:
        """The smallest buffer that waits and is large enough; what becomes an output fits exactly."""
        place = bisect_left(self._idle, value.nbytes, key=lambda buffer: buffer.nbytes)
        if place == len(self._idle):
            return None
        waste = self._idle[place].nbytes - value.nbytes
        moments = slice(span[0], span[1] + 1)
        if waste > (0 if value.ref else min(self._room[moments])):
            return None
        if waste:
            self._room[moments] = [room - waste for room in self._room[moments]]
        return self._idle.pop(place).add(value, span)

    def _created(self, value: Storage, span: _Span) -> _Buffer:
        self._held += value.nbytes
        self._taken.append(_Buffer(value.nbytes).add(value, span))
        return self._taken[-1]


def _placed(cuts: Iterable[_Cut]) -> tuple[tuple[int, ...], tuple[Stage, ...]]:
    """What `place` gives. A buffer with an output is the output's, all others are temporaries."""
    sizes: list[int] = []
    stages, refs = [], dict[_Buffer, Ref]()
    for end, taken, given in cuts:
        for buffer in taken:
            ref = next((value.ref for value in buffer.values if value.ref), None)
            if ref is None:
                ref = Ref("temp", len(sizes))
                sizes.append(buffer.nbytes)
            refs[buffer] = ref
            for value in buffer.values:
                value.ref = ref
        stages.append(Stage(end, tuple(refs[each] for each in taken), tuple(refs[each] for each in given)))
    return tuple(sizes), tuple(stages)
