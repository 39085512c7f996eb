"""Shapes of what hashes and routines give, one rule for each, found by the row's name.

Owns the checks of their inputs' shapes and attributes. Must not know dtypes or kernels.
"""

from __future__ import annotations

from collections.abc import Callable

from ops.attributes import U32, Attributes, integer, within, words
from ops.errors import ShapeError
from ops.shapes import MAX_COUNT, Shape, axis, text
from ops.spec import OpSpec
from shaders.digests import DIGESTS, Digest
from shaders.keyed import KEYED

Rule = Callable[[OpSpec, Attributes, list[Shape]], Shape]
MAX_SQUEEZE = 255 * 32
"""The most bytes that are asked of a sponge: each block of them is a few dispatches."""
MAX_DERIVED = 255
"""The most digests that are asked of a key derivation, likewise; HKDF can give no more."""
MAX_ITERATIONS = 1 << 24
MAX_NONCES = 1 << 28
MAX_DISTANCE_BYTES = 2048
MAX_NEEDLE_BYTES = 8_000


def shape(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    """The shape that the routine `spec` gives."""
    return _RULES[spec.name](spec, attributes, inputs)


def digest(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    """The shape that a digest gives."""
    count = _messages(spec, inputs)
    if "key" in attributes:
        words(spec, attributes, "key", 4)
    if "seed" in attributes:
        within(spec, attributes, "seed", 0, 1 << 53)
    if "length" in attributes:
        return (count, _length(spec, attributes))
    return (count, DIGESTS[spec.name].digest_words)


def _digest_rows(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    (rows,) = inputs
    if len(rows) != 2:
        raise refuse(spec, inputs, "x [n, words]")
    within(spec, attributes, "bytes", 0, min(4 * rows[1], U32))
    if attributes["bytes"] is None and 4 * rows[1] > U32:
        raise refuse(spec, inputs, f"rows of at most {U32 // 4} words")
    return (rows[0], DIGESTS[str(attributes["algorithm"])].digest_words)


def refuse(spec: OpSpec, inputs: list[Shape], wanted: str) -> ShapeError:
    """The error for inputs of wrong shapes."""
    return ShapeError(f"{spec.name} takes {wanted}, not {' and '.join(map(text, inputs))}")


def _length(spec: OpSpec, attributes: Attributes, most: int = MAX_SQUEEZE) -> int:
    within(spec, attributes, "length", 0, most)
    return -(-integer(attributes, "length") // 4)


def _messages(spec: OpSpec, inputs: list[Shape]) -> int:
    """How many messages the inputs are; every further pair of inputs must be as many, or one."""
    counts = []
    for data, offsets in zip(inputs[::2], inputs[1::2], strict=True):
        if len(data) != 1 or len(offsets) != 1 or not offsets[0]:
            names = " and ".join(
                f"{name} [{'words' if number % 2 == 0 else 'n + 1'}]"
                for number, name in enumerate(spec.inputs)
            )
            raise refuse(spec, inputs, names)
        counts.append(offsets[0] - 1)
    if any(count not in (1, counts[0]) for count in counts[1:]):
        raise ShapeError(f"{spec.name} takes as many of each as it has messages ({counts[0]}), or one")
    return counts[0]


def _hmac(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (_messages(spec, inputs), _keyed(spec).digest_words)


def _keyed(spec: OpSpec) -> Digest:
    """The digest that ends the row's name."""
    return DIGESTS[spec.name.partition("_")[2]]


def _derivation(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    if "iterations" in attributes:
        within(spec, attributes, "iterations", 1, MAX_ITERATIONS)
    most = MAX_DERIVED * 4 * _keyed(spec).digest_words
    return (_messages(spec, inputs), _length(spec, attributes, most))


def _merkle(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    (leaves,) = inputs
    if len(leaves) != 2 or leaves[1] != 8 or not leaves[0]:
        raise refuse(spec, inputs, "leaves [n, 8] of at least one")
    return (8,)


def _find_nonce(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    if inputs != [(19,), (8,)]:
        raise refuse(spec, inputs, "header [19] and goal [8]")
    within(spec, attributes, "start", 0, U32)
    within(spec, attributes, "count", 1, min(MAX_NONCES, U32 + 1 - integer(attributes, "start")))
    return (2,)


def _flat(spec: OpSpec, inputs: list[Shape]) -> int:
    """The size of the first input; all must have one axis."""
    if any(len(each) != 1 for each in inputs):
        raise refuse(spec, inputs, " and ".join(f"{name} [n]" for name in spec.inputs))
    return inputs[0][0]


def _along(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    axis(integer(attributes, "axis"), len(inputs[0]))
    return inputs[0]


def _places(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (_flat(spec, inputs) + 1,)


def _histogram(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    _flat(spec, inputs)
    within(spec, attributes, "bins", 0, MAX_COUNT)
    return (integer(attributes, "bins"),)


def _compact(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    if len(set(inputs)) > 1:
        raise refuse(spec, inputs, "as many flags as elements")
    return (_flat(spec, inputs),)


def _take(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    _flat(spec, inputs)
    return inputs[1]


def _size(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> int:
    """The attribute `size`, which the first input must hold."""
    words = _flat(spec, inputs)
    within(spec, attributes, "size", 0, min(4 * words, MAX_COUNT))
    return integer(attributes, "size")


def _find_bytes(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    if 4 * inputs[1][0] + _messages(spec, inputs[1:]) > MAX_NEEDLE_BYTES:
        raise refuse(spec, inputs, f"needles of at most {MAX_NEEDLE_BYTES} bytes together, one more each")
    return (_size(spec, attributes, inputs),)


def _bloom_build(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    _messages(spec, inputs)
    within(spec, attributes, "bits", 1, MAX_COUNT)
    within(spec, attributes, "hashes", 1, 64)
    return (-(-integer(attributes, "bits") // 32),)


def _bloom_query(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    if not _flat(spec, inputs):
        raise refuse(spec, inputs, "a filter of at least one word")
    within(spec, attributes, "hashes", 1, 64)
    return (_messages(spec, inputs[1:]),)


def _levenshtein(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    count = _messages(spec, inputs)
    if inputs[3] != inputs[1]:
        raise refuse(spec, inputs, "as many messages on the right as on the left")
    within(spec, attributes, "max_bytes", 0, MAX_DISTANCE_BYTES)
    return (count,)


def _pack_bits(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (-(-_flat(spec, inputs) // 32),)


def _unpack_bits(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    within(spec, attributes, "count", 0, min(32 * _flat(spec, inputs), MAX_COUNT))
    return (integer(attributes, "count"),)


def _hex_encode(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (-(-_size(spec, attributes, inputs) // 2),)


def _base64_encode(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (-(-_size(spec, attributes, inputs) // 3),)


def _hex_decode(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (-(-(_size(spec, attributes, inputs) // 2) // 4) + 1,)


def _base64_decode(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (-(-(-(-_size(spec, attributes, inputs) // 4) * 3) // 4) + 1,)


def _stream(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    for name, count in (("key", 2 if spec.name == "philox" else 4), ("counter", 4)):
        if name in attributes:
            words(spec, attributes, name, count)
    for name in ("seed", "stream"):
        if name in attributes:
            within(spec, attributes, name, 0, 1 << 53)
    within(spec, attributes, "count", 0, MAX_COUNT)
    return (integer(attributes, "count"),)


def _cipher(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    keys, others = ([(8,)], [(3,)]) if spec.name == "chacha20" else ([(4,), (6,), (8,)], [(4,)])
    _flat(spec, inputs)
    if inputs[1] not in keys or inputs[2] not in others:
        sizes = " or ".join(map(text, keys))
        raise refuse(spec, inputs, f"x [n], {spec.inputs[1]} {sizes} and {spec.inputs[2]} {text(others[0])}")
    if "counter" in attributes:
        within(spec, attributes, "counter", 0, U32)
    return inputs[0]


def longest(spec: OpSpec, attributes: Attributes) -> None:
    """Refuse bounds on messages that no buffer holds."""
    for name in ("max_bytes", "max_salt_bytes", "max_info_bytes"):
        if name in attributes:
            within(spec, attributes, name, 0, MAX_COUNT)


_RULES: dict[str, Rule] = {
    "digest_rows": _digest_rows,
    **{f"hmac_{name}": _hmac for name in KEYED},
    **{f"{family}_{name}": _derivation for family in ("pbkdf2", "hkdf") for name in KEYED},
    "merkle": _merkle,
    "find_nonce": _find_nonce,
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "argsort", "sort"), _along),
    **dict.fromkeys(("nonzero", "run_starts"), _places),
    "histogram": _histogram,
    "compact": _compact,
    "take": _take,
    "find_bytes": _find_bytes,
    "bloom_build": _bloom_build,
    "bloom_query": _bloom_query,
    "levenshtein": _levenshtein,
    "pack_bits": _pack_bits,
    "unpack_bits": _unpack_bits,
    "hex_encode": _hex_encode,
    "hex_decode": _hex_decode,
    "base64_encode": _base64_encode,
    "base64_decode": _base64_decode,
    **dict.fromkeys(("philox", "threefry", "pcg32"), _stream),
    **dict.fromkeys(("chacha20", "aes_ctr"), _cipher),
}
