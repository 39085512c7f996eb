"""What each composite of the op table is made of.

Owns the list, and how an op becomes nodes of a graph. A graph never holds a composite: whoever builds one, in a script
or at a route, puts the parts in. Must not know tensors or devices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ops.composite import Meaning, Parts
from ops.composites import (
    chance,
    folding,
    indexing,
    linear,
    losses,
    margins,
    neural,
    norms,
    pooling,
    quantised,
    resizing,
    sampling,
    sequences,
    shaping,
    spatial,
    vision,
)
from ops.graph import Node, TensorType

_FAMILIES = (
    chance,
    folding,
    indexing,
    linear,
    losses,
    margins,
    neural,
    norms,
    quantised,
    sequences,
    shaping,
    spatial,
    pooling,
    resizing,
    sampling,
    vision,
)
MEANINGS: dict[str, Meaning] = {
    name: meaning for family in _FAMILIES for name, meaning in family.MEANINGS.items()
}


def expand(op: str, attributes: Mapping[str, object], types: Sequence[TensorType]) -> tuple[list[Node], int]:
    """The nodes that `op` is made of, after its inputs 0, 1 …, and which of all is its result.

    An op that is no composite is one node. Raises what `infer` raises.
    """
    parts = Parts(types, MEANINGS)
    result = parts(op, *parts.inputs, **attributes)
    return parts.nodes, result.number
