"""The gradient of what was broadcast: summed over what it was spread to. Shared by all rules."""

from __future__ import annotations

from ops.composite import Parts, Value
from ops.shapes import Shape


def summed_to(do: Parts, value: Value, shape: Shape) -> Value:
    """`value` summed over the axes along which `shape` was broadcast to its shape."""
    new = value.rank - len(shape)
    spread = [n for n in range(value.rank) if n < new or (shape[n - new] == 1 and value.shape[n] != 1)]
    return do.reshape(do("sum", value, axes=spread), *shape) if spread else value
