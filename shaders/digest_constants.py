"""Numbers that the rounds of digests read at run time.

Owns tables that are made by a rule, or are long. They travel in the uniform struct, so that rounds can be a loop: a
constant array that is indexed at run time takes llvmpipe seconds to compile. Must not know kernels.
"""

from __future__ import annotations

from itertools import count, islice
from math import isqrt


def _crc_table(polynomial: int) -> tuple[int, ...]:
    """What eight steps of a reflected CRC make of each byte."""
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (polynomial if value & 1 else 0)
        table.append(value)
    return tuple(table)


def _words(values: tuple[int, ...], low_first: bool) -> tuple[int, ...]:
    """64-bit numbers as two words each."""
    shifts = (0, 32) if low_first else (32, 0)
    return tuple(value >> shift & 0xFFFFFFFF for value in values for shift in shifts)


def _primes(number: int) -> list[int]:
    """The first primes."""
    return list(islice((n for n in count(2) if all(n % d for d in range(2, isqrt(n) + 1))), number))


def _cube_root_fraction(number: int) -> int:
    """The first 64 bits of the fraction of a cube root."""
    wanted = number << 192
    low, high = 0, 1 << 70
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= wanted else (low, middle - 1)
    return low & ((1 << 64) - 1)


def _keccak_rounds() -> tuple[int, ...]:
    """The round constants of Keccak-f[1600], by the shift register of its standard."""
    state, rounds = 1, []
    for _ in range(24):
        value = 0
        for bit in range(7):
            if state & 1:
                value |= 1 << ((1 << bit) - 1)
            state = (state << 1) ^ (0x171 if state & 0x80 else 0)
        rounds.append(value)
    return tuple(rounds)


CRC32 = _crc_table(0xEDB88320)
CRC32C = _crc_table(0x82F63B78)
CRC64 = _words(_crc_table(0xC96C5795D7870F42), low_first=True)
"""CRC-64/XZ."""
SHA2_512_ROUNDS = _words(tuple(map(_cube_root_fraction, _primes(80))), low_first=False)
KECCAK_ROUNDS = _words(_keccak_rounds(), low_first=True)
