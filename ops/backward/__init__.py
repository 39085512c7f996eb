"""From an op to the ops that give its inputs' gradients.

Owns the walk back through an op's parts and what broadcasting asks for. `ops/backward/rules.py` and
`ops/backward/neural.py` have the rule of each kind of op; elementwise rows have rows of their own for that
(`ops/gradient.py`). A script's tensors record no gradients yet; what will record them puts these nodes into its graph.
Must not know tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ops.backward import neural, rules
from ops.backward.gradients import Gradients, summed_to
from ops.composite import Parts, Value
from ops.composites import MEANINGS, expand
from ops.errors import GraphError
from ops.gradient import name_of
from ops.graph import Node, TensorType
from ops.spec import OpSpec, check_attributes
from ops.table import find, gradient

_STEPS = ("quantize_per_tensor", "quantize_per_channel", "channel_scales")
"""Composites of floats whose results go in steps, or are only asked for to make some."""
_FLOATS = ("f32", "f16", "bf16")
_RULES = {**rules.RULES, **neural.RULES}


def backward(
    op: str, attributes: Mapping[str, object], types: Sequence[TensorType]
) -> tuple[list[Node], list[int | None]]:
    """The nodes after the inputs 0, 1 … and the gradient of the result, and which of all are the inputs' gradients.

    Gradients are f32, those of f16 and bf16 too. None is the gradient of what is no float, or has no say. Raises what
    `infer` raises, and `GraphError` for an op whose gradient is not known.
    """
    nodes, result = expand(op, attributes, types)
    count = len(types)
    alone = Parts(types, MEANINGS)
    shape = _replayed(alone, nodes, alone.inputs)[result].shape
    do = Parts([*types, TensorType(shape, "f32")], MEANINGS)
    *inputs, grad = do.inputs
    values = _replayed(do, nodes, inputs)
    found: Gradients = [None] * len(values)
    found[result] = grad
    for number in range(len(nodes) - 1, -1, -1):
        mine = found[count + number]
        if mine is not None:
            read = nodes[number].inputs
            given = _step(do, nodes[number], [values[index] for index in read], values[count + number], mine)
            for index, part in zip(read, given, strict=True):
                known = found[index]
                if part is not None and values[index].dtype in _FLOATS:
                    found[index] = part if known is None else known + part
    return do.nodes, [None if value is None else value.number for value in found[:count]]


def has_gradient(spec: OpSpec) -> bool:
    """Whether some input of an op gets a gradient; for others `backward` gives None, or refuses."""
    taken = spec.input_dtypes or (spec.dtypes,) * bool(spec.inputs)
    if spec.result in ("i32", "u32", "bool") or not any("f32" in each for each in taken):
        return False
    if spec.kind == "composite":
        return spec.name not in _STEPS
    return spec.name in _RULES or (spec.kind == "elementwise" and _has_row(spec))


def _has_row(spec: OpSpec) -> bool:
    try:
        return any(gradient(spec, number) for number in range(len(spec.inputs)))
    except GraphError:
        return False


def _replayed(do: Parts, nodes: Sequence[Node], inputs: Sequence[Value]) -> list[Value]:
    """The inputs and the results of `nodes`, put together again."""
    values = list(inputs)
    for node in nodes:
        values.append(do(node.op, *(values[index] for index in node.inputs), **node.attributes))
    return values


def _step(do: Parts, node: Node, inputs: list[Value], result: Value, grad: Value) -> Gradients:
    """What the gradient of a node's result gives its inputs."""
    spec = find(node.op)
    if result.dtype not in _FLOATS or not any(value.dtype in _FLOATS for value in inputs):
        return [None] * len(inputs)
    *inputs, result = (_wide(do, value) for value in (*inputs, result))
    attributes: dict[str, Any] = check_attributes(spec, node.attributes)
    if spec.name in _RULES:
        return _RULES[spec.name](do, inputs, result, grad, **attributes)
    if spec.kind == "elementwise":
        return [_elementwise(do, spec, number, attributes, inputs, grad) for number in range(len(inputs))]
    raise GraphError(
        f"the gradient of {spec.name} is not known",
        hint="GET /api/ops says which ops have one; write it of those.",
    )


def _wide(do: Parts, value: Value) -> Value:
    """As ops compute with it: halves in f32."""
    return do.cast(value, "f32") if value.dtype in _FLOATS else value


def _elementwise(
    do: Parts, spec: OpSpec, number: int, attributes: Mapping[str, Any], inputs: list[Value], grad: Value
) -> Value | None:
    if inputs[number].dtype != "f32" or gradient(spec, number) is None:
        return None
    made = do(name_of(spec, number), *inputs, grad, **attributes)
    return summed_to(do, made, inputs[number].shape)
