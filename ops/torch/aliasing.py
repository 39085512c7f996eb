"""Views that see what is written to their base, and write through to it.

Owns how a view remembers its base, and what a base becomes when a view of it is written. Values themselves never
change: a write makes new ones, and tensors come to mean these. Must not know what a script sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ops.errors import GraphError
from ops.torch import lazy
from ops.torch.lazy import LazyNode


@dataclass(slots=True)
class Link:
    """How a view is made of its `base`: a view op. `seen` is how often `root`, the first base, was written by then."""

    base: Any
    root: Any
    op: str
    attributes: Mapping[str, object]
    seen: int


def link(base: Any, op: str, attributes: Mapping[str, object]) -> Link:
    """The link of a new view of `base`."""
    root = base if base._link is None else base._link.root
    return Link(base, root, op, attributes, root._writes)


def refresh(view: Any) -> None:
    """Let `view` and the views that it is of mean what their base became."""
    for each in reversed(_chain(view)):
        each._own = lazy.node(each._link.op, [each._link.base._own], each._link.attributes)
        each._link.seen = each._link.root._writes


def write(holder: Any, value: LazyNode) -> None:
    """Let `holder` mean `value`, of its shape and dtype, and its base what follows. Raises `GraphError`."""
    value_of_base = value
    chain = _chain(holder)
    for each in chain:
        value_of_base = _written(each._link, each._link.base._own, value_of_base)
    root = holder if not chain else chain[-1]._link.root
    for each in (*chain, root):
        each._own.disown(each)
    root._own = value_of_base
    root._writes += 1
    value_of_base.own(root)


def _chain(holder: Any) -> list[Any]:
    """`holder` and the views that it is of, down to the one whose base is no view."""
    chain = []
    while holder._link is not None:
        chain.append(holder)
        holder = holder._link.base
    return chain


def _written(link: Link, base: LazyNode, value: LazyNode) -> LazyNode:
    """What `base` becomes when its view is `value`."""
    attributes: Mapping[str, Any] = link.attributes
    match link.op:
        case "reshape":
            return lazy.node("reshape", [value], {"shape": base.type.shape})
        case "transpose":
            return lazy.node("transpose", [value], attributes)
        case "permute":
            order = [axis % max(len(base.type.shape), 1) for axis in attributes["axes"]]
            return lazy.node("permute", [value], {"axes": [order.index(axis) for axis in range(len(order))]})
        case "slice":
            return lazy.node("slice_scatter", [base, value], attributes)
    raise GraphError(
        "a tensor that shows elements more than once cannot be written to", hint="Call clone() first."
    )
