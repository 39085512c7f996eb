"""Random numbers and ciphers on the device, against published answers and `cryptography`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.errors import AttributeValueError, ShapeError
from tests.vectors.files import VECTORS, records


def words(raw: bytes) -> np.ndarray:
    return np.frombuffer(raw, "<u4")


PI = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89]
ONES = [0xFFFFFFFF] * 8
ANSWERS = [
    ("philox", [0] * 8, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ("philox", ONES, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ("philox", PI, [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
    ("threefry", [0] * 8, [0x9C6CA96A, 0xE17EAE66, 0xFC10ECD4, 0x5256A7D8]),
    ("threefry", ONES, [0x2A881696, 0x57012287, 0xF6C7446E, 0xA16A6732]),
    ("threefry", PI, [0x59CD1DBB, 0xB8879579, 0x86B5D00C, 0xAC8B6D84]),
]
"""The known-answer tests of Random123: the counter, then the key."""


@pytest.mark.parametrize(("op", "given", "answer"), ANSWERS)
def test_known_answers(device: Any, op: str, given: list[int], answer: list[int]) -> None:
    key = given[4:6] if op == "philox" else given[4:]
    attributes = {"count": 4, "counter": given[:4], "key": key}
    assert device.run(op, attributes, []).tolist() == answer
    assert reference.apply(op, attributes, []).tolist() == answer


def test_the_demo_of_pcg32(device: Any) -> None:
    attributes = {"count": 6, "seed": 42, "stream": 54}
    answer = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
    assert device.run("pcg32", attributes, []).tolist() == answer
    assert reference.apply("pcg32", attributes, []).tolist() == answer


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 17, 1000])
@pytest.mark.parametrize("op", ["philox", "threefry", "pcg32"])
def test_streams_of_any_length(device: Any, op: str, count: int) -> None:
    attributes: dict[str, Any] = {"seed": (1 << 53) - 1, "stream": 1 << 40}
    if op != "pcg32":
        attributes = {
            "key": PI[: 2 if op == "philox" else 4],
            "counter": [0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF, 7],
        }
    attributes["count"] = count
    np.testing.assert_array_equal(device.run(op, attributes, []), reference.apply(op, attributes, []))


def padded(raw: bytes) -> np.ndarray:
    return words(raw + bytes(-len(raw) % 4))


def test_chacha20_of_its_rfc(device: Any) -> None:
    """RFC 8439, A.2."""
    found = [record for record in records(VECTORS / "rfc" / "rfc7539.txt") if "KEY" in record]
    assert len(found) == 3
    for record in found:
        key, nonce, text, encrypted = (
            bytes.fromhex(record[name]) for name in ("KEY", "NONCE", "PLAINTEXT", "CIPHERTEXT")
        )
        attributes = {"counter": int(record["INITIAL_BLOCK_COUNTER"])}
        given = device.run("chacha20", attributes, [padded(text), words(key), words(nonce)])
        assert given.tobytes()[: len(text)] == encrypted


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_aes_of_its_rfc(device: Any, bits: int) -> None:
    """RFC 3686."""
    found = [record for record in records(VECTORS / "rfc" / f"aes-{bits}-ctr.txt") if "KEY" in record]
    assert len(found) == 3
    for record in found:
        key, counter, text, encrypted = (
            bytes.fromhex(record[name]) for name in ("KEY", "IV", "PLAINTEXT", "CIPHERTEXT")
        )
        given = device.run("aes_ctr", {}, [padded(text), words(key), words(counter)])
        assert given.tobytes()[: len(text)] == encrypted


@pytest.mark.parametrize("size", [0, 1, 4, 15, 16, 17, 64, 1001])
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_ciphers_agree_with_cryptography(device: Any, bits: int, size: int) -> None:
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    source = random.Random(size + bits)
    text, key, counter = (
        source.randbytes(4 * size),
        source.randbytes(bits // 8),
        b"\xff" * 12 + source.randbytes(4),
    )
    counter = counter[:12] + b"\xff\xff\xff\xfe"
    expected = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(text)
    inputs = [words(text), words(key), words(counter)]
    assert device.run("aes_ctr", {}, inputs).tobytes() == expected
    if size <= 64:
        assert reference.apply("aes_ctr", {}, inputs).tobytes() == expected
    if bits == 256:
        nonce = source.randbytes(12)
        cipher = Cipher(algorithms.ChaCha20(key, (7).to_bytes(4, "little") + nonce), None)
        inputs = [words(text), words(key), words(nonce)]
        encrypted = device.run("chacha20", {"counter": 7}, inputs)
        assert encrypted.tobytes() == cipher.encryptor().update(text)
        np.testing.assert_array_equal(encrypted, reference.apply("chacha20", {"counter": 7}, inputs))


def test_aes_of_sp_800_38a(device: Any) -> None:
    """F.5.1: CTR-AES128, the first two blocks."""
    key, counter = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), bytes(range(0xF0, 0x100))
    text = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    encrypted = device.run("aes_ctr", {}, [words(text), words(key), words(counter)])
    assert encrypted.tobytes().hex() == "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"


@pytest.mark.parametrize(
    ("op", "attributes", "sizes", "error"),
    [
        ("philox", {"count": 4, "key": [1, 2, 3]}, [], AttributeValueError),
        ("philox", {"count": -1}, [], AttributeValueError),
        ("pcg32", {"count": 1, "seed": -1}, [], AttributeValueError),
        ("chacha20", {}, [4, 4, 3], ShapeError),
        ("chacha20", {"counter": 1 << 32}, [4, 8, 3], AttributeValueError),
        ("aes_ctr", {}, [4, 5, 4], ShapeError),
    ],
)
def test_what_cannot_be_is_refused(
    device: Any, op: str, attributes: dict[str, Any], sizes: list[int], error: type[Exception]
) -> None:
    with pytest.raises(error):
        device.run(op, attributes, [np.zeros(size, np.uint32) for size in sizes])
