"""What the examples of the library's pages give, by the reference.

Owns the small engine that a script's expression is computed with. Must not know pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from ops import derivation, hashing, reference, routines
from ops.graph import Graph, TensorRef
from ops.samples import Sample, dtype_of, flat, is_messages, offsets, words
from ops.spec import OpSpec, check_attributes
from ops.torch import engine
from ops.torch.creation import tensor
from ops.torch.namespace import namespace
from ops.torch.tensor import Tensor, apply
from ops.validate import validate


def outcome(spec: OpSpec, example: Sample) -> dict[str, Any]:
    """The tensor that a request with a sample is answered with, its bound on messages as a request gets it."""
    bound = (
        {"max_bytes": _longest(example)} if any(each.name == "max_bytes" for each in spec.attributes) else {}
    )
    attributes = check_attributes(spec, {**bound, **example.attributes})
    result = reference.apply(spec.name, attributes, list(_arrays(example)))
    dtype = reference.dtype_name(result.dtype)
    return {"shape": list(result.shape), "dtype": dtype, "data": result.ravel().tolist()}


def value_of(call: str) -> Any:
    """What an expression of a script of ours gives."""
    names = {
        "hashing": SimpleNamespace(**hashing.namespace(), **derivation.NAMES),
        "routines": SimpleNamespace(**routines.namespace()),
        "torch": SimpleNamespace(**namespace()),
        "call": _call,
    }
    engine.use(_Engine())
    try:
        return eval(call, names)
    finally:
        engine.use(None)


def _call(operation: str, *tensors: Any, **attributes: Any) -> Tensor:
    given = [each if isinstance(each, Tensor) else tensor(each) for each in tensors]
    return apply(operation.partition(".")[2], given, **attributes)


def _longest(example: Sample) -> int:
    messages = [each for value in example.inputs if is_messages(value) for each in value]
    return max((len(each) for each in messages if isinstance(each, bytes)), default=0)


def _arrays(example: Sample) -> Iterator[Any]:
    for value in example.inputs:
        if isinstance(value, bytes):
            yield _array(*flat(words(value)))
        elif is_messages(value):
            messages = [each for each in value if isinstance(each, bytes)]
            yield _array(*flat(words(b"".join(messages))))
            yield _array(*flat(offsets(messages)))
        else:
            yield _array(*flat(value))


def _array(shape: list[int], data: list[Any]) -> Any:
    dtype = dtype_of(data)
    size = 1 if dtype == "bool" else 4
    return reference.from_wire(b"".join(int(each).to_bytes(size, "little") for each in data), dtype, shape)


class _Engine:
    """Computes a script's graphs with the reference."""

    def __init__(self) -> None:
        self._live: dict[int, Any] = {}

    def compute(self, graph: Graph) -> list[TensorRef]:
        """The outputs of `graph`."""
        validate(graph)
        refs = []
        for value in reference.evaluate(graph, self._live):
            self._live[len(self._live)] = value
            refs.append(TensorRef(len(self._live) - 1, value.shape, reference.dtype_name(value.dtype)))
        return refs

    def explain(self, graph: Graph, wgsl: bool) -> str:
        return f"{len(graph.nodes)} nodes"

    def read(self, handle: int) -> bytes:
        """A tensor in wire form."""
        return reference.to_wire(self._live[handle])

    def free(self, handles: list[int]) -> None:
        """Nothing: an example is short."""
