"""Sums, sorting, search and text on the device, against NumPy and Python's own library."""

from __future__ import annotations

import base64
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import reference
from ops.errors import AttributeValueError, ShapeError
from ops.lowering import scan, sorting
from tests.ops.test_digests import pack

SIZES = [0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 5000]


def draw(dtype: str, size: int) -> np.ndarray:
    """Any bits of a dtype, with repeats; floats among them are NaN, infinite, zero and subnormal."""
    words = np.random.default_rng(size).integers(0, 1 << 32, size, np.uint32)
    words[::3] &= 0xF000000F
    if dtype == "f32":
        words[5::50] = np.float32(-0.0).view(np.uint32)
        words[6::50] = 0
    return words.view({"u32": np.uint32, "i32": np.int32, "f32": np.float32}[dtype])


def same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual.view(np.uint8), expected.view(np.uint8))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "CHUNK", 8)
    monkeypatch.setattr(sorting, "CHUNK", 16)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_running_sums(device: Any, check: Any, size: int, exclusive: bool) -> None:
    for dtype in ("u32", "i32"):
        check("cumsum", {"exclusive": exclusive}, [draw(dtype, size)])
    x = np.random.default_rng(size).normal(0, 1, size).astype(np.float32)
    check("cumsum", {"exclusive": exclusive}, [x], scale=np.cumsum(np.abs(x), dtype=np.float64))


def test_running_sums_of_sums_of_sums(device: Any, check: Any, small_chunks: None) -> None:
    check("cumsum", {}, [np.arange(5001, dtype=np.uint32)])
    check("cumsum", {"exclusive": True}, [np.arange(4096, dtype=np.int32)[::-1]])


@pytest.mark.parametrize("dtype", ["u32", "i32", "f32"])
@pytest.mark.parametrize("size", SIZES)
def test_sorting_is_stable_and_keeps_every_bit(device: Any, dtype: str, size: int) -> None:
    x = draw(dtype, size)
    same_bits(device.run("sort", {}, [x]), x[np.argsort(x, kind="stable")])
    same_bits(device.run("argsort", {}, [x]), np.argsort(x, kind="stable").astype(np.uint32))


def test_sorting_over_many_chunks(device: Any, small_chunks: None) -> None:
    for dtype in ("u32", "i32", "f32"):
        x = draw(dtype, 3001)
        same_bits(device.run("sort", {}, [x]), x[np.argsort(x, kind="stable")])


def test_sorting_a_strided_part(device: Any) -> None:
    x = draw("i32", 5000)
    same_bits(device.run("sort", {}, [x[4000:10:-3]]), np.sort(x[4000:10:-3]))


def test_a_million_are_sorted(device: Any) -> None:
    x = np.random.default_rng(1).integers(0, 1 << 32, 1_000_000, np.uint32)
    np.testing.assert_array_equal(device.run("sort", {}, [x]), np.sort(x))


@pytest.mark.parametrize("size", SIZES)
def test_what_is_kept_and_where_it_was(device: Any, size: int) -> None:
    x = draw("f32", size)
    keep = np.random.default_rng(size).random(size) < 0.4
    same_bits(device.run("compact", {}, [x, keep]), reference.apply("compact", {}, [x, keep]))
    places = device.run("nonzero", {}, [keep]).tolist()
    assert places == [*np.flatnonzero(keep).tolist(), *[size] * (size + 1 - keep.sum())]


@pytest.mark.parametrize("size", SIZES)
def test_runs(device: Any, size: int) -> None:
    x = np.repeat(np.arange(size, dtype=np.int32), np.random.default_rng(size).integers(0, 4, size))[:size]
    starts = device.run("run_starts", {}, [x])
    np.testing.assert_array_equal(starts, reference.apply("run_starts", {}, [x]))
    values, counts = np.unique(x, return_counts=True)
    runs = int(np.argmax(starts == x.size))
    np.testing.assert_array_equal(np.diff(starts[: runs + 1]), counts)
    np.testing.assert_array_equal(device.run("take", {}, [x, starts[:runs]]), values)


