"""Rows that make streams of words: random numbers (`random.`) and ciphers (`cipher.`)."""

from __future__ import annotations

from ops.spec import Attribute, OpSpec

_COUNT = Attribute("count", "integer", doc="How many words.")
_COUNTER = Attribute(
    "counter", "words", (0, 0, 0, 0), doc="Four words, the lowest first: where the stream begins."
)


def _stream(
    namespace: str, name: str, inputs: tuple[str, ...], standard: str, doc: str, *attributes: Attribute
) -> OpSpec:
    return OpSpec(
        name,
        "routine",
        inputs,
        doc,
        attributes=attributes,
        dtypes=("u32",),
        result="u32",
        shape="routine",
        namespace=namespace,
        standard=standard,
    )


ROWS = (
    _stream(
        "random",
        "philox",
        (),
        "Random123 (Salmon, Moraes, Dror and Shaw, 2011)",
        "Random u32 by Philox4x32-10: four words for each step of a counter of 128 bits.",
        _COUNT,
        Attribute("key", "words", (0, 0), doc="Two words."),
        _COUNTER,
    ),
    _stream(
        "random",
        "threefry",
        (),
        "Random123 (Salmon, Moraes, Dror and Shaw, 2011)",
        "Random u32 by Threefry4x32-20: four words for each step of a counter of 128 bits.",
        _COUNT,
        Attribute("key", "words", (0, 0, 0, 0), doc="Four words."),
        _COUNTER,
    ),
    _stream(
        "random",
        "pcg32",
        (),
        "PCG (O'Neill, 2014)",
        "Random u32 by PCG32 (XSH RR), the sequence of one generator of a seed and a stream.",
        _COUNT,
        Attribute("seed", "integer", 0),
        Attribute("stream", "integer", 0),
    ),
    _stream(
        "cipher",
        "chacha20",
        ("x", "key", "nonce"),
        "RFC 8439",
        "`x` (u32 words, the first byte lowest) encrypted or decrypted by ChaCha20 (RFC 8439); the key is 8 words, the"
        " nonce 3. It does not tell whether a text was altered.",
        Attribute("counter", "integer", 0, doc="The number of the first block."),
    ),
    _stream(
        "cipher",
        "aes_ctr",
        ("x", "key", "counter"),
        "FIPS 197 and NIST SP 800-38A",
        "`x` (u32 words, the first byte lowest) encrypted or decrypted by AES in counter mode; the key is 4, 6 or 8"
        " words, the first counter block 4. Not constant-time: it reads a table at places that depend on the key. It"
        " does not tell whether a text was altered.",
    ),
)
