"""Kernels written by hand for one shape, as peers: the best known for llvmpipe.

Owns text only. SHA-256 of messages of 64 bytes, or of 55 that are padded beforehand, 64 bytes apart: everything is
unrolled into named registers, messages are read four words at a time, and the schedule of a second block, which is the
same for all, is worked out here.
"""

from __future__ import annotations

import math

_BITS = (1 << 32) - 1
_REGISTERS = "abcdefgh"


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _root(number: int, power: int) -> int:
    """The first 32 bits of the fraction of a root (FIPS 180-4, 4.2.2 and 5.3.3)."""
    shifted = number << (32 * power)
    root = math.isqrt(shifted) if power == 2 else round(shifted ** (1 / 3))
    while root**power > shifted:
        root -= 1
    while (root + 1) ** power <= shifted:
        root += 1
    return root & _BITS


ROUND = [_root(prime, 3) for prime in _primes(64)]
START = [_root(prime, 2) for prime in _primes(8)]


def _turned(x: int, bits: int) -> int:
    return (x >> bits | x << (32 - bits)) & _BITS


def _schedule(words: list[int]) -> list[int]:
    for n in range(16, 64):
        early, late = words[n - 15], words[n - 2]
        low = _turned(early, 7) ^ _turned(early, 18) ^ early >> 3
        high = _turned(late, 17) ^ _turned(late, 19) ^ late >> 10
        words.append((words[n - 16] + low + words[n - 7] + high) & _BITS)
    return words


def _turn(x: str, bits: int) -> str:
    return f"(({x} >> {bits}u) | ({x} << {32 - bits}u))"


def _rounds(known: list[int] | None) -> list[str]:
    """The 64 rounds on variables a to h; with `known`, the schedule is constant."""
    lines = []
    for n in range(64):
        a, b, c, d, e, f, g, h = (_REGISTERS[(number - n) % 8] for number in range(8))
        if known is None and n >= 16:
            early, late, w = f"w{(n - 15) % 16}", f"w{(n - 2) % 16}", f"w{n % 16}"
            low = f"({_turn(early, 7)} ^ {_turn(early, 18)} ^ ({early} >> 3u))"
            high = f"({_turn(late, 17)} ^ {_turn(late, 19)} ^ ({late} >> 10u))"
            lines.append(f"{w} += {low} + w{(n - 7) % 16} + {high};")
        word = f"{(ROUND[n] + known[n]) & _BITS}u" if known else f"{ROUND[n]}u + w{n % 16}"
        sum1 = f"({_turn(e, 6)} ^ {_turn(e, 11)} ^ {_turn(e, 25)})"
        sum0 = f"({_turn(a, 2)} ^ {_turn(a, 13)} ^ {_turn(a, 22)})"
        lines += [
            f"{h} += {sum1} + ({g} ^ ({e} & ({f} ^ {g}))) + {word};",
            f"{d} += {h};",
            f"{h} += {sum0} + ((({a} ^ {b}) & ({b} ^ {c})) ^ {b});",
        ]
    return lines


def sha256(blocks: int) -> str:
    """Bindings: 0 the messages, four `vec4<u32>` each; 1 the digests, two each. One thread a message, 64 a group."""
    lines = [
        "@group(0) @binding(0) var<storage, read> messages: array<vec4<u32>>;",
        "@group(0) @binding(1) var<storage, read_write> digests: array<vec4<u32>>;",
        "fn swap(v: vec4<u32>) -> vec4<u32> {",
        "let s = ((v << vec4(8u)) & vec4(0xff00ff00u)) | ((v >> vec4(8u)) & vec4(0x00ff00ffu));",
        "return (s << vec4(16u)) | (s >> vec4(16u)); }",
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { let t = id.x;",
    ]
    for quad in range(4):
        lines.append(f"let x{quad} = swap(messages[t * 4u + {quad}u]);")
        lines += [f"var w{4 * quad + part} = x{quad}.{'xyzw'[part]};" for part in range(4)]
    lines += [f"var {name} = {value}u;" for name, value in zip(_REGISTERS, START, strict=True)]
    lines += _rounds(None)
    lines += [f"{name} += {value}u;" for name, value in zip(_REGISTERS, START, strict=True)]
    if blocks == 2:
        lines += [f"let first_{name} = {name};" for name in _REGISTERS]
        lines += _rounds(_schedule([1 << 31, *[0] * 14, 512]))
        lines += [f"{name} += first_{name};" for name in _REGISTERS]
    return "\n".join(
        [*lines, "digests[t * 2u] = vec4(a, b, c, d); digests[t * 2u + 1u] = vec4(e, f, g, h); }"]
    )