def test_positions_in_nothing_give_zero(device: Any) -> None:
    for nothing in (np.zeros(0, np.float32), np.zeros(0, np.int8), np.zeros((3, 0), np.float32)[0]):
        assert device.run("take", {}, [nothing, np.zeros(70, np.uint32)]).tolist() == [0] * 70


def test_positions_outside_give_zero(device: Any) -> None:
    x = np.array([1.5, 2.5], np.float32)
    assert device.run("take", {}, [x, np.array([1, 2, 0xFFFFFFFF, 0], np.uint32)]).tolist() == [
        2.5,
        0,
        0,
        1.5,
    ]


def test_histograms(device: Any, check: Any) -> None:
    x = np.random.default_rng(2).integers(0, 300, 10_000, np.uint32)
    for bins in (0, 1, 256, 1000):
        check("histogram", {"bins": bins}, [x])
    check("histogram", {"bins": 3}, [x[:0]])


WORDS = [b"", b"a", b"ab", b"abc", b"bca", b"aab", b"zz"]


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(WORDS), max_size=30), st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)
)
def test_search_for_any_needles(device: Any, parts: list[bytes], needles: list[bytes]) -> None:
    text = b"".join(parts)
    data, _ = pack([text])
    inputs = [data, *pack(needles, 1)]
    found = device.run("find_bytes", {"size": len(text)}, inputs)
    np.testing.assert_array_equal(found, reference.apply("find_bytes", {"size": len(text)}, inputs))


@settings(max_examples=25)
@given(st.lists(st.tuples(st.text("abc", max_size=40), st.text("abc", max_size=40)), min_size=1, max_size=9))
def test_the_distance_of_any_pairs(device: Any, pairs: list[tuple[str, str]]) -> None:
    left, right = ([side.encode() for side in sides] for sides in zip(*pairs, strict=True))
    inputs = [*pack(left, 1), *pack(right, 2)]
    for longest in (20, 40):
        distances = device.run("levenshtein", {"max_bytes": longest}, inputs)
        np.testing.assert_array_equal(
            distances, reference.apply("levenshtein", {"max_bytes": longest}, inputs)
        )


def test_long_pairs_go_on_in_the_next_dispatch(device: Any) -> None:
    source = random.Random(5)
    texts = [bytes(source.choices(b"ab", k=size)) for size in (512, 500, 8, 0, 511, 257)]
    inputs = [*pack(texts), *pack(texts[::-1])]
    attributes = {"max_bytes": 512}
    np.testing.assert_array_equal(
        device.run("levenshtein", attributes, inputs), reference.apply("levenshtein", attributes, inputs)
    )


def test_messages_outside_are_told(device: Any) -> None:
    data, _ = pack([b"abcdefgh"])
    offsets = np.array([0, 4, 2, 99, 8], np.uint32)
    inputs = [data, offsets, data, np.array([0, 4, 8, 8, 8], np.uint32)]
    distances = device.run("levenshtein", {}, inputs)
    assert distances.tolist() == [0, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF]
    np.testing.assert_array_equal(distances, reference.apply("levenshtein", {}, inputs))
    found = device.run("find_bytes", {"size": 8}, [data, data, np.array([6, 99, 2, 3], np.uint32)])
    assert found.tolist() == [0, 0, 3, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("hashes", [1, 7])
def test_a_filter_knows_its_messages(device: Any, hashes: int) -> None:
    members, others = ([b"%s %d" % (kind, number) for number in range(500)] for kind in (b"in", b"out"))
    attributes = {"bits": 8000, "hashes": hashes}
    bits = device.run("bloom_build", attributes, pack(members, 1))
    np.testing.assert_array_equal(bits, reference.apply("bloom_build", attributes, pack(members, 1)))
    assert device.run("bloom_query", {"hashes": hashes}, [bits, *pack(members, 2)]).all()
    found = device.run("bloom_query", {"hashes": hashes}, [bits, *pack(others, 3)])
    assert found.mean() < 0.1
    np.testing.assert_array_equal(
        found, reference.apply("bloom_query", {"hashes": hashes}, [bits, *pack(others, 3)])
    )
    assert not device.run("bloom_build", attributes, pack([])).any()


@pytest.mark.parametrize("size", SIZES)
def test_bools_as_bits(device: Any, size: int) -> None:
    x = np.random.default_rng(size).random(size) < 0.5
    packed = device.run("pack_bits", {}, [x])
    assert packed.tobytes() == np.packbits(x, bitorder="little").tobytes().ljust(packed.nbytes, b"\0")
    np.testing.assert_array_equal(device.run("unpack_bits", {"count": size}, [packed]), x)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 24, 1000])
