"""HMAC, key derivation, trees and the search for a nonce on the device, against `hmac`, `cryptography` and vectors."""

from __future__ import annotations

import hashlib
import hmac
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import derivation, reference
from ops.errors import AttributeValueError, ShapeError
from ops.routine_shapes import MAX_ITERATIONS
from shaders import digests
from shaders.keyed import KEYED
from tests.ops.test_digests import noise, pack
from tests.vectors.files import VECTORS, records

LENGTHS = [0, 1, 20, 27, 31, 32, 51, 52, 55, 56, 59, 60, 63, 64, 65, 119, 120, 128, 129, 200, 1000]
RFC = VECTORS / "rfc"


def rows(words: np.ndarray) -> list[bytes]:
    return [row.astype(">u4").tobytes() for row in words]


@pytest.mark.parametrize("digest", KEYED)
def test_hmac_of_every_pair_of_edges(device: Any, digest: str) -> None:
    texts, keys = zip(*((text, key) for text in noise(LENGTHS) for key in noise(LENGTHS)), strict=True)
    words = device.run(f"hmac_{digest}", {"max_bytes": 1000}, [*pack(texts, 1), *pack(keys, 3)])
    assert rows(words) == [hmac.digest(key, text, digest) for text, key in zip(texts, keys, strict=True)]


@pytest.mark.parametrize("key", [b"", b"k", b"key" * 40])
def test_one_key_serves_all(device: Any, key: bytes) -> None:
    texts = noise(range(40))
    words = device.run("hmac_sha256", {"max_bytes": 40}, [*pack(texts), *pack([key])])
    assert rows(words) == [hmac.digest(key, text, "sha256") for text in texts]


@pytest.mark.parametrize(
    ("digest", "file"),
    [("sha1", "rfc-2202-sha1"), *((name, f"rfc-4231-{name}") for name in KEYED if name != "sha1")],
)
def test_the_vectors_of_hmac(device: Any, digest: str, file: str) -> None:
    found = [record for record in records(RFC / f"{file}.txt") if "Msg" in record]
    texts, keys, expected = (
        [bytes.fromhex(record[name]) for record in found] for name in ("Msg", "Key", "MD")
    )
    words = device.run(f"hmac_{digest}", {}, [*pack(texts), *pack(keys)])
    assert len(found) >= 6
    assert [row[: len(mac)] for row, mac in zip(rows(words), expected, strict=True)] == expected


def test_a_message_or_key_outside_gets_zeros(device: Any) -> None:
    data, _ = pack([bytes(100)])
    offsets = np.array([0, 10, 5, 300], np.uint32)
    words = device.run("hmac_sha256", {}, [data, offsets, data, np.array([0, 4], np.uint32)])
    assert [bool(row.any()) for row in words] == [True, False, False]
    assert not device.run("hmac_sha256", {}, [data, offsets[:2], data, np.array([0, 999], np.uint32)]).any()


@pytest.mark.parametrize("longest", [10, 56, 64, 120])
def test_a_password_over_the_longest_gets_zeros(device: Any, longest: int) -> None:
    inputs = [*pack(noise([5, 55, 56, 64, 65, 119, 120, 200])), *pack([b"salt"])]
    attributes = {"max_bytes": longest, "iterations": 2}
    words = device.run("pbkdf2_sha256", attributes, inputs)
    np.testing.assert_array_equal(words, reference.apply("pbkdf2_sha256", attributes, inputs))
    assert not words[-1].any()


@settings(max_examples=10)
@given(st.data())
@pytest.mark.parametrize("digest", KEYED)
def test_any_derivation(device: Any, digest: str, data: st.DataObject) -> None:
    sizes = st.sampled_from(LENGTHS)
    count = data.draw(st.integers(1, 5))
    many = st.one_of(st.lists(sizes, min_size=count, max_size=count), st.lists(sizes, min_size=1, max_size=1))
    first = noise(data.draw(st.lists(sizes, min_size=count, max_size=count)))
    second, third = noise(data.draw(many)), noise(data.draw(many))
    length = {"length": data.draw(st.integers(0, 100))}
    inputs = [*pack(first, 1), *pack(second, 2), *pack(third, 3)]
    for family, args, attributes in (
        ("hkdf", inputs, length),
        ("pbkdf2", inputs[:4], {**length, "iterations": data.draw(st.integers(1, 6))}),
    ):
        words = device.run(f"{family}_{digest}", attributes, args)
        np.testing.assert_array_equal(words, reference.apply(f"{family}_{digest}", attributes, args), family)


