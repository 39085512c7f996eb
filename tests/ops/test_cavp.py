"""NIST's vectors (CAVP) and those of BLAKE2, MD5 and RIPEMD-160, from the package `cryptography-vectors`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_digests import pack, unpack

vectors = pytest.importorskip(
    "cryptography_vectors", reason="the package cryptography-vectors is not installed"
)
HASHES = Path(vectors.__file__).parent / "hashes"
FILES = {
    "sha1": ("SHA1/SHA1",),
    "sha224": ("SHA2/SHA224",),
    "sha256": ("SHA2/SHA256",),
    "sha384": ("SHA2/SHA384",),
    "sha512": ("SHA2/SHA512",),
    "sha3_256": ("SHA3/SHA3_256",),
    "sha3_512": ("SHA3/SHA3_512",),
}
WHOLE = {
    "blake2b": "blake2/blake2b.txt",
    "blake2s": "blake2/blake2s.txt",
    "md5": "MD5/rfc-1321.txt",
    "ripemd160": "ripemd160/ripevectors.txt",
}


def records(path: Path) -> Iterator[dict[str, str]]:
    """The groups of `name = value` lines of a file."""
    for group in path.read_text().replace("\r", "").split("\n\n"):
        lines = [line.split(" = ", 1) for line in group.splitlines() if " = " in line and line[0] not in "#["]
        if lines:
            yield dict(lines)  # type: ignore[arg-type]


def messages_and_digests(path: Path) -> tuple[list[bytes], list[bytes]]:
    found = [record for record in records(path) if "Msg" in record]
    texts = [bytes.fromhex(record["Msg"])[: int(record["Len"]) // 8] for record in found]
    return texts, [bytes.fromhex(record.get("MD") or record["Output"]) for record in found]


CASES = [
    *((name, f"{stem}{kind}Msg.rsp") for name, (stem,) in FILES.items() for kind in ("Short", "Long")),
    *(
        (f"shake{bits}", f"SHAKE/SHAKE{bits}{kind}Msg.rsp")
        for bits in (128, 256)
        for kind in ("Short", "Long")
    ),
    *WHOLE.items(),
]


@pytest.mark.parametrize(("name", "file"), CASES)
def test_messages_of_the_vectors(device: Any, name: str, file: str) -> None:
    texts, expected = messages_and_digests(HASHES / file)
    attributes: dict[str, Any] = {"max_bytes": max(map(len, texts))}
    if name.startswith("shake"):
        attributes["length"] = len(expected[0])
    assert len(texts) > 5
    assert unpack(name, device.run(name, attributes, pack(texts))) == expected


@pytest.mark.parametrize("bits", [128, 256])
def test_outputs_of_any_length(device: Any, bits: int) -> None:
    found = [record for record in records(HASHES / f"SHAKE/SHAKE{bits}VariableOut.rsp") if "Msg" in record]
    inputs = pack([bytes.fromhex(record["Msg"]) for record in found])
    longest = max(int(record["Outputlen"]) for record in found) // 8
    digests = unpack(f"shake{bits}", device.run(f"shake{bits}", {"length": longest}, inputs))
    assert [
        digest[: int(record["Outputlen"]) // 8].hex() for digest, record in zip(digests, found, strict=True)
    ] == [record["Output"] for record in found]


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_the_monte_carlo_chains(device: Any, name: str) -> None:
    """Each of the 100 chains of a thousand hashes begins with the answer of the one before, so all run at once."""
    found = list(records(HASHES / f"{FILES[name][0]}Monte.rsp"))
    seed = next(bytes.fromhex(record["Seed"]) for record in found if "Seed" in record)
    answers = [bytes.fromhex(record["MD"]) for record in found if "MD" in record]
    chains = [[start] * 3 for start in [seed, *answers[:-1]]]
    for _ in range(1000):
        texts = [chain[-1] if name.startswith("sha3_") else b"".join(chain[-3:]) for chain in chains]
        words = device.run(name, {"max_bytes": len(texts[0])}, pack(texts))
        chains = [[*chain[-2:], digest] for chain, digest in zip(chains, unpack(name, words), strict=True)]
    assert [chain[-1] for chain in chains] == answers
    assert np.unique(words, axis=0).shape[0] == 100
