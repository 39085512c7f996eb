"""NIST's vectors (CAVP) on the device: messages, Monte Carlo chains, HMAC, and the known answers of AES.

The long messages are not in the repository: they come from the package `cryptography-vectors`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shaders.keyed import KEYED
from tests.ops.test_digests import pack, unpack
from tests.vectors.files import VECTORS, records

CAVP = VECTORS / "cavp"
FILES = {
    "sha1": "SHA1",
    "sha224": "SHA224",
    "sha256": "SHA256",
    "sha384": "SHA384",
    "sha512": "SHA512",
    "sha3_256": "SHA3_256",
    "sha3_512": "SHA3_512",
    "shake128": "SHAKE128",
    "shake256": "SHAKE256",
}
CHAIN = 1000
"""Hashes of one Monte Carlo chain."""


def slow_but(first: Any, *others: Any) -> list[Any]:
    """Parameters of which only the first is tested always."""
    return [first, *(pytest.param(other, marks=pytest.mark.full) for other in others)]


def long_file(name: str) -> Path:
    vectors = pytest.importorskip(
        "cryptography_vectors", reason="the package cryptography-vectors is not installed"
    )
    return next((Path(vectors.__file__).parent / "hashes").glob(f"*/{name}"))


def check_messages(device: Any, name: str, path: Path) -> None:
    found = [record for record in records(path) if "Msg" in record]
    texts = [bytes.fromhex(record["Msg"])[: int(record["Len"]) // 8] for record in found]
    expected = [bytes.fromhex(record.get("MD") or record["Output"]) for record in found]
    attributes: dict[str, Any] = {"max_bytes": max(map(len, texts))}
    if name.startswith("shake"):
        attributes["length"] = len(expected[0])
    assert len(texts) > 40
    assert unpack(name, device.run(name, attributes, pack(texts))) == expected


@pytest.mark.parametrize("name", FILES)
def test_short_messages(device: Any, name: str) -> None:
    check_messages(device, name, CAVP / f"{FILES[name]}ShortMsg.rsp")


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_long_messages(device: Any, name: str) -> None:
    check_messages(device, name, long_file(f"{FILES[name]}LongMsg.rsp"))


@pytest.mark.full
@pytest.mark.parametrize("bits", [128, 256])
def test_outputs_of_any_length(device: Any, bits: int) -> None:
    found = [record for record in records(long_file(f"SHAKE{bits}VariableOut.rsp")) if "Msg" in record]
    inputs = pack([bytes.fromhex(record["Msg"]) for record in found])
    longest = max(int(record["Outputlen"]) for record in found) // 8
    digests = unpack(f"shake{bits}", device.run(f"shake{bits}", {"length": longest}, inputs))
    assert [
        digest[: int(record["Outputlen"]) // 8].hex() for digest, record in zip(digests, found, strict=True)
    ] == [record["Output"] for record in found]


def seed_and_answers(name: str) -> tuple[bytes, list[bytes]]:
    """Where the first of the 100 chains begins, and where each ends, which is where the next begins."""
    found = list(records(CAVP / f"{FILES[name]}Monte.rsp"))
    seed = next(
        record.get("Seed") or record["Msg"] for record in found if "Seed" in record or "Msg" in record
    )
    answers = [
        record.get("MD") or record["Output"] for record in found if "MD" in record or "Output" in record
    ]
    assert len(answers) == 100
    return bytes.fromhex(seed), [bytes.fromhex(answer) for answer in answers]


@pytest.mark.parametrize(
    "name", slow_but("sha256", "sha1", "sha224", "sha384", "sha512", "sha3_256", "sha3_512")
)
def test_the_monte_carlo_chains(device: Any, name: str) -> None:
    """All run at once."""
    seed, answers = seed_and_answers(name)
    chains = [[start] * 3 for start in [seed, *answers[:-1]]]
    for _ in range(CHAIN):
        texts = [chain[-1] if name.startswith("sha3_") else b"".join(chain[-3:]) for chain in chains]
        words = device.run(name, {"max_bytes": len(texts[0])}, pack(texts))
        chains = [[*chain[-2:], digest] for chain, digest in zip(chains, unpack(name, words), strict=True)]
    assert [chain[-1] for chain in chains] == answers


@pytest.mark.full
@pytest.mark.parametrize(("name", "least", "most"), [("shake128", 16, 140), ("shake256", 2, 250)])
def test_the_monte_carlo_chains_of_outputs(device: Any, name: str, least: int, most: int) -> None:
    """A message is the first 16 bytes of the output before; its last two bytes say how long the next one is."""
    seed, answers = seed_and_answers(name)
    ends = [seed, *answers]
    outputs = ends[:-1]
    sizes = [most, *(least + int.from_bytes(end[-2:], "big") % (most - least + 1) for end in ends[1:-1])]
    for _ in range(CHAIN):
        texts = [output[:16].ljust(16, b"\0") for output in outputs]
        words = device.run(name, {"max_bytes": 16, "length": most}, pack(texts))
        outputs = [row[:size] for row, size in zip(unpack(name, words), sizes, strict=True)]
        sizes = [least + int.from_bytes(output[-2:], "big") % (most - least + 1) for output in outputs]
    assert outputs == ends[1:]


@pytest.mark.parametrize("name", KEYED)
def test_hmac(device: Any, name: str) -> None:
    size = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}[name]
    found = section((CAVP / "HMAC.rsp").read_text(), f"L={size}")
    texts, keys, expected = (
        [bytes.fromhex(record[field]) for record in found] for field in ("Msg", "Key", "Mac")
    )
    rows = unpack(name, device.run(f"hmac_{name}", {}, [*pack(texts), *pack(keys)]))
    assert len(found) >= 225
    assert [row[: len(mac)] for row, mac in zip(rows, expected, strict=True)] == expected


def section(text: str, name: str) -> list[dict[str, str]]:
    """The records between the heading `[name]` and the next one."""
    (part,) = re.findall(rf"\[{re.escape(name)}\]\n([^\[]*)", text)
    return [dict(line.split(" = ", 1) for line in group.splitlines()) for group in part.strip().split("\n\n")]


def aes(device: Any, key: bytes, blocks: bytes) -> bytes:
    """AES of blocks one by one: the counter's encryption is what counter mode adds to zeros."""
    zeros, words = np.zeros(4, np.uint32), np.frombuffer(key, np.uint32)
    counters = [np.frombuffer(blocks[at : at + 16], np.uint32) for at in range(0, len(blocks), 16)]
    return b"".join(device.run("aes_ctr", {}, [zeros, words, counter]).tobytes() for counter in counters)


def answers_of_aes(file: str) -> list[tuple[bytes, bytes, bytes]]:
    return [
        tuple(bytes.fromhex(record[name]) for name in ("KEY", "PLAINTEXT", "CIPHERTEXT"))  # type: ignore[misc]
        for record in records(CAVP / file)
        if "KEY" in record
    ]


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("kind", ["GFSbox", "KeySbox", "VarTxt"])
def test_known_answers_of_aes(device: Any, kind: str, bits: int) -> None:
    found = answers_of_aes(f"ECB{kind}{bits}.rsp")
    assert len(found) >= 5
    for key, text, encrypted in found:
        assert aes(device, key, text) == encrypted


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("number", slow_but(0, 57, 99))
def test_a_monte_carlo_chain_of_aes(device: Any, bits: int, number: int) -> None:
    key, text, encrypted = answers_of_aes(f"ECBMCT{bits}.rsp")[number]
    for _ in range(CHAIN):
        text = aes(device, key, text)
    assert text == encrypted
