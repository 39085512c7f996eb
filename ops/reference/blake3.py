"""BLAKE3 in plain Python, by its definition.

Owns nothing else. Must not know arrays.
"""

from __future__ import annotations

import struct

_IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_MIXINGS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip
_START, _END, _PARENT, _ROOT = 1, 2, 4, 8
_M32 = (1 << 32) - 1


def _rotr(value: int, turns: int) -> int:
    return (value >> turns | value << (32 - turns)) & _M32


def _compress(chain: tuple[int, ...], block: bytes, counter: int, size: int, flags: int) -> tuple[int, ...]:
    v = [*chain, *_IV[:4], counter & _M32, counter >> 32, size, flags]
    words = struct.unpack("<16I", block)
    for _ in range(7):
        for number, (a, b, c, d) in enumerate(_MIXINGS):
            for word, first, second in ((words[2 * number], 16, 12), (words[2 * number + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & _M32
                v[d] = _rotr(v[d] ^ v[a], first)
                v[c] = (v[c] + v[d]) & _M32
                v[b] = _rotr(v[b] ^ v[c], second)
        words = tuple(words[place] for place in _PERMUTATION)
    return tuple(v[i] ^ v[i + 8] for i in range(8))


def _node(message: bytes, first_chunk: int, root: int) -> tuple[int, ...]:
    """The chaining value of the subtree over `message`."""
    if len(message) > 1024:
        left = 1024 << ((len(message) - 1) // 1024).bit_length() - 1
        chains = _node(message[:left], first_chunk, 0) + _node(message[left:], first_chunk + left // 1024, 0)
        return _compress(_IV, struct.pack("<16I", *chains), 0, 64, _PARENT | root)
    chain: tuple[int, ...] = _IV
    for start in range(0, max(len(message), 1), 64):
        block, last = message[start : start + 64], start + 64 >= len(message)
        flags = (_START if start == 0 else 0) | ((_END | root) if last else 0)
        chain = _compress(chain, block.ljust(64, b"\0"), first_chunk, len(block), flags)
    return chain


def blake3(message: bytes) -> bytes:
    """The 32 bytes of BLAKE3, without a key."""
    return struct.pack("<8I", *_node(message, 0, _ROOT))
