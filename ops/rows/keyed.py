"""Rows that build on digests: HMAC, key derivation, trees, the search for a nonce."""

from __future__ import annotations

from ops.rows.hashes import LONGEST
from ops.spec import Attribute, OpSpec
from shaders.digests import DIGESTS


def _routine(name: str, inputs: tuple[str, ...], standard: str, doc: str, *attributes: Attribute) -> OpSpec:
    return OpSpec(
        name, "routine", inputs, doc, attributes=attributes, dtypes=("u32",), result="u32", shape="routine",
        namespace="hash", standard=standard,
    )  # fmt: skip


def _keyed(digest: str, title: str) -> tuple[OpSpec, OpSpec, OpSpec]:
    """HMAC and both derivations with one digest."""
    words = DIGESTS[digest].digest_words
    derived = "the result is u32 [n, length / 4, rounded up], big-endian words as numbers."
    length = Attribute(
        "length",
        "integer",
        4 * words,
        doc=f"How many bytes to give, at most {255 * 4 * words}; whole words come.",
    )
    return (
        _routine(
            f"hmac_{digest}",
            ("data", "offsets", "keys", "key_offsets"),
            "RFC 2104 (FIPS 198-1)",
            f"HMAC-{title} of messages, each with its key, or all with the one key; keys are bytes as messages are."
            f" The result is u32 [n, {words}], big-endian words as numbers.",
            LONGEST,
        ),
        _routine(
            f"pbkdf2_{digest}",
            ("data", "offsets", "salts", "salt_offsets"),
            "RFC 8018",
            f"PBKDF2-HMAC-{title} of passwords (`data`, `offsets`), each with its salt, or all with the one salt;"
            f" {derived}",
            Attribute("iterations", "integer", doc="How many HMACs are chained."),
            length,
            LONGEST,
            Attribute(
                "max_salt_bytes", "integer", None, doc="No salt is longer; null for the length of all."
            ),
        ),
        _routine(
            f"hkdf_{digest}",
            ("data", "offsets", "salts", "salt_offsets", "info", "info_offsets"),
            "RFC 5869",
            f"HKDF-{title} of key materials (`data`, `offsets`), each with its salt and info, or all with the one;"
            f" {derived}",
            length,
            LONGEST,
            Attribute(
                "max_info_bytes", "integer", None, doc="No info is longer; null for the length of all."
            ),
        ),
    )


ROWS = (
    *_keyed("sha256", "SHA-256"),
    *_keyed("sha512", "SHA-512"),
    *_keyed("sha384", "SHA-384"),
    *_keyed("sha224", "SHA-224"),
    *_keyed("sha1", "SHA-1"),
    _routine(
        "merkle",
        ("leaves",),
        "RFC 6962 and Bitcoin's block format, in the forms of these names",
        "The root, u32 [8], of a binary tree over SHA-256 digests, u32 [n, 8]. Forms: `plain` hashes the two children; "
        "`rfc6962` (Certificate Transparency) a byte 1 and them; `bitcoin` hashes twice. A child without a sibling "
        "goes up as it is, in `bitcoin` it is its own sibling.",
        Attribute("form", "text", "plain", ("plain", "rfc6962", "bitcoin")),
    ),
    _routine(
        "find_nonce",
        ("header", "goal"),
        "Bitcoin's proof of work",
        "Searches the nonces from `start` on for the lowest with which the double SHA-256 of an 80-byte header, as a "
        "little-endian number, is at most `goal` (u32 [8], the most significant word first). `header` is the first 76 "
        "bytes in words (the first byte lowest); the nonce follows, lowest byte first. The result is u32 [2]: 1 and "
        "the nonce, or 0 and 2^32 - 1.",
        Attribute("start", "integer", 0),
        Attribute("count", "integer", 1 << 20, doc="How many to try."),
    ),
)
