"""Answers that the makers of hashes published, on the device."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.ops.test_digests import pack, unpack
from tests.vectors.files import VECTORS, records


@pytest.mark.parametrize(
    ("name", "file", "count"),
    [
        ("md5", "rfc-1321", 7),
        ("ripemd160", "ripevectors", 8),
        ("blake2b", "blake2b", 6),
        ("blake2s", "blake2s", 5),
    ],
)
def test_messages_of_the_papers(device: Any, name: str, file: str, count: int) -> None:
    found = [record for record in records(VECTORS / "rfc" / f"{file}.txt") if "Msg" in record]
    texts = [bytes.fromhex(record["Msg"])[: int(record["Len"]) // 8] for record in found]
    assert len(found) >= count
    digests = unpack(name, device.run(name, {}, pack(texts)))
    assert [digest.hex() for digest in digests] == [record["MD"] for record in found]


def test_blake3_of_every_length_of_its_vectors(device: Any) -> None:
    answers = json.loads((VECTORS / "other" / "blake3.json").read_text())
    texts = [bytes(n % 251 for n in range(int(size))) for size in answers]
    assert max(map(len, texts)) > 100_000
    digests = unpack("blake3", device.run("blake3", {}, pack(texts)))
    assert [digest.hex() for digest in digests] == list(answers.values())


def test_siphash_of_every_length_of_its_vectors(device: Any) -> None:
    answers = [record["MD"] for record in records(VECTORS / "other" / "siphash.txt")]
    key = [0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C]
    texts = [bytes(range(size)) for size in range(64)]
    digests = unpack("siphash", device.run("siphash", {"key": key}, pack(texts)))
    assert [digest.hex() for digest in digests] == answers


def test_xxhash64_of_its_sanity_check(device: Any) -> None:
    text = bytes(2654435761 * pow(11400714785074694797, n, 1 << 64) % (1 << 64) >> 56 for n in range(222))
    found = list(records(VECTORS / "other" / "xxhash64.txt"))
    assert len(found) == 9
    for record in found:
        inputs = pack([text[: int(record["Len"])]])
        (digest,) = unpack("xxhash64", device.run("xxhash64", {"seed": int(record["Seed"])}, inputs))
        assert digest[::-1].hex() == record["MD"]


@pytest.mark.parametrize(("name", "answer"), [("murmur3", 0xB0F57EE3), ("xxhash64", 0x024B7CF4)])
def test_the_verification_value_of_smhasher(device: Any, name: str, answer: int) -> None:
    """The hash of the hashes of (0), (0, 1) … with seeds from 256 down, its first four bytes."""
    hashes = b"".join(
        unpack(name, device.run(name, {"seed": 256 - size}, pack([bytes(range(size))])))[0]
        for size in range(256)
    )
    (digest,) = unpack(name, device.run(name, {"seed": 0}, pack([hashes])))
    assert int.from_bytes(digest[:4], "little") == answer


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("crc32", b"123456789", 0xCBF43926),
        ("crc32c", b"123456789", 0xE3069283),
        ("crc32c", bytes(32), 0x8A9136AA),
        ("crc32c", b"\xff" * 32, 0x62A8AB43),
        ("crc32c", bytes(range(32)), 0x46DD794E),
        ("crc32c", bytes(range(31, -1, -1)), 0x113FDB5C),
        ("crc64", b"123456789", 0x995DC9BBDF1939FA),
        ("adler32", b"Wikipedia", 0x11E60398),
    ],
)
def test_check_values_of_checksums(device: Any, name: str, text: bytes, answer: int) -> None:
    """Those of the catalogue of CRCs, and of RFC 3720, B.4."""
    (digest,) = unpack(name, device.run(name, {}, pack([text])))
    assert int.from_bytes(digest, "little") == answer
