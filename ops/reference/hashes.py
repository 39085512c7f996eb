"""What every hash means, in plain Python.

Owns the references of digests and checksums: `hashlib` and `zlib` where they have them, else the definition, written
for clarity. Must not know arrays.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Mapping

from ops.reference.blake3 import blake3

Hash = Callable[[bytes, Mapping[str, object]], bytes]
_M32 = (1 << 32) - 1
_M64 = (1 << 64) - 1


def _plain(name: str) -> Hash:
    return lambda message, attributes: hashlib.new(name, message, usedforsecurity=False).digest()


def _shake(name: str) -> Hash:
    def shake(message: bytes, attributes: Mapping[str, object]) -> bytes:
        size = -(-_number(attributes, "length") // 4) * 4
        return hashlib.new(name, message).digest(size)  # type: ignore[call-arg]

    return shake


def _number(attributes: Mapping[str, object], name: str) -> int:
    value = attributes[name]
    assert isinstance(value, int)
    return value


def _little(size: int, function: Callable[[bytes], int]) -> Hash:
    return lambda message, attributes: function(message).to_bytes(size, "little")


def rotl(value: int, turns: int, bits: int = 32) -> int:
    """`value` of `bits` bits turned left."""
    turns %= bits
    return (value << turns | value >> (bits - turns)) & ((1 << bits) - 1)


def crc(message: bytes, polynomial: int, bits: int) -> int:
    """A reflected CRC with all ones before and after."""
    ones = (1 << bits) - 1
    value = ones
    for byte in message:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
    return value ^ ones


def ripemd160(message: bytes) -> bytes:
    """RIPEMD-160 by its definition: OpenSSL 3 has it only among its legacy algorithms."""
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    padded = message + b"\x80" + bytes(-(len(message) + 9) % 64) + struct.pack("<Q", 8 * len(message))
    for start in range(0, len(padded), 64):
        block = struct.unpack("<16I", padded[start : start + 64])
        left, right = _ripemd_line(state, block, 0), _ripemd_line(state, block, 1)
        state = [(state[(i + 1) % 5] + left[(i + 2) % 5] + right[(i + 3) % 5]) & _M32 for i in range(5)]
    return struct.pack("<5I", *state)


_RHO = (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8)
_SHIFTS = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (12, 13, 11, 15, 6, 9, 9, 7, 12, 15, 11, 13, 7, 8, 7, 7),
    (13, 15, 14, 11, 7, 7, 6, 8, 13, 14, 13, 12, 5, 5, 6, 9),
    (14, 11, 12, 14, 8, 6, 5, 5, 15, 12, 15, 14, 9, 9, 8, 6),
    (15, 12, 13, 13, 9, 5, 8, 6, 14, 11, 12, 11, 8, 6, 5, 5),
)
_RIPEMD_CONSTANTS = (
    (0, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E),
    (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0),
)


def _ripemd_line(state: list[int], block: tuple[int, ...], line: int) -> list[int]:
    mixes: list[Callable[[int, int, int], int]] = [
        lambda x, y, z: x ^ y ^ z,
        lambda x, y, z: x & y | ~x & z,
        lambda x, y, z: (x | ~y) ^ z,
        lambda x, y, z: x & z | y & ~z,
        lambda x, y, z: x ^ (y | ~z),
    ]
    a, b, c, d, e = state
    order = [i if line == 0 else (9 * i + 5) % 16 for i in range(16)]
    for turn in range(5):
        mix = mixes[turn if line == 0 else 4 - turn]
        for word in order:
            value = a + (mix(b, c, d) & _M32) + block[word] + _RIPEMD_CONSTANTS[line][turn]
            a, b, c, d, e = e, (rotl(value & _M32, _SHIFTS[turn][word]) + e) & _M32, b, rotl(c, 10), d
        order = [_RHO[word] for word in order]
    return [a, b, c, d, e]


def keccak(message: bytes, rate: int, marker: int, size: int) -> bytes:
    """The sponge over Keccak-f[1600], by its definition."""
    padded = bytearray(message + bytes([marker]) + bytes(-(len(message) + 1) % rate))
    padded[-1] |= 0x80
    lanes = {(x, y): 0 for x in range(5) for y in range(5)}
    for start in range(0, len(padded), rate):
        for number, (word,) in enumerate(struct.iter_unpack("<Q", padded[start : start + rate])):
            lanes[number % 5, number // 5] ^= word
        lanes = _keccak_rounds(lanes)
    return b"".join(lanes[n % 5, n // 5].to_bytes(8, "little") for n in range(25))[:size]


def _keccak_rounds(a: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    register = 1
    for _ in range(24):
        columns = [a[x, 0] ^ a[x, 1] ^ a[x, 2] ^ a[x, 3] ^ a[x, 4] for x in range(5)]
        a = {(x, y): a[x, y] ^ columns[x - 1] ^ rotl(columns[(x + 1) % 5], 1, 64) for x, y in a}
        x, y, current = 1, 0, a[1, 0]
        moved = {(0, 0): a[0, 0]}
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, moved[x, y] = a[x, y], rotl(current, (step + 1) * (step + 2) // 2, 64)
        a = {(x, y): moved[x, y] ^ (~moved[(x + 1) % 5, y] & moved[(x + 2) % 5, y] & _M64) for x, y in moved}
        for bit in range(7):
            a[0, 0] ^= (register & 1) << ((1 << bit) - 1)
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
    return a


def murmur3(message: bytes, seed: int) -> int:
    """MurmurHash3, x86, 32 bits."""

    def mixed(word: int) -> int:
        return rotl(word * 0xCC9E2D51 & _M32, 15) * 0x1B873593 & _M32

    value, whole = seed & _M32, len(message) // 4 * 4
    for (word,) in struct.iter_unpack("<I", message[:whole]):
        value = (rotl(value ^ mixed(word), 13) * 5 + 0xE6546B64) & _M32
    value ^= mixed(int.from_bytes(message[whole:], "little")) ^ (len(message) & _M32)
    value = (value ^ value >> 16) * 0x85EBCA6B & _M32
    value = (value ^ value >> 13) * 0xC2B2AE35 & _M32
    return value ^ value >> 16


_PRIMES = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
)  # fmt: skip


def xxhash64(message: bytes, seed: int) -> int:
    """XXH64."""
    p1, p2, p3, p4, p5 = _PRIMES

    def turn(lane: int, word: int) -> int:
        return rotl((lane + word * p2) & _M64, 31, 64) * p1 & _M64

    stripes = len(message) // 32 * 32
    value = (seed + p5) & _M64
    if stripes:
        lanes = [(seed + p1 + p2) & _M64, (seed + p2) & _M64, seed, (seed - p1) & _M64]
        for words in struct.iter_unpack("<4Q", message[:stripes]):
            lanes = [turn(lane, word) for lane, word in zip(lanes, words, strict=True)]
        value = sum(rotl(lane, n, 64) for lane, n in zip(lanes, (1, 7, 12, 18), strict=True)) & _M64
        for lane in lanes:
            value = ((value ^ turn(0, lane)) * p1 + p4) & _M64
    value, rest = (value + len(message)) & _M64, message[stripes:]
    while len(rest) >= 8:
        value = (rotl(value ^ turn(0, int.from_bytes(rest[:8], "little")), 27, 64) * p1 + p4) & _M64
        rest = rest[8:]
    if len(rest) >= 4:
        value = (rotl(value ^ int.from_bytes(rest[:4], "little") * p1 & _M64, 23, 64) * p2 + p3) & _M64
        rest = rest[4:]
    for byte in rest:
        value = rotl(value ^ byte * p5 & _M64, 11, 64) * p1 & _M64
    value = (value ^ value >> 33) * p2 & _M64
    value = (value ^ value >> 29) * p3 & _M64
    return value ^ value >> 32


def siphash(message: bytes, key: bytes) -> int:
    """SipHash-2-4."""
    low, high = struct.unpack("<2Q", key)
    a, b, c, d = (
        low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573,
    )  # fmt: skip

    def turns(a: int, b: int, c: int, d: int, count: int) -> tuple[int, int, int, int]:
        for _ in range(count):
            a, c = (a + b) & _M64, (c + d) & _M64
            b, d = rotl(b, 13, 64) ^ a, rotl(d, 16, 64) ^ c
            a = rotl(a, 32, 64)
            a, c = (a + d) & _M64, (c + b) & _M64
            d, b = rotl(d, 21, 64) ^ a, rotl(b, 17, 64) ^ c
            c = rotl(c, 32, 64)
        return a, b, c, d

    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        a, b, c, d = turns(a, b, c, d ^ word, 2)
        a ^= word
    a, b, c, d = turns(a, b, c ^ 0xFF, d, 4)
    return a ^ b ^ c ^ d


def _siphash(message: bytes, attributes: Mapping[str, object]) -> bytes:
    key = attributes["key"]
    assert isinstance(key, tuple)
    return siphash(message, struct.pack("<4I", *key)).to_bytes(8, "little")


HASHES: dict[str, Hash] = {
    **{name: _plain(name) for name in ("sha256", "sha224", "sha1", "md5", "sha512", "sha384")},
    **{name: _plain(name) for name in ("sha3_256", "sha3_512", "blake2s", "blake2b")},
    "shake128": _shake("shake_128"),
    "shake256": _shake("shake_256"),
    "sha256d": lambda message, attributes: hashlib.sha256(hashlib.sha256(message).digest()).digest(),
    "ripemd160": lambda message, attributes: ripemd160(message),
    "keccak256": lambda message, attributes: keccak(message, 136, 0x01, 32),
    "crc32": _little(4, zlib.crc32),
    "crc32c": _little(4, lambda message: crc(message, 0x82F63B78, 32)),
    "crc64": _little(8, lambda message: crc(message, 0xC96C5795D7870F42, 64)),
    "adler32": _little(4, zlib.adler32),
    "murmur3": lambda message, attributes: murmur3(message, _number(attributes, "seed")).to_bytes(
        4, "little"
    ),
    "xxhash64": lambda message, attributes: xxhash64(message, _number(attributes, "seed")).to_bytes(
        8, "little"
    ),
    "siphash": _siphash,
    "blake3": lambda message, attributes: blake3(message),
}
"""The bytes of each hash of a message, with the attributes of its row."""
