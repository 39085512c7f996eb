"""Bit generators: PCG64, which `default_rng` uses, and MT19937, which `np.random.seed` does.

Owns their states. Must not know distributions.
"""

from __future__ import annotations

import operator
import random
from typing import Any

from sandbox.library.numpy.arguments import Seed
from sandbox.library.numpy.random.seeding import SeedSequence

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_MASK128 = (1 << 128) - 1
_MASK64 = (1 << 64) - 1
_MASK32 = (1 << 32) - 1
_DOUBLE = 1.0 / (1 << 53)


class PCG64:
    """A permuted congruential generator of 128 bits."""

    __slots__ = ("_half", "_increment", "_seeds", "_state")

    def __init__(self, seed: Seed = None) -> None:
        seeds = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        a, b, c, d, e, f, g, h = seeds.words(8)
        start = (b << 96) | (a << 64) | (d << 32) | c
        stream = (f << 96) | (e << 64) | (h << 32) | g
        self._seeds = seeds
        self._increment = (stream << 1 | 1) & _MASK128
        self._state = ((self._increment + start) * _MULTIPLIER + self._increment) & _MASK128
        self._half: int | None = None

    @property
    def seed_seq(self) -> SeedSequence:
        """What it was seeded with."""
        return self._seeds

    def _next64(self) -> int:
        state = self._state = (self._state * _MULTIPLIER + self._increment) & _MASK128
        word = (state >> 64) ^ (state & _MASK64)
        turn = state >> 122
        return (word >> turn | word << (64 - turn)) & _MASK64

    def _next32(self) -> int:
        if self._half is not None:
            half, self._half = self._half, None
            return half
        word = self._next64()
        self._half = word >> 32
        return word & _MASK32

    def _double(self) -> float:
        return (self._next64() >> 11) * _DOUBLE


class MT19937:
    """The Mersenne twister; its steps are those of Python's `random`."""

    __slots__ = ("_twister",)

    def __init__(self, seed: Seed = None) -> None:
        self._twister = random.Random()
        if seed is not None:
            self._seed(seed)

    def _seed(self, seed: Any) -> None:
        """Begin as `RandomState(seed)` does. Raises `ValueError`."""
        if hasattr(type(seed), "__index__"):
            number = operator.index(seed)
            if not 0 <= number <= _MASK32:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            state = [number]
            for place in range(1, 624):
                last = state[-1]
                state.append((1812433253 * (last ^ (last >> 30)) + place) & _MASK32)
        else:
            state = _from_key([operator.index(item) & _MASK32 for item in seed])
        self._twister.setstate((3, (*state, 624), None))

    def _next32(self) -> int:
        return self._twister.getrandbits(32)

    def _next64(self) -> int:
        high = self._twister.getrandbits(32)
        return high << 32 | self._twister.getrandbits(32)

    def _double(self) -> float:
        return self._twister.random()


def _from_key(key: list[int]) -> list[int]:
    """The state that a sequence of words seeds."""
    if not key:
        raise ValueError("Seed must be non-empty")
    state = [19650218]
    for place in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + place) & _MASK32)
    i, j = 1, 0
    for _ in range(max(624, len(key))):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525)) + key[j] + j) & _MASK32
        i, j = i + 1, (j + 1) % len(key)
        if i >= 624:
            state[0], i = state[623], 1
    for _ in range(623):
        state[i] = ((state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941)) - i) & _MASK32
        i += 1
        if i >= 624:
            state[0], i = state[623], 1
    state[0] = 0x80000000
    return state


Bits = PCG64 | MT19937
for _cls in (PCG64, MT19937):
    _cls.__module__ = "numpy.random"
