"""Rows that hash: digests and checksums of many messages, in the namespace `hash.`"""

from __future__ import annotations

from ops.spec import Attribute, OpSpec
from shaders.digest_rows import ROW_DIGESTS
from shaders.digests import DIGESTS

LONGEST = Attribute("max_bytes", "integer", None, doc="No message is longer; null for the length of all.")
_SEED = Attribute("seed", "integer", 0, doc="From 0 to 2^53.")
_KEY = Attribute("key", "integers", (0, 0, 0, 0), doc="The 16 bytes of the key as four little-endian words.")
_LENGTH = Attribute("length", "integer", doc="How many bytes to give; the result has whole words.")
_MESSAGES = (
    "`data` is the bytes of the messages, packed into u32 words (the first byte lowest), message n is the bytes from"
    " `offsets[n]` to `offsets[n + 1]`"
)


def _digest(
    name: str,
    title: str,
    standard: str,
    *attributes: Attribute,
    aliases: tuple[str, ...] = (),
) -> OpSpec:
    words, order = DIGESTS[name].digest_words, DIGESTS[name].order
    size = f"[n, {words}]" if words else "[n, length / 4, rounded up]"
    numbers = f"{order}-endian words as numbers" if words != 1 else "a number"
    return OpSpec(
        name,
        "digest",
        ("data", "offsets"),
        f"{title} of messages: {_MESSAGES}; the result is u32 {size}, {numbers}.",
        aliases=aliases,
        attributes=(LONGEST, *attributes),
        dtypes=("u32",),
        result="u32",
        shape="digest",
        namespace="hash",
        standard=standard,
    )


_ROW_DIGESTS = OpSpec(
    "digest_rows",
    "routine",
    ("x",),
    "Digests of messages that are all as long: x is u32 [n, words], each row the bytes of a message (the first byte of"
    " a word lowest). Faster than by offsets; the result is u32 [n, words of the digest], as `algorithm` gives it.",
    attributes=(
        Attribute("algorithm", "text", "sha256", choices=ROW_DIGESTS, doc="Which digest."),
        Attribute(
            "bytes", "integer", None, doc="How many bytes of each row are the message; null for all of them."
        ),
    ),
    dtypes=("u32",),
    result="u32",
    shape="routine",
    namespace="hash",
    standard="the standard of the algorithm",
)

_FIPS = "FIPS 180-4"
_SHA3 = "FIPS 202"
_BLAKE2 = "RFC 7693"

ROWS = (
    _ROW_DIGESTS,
    _digest("sha256", "SHA-256", _FIPS),
    _digest("sha224", "SHA-224", _FIPS),
    _digest("sha256d", "SHA-256 of the SHA-256", f"{_FIPS}, twice, as Bitcoin does"),
    _digest("sha1", "SHA-1 (broken: for old formats only)", _FIPS),
    _digest("md5", "MD5 (broken: for old formats only)", "RFC 1321"),
    _digest("ripemd160", "RIPEMD-160", "ISO/IEC 10118-3 (Dobbertin, Bosselaers and Preneel, 1996)"),
    _digest("crc32", "CRC-32 (zlib's)", "RFC 1952 (CRC-32/ISO-HDLC)"),
    _digest("crc32c", "CRC-32C (Castagnoli)", "RFC 3720 (CRC-32/ISCSI)"),
    _digest("crc64", "CRC-64/XZ", "the format .xz (CRC-64/XZ)"),
    _digest("adler32", "Adler-32", "RFC 1950"),
    _digest("murmur3", "MurmurHash3 (x86, 32 bits)", "MurmurHash3_x86_32 (Appleby, 2011)", _SEED),
    _digest("xxhash64", "xxHash64", "XXH64 of the xxHash specification", _SEED, aliases=("xxh64",)),
    _digest("siphash", "SipHash-2-4", "SipHash-2-4 (Aumasson and Bernstein, 2012)", _KEY),
    _digest("sha512", "SHA-512", _FIPS),
    _digest("sha384", "SHA-384", _FIPS),
    _digest("sha3_256", "SHA3-256", _SHA3),
    _digest("sha3_512", "SHA3-512", _SHA3),
    _digest("keccak256", "Keccak-256 (Ethereum's)", "the Keccak submission to NIST, version 3 (2011)"),
    _digest("shake128", "SHAKE128", _SHA3, _LENGTH),
    _digest("shake256", "SHAKE256", _SHA3, _LENGTH),
    _digest("blake2s", "BLAKE2s (32 bytes, no key)", _BLAKE2),
    _digest("blake3", "BLAKE3 (32 bytes, no key)", "the BLAKE3 paper (2020)"),
    _digest("blake2b", "BLAKE2b (64 bytes, no key)", _BLAKE2),
)
