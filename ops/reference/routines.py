"""What every routine means, in NumPy and plain Python.

Owns the list by name. A routine's reference takes its attributes and its inputs' arrays, and gives an array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy.typing as npt

from ops.attributes import Attributes
from ops.reference import data, keyed, streams
from shaders.keyed import KEYED

Array = npt.NDArray[Any]

ROUTINES: dict[str, Callable[[Attributes, list[Array]], Array]] = {
    "digest_rows": data.digest_rows,
    **{
        f"{family}_{name}": partial(reference, name)
        for name in KEYED
        for family, reference in (("hmac", keyed.hmac_of), ("pbkdf2", keyed.pbkdf2), ("hkdf", keyed.hkdf))
    },
    "merkle": keyed.merkle,
    "find_nonce": keyed.find_nonce,
    "bloom_build": keyed.bloom_build,
    "bloom_query": keyed.bloom_query,
    "cumsum": data.cumsum,
    "cumprod": data.cumprod,
    "cummax": data.cummax,
    "cummin": data.cummin,
    "histogram": data.histogram,
    "compact": data.compact,
    "nonzero": data.nonzero,
    "run_starts": data.run_starts,
    "take": data.take,
    "argsort": data.argsort,
    "sort": data.sort,
    "find_bytes": data.find_bytes,
    "levenshtein": data.levenshtein,
    "pack_bits": data.pack_bits,
    "unpack_bits": data.unpack_bits,
    "hex_encode": data.hex_encode,
    "hex_decode": data.hex_decode,
    "base64_encode": data.base64_encode,
    "base64_decode": data.base64_decode,
    "philox": streams.philox,
    "threefry": streams.threefry,
    "pcg32": streams.pcg32,
    "chacha20": streams.chacha20,
    "aes_ctr": streams.aes_ctr,
}