@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_the_vectors_of_hkdf(device: Any, digest: str) -> None:
    found = [record for record in records(RFC / f"rfc-5869-HKDF-{digest.upper()}.txt") if "IKM" in record]
    for record in found:
        parts = [bytes.fromhex(record.get(name, "")) for name in ("IKM", "salt", "info")]
        inputs = [array for part in parts for array in pack([part])]
        (row,) = rows(device.run(f"hkdf_{digest}", {"length": int(record["L"])}, inputs))
        assert row[: int(record["L"])].hex() == record["OKM"]
    assert len(found) >= 3


@pytest.mark.parametrize("digest", KEYED)
def test_derivations_agree_with_cryptography(device: Any, digest: str) -> None:
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

    password, salt, info = noise([70, 16, 33])
    algorithm = getattr(hashes, digest.upper())()
    inputs = [*pack([password]), *pack([salt])]
    attributes = {"length": 72, "iterations": 100}
    (row,) = rows(device.run(f"pbkdf2_{digest}", attributes, inputs))
    assert row == PBKDF2HMAC(algorithm, 72, salt, 100).derive(password)
    (row,) = rows(device.run(f"hkdf_{digest}", {"length": 72}, [*inputs, *pack([info])]))
    assert row == HKDF(algorithm, 72, salt, info).derive(password)


def _text(value: str) -> bytes:
    return value.replace("\\0", "\0").encode()


PBKDF2 = [record for record in records(RFC / "rfc-6070-PBKDF2-SHA1.txt") if "PASSWORD" in record]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            record, id=record["COUNT"], marks=[pytest.mark.full] * (int(record["ITERATIONS"]) > 1 << 16)
        )
        for record in PBKDF2
    ],
)
def test_the_vectors_of_pbkdf2(device: Any, record: dict[str, str]) -> None:
    iterations, length = int(record["ITERATIONS"]), int(record["LENGTH"])
    inputs = [*pack([_text(record["PASSWORD"])]), *pack([_text(record["SALT"])])]
    words = device.run("pbkdf2_sha1", {"length": length, "iterations": iterations}, inputs)
    assert rows(words)[0][:length].hex() == record["DERIVED_KEY"]


def test_the_vectors_of_pbkdf2_with_sha256(device: Any) -> None:
    """RFC 7914, section 11."""
    answers = {
        (b"passwd", b"salt", 1): "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        (b"Password", b"NaCl", 80_000): "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
        "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
    }
    for (password, salt, iterations), answer in answers.items():
        attributes = {"length": 64, "iterations": iterations}
        words = device.run("pbkdf2_sha256", attributes, [*pack([password]), *pack([salt])])
        assert rows(words)[0].hex() == answer


@pytest.mark.parametrize("digest", KEYED)
def test_many_iterations_go_on_from_their_state(
    device: Any, digest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "TURNS_A_PASS", 12)
    inputs = [*pack([b"password", b"pass\0word"]), *pack([b"salt" * 60])]
    words = device.run(f"pbkdf2_{digest}", {"length": 40, "iterations": 23}, inputs)
    expected = [
        hashlib.pbkdf2_hmac(digest, word, b"salt" * 60, 23, 40) for word in (b"password", b"pass\0word")
    ]
    assert rows(words) == expected


def test_a_usual_number_of_iterations(device: Any) -> None:
    words = device.run("pbkdf2_sha256", {"iterations": 20_000}, [*pack([b"password"] * 8), *pack([b"salt"])])
    assert rows(words) == [hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 20_000)] * 8


@pytest.mark.parametrize("form", ["plain", "rfc6962", "bitcoin"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 11, 64, 1000])
def test_trees_of_any_size(device: Any, form: str, count: int) -> None:
    leaves = np.frombuffer(random.Random(count).randbytes(32 * count), np.uint32).reshape(count, 8)
    root = device.run("merkle", {"form": form}, [leaves])
    np.testing.assert_array_equal(root, reference.apply("merkle", {"form": form}, [leaves]))


def test_the_root_of_a_block_of_bitcoin(device: Any) -> None:
    """Block 100 000, whose transactions and root are known."""
    names = [
        "8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87",
        "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4",
        "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4",
        "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d",
    ]
    leaves = np.array([np.frombuffer(bytes.fromhex(name)[::-1], ">u4") for name in names], np.uint32)
    (root,) = rows(device.run("merkle", {"form": "bitcoin"}, [leaves])[None])
    assert root[::-1].hex() == "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766"


