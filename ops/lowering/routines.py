"""Routines: ops whose kernels are written by hand, found by the row's name.

Owns the list. Must not know what they do.
"""

from __future__ import annotations

from collections.abc import Callable

from ops.attributes import Attributes
from ops.lowering import keyed
from ops.lowering.base import Builder, Source, Target

Emit = Callable[[Builder, Attributes, list[Source], Target], None]

ROUTINES: dict[str, Emit] = {
    "hmac_sha256": keyed.hmac,
    "pbkdf2_sha256": keyed.pbkdf2,
    "hkdf_sha256": keyed.hkdf,
    "merkle": keyed.tree,
    "find_nonce": keyed.find_nonce,
}
