"""Kernels whose invocations each have a share of the operands: cut over invocations until what they see can be bound.

Owns the cut. Must not know what a kernel computes: it says of each operand what an invocation has of it, and of each
number how it changes from one invocation to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, lcm
from typing import NamedTuple

from ops.lowering import windows
from ops.lowering.builder import INVOCATION_WORK, Builder, Given, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from shaders.spec import KernelSpec, Operand

_MASK = 0xFFFF_FFFF
_STILL: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Share:
    """Of `value`, words that are contiguous from the start of their buffer, invocation n reaches `each` from n * each
    on, and `after` more; with `each` 0 all of them."""

    value: Source | Target
    each: int | Fraction = 1
    after: int = 0


@dataclass(frozen=True, slots=True)
class Anywhere:
    """Of `value`, words likewise, an invocation reaches any: the kernel sees them part by part.

    It has the parameters `first` and `extent`, with `name` before them: which are its own to read or write. It sees up
    to `after` behind these. Where several operands are so, it sees each part of one with each of the others.
    """

    value: Source | Target
    after: int = 0
    name: str = ""


def spread(
    builder: Builder,
    spec: KernelSpec,
    count: int,
    operands: Sequence[Share | Anywhere],
    params: Given,
    moves: Mapping[str, int] = _STILL,
    work: int = INVOCATION_WORK,
) -> None:
    """Add launches of `spec` that are `count` invocations together, each of which costs `work` multiply-adds.

    A launch numbers its invocations from 0 and has their number as the parameter `count`: what stands in `moves`
    changes by so much an invocation. Where all can be bound there is one, up to `Builder.spread`.
    """
    for cut in _cuts(builder.device, count, tuple(operands)):
        moved: Params = {}
        for name, step in moves.items():
            value = params[name]
            assert isinstance(value, int), f"{name} is not known yet"
            moved[name] = (value + step * cut.part.start) & _MASK
        builder.spread(spec, len(cut.part), cut.seen, {**params, **moved, **cut.params}, work)


def together(*each: int | Fraction) -> int:
    """Of how many invocations the shares, of so many words each, end where windows may begin."""
    return lcm(*(Fraction(words, windows.WORDS).denominator for words in each))


class _Cut(NamedTuple):
    """The invocations `part` of a kernel: what they see of each operand, and the parameters that say so."""

    part: range
    seen: list[Operand]
    params: Params


@lru_cache(maxsize=16)
def _cuts(device: DeviceClass, count: int, operands: tuple[Share | Anywhere, ...]) -> list[_Cut]:
    """How `count` invocations are cut. It is the same for all turns of what goes on for long."""
    parts = _parts(device, count, operands)
    anywhere = [operand for operand in operands if isinstance(operand, Anywhere)]
    cuts = []
    for spans in product(*(_spans(device, operand) for operand in anywhere)):
        chosen = dict(zip(anywhere, spans, strict=True))
        params: Params = {}
        for operand, span in chosen.items():
            params |= {f"{operand.name}first": span.start, f"{operand.name}extent": len(span)}
        for part in parts:
            seen = [_seen(operand, part, chosen) for operand in operands]
            cuts.append(_Cut(part, seen, {"count": len(part), **params}))
    return cuts


def _parts(device: DeviceClass, count: int, operands: Sequence[Share | Anywhere]) -> list[range]:
    """The invocations in parts, each of which begins where windows on all shares may."""
    shares = [share for share in operands if isinstance(share, Share) and share.each]
    room = windows.room(device)
    most = min(
        ((room - share.after) // share.each for share in shares if share.value.layout.count > room),
        default=count,
    )
    if most >= count:
        return [range(count)]
    unit = together(*(share.each for share in shares))
    step = max(most // unit * unit, unit)
    return [range(first, min(first + step, count)) for first in range(0, count, step)]


def _spans(device: DeviceClass, operand: Anywhere) -> list[range]:
    """The parts of a value that is reached anywhere."""
    return windows.spans(device, operand.value.layout.count, operand.after)


def _seen(operand: Share | Anywhere, part: range, spans: Mapping[Anywhere, range]) -> Operand:
    count = operand.value.layout.count
    if isinstance(operand, Anywhere):
        span = spans[operand]
        return windows.piece(operand.value, range(span.start, min(span.stop + operand.after, count)))
    if not operand.each:
        return operand.value.operand
    begin, end = ceil(part.start * operand.each), ceil(part.stop * operand.each) + operand.after
    return windows.piece(operand.value, range(begin, min(end, count)))
