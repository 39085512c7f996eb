"""WGSL helper functions whose results do not depend on the adapter's taste.

Owns which functions there are and which of them a text needs; the modules own their texts, one family each. Drivers
differ in how they treat NaN (`v != v` is false on llvmpipe), infinities, and the last digits of `exp`, `log` and
`tanh`; these functions test NaN by its bits and use polynomials of their own, most of them of Cephes (S. Moshier).
A `max` that changes nothing, as in `exp_f32`, keeps optimisers from adding up constants that must be applied one after
the other. Subnormal numbers may be flushed to zero, as WGSL allows. Must not know expressions or ops.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ops.numerics import (
    basic,
    division,
    exponential,
    hyperbolic,
    integers,
    longs,
    packed,
    special,
    trigonometry,
)

_NAME = re.compile(r"^fn (\w+)\(", re.MULTILINE)
_WORD = re.compile(r"\b[a-z_]\w*(?=\()")
HELPERS = {
    match.group(1): text.strip()
    for module in (basic, exponential, hyperbolic, trigonometry, special, division, integers, longs, packed)
    for text in module.TEXT.split("\n\n")
    if (match := _NAME.search(text))
}


@lru_cache(maxsize=1024)
def helpers(text: str) -> str:
    """The helper functions that the WGSL `text` calls, and those that they call, each after what it calls."""
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        for word in set(_WORD.findall(waiting.pop())) & HELPERS.keys() - needed:
            needed.add(word)
            waiting.append(HELPERS[word])
    return "\n".join(HELPERS[name] for name in HELPERS if name in needed)
