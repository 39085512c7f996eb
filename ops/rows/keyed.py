"""Rows that build on SHA-256: HMAC, key derivation, trees of digests, the search for a nonce."""

from __future__ import annotations

from ops.rows.hashes import LONGEST
from ops.spec import Attribute, OpSpec, ShapeRule

_RULE: ShapeRule = "routine"
_LENGTH = Attribute("length", "integer", 32, doc="How many bytes to give; the result has whole words.")


def _routine(name: str, inputs: tuple[str, ...], doc: str, *attributes: Attribute) -> OpSpec:
    return OpSpec(
        name, "routine", inputs, doc, attributes=attributes, dtypes=("u32",), result="u32", shape=_RULE,
        namespace="hash",
    )  # fmt: skip


ROWS = (
    _routine(
        "hmac_sha256",
        ("data", "offsets", "keys", "key_offsets"),
        "HMAC-SHA256 of messages, each with its key, or all with the one key; keys are bytes as messages are. The"
        " result is u32 [n, 8], big-endian words as numbers.",
        LONGEST,
    ),
    _routine(
        "pbkdf2_sha256",
        ("data", "offsets", "salts", "salt_offsets"),
        "PBKDF2-HMAC-SHA256 of passwords (`data`, `offsets`), each with its salt, or all with the one salt. The result"
        " is u32 [n, length / 4, rounded up], big-endian words as numbers.",
        Attribute("iterations", "integer", doc="How many HMACs are chained."),
        _LENGTH,
        LONGEST,
        Attribute("max_salt_bytes", "integer", None, doc="No salt is longer; null for the length of all."),
    ),
    _routine(
        "hkdf_sha256",
        ("data", "offsets", "salts", "salt_offsets", "info", "info_offsets"),
        "HKDF-SHA256 of key materials (`data`, `offsets`), each with its salt and info, or all with the one. The result"
        " is u32 [n, length / 4, rounded up], big-endian words as numbers.",
        _LENGTH,
        LONGEST,
        Attribute("max_info_bytes", "integer", None, doc="No info is longer; null for the length of all."),
    ),
    _routine(
        "merkle",
        ("leaves",),
        "The root, u32 [8], of a binary tree over SHA-256 digests, u32 [n, 8]. Forms: `plain` hashes the two children; "
        "`rfc6962` (Certificate Transparency) a byte 1 and them; `bitcoin` hashes twice. A child without a sibling "
        "goes up as it is, in `bitcoin` it is its own sibling.",
        Attribute("form", "text", "plain", ("plain", "rfc6962", "bitcoin")),
    ),
    _routine(
        "find_nonce",
        ("header", "goal"),
        "Searches the nonces from `start` on for the lowest with which the double SHA-256 of an 80-byte header, as a "
        "little-endian number, is at most `goal` (u32 [8], the most significant word first). `header` is the first 76 "
        "bytes in words (the first byte lowest); the nonce follows, lowest byte first. The result is u32 [2]: 1 and "
        "the nonce, or 0 and 2^32 - 1.",
        Attribute("start", "integer", 0),
        Attribute("count", "integer", 1 << 20, doc="How many to try."),
    ),
)