def test_the_tree_of_certificate_transparency(device: Any) -> None:
    """The test tree of RFC 6962's reference implementation."""
    texts = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    leaves = [hashlib.sha256(b"\0" + bytes.fromhex(text)).digest() for text in texts]
    words = np.array([np.frombuffer(leaf, ">u4") for leaf in leaves], np.uint32)
    roots = {3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
             8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"}  # fmt: skip
    for count, expected in roots.items():
        assert rows(device.run("merkle", {"form": "rfc6962"}, [words[:count]])[None])[0].hex() == expected


GENESIS = bytes.fromhex(
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
    "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d"
)
NONCE = 2_083_236_893


def search(device: Any, goal: int, start: int, count: int) -> list[int]:
    words = np.frombuffer(goal.to_bytes(32, "big"), ">u4").astype(np.uint32)
    inputs = [np.frombuffer(GENESIS, np.uint32), words]
    attributes = {"start": start, "count": count}
    found = device.run("find_nonce", attributes, inputs)
    if count <= 3000:
        np.testing.assert_array_equal(found, reference.apply("find_nonce", attributes, inputs))
    return found.tolist()


def test_the_nonce_of_the_first_block_of_bitcoin_is_found(device: Any) -> None:
    goal = 0xFFFF << 208
    assert search(device, goal, NONCE - 200_000, 300_001) == [1, NONCE]
    assert search(device, goal, NONCE, 1) == [1, NONCE]
    assert search(device, goal, NONCE - 1000, 1000) == [0, 0xFFFFFFFF]
    assert search(device, goal, (1 << 32) - 5, 5) == [0, 0xFFFFFFFF]


@pytest.mark.parametrize("bits", [248, 252, 256])
def test_the_lowest_nonce_under_an_easy_goal(device: Any, bits: int) -> None:
    assert search(device, (1 << bits) - 1, 77, 3000)[0] == 1


@pytest.mark.parametrize(
    ("op", "attributes", "shapes", "error"),
    [
        ("hmac_sha256", {}, [(4,), (3,), (4,), (4,)], ShapeError),
        ("hmac_sha256", {}, [(4,), (0,), (4,), (2,)], ShapeError),
        ("hmac_sha256", {"max_bytes": -1}, [(4,), (2,), (4,), (2,)], AttributeValueError),
        ("pbkdf2_sha256", {"iterations": 0}, [(4,), (2,), (4,), (2,)], AttributeValueError),
        ("pbkdf2_sha256", {"iterations": MAX_ITERATIONS + 1}, [(4,), (2,), (4,), (2,)], AttributeValueError),
        ("merkle", {}, [(0, 8)], ShapeError),
        ("merkle", {}, [(4, 7)], ShapeError),
        ("merkle", {"form": "x"}, [(4, 8)], AttributeValueError),
        ("find_nonce", {}, [(20,), (8,)], ShapeError),
        ("find_nonce", {"start": (1 << 32) - 1, "count": 2}, [(19,), (8,)], AttributeValueError),
    ],
)
def test_what_cannot_be_is_refused(
    device: Any, op: str, attributes: dict[str, Any], shapes: list[tuple[int, ...]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        device.run(op, attributes, [np.zeros(shape, np.uint32) for shape in shapes])


def test_scripts_derive_by_name(numpy_engine: Any) -> None:
    names: dict[str, Any] = derivation.NAMES
    assert names["hmac_sha256"]("text", b"key") == hmac.digest(b"key", b"text", "sha256").hex()
    assert names["hmac_sha256"](["a", "b"], ["k", "l"])[1] == hmac.digest(b"l", b"b", "sha256").hex()
    assert names["hmac_sha256"]([], "k") == []
    assert (
        names["pbkdf2_sha256"]("pass", "salt", 3, 21)
        == hashlib.pbkdf2_hmac("sha256", b"pass", b"salt", 3, 21).hex()
    )
    assert len(names["hkdf_sha256"](["key", "other"], length=42)[1]) == 84
    leaves = [hashlib.sha256(bytes([number])).digest() for number in range(2)]
    assert names["merkle_root"](leaves) == hashlib.sha256(b"".join(leaves)).hexdigest()
    assert names["find_nonce"](GENESIS, 0xFFFF << 208, NONCE - 2, 5) == NONCE
    assert names["find_nonce"](GENESIS, 0xFFFF << 208, 0, 5) is None
    with pytest.raises(AttributeValueError, match="32 bytes"):
        names["merkle_root"]([b"short"])
