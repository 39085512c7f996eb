"""Rows that sum, sort, search and repack flat arrays: the namespaces `data.` and `bits.`"""

from __future__ import annotations

from ops.rows.hashes import LONGEST
from ops.spec import ALL, NUMBERS, NUMBERS_64, SUM, Attribute, OpSpec, ResultRule

_BYTES = "bytes packed into u32 words (the first byte lowest)"
_SIZE = Attribute("size", "integer", doc="How many bytes the input holds.")
_WORDS = ("u32",)
_ALONG = Attribute("axis", "integer", -1)
_DESCENDING = Attribute("descending", "flag", False)
_SORTED = "; equal ones keep their order, NaN is above all."
_HASHES = Attribute("hashes", "integer", 7, doc="How many bits a message sets, from 1 to 64.")


def _routine(
    name: str,
    inputs: dict[str, tuple[str, ...]],
    doc: str,
    *attributes: Attribute,
    result: ResultRule = "u32",
    namespace: str = "data",
    aliases: tuple[str, ...] = (),
    tolerance: float = 0,
    relative: str = "result",
    standard: str = "",
) -> OpSpec:
    return OpSpec(
        name,
        "routine",
        tuple(inputs),
        doc,
        aliases=aliases,
        attributes=attributes,
        result=result,
        shape="routine",
        tolerance=tolerance,
        relative=relative,
        namespace=namespace,
        input_dtypes=tuple(inputs.values()),
        standard=standard,
    )


ROWS = (
    _routine(
        "cumsum",
        {"x": NUMBERS_64},
        "Running sums along an axis; `exclusive` begins with 0 and leaves the last element out. Integers wrap.",
        _ALONG,
        Attribute("exclusive", "flag", False),
        result="sum",
        aliases=("prefix_sum",),
        tolerance=1e-6,
        relative=SUM,
    ),
    _routine(
        "cumprod",
        {"x": NUMBERS_64},
        "Running products along an axis. Integers wrap.",
        _ALONG,
        result="sum",
        tolerance=1e-4,
    ),
    _routine("cummax", {"x": NUMBERS}, "Running maxima along an axis.", _ALONG, result="first"),
    _routine("cummin", {"x": NUMBERS}, "Running minima along an axis.", _ALONG, result="first"),
    _routine(
        "histogram",
        {"x": _WORDS},
        "How often each number below `bins` is in a flat array; larger ones are not counted.",
        Attribute("bins", "integer"),
    ),
    _routine(
        "compact",
        {"x": ALL, "keep": ("bool",)},
        "The elements of a flat array where `keep` is true, in order, then zeros up to the same size.",
        result="first",
    ),
    _routine(
        "nonzero",
        {"x": ("bool",)},
        "The positions in a flat array of n where `x` is true, in order, then n up to size n + 1.",
    ),
    _routine(
        "run_starts",
        {"x": ALL},
        "The positions in a flat array of n where an element differs (in its bits) from the one before, the first among"
        " them, then n up to size n + 1: neighbours of these bound the runs.",
    ),
    _routine(
        "take",
        {"x": ALL, "positions": _WORDS},
        "The elements of a flat array at positions; 0 for a position outside.",
        result="first",
    ),
    _routine(
        "argsort",
        {"x": ALL},
        f"The positions along an axis of the elements in ascending order{_SORTED}",
        _ALONG,
        _DESCENDING,
    ),
    _routine(
        "sort",
        {"x": ALL},
        f"The elements along an axis in ascending order{_SORTED}",
        _ALONG,
        _DESCENDING,
        result="first",
    ),
    _routine(
        "find_bytes",
        {"data": _WORDS, "needles": _WORDS, "offsets": _WORDS},
        f"Which needle stands at each of the first `size` bytes of `data` ({_BYTES}): the number of the first that"
        " does, from 1, or 0. Needle n is the bytes of `needles` from `offsets[n]` to `offsets[n + 1]`; all are at"
        " most 8000 bytes together.",
        _SIZE,
    ),
    _routine(
        "levenshtein",
        {"left": _WORDS, "left_offsets": _WORDS, "right": _WORDS, "right_offsets": _WORDS},
        "The edit distance in bytes of each pair of messages, packed as for hashes; 2^32 - 1 where one is longer than"
        " `max_bytes` or outside.",
        Attribute("max_bytes", "integer", 256, doc="No message is longer."),
        standard="Levenshtein (1966)",
    ),
    _routine(
        "bloom_build",
        {"data": _WORDS, "offsets": _WORDS},
        "A Bloom filter of messages, packed as for hashes: u32 words of `bits` bits, rounded up to whole words. Bit"
        " places are the first MurmurHash3 (seed 0) and steps from it by the second (seed 0x9747b28c, made odd).",
        Attribute("bits", "integer"),
        _HASHES,
        LONGEST,
        standard="Bloom (1970), with the double hashing of Kirsch and Mitzenmacher (2006)",
    ),
    _routine(
        "bloom_query",
        {"filter": _WORDS, "data": _WORDS, "offsets": _WORDS},
        "Whether each message may be among those of a Bloom filter; a false is certain.",
        _HASHES,
        LONGEST,
        result="bool",
    ),
    _routine(
        "pack_bits",
        {"x": ("bool",)},
        "Bools of a flat array as bits of u32 words, the first lowest.",
        namespace="bits",
    ),
    _routine(
        "unpack_bits",
        {"x": _WORDS},
        "The first `count` bits of words as bools, the lowest first.",
        Attribute("count", "integer"),
        result="bool",
        namespace="bits",
    ),
    _routine(
        "hex_encode",
        {"x": _WORDS},
        f"The first `size` of {_BYTES} in hexadecimal, packed likewise.",
        _SIZE,
        namespace="bits",
        standard="RFC 4648",
    ),
    _routine(
        "hex_decode",
        {"x": _WORDS},
        "The bytes that `size` hexadecimal digits (packed bytes) mean, packed likewise; one word more says how many, or"
        " 2^32 - 1 if the text is no hexadecimal.",
        _SIZE,
        namespace="bits",
        standard="RFC 4648",
    ),
    _routine(
        "base64_encode",
        {"x": _WORDS},
        f"The first `size` of {_BYTES} in base64 with its padding, packed likewise.",
        _SIZE,
        namespace="bits",
        standard="RFC 4648",
    ),
    _routine(
        "base64_decode",
        {"x": _WORDS},
        "The bytes that `size` letters of base64 (packed bytes, with padding) mean, packed likewise; one word more says"
        " how many, or 2^32 - 1 if the text is no base64.",
        _SIZE,
        namespace="bits",
        standard="RFC 4648",
    ),
)
