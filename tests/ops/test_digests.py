"""Every digest on the device, against `hashlib`, `zlib`, published answers and definitions in plain Python."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import hashing, reference
from ops.dtypes import dtype
from ops.errors import AttributeValueError, GraphError
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import CPU, GPU, lower
from ops.routine_shapes import MAX_SQUEEZE
from shaders import digests
from shaders.digests import DIGESTS

KEY = bytes(range(16))
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "shake128": {"length": 340},
    "shake256": {"length": 4},
    "murmur3": {"seed": 0x9747B28C},
    "xxhash64": {"seed": (1 << 53) - 7},
    "siphash": {"key": np.frombuffer(KEY, "<u4").tolist()},
}
INDEPENDENT: dict[str, Callable[[bytes], bytes]] = {
    **{
        name: (lambda message, name=name: hashlib.new(name, message).digest())
        for name in set(DIGESTS) & hashlib.algorithms_guaranteed
    },
    "sha256d": lambda message: hashlib.sha256(hashlib.sha256(message).digest()).digest(),
    "shake128": lambda message: hashlib.shake_128(message).digest(340),
    "shake256": lambda message: hashlib.shake_256(message).digest(4),
    "crc32": lambda message: zlib.crc32(message).to_bytes(4, "little"),
    "adler32": lambda message: zlib.adler32(message).to_bytes(4, "little"),
}


def pack(messages: Sequence[bytes], lead: int = 0) -> list[np.ndarray]:
    """The inputs of a digest, the messages after `lead` bytes of rubbish."""
    text = b"\xff" * lead + b"".join(messages)
    offsets = lead + np.cumsum([0, *map(len, messages)])
    return [np.frombuffer(text + b"\xff" * (-len(text) % 4), np.uint32), offsets.astype(np.uint32)]


def unpack(name: str, words: np.ndarray) -> list[bytes]:
    order = ">u4" if DIGESTS[name].order == "big" else "<u4"
    return [row.astype(order).tobytes() for row in words]


def noise(lengths: Sequence[int]) -> list[bytes]:
    return [random.Random(length).randbytes(length) for length in lengths]


@pytest.mark.parametrize("name", DIGESTS)
def test_every_length_up_to_two_blocks_at_every_alignment(device: Any, name: str) -> None:
    messages = noise(range(2 * DIGESTS[name].block_bytes + 10))
    expected = [_expected(name, message) for message in messages]
    for lead in range(4):
        inputs = pack(messages, lead)
        words = device.run(name, {"max_bytes": len(messages), **ATTRIBUTES.get(name, {})}, inputs)
        assert unpack(name, words) == expected


def _expected(name: str, message: bytes) -> bytes:
    if name in INDEPENDENT:
        return INDEPENDENT[name](message)
    return reference.apply(name, ATTRIBUTES.get(name, {}), pack([message])).astype("<u4").tobytes()


@pytest.mark.parametrize("name", DIGESTS)
def test_the_kernel_for_short_messages_agrees(device: Any, name: str) -> None:
    longest = DIGESTS[name].short_bytes
    messages = noise([*range(longest + 1), longest])
    words = device.run(name, {"max_bytes": longest, **ATTRIBUTES.get(name, {})}, pack(messages, 1))
    assert unpack(name, words) == [_expected(name, message) for message in messages]


@pytest.mark.parametrize("name", DIGESTS)
def test_a_long_message_goes_on_in_the_next_pass(
    device: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = DIGESTS[name]
    monkeypatch.setattr(digests, "TURNS_A_PASS", 3 * (digest.turns + 1))
    block = digest.block_bytes
    messages = noise([11 * block, 3 * block, 3 * block - 1, 6 * block + 5, 0, 9 * block - 17])
    words = device.run(name, ATTRIBUTES.get(name, {}), pack(messages, 2))
    assert unpack(name, words) == [_expected(name, message) for message in messages]


@pytest.mark.parametrize("name", DIGESTS)
def test_no_pass_turns_more_often_than_llvmpipe_allows(name: str) -> None:
    digest = DIGESTS[name]
    passes = digests.digest_passes(digest, 1 << 24)
    assert max(each["blocks"] for each in passes) * (digest.turns + 1) <= 8_191
    assert sum(each["blocks"] for each in passes) == digest.blocks(1 << 24)
    assert [each["last"] for each in passes] == [0] * (len(passes) - 1) + [1]


def test_messages_of_an_unknown_length_take_few_dispatches() -> None:
    """A million messages of 64 bytes, any of which may be 64 MB as far as the types say."""
    inputs = [(Layout.contiguous(shape), dtype("u32")) for shape in ((1 << 24,), ((1 << 20) + 1,))]
    output = TensorType((1 << 20, 8), "u32")
    lowering = lower("sha256", {}, inputs, output, CPU)
    assert len(lowering.dispatches) < 500
    assert all(dispatch.work <= CPU.work for dispatch in lowering.dispatches)


@pytest.mark.parametrize("name", DIGESTS)
def test_a_message_over_the_longest_or_outside_gets_zeros(device: Any, name: str) -> None:
    longest = DIGESTS[name].short_bytes
    attributes = {"max_bytes": longest, **ATTRIBUTES.get(name, {})}
    data, _ = pack(noise([2 * longest + 2]))
    offsets = np.array([0, longest + 1, longest, longest + 2, 0xFFFFFFFF, 1], np.uint32)
    words = device.run(name, attributes, [data, offsets])
    assert not words[[0, 1, 3, 4]].any()
    assert words[2].any()
    np.testing.assert_array_equal(words, reference.apply(name, attributes, [data, offsets]))


@settings(max_examples=15)
@given(st.data())
@pytest.mark.parametrize("name", DIGESTS)
def test_any_messages(device: Any, name: str, data: st.DataObject) -> None:
    block = DIGESTS[name].block_bytes
    edges = st.builds(
        lambda blocks, shift: max(0, blocks * block + shift), st.integers(0, 4), st.integers(-18, 2)
    )
    sizes = data.draw(st.lists(edges, max_size=20))
    seed = data.draw(st.integers(0, 1 << 30))
    messages = [random.Random(seed + number).randbytes(size) for number, size in enumerate(sizes)]
    attributes = {"max_bytes": 5 * block, **ATTRIBUTES.get(name, {})}
    inputs = pack(messages, data.draw(st.integers(0, 3)))
    words = device.run(name, attributes, inputs)
    np.testing.assert_array_equal(words, reference.apply(name, attributes, inputs))


@pytest.mark.parametrize("lead", [0, 3])
def test_trees_of_any_shape(device: Any, lead: int) -> None:
    lengths = [chunks * 1024 + rest for chunks in range(10) for rest in (-1, 0, 1, 64, 500)][1:]
    inputs = pack(noise([*lengths, 100_000]), lead)
    np.testing.assert_array_equal(device.run("blake3", {}, inputs), reference.apply("blake3", {}, inputs))


ANSWERS = [
    ("ripemd160", {}, b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"),
    ("ripemd160", {}, b"message digest", "5d0689ef49d2fae572b881b123a85ffa21595f36"),
    ("keccak256", {}, b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
    ("keccak256", {}, b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
    ("crc32c", {}, b"123456789", "839206e3"),
    ("crc64", {}, b"123456789", "fa3919dfbbc95d99"),
    ("murmur3", {"seed": 0}, b"", "00000000"),
    ("murmur3", {"seed": 1}, b"", "b7284e51"),
    ("murmur3", {"seed": 0x9747B28C}, b"Hello, world!", "ba4c8824"),
    ("murmur3", {"seed": 0x9747B28C}, b"The quick brown fox jumps over the lazy dog", "cd26a82f"),
    ("xxhash64", {"seed": 0}, b"", "99e9d85137db46ef"),
    ("xxhash64", {"seed": 0}, b"abc", "990977adf52cbc44"),
    ("siphash", ATTRIBUTES["siphash"], bytes(range(15)), "e545be4961ca29a1"),
    ("blake3", {}, b"", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
    (
        "blake3",
        {},
        bytes(n % 251 for n in range(1025)),
        "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
    ),
    ("siphash", ATTRIBUTES["siphash"], b"", "310e0edd47db6f72"),
]
"""From the papers and reference implementations of hashes that neither `hashlib` nor `zlib` has."""


@pytest.mark.parametrize(("name", "attributes", "message", "answer"), ANSWERS)
def test_published_answers(
    device: Any, name: str, attributes: dict[str, Any], message: bytes, answer: str
) -> None:
    (digest,) = unpack(name, device.run(name, attributes, pack([message])))
    assert digest.hex() == answer
    assert unpack(name, reference.apply(name, attributes, pack([message]))) == [digest]


@pytest.mark.parametrize(
    ("name", "attributes", "message"),
    [
        ("siphash", {"key": [1, 2, 3]}, "must be 4 words"),
        ("siphash", {"key": [1, 2, 3, 1 << 32]}, "must be 4 words"),
        ("xxhash64", {"seed": -1}, "must be from 0"),
        ("shake128", {"length": -1}, "must be from 0"),
        ("shake128", {"length": MAX_SQUEEZE + 1}, f"to {MAX_SQUEEZE}"),
        ("shake128", {}, "needs the attribute 'length'"),
    ],
)
def test_attributes_that_no_hash_has_are_refused(
    device: Any, name: str, attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(AttributeValueError, match=message):
        device.run(name, attributes, pack([b"a"]))


@pytest.mark.parametrize("device_class", [CPU, GPU], ids=["cpu", "gpu"])
def test_messages_of_unknown_length_that_take_too_many_dispatches_are_told_what_helps(
    device_class: Any,
) -> None:
    count = 1_000_000
    shapes = [((1 << 27,), "u32"), ((count + 1,), "u32")]
    inputs = [(Layout.contiguous(shape), dtype(name)) for shape, name in shapes]
    made = TensorType((count, 16), "u32")
    with pytest.raises(GraphError, match="more than 65,536 dispatches") as refused:
        lower("sha3_512", {}, inputs, made, device_class)
    assert "Give max_bytes" in (refused.value.hint or "")
    assert len(lower("sha3_512", {"max_bytes": 512}, inputs, made, device_class).dispatches) < 1000


def test_scripts_hash_by_every_name(numpy_engine: Any) -> None:
    names: dict[str, Any] = hashing.namespace()
    assert names.keys() >= DIGESTS.keys()
    assert names["sha1"]("abc") == hashlib.sha1(b"abc").hexdigest()
    assert numpy_engine.graphs == []
    assert names["crc32"]([b"abc", "d"]) == [zlib.crc32(b"abc"), zlib.crc32(b"d")]
    assert names["crc64"]("123456789") == 0x995DC9BBDF1939FA
    assert names["keccak256"]("").startswith("c5d2460186f7233c")
    assert names["shake128"]("abc", length=5) == hashlib.shake_128(b"abc").hexdigest(5)
    messages = [b"%d" % number for number in range(300)]
    assert names["sha512"](messages) == [hashlib.sha512(message).hexdigest() for message in messages]
    assert names["sha3_256"]([]) == names["crc32"]([]) == []