@pytest.mark.parametrize(("form", "encode"), [("hex", bytes.hex), ("base64", base64.b64encode)])
def test_text_there_and_back(device: Any, size: int, form: str, encode: Any) -> None:
    raw = random.Random(size).randbytes(size)
    expected = encode(raw) if form == "base64" else encode(raw).encode()
    (data, _) = pack([raw])
    text = device.run(f"{form}_encode", {"size": size}, [data])
    assert text.tobytes()[: len(expected)] == expected
    assert not any(text.tobytes()[len(expected) :])
    words = device.run(f"{form}_decode", {"size": len(expected)}, [text])
    assert int(words[-1]) == size
    assert words[:-1].tobytes() == raw.ljust(4 * len(words) - 4, b"\0")
    np.testing.assert_array_equal(words, reference.apply(f"{form}_decode", {"size": len(expected)}, [text]))


@pytest.mark.parametrize(
    ("form", "text"),
    [("hex", b"0g"), ("hex", b"abc"), ("hex", b"12 4"), ("hex", b"@A"), ("base64", b"ab*="), ("base64", b"abc"),
     ("base64", b"=abc"), ("base64", b"ab==abcd"), ("base64", b"a==="), ("base64", b"ab=c"),
     ("hex", b"/0"), ("hex", b":0")],
)  # fmt: skip
def test_what_is_no_text_is_told(device: Any, form: str, text: bytes) -> None:
    data, _ = pack([text])
    assert device.run(f"{form}_decode", {"size": len(text)}, [data])[-1] == 0xFFFFFFFF
    assert reference.apply(f"{form}_decode", {"size": len(text)}, [data])[-1] == 0xFFFFFFFF


@pytest.mark.parametrize(
    ("op", "attributes", "inputs", "error"),
    [
        ("histogram", {"bins": 1}, [np.zeros((2, 2), np.uint32)], ShapeError),
        ("compact", {}, [np.zeros(3, np.uint32), np.zeros(4, np.bool_)], ShapeError),
        ("histogram", {"bins": -1}, [np.zeros(3, np.uint32)], AttributeValueError),
        ("hex_encode", {"size": 13}, [np.zeros(3, np.uint32)], AttributeValueError),
        ("unpack_bits", {"count": 97}, [np.zeros(3, np.uint32)], AttributeValueError),
        ("levenshtein", {"max_bytes": 1 << 20}, [*pack([b"a"]), *pack([b"b"])], AttributeValueError),
        (
            "find_bytes",
            {"size": 1},
            [np.zeros(3, np.uint32), np.zeros(2001, np.uint32), np.zeros(2, np.uint32)],
            ShapeError,
        ),
        ("bloom_query", {}, [np.zeros(0, np.uint32), *pack([b"a"])], ShapeError),
        ("bloom_build", {"bits": 0}, pack([b"a"]), AttributeValueError),
        ("levenshtein", {}, [*pack([b"a"] * 2), *pack([b"b"])], ShapeError),
    ],
)
def test_what_cannot_be_is_refused(
    device: Any, op: str, attributes: dict[str, Any], inputs: list[np.ndarray], error: type[Exception]
) -> None:
    with pytest.raises(error):
        device.run(op, attributes, inputs)
