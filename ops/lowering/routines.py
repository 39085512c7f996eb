"""Routines: ops whose kernels are written by hand, found by the row's name.

Owns the list. Must not know what they do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ops.attributes import Attributes
from ops.lowering import bloom, collections, digest_rows, keyed, sorting, streams, text
from ops.lowering.builder import Builder
from ops.lowering.operands import Source, Target
from shaders.digests import DIGESTS
from shaders.keyed import KEYED

Emit = Callable[[Builder, Attributes, list[Source], Target], None]

ROUTINES: dict[str, Emit] = {
    "digest_rows": digest_rows.emit,
    **{
        f"{family}_{name}": partial(emit, DIGESTS[name])
        for name in KEYED
        for family, emit in (("hmac", keyed.hmac), ("pbkdf2", keyed.pbkdf2), ("hkdf", keyed.hkdf))
    },
    "merkle": keyed.tree,
    "find_nonce": keyed.find_nonce,
    "bloom_build": bloom.build,
    "bloom_query": bloom.query,
    "cumsum": collections.cumsum,
    "cumprod": collections.cumprod,
    "cummax": collections.cummax,
    "cummin": collections.cummin,
    "histogram": collections.histogram,
    "compact": collections.compact,
    "nonzero": collections.nonzero,
    "run_starts": collections.run_starts,
    "take": collections.take,
    "argsort": sorting.argsort,
    "sort": sorting.sort,
    "find_bytes": text.find_bytes,
    "levenshtein": text.levenshtein,
    "pack_bits": text.pack_bits,
    "unpack_bits": text.unpack_bits,
    "hex_encode": text.hex_encode,
    "hex_decode": text.hex_decode,
    "base64_encode": text.base64_encode,
    "base64_decode": text.base64_decode,
    "philox": streams.philox,
    "threefry": streams.threefry,
    "pcg32": streams.pcg32,
    "chacha20": streams.chacha20,
    "aes_ctr": streams.aes_ctr,
}
