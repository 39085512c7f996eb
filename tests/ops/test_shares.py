"""Kernels of a share an invocation over operands larger than a binding may be, here 64 KiB: 16,384 words.

Against NumPy, `hashlib`, `hmac` and `base64`: one part, whole parts, a part and one element.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import random
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest

from ops.layout import Layout
from ops.lower import CPU
from ops.lowering.builder import Builder
from ops.lowering.operands import Target
from ops.lowering.shares import Anywhere, Share, spread
from shaders.routines import routine_spec
from shaders.spec import Operand
from tests.ops.test_digests import pack

WORDS = 1 << 14
COUNTS = [WORDS, WORDS + 1, 3 * WORDS, 50_001]
TINY = replace(CPU, binding=4 * WORDS)
ALIKE = pytest.mark.parametrize("tiny", ["cpu"], indirect=True)
"""Of what is lowered alike for all classes of devices."""


def words(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 1 << 32, count, np.uint32)


def flags(count: int) -> np.ndarray:
    """Some, with a part of which none is, and one of which all are."""
    chosen = np.random.default_rng(count).random(count) < 0.3
    chosen[WORDS // 2 : 3 * WORDS // 2] = False
    chosen[2 * WORDS :] = True
    return chosen


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kept", ["some", "none", "all"])
def test_what_is_kept_is_moved_together(tiny: Any, check: Any, count: int, kept: str) -> None:
    keep = {"some": flags(count), "none": np.zeros(count, np.bool_), "all": np.ones(count, np.bool_)}[kept]
    check("nonzero", {}, [keep])
    check("compact", {}, [words(count).view(np.int32), keep])


@pytest.mark.parametrize("count", [*COUNTS, 0, 1, 2])
def test_runs_go_on_over_the_parts(tiny: Any, check: Any, count: int) -> None:
    x = np.cumsum(flags(count)).astype(np.uint32) // 3
    check("run_starts", {}, [x])


@ALIKE
@pytest.mark.parametrize("bins", [5, WORDS, WORDS + 1, 40_003])
def test_counting(tiny: Any, check: Any, bins: int) -> None:
    check("histogram", {"bins": bins}, [words(50_001) % 40_100])


@ALIKE
@pytest.mark.parametrize("count", COUNTS)
def test_taking(tiny: Any, check: Any, count: int) -> None:
    x = words(count).view(np.int32)
    check("take", {}, [x, words(40_001) % (count + 9)])
    check("take", {}, [x[:9], words(40_001) % 10])


@ALIKE
@pytest.mark.parametrize("count", COUNTS)
def test_bits_of_words(tiny: Any, check: Any, count: int) -> None:
    check("pack_bits", {}, [flags(count)])
    check("unpack_bits", {"count": count}, [words(count // 32 + 1)])


@ALIKE
@pytest.mark.parametrize("size", [2 * WORDS, 4 * WORDS + 1, 120_003])
def test_text_of_bytes_and_back(tiny: Any, size: int) -> None:
    data = random.Random(size).randbytes(size)
    for name, encoded in (("hex", data.hex().encode()), ("base64", base64.b64encode(data))):
        packed, text = (np.frombuffer(each + bytes(-len(each) % 4), np.uint32) for each in (data, encoded))
        np.testing.assert_array_equal(tiny.run(f"{name}_encode", {"size": size}, [packed]), text)
        found = tiny.run(f"{name}_decode", {"size": len(encoded)}, [text])
        assert found[-1] == size
        assert found.tobytes()[:size] == data


@ALIKE
@pytest.mark.parametrize(("name", "bad"), [("hex", 0), ("hex", -1), ("base64", 0), ("base64", 70_000)])
def test_text_that_is_none_is_found_in_any_part(tiny: Any, name: str, bad: int) -> None:
    text = bytearray(b"ab" * 50_000)
    text[bad] = ord("!")
    packed = np.frombuffer(bytes(text), np.uint32)
    assert tiny.run(f"{name}_decode", {"size": len(text)}, [packed])[-1] == (1 << 32) - 1


@ALIKE
def test_needles_that_lie_over_the_ends_of_parts(tiny: Any, check: Any) -> None:
    needles = [b"needle over the end", b"le", b"x"]
    data = bytearray(random.Random(1).choices(b"abc", k=300_000))
    for end in (WORDS, 4 * WORDS, 100_000, 200_000, 300_000 - 9):
        data[end - 10 : end + 9] = needles[0]
    check("find_bytes", {"size": len(data)}, [np.frombuffer(bytes(data), np.uint32), *pack(needles)])


@ALIKE
def test_distances_of_many_pairs(tiny: Any, check: Any) -> None:
    random_ = random.Random(2)
    left, right = ([bytes(random_.choices(b"ab", k=size % 13)) for size in range(2000)] for _ in range(2))
    check("levenshtein", {"max_bytes": 13}, [*pack(left), *pack(right, 1)])


@ALIKE
def test_distances_of_texts_that_lie_over_the_ends_of_parts(tiny: Any, check: Any) -> None:
    random_ = random.Random(4)
    left, right = (
        [bytes(random_.choices(b"ab", k=random_.randrange(most))) for _ in range(1200)] for most in (200, 190)
    )
    check("levenshtein", {"max_bytes": 192}, [*pack(left, 3), *pack(right)])
    check("levenshtein", {"max_bytes": 192}, [*pack(left), *pack([b"", b"abba"] * 600)])


@ALIKE
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("philox", {"key": [1, 2], "counter": [(1 << 32) - 3, (1 << 32) - 1, 5, 6]}),
        ("threefry", {"key": [1, 2, 3, 4]}),
        ("pcg32", {"seed": 42}),
    ],
)
def test_streams(tiny: Any, check: Any, name: str, attributes: dict[str, Any], count: int) -> None:
    check(name, attributes | {"count": count}, [])


@ALIKE
@pytest.mark.parametrize("count", [WORDS, 2 * WORDS + 5])
def test_ciphers(tiny: Any, check: Any, count: int) -> None:
    check("chacha20", {"counter": (1 << 32) - 700}, [words(count), words(8), words(3)])
    check("aes_ctr", {}, [words(count), words(4), np.full(4, (1 << 32) - 1, np.uint32)])


@ALIKE
@pytest.mark.parametrize("leaves", [WORDS // 8 + 1, 5000])
@pytest.mark.parametrize("form", ["plain", "rfc6962", "bitcoin"])
def test_trees(tiny: Any, check: Any, form: str, leaves: int) -> None:
    check("merkle", {"form": form}, [words(8 * leaves).reshape(leaves, 8)])


@ALIKE
@pytest.mark.parametrize("algorithm", ["sha256", "sha3_256", "sha384"])
def test_digests_of_rows(tiny: Any, check: Any, algorithm: str) -> None:
    check("digest_rows", {"algorithm": algorithm, "bytes": 66}, [words(3001 * 17).reshape(3001, 17)])


@ALIKE
@pytest.mark.parametrize("algorithm", ["sha256", "sha3_256", "blake2s"])
def test_digests_of_rows_longer_than_a_part(tiny: Any, check: Any, algorithm: str) -> None:
    for count, length in ((3, 4 * WORDS + 9), (70, 5000), (1, 3 * 4 * WORDS)):
        x = words(count * (length // 4 + 2)).reshape(count, -1)
        check("digest_rows", {"algorithm": algorithm, "bytes": length}, [x])
    check("digest_rows", {"algorithm": algorithm, "bytes": 30}, [words(3 * WORDS).reshape(3, WORDS)])


def mixed() -> list[bytes]:
    """Messages of all kinds of sizes, empty ones, and some that are longer than a part."""
    random_ = random.Random(3)
    sizes = [0, 150_000, 0, *(random_.randrange(200) for _ in range(2000)), 70_001, 64, 0, 0]
    return [random_.randbytes(size) for size in sizes]


@ALIKE
@pytest.mark.parametrize("name", ["sha256", "sha512", "sha3_256", "blake2s", "blake3", "crc32"])
def test_digests_of_messages(tiny: Any, check: Any, name: str) -> None:
    check(name, {}, pack(mixed(), 3))


@ALIKE
def test_digests_of_short_messages(tiny: Any, check: Any) -> None:
    messages = [b"%d" % number * (number % 11) for number in range(4000)]
    check("sha256", {"max_bytes": 55}, pack(messages, 2))
    check("shake128", {"max_bytes": 55, "length": 200}, pack(messages[:700]))


@ALIKE
def test_messages_outside_get_zeros(tiny: Any) -> None:
    data, offsets = pack([bytes(30_000)] * 5)
    offsets[[2, 5]] = 150_001, 150_000
    found = [row.astype(">u4").tobytes() for row in tiny.run("sha256", {}, [data, offsets])]
    expected = [hashlib.sha256(bytes(size)).digest() for size in (30_000, 30_000)]
    assert found == [expected[0], bytes(32), bytes(32), *[expected[1]] * 2]


@ALIKE
def test_macs_of_many_messages(tiny: Any) -> None:
    texts = mixed()
    keys = [text[:300] for text in reversed(texts)]
    for digest in ("sha256", "sha512"):
        found = tiny.run(f"hmac_{digest}", {}, [*pack(texts, 1), *pack(keys)])
        expected = [hmac.digest(key, text, digest) for key, text in zip(keys, texts, strict=True)]
        assert [row.astype(">u4").tobytes() for row in found] == expected
        one = tiny.run(f"hmac_{digest}", {}, [*pack(texts), *pack([b"key"])])
        assert [row.astype(">u4").tobytes() for row in one] == [
            hmac.digest(b"key", text, digest) for text in texts
        ]


@ALIKE
def test_keys_of_many_passwords(tiny: Any, check: Any) -> None:
    passwords = [b"%d" % number * 9 for number in range(2100)]
    salts = [bytes([number % 256]) * (number % 90) for number in range(2100)]
    check("pbkdf2_sha256", {"iterations": 3, "length": 36}, [*pack(passwords), *pack(salts)])
    check("pbkdf2_sha256", {"iterations": 2, "length": 32}, [*pack(passwords), *pack([b"salt"])])
    check("hkdf_sha256", {"length": 50}, [*pack(passwords), *pack(salts, 2), *pack(passwords[::-1])])


@ALIKE
@pytest.mark.parametrize("bits", [999, 32 * WORDS + 5, 40 * WORDS * 32])
def test_bloom_filters(tiny: Any, check: Any, bits: int) -> None:
    messages = [b"%d" % number * 5 for number in range(3000)]
    made = check("bloom_build", {"bits": bits, "max_bytes": 20}, pack(messages[::2]))
    check("bloom_query", {"max_bytes": 20}, [made, *pack(messages)])


def shown(count: int, *each: int | Fraction, after: int = 0) -> list[tuple[int, list[tuple[int, int]]]]:
    """The count of each launch of a kernel, and where in words what it sees begins and how much that is."""
    builder = Builder(TINY)
    values = [builder.temp((int(count * share) + after,), "u32") for share in each]
    spec = routine_spec("take", " ".join(f"x{number}:u32" for number in range(len(each))), "")
    shares = [Share(value, share, after) for value, share in zip(values, each, strict=True)]
    spread(builder, spec, count, shares, {})
    return [
        (
            dispatch.params["count"],
            [
                (seen.begin // 4, (seen.nbytes or 4 * prod(value.layout.shape)) // 4)
                for seen, value in seen_of
            ],
        )
        for dispatch in builder.dispatches
        for seen_of in [list(zip(dispatch.operands, values, strict=True))]
    ]


def test_what_can_be_bound_is_one_launch() -> None:
    assert shown(WORDS, 1, Fraction(1, 2)) == [(WORDS, [(0, WORDS), (0, WORDS // 2)])]


def test_all_shares_begin_where_windows_may() -> None:
    assert shown(4 * WORDS, 1, Fraction(1, 32)) == [
        (WORDS, [(part * WORDS, WORDS), (part * WORDS // 32, WORDS // 32)]) for part in range(4)
    ]


def test_what_is_reached_behind_a_share_is_seen_too() -> None:
    step = WORDS - 64
    assert shown(2 * step, 1, after=1) == [(step, [(0, step + 4)]), (step, [(step, step + 4)])]


def test_numbers_move_from_part_to_part() -> None:
    builder = Builder(TINY)
    spec = routine_spec("take", "x:u32", "", "left on")
    spread(
        builder, spec, 2 * WORDS, [Share(builder.temp((2 * WORDS,), "u32"))], {"left": 2 * WORDS, "on": 5},
        {"left": -1, "on": 1},
    )  # fmt: skip
    assert [(each.params["left"], each.params["on"]) for each in builder.dispatches] == [
        (2 * WORDS, 5),
        (WORDS, WORDS + 5),
    ]


def test_what_is_reached_anywhere_is_seen_part_by_part() -> None:
    builder = Builder(TINY)
    target = Target(Operand("output", 0), Layout.contiguous((2 * WORDS + 7,)), "u32")
    spread(builder, routine_spec("take", "", "y:u32", "first extent"), 3, [Anywhere(target)], {})
    seen = [(each.params["first"], each.params["extent"]) for each in builder.dispatches]
    assert seen == [(0, WORDS), (WORDS, WORDS), (2 * WORDS, 7)]
