"""Sums, sorting, search and text, in NumPy and Python's own library.

Owns their references. Must not know devices.
"""

from __future__ import annotations

import base64
import binascii
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.attributes import Attributes, integer, maybe_integer
from ops.reference.hashes import HASHES
from shaders.digests import DIGESTS

Array = npt.NDArray[Any]
_NONE = 0xFFFFFFFF


def cumsum(attributes: Attributes, args: list[Array]) -> Array:
    """Running sums along an axis, of floats in f64."""
    (x,) = args
    if not x.ndim:
        return x * 0 if attributes["exclusive"] else x
    wide = np.moveaxis(x, integer(attributes, "axis"), -1)
    sums = np.cumsum(wide, axis=-1, dtype=_wide(x))
    if attributes["exclusive"]:
        sums = np.concatenate([sums[..., :1] * 0, sums[..., :-1]], axis=-1)
    return np.moveaxis(sums, -1, integer(attributes, "axis"))


def cumprod(attributes: Attributes, args: list[Array]) -> Array:
    """Running products, likewise."""
    return _running(np.cumprod, attributes, args, dtype=_wide(args[0]))


def cummax(attributes: Attributes, args: list[Array]) -> Array:
    """Running maxima."""
    return _running(np.maximum.accumulate, attributes, args)


def cummin(attributes: Attributes, args: list[Array]) -> Array:
    """Running minima."""
    return _running(np.minimum.accumulate, attributes, args)


def _wide(x: Array) -> Any:
    return np.float64 if x.dtype.kind == "f" else np.int64


def _running(function: Any, attributes: Attributes, args: list[Array], **more: Any) -> Array:
    (x,) = args
    return np.asarray(function(x, axis=integer(attributes, "axis"), **more)) if x.ndim else x


def digest_rows(attributes: Attributes, args: list[Array]) -> Array:
    """The digest of the bytes of each row."""
    name, (x,) = str(attributes["algorithm"]), args
    rows = [HASHES[name](row.tobytes()[: maybe_integer(attributes, "bytes")], {}) for row in x]
    order = ">u4" if DIGESTS[name].order == "big" else "<u4"
    return np.frombuffer(b"".join(rows), order).reshape(len(rows), DIGESTS[name].digest_words)


def histogram(attributes: Attributes, args: list[Array]) -> Array:
    """Counts of the numbers below `bins`."""
    bins = integer(attributes, "bins")
    return np.bincount(args[0][args[0] < bins], minlength=bins)


def compact(attributes: Attributes, args: list[Array]) -> Array:
    """The kept ones, then zeros."""
    kept = args[0][args[1]]
    return np.concatenate([kept, np.zeros(args[0].size - kept.size, kept.dtype)])


def _filled(places: Array, size: int) -> Array:
    return np.concatenate([places, np.full(size + 1 - places.size, size)])


def nonzero(attributes: Attributes, args: list[Array]) -> Array:
    """Positions of what is true, then the size."""
    return _filled(np.flatnonzero(args[0]), args[0].size)


def run_starts(attributes: Attributes, args: list[Array]) -> Array:
    """Positions where the bits change, then the size."""
    bits = args[0].view(f"u{args[0].itemsize}")
    starts = np.flatnonzero(np.concatenate([np.ones(min(bits.size, 1), np.bool_), bits[1:] != bits[:-1]]))
    return _filled(starts, bits.size)


def take(attributes: Attributes, args: list[Array]) -> Array:
    """The elements at positions, 0 for those outside."""
    x, places = args
    padded = np.concatenate([x, np.zeros(1, x.dtype)])
    return np.asarray(padded[np.minimum(places, x.size)])


