"""HMAC, key derivation, trees, the search for a nonce and Bloom filters, by `hashlib` and `hmac`.

Owns their references. Must not know devices.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ops.attributes import Attributes, integer, maybe_integer
from ops.reference.hashes import murmur3
from shaders.digests import DIGESTS

Array = npt.NDArray[Any]


def cut(
    data: Array, offsets: Array, longest: int | None = None, digest: str = "sha256"
) -> Iterator[bytes | None]:
    """The messages of two inputs; None for one that lies outside, is backwards or fills more blocks than `longest`."""
    raw = data.tobytes()
    most = len(raw) if longest is None else min(longest, len(raw))
    blocks = DIGESTS[digest].blocks
    for begin, end in pairwise(offsets.tolist()):
        right = begin <= end <= len(raw) and blocks(end - begin) <= blocks(most)
        yield raw[begin:end] if right else None


def _each(data: Array, offsets: Array, count: int) -> list[bytes | None]:
    found = list(cut(data, offsets))
    return found * count if len(found) == 1 else found


def _rows(rows: list[bytes], words: int) -> Array:
    raw = b"".join(row[: 4 * words].ljust(4 * words, b"\0") for row in rows)
    return np.frombuffer(raw, ">u4").reshape(len(rows), words).astype(np.uint32)


def hmac_of(name: str, attributes: Attributes, args: list[Array]) -> Array:
    """HMAC with the digest `name`; zeros where a message or key is outside."""
    texts = list(cut(args[0], args[1], maybe_integer(attributes, "max_bytes"), name))
    keys = _each(args[2], args[3], len(texts))
    rows = [_mac(name, key, text) for key, text in zip(keys, texts, strict=True)]
    return _rows(rows, DIGESTS[name].digest_words)


def _mac(name: str, key: bytes | None, text: bytes | None) -> bytes:
    return b"" if key is None or text is None else hmac.digest(key, text, name)


def pbkdf2(name: str, attributes: Attributes, args: list[Array]) -> Array:
    """PBKDF2 with HMAC with the digest `name`."""
    passwords = list(cut(args[0], args[1], maybe_integer(attributes, "max_bytes"), name))
    salts = _each(args[2], args[3], len(passwords))
    words = -(-integer(attributes, "length") // 4)
    turns = integer(attributes, "iterations")
    rows = [
        b"" if password is None or salt is None or not words
        else hashlib.pbkdf2_hmac(name, password, salt, turns, 4 * words)
        for password, salt in zip(passwords, salts, strict=True)
    ]  # fmt: skip
    return _rows(rows, words)


def hkdf(name: str, attributes: Attributes, args: list[Array]) -> Array:
    """HKDF with the digest `name`."""
    materials = list(cut(args[0], args[1], maybe_integer(attributes, "max_bytes"), name))
    salts, infos = (_each(args[place], args[place + 1], len(materials)) for place in (2, 4))
    words = -(-integer(attributes, "length") // 4)
    rows = []
    for material, salt, info in zip(materials, salts, infos, strict=True):
        key, block, text = _mac(name, salt, material), b"", b""
        for number in range(-(-words // DIGESTS[name].digest_words)):
            block = hmac.digest(key, block + (info or b"") + bytes([number + 1]), name)
            text += block
        rows.append(text if key and info is not None else b"")
    return _rows(rows, words)


def merkle(attributes: Attributes, args: list[Array]) -> Array:
    """The root of a tree of digests."""
    nodes, form = [row.astype(">u4").tobytes() for row in args[0]], attributes["form"]
    while len(nodes) > 1:
        if len(nodes) % 2 and form == "bitcoin":
            nodes.append(nodes[-1])
        pairs = [nodes[place : place + 2] for place in range(0, len(nodes), 2)]
        nodes = [_node(b"".join(pair), str(form)) if len(pair) == 2 else pair[0] for pair in pairs]
    return np.frombuffer(nodes[0], ">u4").astype(np.uint32)


def _node(pair: bytes, form: str) -> bytes:
    digest = hashlib.sha256(b"\x01" * (form == "rfc6962") + pair).digest()
    return hashlib.sha256(digest).digest() if form == "bitcoin" else digest


def find_nonce(attributes: Attributes, args: list[Array]) -> Array:
    """Whether a nonce was found, and the lowest."""
    header, goal = args[0].tobytes(), int.from_bytes(args[1].astype(">u4").tobytes(), "big")
    start = integer(attributes, "start")
    for nonce in range(start, start + integer(attributes, "count")):
        digest = hashlib.sha256(hashlib.sha256(header + nonce.to_bytes(4, "little")).digest()).digest()
        if int.from_bytes(digest, "little") <= goal:
            return np.array([1, nonce], np.uint32)
    return np.array([0, 0xFFFFFFFF], np.uint32)


def bloom_build(attributes: Attributes, args: list[Array]) -> Array:
    """The bits of all messages."""
    words = -(-integer(attributes, "bits") // 32)
    flags = np.zeros(32 * words, np.bool_)
    for places in _bloom(attributes, args, 32 * words):
        flags[places] = True
    return np.packbits(flags, bitorder="little").view(np.uint32)


def bloom_query(attributes: Attributes, args: list[Array]) -> Array:
    """Whether all bits of each are set."""
    flags = np.unpackbits(args[0].view(np.uint8), bitorder="little")
    return np.array(
        [bool(flags[places].all()) for places in _bloom(attributes, args[1:], flags.size)], np.bool_
    )


def _bloom(attributes: Attributes, args: list[Array], bits: int) -> Iterator[list[int]]:
    for message in cut(args[0], args[1], maybe_integer(attributes, "max_bytes"), digest="murmur3"):
        first, second = (0 if message is None else murmur3(message, seed) for seed in (0, 0x9747B28C))
        turns = range(integer(attributes, "hashes"))
        yield [((first + turn * (second | 1)) & 0xFFFFFFFF) % bits for turn in turns]
