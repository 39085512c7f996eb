"""Random numbers and ciphers in plain Python, by their definitions.

Owns their references. Must not know devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.attributes import Attributes, integer, integers
from ops.reference.hashes import rotl

Array = npt.NDArray[Any]
_M32 = (1 << 32) - 1
_M64 = (1 << 64) - 1
Words = list[int]


def _stream(attributes: Attributes, block: Callable[[Words, Words], Words]) -> Array:
    count, key = integer(attributes, "count"), list(integers(attributes, "key"))
    start = sum(word << 32 * place for place, word in enumerate(integers(attributes, "counter")))
    words: Words = []
    for step in range(-(-count // 4)):
        counter = start + step
        words += block([counter >> 32 * place & _M32 for place in range(4)], key)
    return np.array(words[:count], np.uint32)


def philox(attributes: Attributes, args: list[Array]) -> Array:
    """Philox4x32-10 of Random123."""
    return _stream(attributes, _philox)


def _philox(c: Words, key: Words) -> Words:
    k0, k1 = key
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k0, second & _M32, first >> 32 ^ c[3] ^ k1, first & _M32]
        k0, k1 = (k0 + 0x9E3779B9) & _M32, (k1 + 0xBB67AE85) & _M32
    return c


_THREEFRY = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))


def threefry(attributes: Attributes, args: list[Array]) -> Array:
    """Threefry4x32-20 of Random123."""
    return _stream(attributes, _threefry)


def _threefry(c: Words, key: Words) -> Words:
    keys = [*key, 0x1BD11BDA ^ key[0] ^ key[1] ^ key[2] ^ key[3]]
    c = [(word + extra) & _M32 for word, extra in zip(c, key, strict=True)]
    for turn in range(20):
        for (a, b), bits in zip(
            ((0, 1), (2, 3)) if turn % 2 == 0 else ((0, 3), (2, 1)), _THREEFRY[turn % 8], strict=True
        ):
            c[a] = (c[a] + c[b]) & _M32
            c[b] = rotl(c[b], bits) ^ c[a]
        if turn % 4 == 3:
            step = (turn + 1) // 4
            c = [(word + keys[(step + place) % 5]) & _M32 for place, word in enumerate(c)]
            c[3] = (c[3] + step) & _M32
    return c


def pcg32(attributes: Attributes, args: list[Array]) -> Array:
    """PCG32, XSH RR, seeded as its reference implementation seeds."""
    plus = integer(attributes, "stream") << 1 | 1

    def step(state: int) -> int:
        return (state * 6364136223846793005 + plus) & _M64

    state = step((plus + integer(attributes, "seed")) & _M64)
    words = []
    for _ in range(integer(attributes, "count")):
        word, turns = (state >> 18 ^ state) >> 27 & _M32, state >> 59
        words.append((word >> turns | word << (-turns & 31)) & _M32)
        state = step(state)
    return np.array(words, np.uint32)


def chacha20(attributes: Attributes, args: list[Array]) -> Array:
    """ChaCha20 of RFC 8439."""
    x, key, nonce = args
    stream: Words = []
    for block in range(-(-x.size // 16)):
        counter = (integer(attributes, "counter") + block) & _M32
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key.tolist(), counter, *nonce.tolist()]
        stream += [(a + b) & _M32 for a, b in zip(start, _chacha(list(start)), strict=True)]
    return np.bitwise_xor(x, np.array(stream[: x.size], np.uint32))


def _chacha(v: Words) -> Words:
    columns = [(n, n + 4, n + 8, n + 12) for n in range(4)]
    diagonals = [(n, (n + 1) % 4 + 4, (n + 2) % 4 + 8, (n + 3) % 4 + 12) for n in range(4)]
    for _ in range(10):
        for a, b, c, d in columns + diagonals:
            for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                v[x] = (v[x] + v[y]) & _M32
                v[z] = rotl(v[z] ^ v[x], bits)
    return v


def _times(a: int, b: int) -> int:
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return product


def _substituted(byte: int) -> int:
    inverse = next((other for other in range(256) if _times(byte, other) == 1), 0)
    return (
        0x63
        ^ inverse
        ^ (value := inverse * 0x0101) >> 4 & 0xFF
        ^ value >> 5 & 0xFF
        ^ value >> 6 & 0xFF
        ^ value >> 7 & 0xFF
    )


_SBOX = [_substituted(byte) for byte in range(256)]


def aes_ctr(attributes: Attributes, args: list[Array]) -> Array:
    """AES of FIPS 197 in counter mode."""
    x, key, counter = args
    keys = _round_keys(key.tobytes())
    first = int.from_bytes(counter.tobytes(), "big")
    blocks = [(first + step) % (1 << 128) for step in range(-(-x.size // 4))]
    stream = b"".join(_aes(block.to_bytes(16, "big"), keys) for block in blocks)
    return np.asarray(x ^ np.frombuffer(stream, "<u4")[: x.size])


def _round_keys(key: bytes) -> list[bytes]:
    words, size, constant = [key[place : place + 4] for place in range(0, len(key), 4)], len(key) // 4, 1
    while len(words) < 4 * (size + 7):
        word = words[-1]
        if len(words) % size == 0:
            word = bytes(_SBOX[byte] for byte in word[1:] + word[:1])
            word, constant = bytes([word[0] ^ constant]) + word[1:], _times(constant, 2)
        elif size > 6 and len(words) % size == 4:
            word = bytes(_SBOX[byte] for byte in word)
        words.append(_xor(words[-size], word))
    return [b"".join(words[place : place + 4]) for place in range(0, len(words), 4)]


def _xor(a: Sequence[int], b: Sequence[int]) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def _aes(block: bytes, keys: list[bytes]) -> bytes:
    state = _xor(block, keys[0])
    for number, key in enumerate(keys[1:], 1):
        state = bytes(_SBOX[state[(place + 4 * (place % 4)) % 16]] for place in range(16))
        if number < len(keys) - 1:
            state = b"".join(_mixed(state[place : place + 4]) for place in range(0, 16, 4))
        state = _xor(state, key)
    return state


def _mixed(c: bytes) -> bytes:
    return bytes(
        _times(c[n], 2) ^ _times(c[(n + 1) % 4], 3) ^ c[(n + 2) % 4] ^ c[(n + 3) % 4] for n in range(4)
    )
