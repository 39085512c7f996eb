"""`SeedSequence`: a few words of seed spread over as many bits as a generator needs.

Owns NumPy's mixing of seeds. Must not know generators.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Iterator
from typing import Any

from sandbox.library.numpy.arguments import Result, Seed

_MASK = 0xFFFFFFFF
_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_L, _MIX_R = 0xCA01F9DD, 0x4973F715
_POOL = 4


class _Hash:
    """A hash whose constant changes at each word."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant = constant
        self._multiplier = multiplier

    def __call__(self, word: int) -> int:
        word = (word ^ self._constant) & _MASK
        self._constant = self._constant * self._multiplier & _MASK
        word = word * self._constant & _MASK
        return word ^ (word >> 16)


def _mix(x: int, y: int) -> int:
    found = (_MIX_L * x - _MIX_R * y) & _MASK
    return found ^ (found >> 16)


def _words(seed: Any) -> list[int]:
    """`seed`, an int or a sequence of them, as words of 32 bits. Raises `ValueError`."""
    if hasattr(type(seed), "__index__"):
        number = operator.index(seed)
        if number < 0:
            raise ValueError("expected non-negative integer")
        words = []
        while True:
            words.append(number & _MASK)
            number >>= 32
            if not number:
                return words
    if isinstance(seed, float | str | bytes):
        raise TypeError("SeedSequence expects int or sequence of ints for entropy not " + repr(seed)[:80])
    return [word for item in seed for word in _words(item)]


class SeedSequence:
    """The source of a generator's first state."""

    __slots__ = ("_entropy", "_key", "_pool", "_spawned")

    def __init__(self, entropy: Seed = None, *, spawn_key: Seed = ()) -> None:
        self._entropy = secrets.randbits(128) if entropy is None else entropy
        self._key = tuple(map(operator.index, spawn_key))
        self._spawned = 0
        words = _words(self._entropy)
        if self._key:
            words += [0] * (_POOL - len(words))
            words += [word for item in self._key for word in _words(item)]
        self._pool = self._mixed(words)

    @staticmethod
    def _mixed(words: list[int]) -> list[int]:
        hashed = _Hash(_INIT_A, _MULT_A)
        pool = [hashed(words[number] if number < len(words) else 0) for number in range(_POOL)]
        for source in range(_POOL):
            for target in range(_POOL):
                if source != target:
                    pool[target] = _mix(pool[target], hashed(pool[source]))
        for word in words[_POOL:]:
            for target in range(_POOL):
                pool[target] = _mix(pool[target], hashed(word))
        return pool

    @property
    def entropy(self) -> Result:
        """What it was made of."""
        return self._entropy

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """Which child of its parents it is."""
        return self._key

    def words(self, count: int) -> Iterator[int]:
        """Words of 32 bits."""
        hashed = _Hash(_INIT_B, _MULT_B)
        return (hashed(self._pool[number % _POOL]) for number in range(count))

    def spawn(self, n_children: int) -> list[SeedSequence]:
        """Sequences that are independent of each other."""
        first = self._spawned
        self._spawned += operator.index(n_children)
        return [
            SeedSequence(self._entropy, spawn_key=(*self._key, number))
            for number in range(first, self._spawned)
        ]


SeedSequence.__module__ = "numpy.random"
