"""Whole numbers below a bound, without bias, and orders of things.

Owns the two ways of NumPy to draw them: a multiplication (Lemire) for generators, a mask for the older functions.
Must not know arrays.
"""

from __future__ import annotations

from collections.abc import Callable

from sandbox.library.numpy.random.bits import Bits

_MASK32 = (1 << 32) - 1
_MASK64 = (1 << 64) - 1
Draw = Callable[[], int]


def lemire(bits: Bits, span: int) -> Draw:
    """Draws from 0 to `span`, both included, as `Generator.integers` does."""
    if span == 0:
        return lambda: 0
    width, word = (32, bits._next32) if span <= _MASK32 else (64, bits._next64)
    mask = (1 << width) - 1
    if span == mask:
        return word
    bound = span + 1
    threshold = (mask - span) % bound

    def draw() -> int:
        product = word() * bound
        while product & mask < threshold:
            product = word() * bound
        return product >> width

    return draw


def masked(bits: Bits, span: int) -> Draw:
    """Draws from 0 to `span`, both included, as `randint` does."""
    if span == 0:
        return lambda: 0
    word = bits._next32 if span <= _MASK32 else bits._next64
    mask = (1 << span.bit_length()) - 1

    def draw() -> int:
        number = word() & mask
        while number > span:
            number = word() & mask
        return number

    return draw


def shuffle(order: list[int], draw: Callable[[int], int], first: int = 1) -> None:
    """Shuffle in place, from the end down to place `first`; `draw(n)` gives a number from 0 to `n`."""
    for place in range(len(order) - 1, first - 1, -1):
        other = draw(place)
        order[place], order[other] = order[other], order[place]


def sample(size: int, population: int, draw: Callable[[int], int], mixed: bool) -> list[int]:
    """Different numbers below `population` (Floyd's way), in random order if `mixed`."""
    known: set[int] = set()
    found = []
    for bound in range(population - size, population):
        number = draw(bound)
        if number in known:
            number = bound
        known.add(number)
        found.append(number)
    if mixed:
        shuffle(found, draw)
    return found
