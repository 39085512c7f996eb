"""Values that kernels read and write, as lowerings see them.

Owns what has to be known of an operand: which buffer, how the value lies there, its dtype. Must not know ops.
"""

from __future__ import annotations

import msgspec

from ops.layout import Layout
from shaders.spec import Operand


class Source(msgspec.Struct, frozen=True, gc=False):
    """A value that a kernel reads: which operand, how it lies there, its dtype's name."""

    operand: Operand
    layout: Layout
    dtype: str


class Target(msgspec.Struct, frozen=True, gc=False):
    """A value that a kernel writes, described likewise."""

    operand: Operand
    layout: Layout
    dtype: str

    def source(self) -> Source:
        """The same value, to be read by a later kernel."""
        return Source(self.operand, self.layout, self.dtype)
