"""What all rules share: the form of what they give, and the gradient of what was broadcast."""

from __future__ import annotations

from ops.composite import Parts, Value
from ops.shapes import Shape

Gradients = list[Value | None]
"""What each input gets; None for one that is no float, or has no say."""


def summed_to(do: Parts, value: Value, shape: Shape) -> Value:
    """`value` summed over the axes along which `shape` was broadcast to its shape."""
    new = value.rank - len(shape)
    spread = [n for n in range(value.rank) if n < new or (shape[n - new] == 1 and value.shape[n] != 1)]
    return do.reshape(do("sum", value, axes=spread), *shape) if spread else value