def argsort(attributes: Attributes, args: list[Array]) -> Array:
    """Stable order along an axis; descending it begins with NaN."""
    (x,) = args
    if not x.ndim:
        return np.zeros((), np.uint32)
    wide = np.moveaxis(x, integer(attributes, "axis"), -1)
    if attributes["descending"]:
        places = wide.shape[-1] - 1 - np.argsort(wide[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    else:
        places = np.argsort(wide, axis=-1, kind="stable")
    return np.moveaxis(places, -1, integer(attributes, "axis"))


def sort(attributes: Attributes, args: list[Array]) -> Array:
    """In stable order, bit by bit the same elements."""
    (x,) = args
    return np.take_along_axis(x, argsort(attributes, args), integer(attributes, "axis")) if x.ndim else x


def find_bytes(attributes: Attributes, args: list[Array]) -> Array:
    """The first needle at each place."""
    text = args[0].tobytes()[: integer(attributes, "size")]
    raw, found = args[1].tobytes(), np.zeros(len(text), np.uint32)
    for number, (begin, end) in reversed(list(enumerate(pairwise(args[2].tolist()), 1))):
        place = text.find(raw[begin:end]) if begin < end <= len(raw) else -1
        while place >= 0:
            found[place] = number
            place = text.find(raw[begin:end], place + 1)
    return found


def levenshtein(attributes: Attributes, args: list[Array]) -> Array:
    """Edit distances, row by row."""
    longest = integer(attributes, "max_bytes")
    sides = [_messages(data, offsets, longest) for data, offsets in (args[:2], args[2:])]
    pairs = zip(*sides, strict=True)
    return np.array([_NONE if a is None or b is None else _distance(a, b) for a, b in pairs], np.uint32)


def _messages(data: Array, offsets: Array, longest: int) -> list[bytes | None]:
    raw = data.tobytes()
    return [
        raw[begin:end] if begin <= end <= len(raw) and end - begin <= longest else None
        for begin, end in pairwise(offsets.tolist())
    ]


def _distance(a: bytes, b: bytes) -> int:
    line = list(range(len(b) + 1))
    for row, x in enumerate(a, 1):
        corner, line[0] = line[0], row
        for column, y in enumerate(b, 1):
            corner, line[column] = (
                line[column],
                min(line[column - 1] + 1, line[column] + 1, corner + (x != y)),
            )
    return line[-1]


def pack_bits(attributes: Attributes, args: list[Array]) -> Array:
    """Bools as bits."""
    return _words(np.packbits(args[0], bitorder="little").tobytes())


def unpack_bits(attributes: Attributes, args: list[Array]) -> Array:
    """Bits as bools."""
    bits = np.unpackbits(args[0].view(np.uint8), bitorder="little")
    return np.asarray(bits[: integer(attributes, "count")] != 0)


def hex_encode(attributes: Attributes, args: list[Array]) -> Array:
    """Hexadecimal digits."""
    return _words(_text(attributes, args).hex().encode())


def base64_encode(attributes: Attributes, args: list[Array]) -> Array:
    """Base64 letters."""
    return _words(base64.b64encode(_text(attributes, args)))


def decoded_words(name: str, size: int) -> int:
    """The words that `size` letters may mean."""
    return -(-(size // 2 if name == "hex_decode" else -(-size // 4) * 3) // 4)


def hex_decode(attributes: Attributes, args: list[Array]) -> Array:
    """Bytes of hexadecimal digits; of text that is none only the last word matters."""
    return _decoded("hex_decode", attributes, args)


def base64_decode(attributes: Attributes, args: list[Array]) -> Array:
    """Bytes of base64 letters, likewise."""
    return _decoded("base64_decode", attributes, args)


def _decoded(name: str, attributes: Attributes, args: list[Array]) -> Array:
    text = _text(attributes, args)
    words = decoded_words(name, len(text))
    try:
        raw = binascii.unhexlify(text) if name == "hex_decode" else base64.b64decode(text, validate=True)
    except binascii.Error:
        return np.array([0] * words + [_NONE], np.uint32)
    return np.append(_words(raw.ljust(4 * words, b"\0")), np.uint32(len(raw)))


def _text(attributes: Attributes, args: list[Array]) -> bytes:
    return args[0].tobytes()[: integer(attributes, "size")]


def _words(raw: bytes) -> Array:
    return np.frombuffer(raw + bytes(-len(raw) % 4), "<u4")
