"""From one op on given layouts to dispatches.

Owns the forms in which an op is asked for, alone or with fused terms (`ops/terms.py`), and the copies that stand in for
packed operands. Must not know graphs, buffers or plans: `host/` calls it node by node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ops import expression
from ops.attributes import Attributes
from ops.dtypes import DType, is_packed, register
from ops.expression import Term, input_term
from ops.graph import TensorType
from ops.layout import Layout
from ops.lowering import elementwise, kinds
from ops.lowering.after import After
from ops.lowering.builder import Builder, Lowering
from ops.lowering.device import CPU, GPU, MAPPED, DeviceClass
from ops.lowering.host_tasks import HostAttention, HostConvolution, HostProduct, HostTask
from ops.lowering.kinds import TAKES_AFTER, TAKES_BEFORE, Read
from ops.lowering.operands import Source, Target
from ops.shapes import Shape
from ops.spec import check_attributes
from ops.table import find
from ops.views import view
from shaders.spec import Hole, Operand

__all__ = [
    "CPU",
    "GPU",
    "MAPPED",
    "TAKES_AFTER",
    "TAKES_BEFORE",
    "DeviceClass",
    "HostAttention",
    "HostConvolution",
    "HostProduct",
    "HostTask",
    "Lowering",
    "lower",
    "lower_copy",
    "lower_elementwise",
    "lower_fused",
    "view",
]

Operands = Sequence[tuple[Layout, DType]]


_BOUND_MESSAGES = (
    "Give max_bytes, the length of the longest message: without it one may be as long as all together."
)


def lower(
    op: str,
    attributes: Mapping[str, object],
    inputs: Operands,
    output: TensorType,
    device: DeviceClass,
    words: Mapping[str, tuple[Hole, ...]] | None = None,
) -> Lowering:
    """The dispatches that compute `op` of `inputs` into a contiguous buffer of type `output`.

    Operand ("input", n) is the buffer of `inputs[n]`, ("output", 0) the result. Nothing is dispatched for an empty
    result. A view op is a copy of what it shows, or of its input where no layout shows it: the result's elements are
    in the result's order either way. The attributes that `words` names are those words, which come when it runs.

    Raises `GraphError` for more dispatches than a request may have.
    """
    spec = find(op)
    normal: Attributes = {**check_attributes(spec, attributes), **(words or {})}
    builder = Builder(device) if normal.get("max_bytes", 0) is not None else Builder(device, _BOUND_MESSAGES)
    target = _target(output)
    sources = _unpacked(builder, spec.kind, _sources(inputs), len(inputs))
    made = _result(builder, spec.kind, target)
    kinds.emit(builder, spec, normal, sources, made)
    if made is not target:
        elementwise.copy(builder, made.source(), target)
    return builder.lowering()


def lower_elementwise(
    expression: Term, inputs: Operands, output: TensorType, device: DeviceClass
) -> Lowering:
    """The dispatch that computes a term (see `term`), whose input n is `inputs[n]` broadcast to `output`'s shape."""
    builder = Builder(device)
    elementwise.emit(builder, expression, _sources(inputs), _target(output))
    return builder.lowering()


def lower_copy(layout: Layout, dtype: DType, device: DeviceClass) -> Lowering:
    """The dispatch that copies input 0, lying as `layout`, to a contiguous output."""
    builder = Builder(device)
    target = _target(TensorType(layout.shape, dtype.name))
    elementwise.copy(builder, _sources([(layout, dtype)])[0], target)
    return builder.lowering()


def lower_fused(
    op: str,
    attributes: Mapping[str, object],
    before: tuple[Term, Shape] | None,
    inputs: Operands,
    after: Term | None,
    extras: Operands,
    made: TensorType,
    output: TensorType,
    device: DeviceClass,
) -> Lowering:
    """The dispatches of an op with what is done before and after it, element by element.

    `before` is a term and a shape: the op's last input is not one of `inputs`, but the term of those behind the other
    inputs, broadcast to the shape. `after` is a term of the op's result (input 0), of type `made`, and of `extras`
    (from 1 on): the output is not the result, but the term, which has its shape. Operands are numbered through inputs
    and extras. A term has no `index` in it.
    """
    spec = find(op)
    builder = Builder(device)
    normal = check_attributes(spec, attributes)
    target = _target(output)
    sources = _unpacked(builder, spec.kind, _sources([*inputs, *extras]), len(inputs))
    result = _result(builder, spec.kind, target)
    sources, others = sources[: len(inputs)], sources[len(inputs) :]
    wrapped = None if after is None else _after(after, made.dtype, others)
    own = len(sources) if before is None else len(spec.inputs) - 1
    read = None if before is None else Read(*before, sources[own:])
    kinds.emit(builder, spec, normal, sources[:own], result, read, wrapped)
    if result is not target:
        elementwise.copy(builder, result.source(), target)
    return builder.lowering()


def _unpacked(builder: Builder, kind: str, sources: Sequence[Source], inputs: int) -> list[Source]:
    """The sources, of which the first `inputs` are the op's, or copies of those that its kind does not take packed."""
    return [
        source if kinds.keeps(kind, number, number >= inputs) else elementwise.widened(builder, source)
        for number, source in enumerate(sources)
    ]


def _result(builder: Builder, kind: str, target: Target) -> Target:
    """Where an op of a kind writes to: the target, or what is packed into it afterwards."""
    if kind in kinds.TAKES_PACKED or not is_packed(target.dtype):
        return target
    return builder.temp(target.layout.shape, register(target.dtype))


def _after(term: Term, made: str, others: Sequence[Source]) -> After:
    """What is done with a result of dtype `made`; one that is packed is rounded or wraps first."""
    if is_packed(made):
        inputs = {number: input_term(number, source.dtype) for number, source in enumerate(others, 1)}
        first = expression.cast(input_term(0, register(made)), made)
        term = expression.substituted(term, {0: first, **inputs})
    return After(term, register(made), tuple(others))


def _sources(inputs: Operands) -> list[Source]:
    return [
        Source(Operand("input", number), layout, dtype.name) for number, (layout, dtype) in enumerate(inputs)
    ]


def _target(output: TensorType) -> Target:
    return Target(Operand("output", 0), Layout.contiguous(output.shape), output.dtype)
