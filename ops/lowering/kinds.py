"""How an op of each kind is lowered.

Owns the table from kinds to lowerings, and what of a row's attributes each of these is told. Must not know graphs, or
what stands in for packed operands: `ops/lower.py` puts copies around the kinds that take none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast as typed

from ops import expression, shapes
from ops.attributes import Attributes, integer, integers, maybe_integer
from ops.dtypes import register
from ops.expression import Term, bind, input_term, parse
from ops.infer import folded_axes, maybe_integers, taken
from ops.layout import Layout
from ops.lowering import (
    attention,
    before,
    byte_product,
    convolution,
    digest,
    elementwise,
    host_product,
    indexing,
    matmul,
    normalize,
    reduce,
    scatter,
    search,
    softmax,
    windows,
)
from ops.lowering.after import After
from ops.lowering.before import Before
from ops.lowering.builder import Builder
from ops.lowering.messages import messages
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.routines import ROUTINES
from ops.shapes import Shape, axis
from ops.space import Convolution
from ops.spec import OpSpec
from ops.terms import of_row
from ops.views import view
from shaders.digests import DIGESTS


@dataclass(frozen=True, slots=True)
class Read:
    """The elements that an op reads: a term of `sources` broadcast to a shape."""

    x: Term
    shape: Shape
    sources: list[Source]


def _whole(source: Source) -> Read:
    """All elements of a source, as they are."""
    return Read(input_term(0, source.dtype), source.layout.shape, [source])


def emit(
    builder: Builder,
    spec: OpSpec,
    attributes: Attributes,
    sources: list[Source],
    target: Target,
    read: Read | None = None,
    after: After | None = None,
) -> None:
    """An op of `sources` and, of those kinds that take it, of what is `read` of others; and what is done `after` it."""
    if after is not None and spec.kind not in TAKES_AFTER:
        raise AssertionError(f"nothing is done after {spec.name} in its kernel")
    if spec.kind in _READERS:
        _READERS[spec.kind](builder, spec, attributes, read or _whole(*sources), target, after)
    elif spec.kind == "matmul":
        _matmul(builder, sources, target, read, after)
    elif read is not None:
        raise AssertionError(f"{spec.name} takes in nothing")
    elif spec.kind == "convolution":
        _convolution(builder, attributes, sources, target, after)
    else:
        _LOWERINGS[spec.kind](builder, spec, attributes, sources, target)


def keeps(kind: str, number: int, is_extra: bool = False) -> bool:
    """Whether an op of a kind takes a packed source as it is: its input `number`, or an extra one of what is done
    after it."""
    if kind in _READERS or kind in TAKES_PACKED:
        return True
    return not is_extra and (kind == "matmul" or (kind == "convolution" and number == 1))


def _elementwise(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    args = [input_term(number, source.dtype) for number, source in enumerate(sources)]
    elementwise.emit(builder, of_row(spec, attributes, args, target.dtype, {}), sources, target)


def _reduction(
    builder: Builder, spec: OpSpec, attributes: Attributes, read: Read, target: Target, after: After | None
) -> None:
    if spec.reduction is None:
        raise AssertionError(f"{spec.name} has no reduction")
    load = expression.applied(spec.reduction.load, x=expression.cast(read.x, register(read.x.dtype)))
    fold = Fold(spec.reduction, load, target.dtype if after is None else after.dtype)
    axes = folded_axes(spec, attributes, len(read.shape))
    reduce.emit(builder, fold, read.sources, read.shape, axes, target, after)


def _search(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    (source,) = sources
    folded = folded_axes(spec, attributes, len(source.layout.shape))
    search.emit(builder, source, folded, spec.name == "argmax", target)


def _softmax(
    builder: Builder, spec: OpSpec, attributes: Attributes, read: Read, target: Target, after: After | None
) -> None:
    shape, x = read.shape or (1,), expression.cast(read.x, "f32")
    target = Target(target.operand, Layout.contiguous(shape), target.dtype)
    where = axis(integer(attributes, "axis"), len(shape))
    softmax.emit(builder, x, read.sources, shape, where, target, is_log=spec.name == "log_softmax")


def _normalize(
    builder: Builder, spec: OpSpec, attributes: Attributes, read: Read, target: Target, after: After | None
) -> None:
    kind = normalize.Kind(
        shapes.axes(maybe_integers(attributes, "axes"), len(read.shape)),
        typed("float", attributes["eps"]),
        bool(attributes["centred"]),
    )
    normalize.emit(builder, kind, expression.cast(read.x, "f32"), read.sources, read.shape, target, after)


def _attention(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    scale = typed("float | None", attributes["scale"])
    attention.emit(builder, sources, bool(attributes["is_causal"]), scale, target)


def _matmul(
    builder: Builder, sources: list[Source], target: Target, read: Read | None, after: After | None
) -> None:
    """Packed operands may be read as they lie, and what is `read` as the right one as the bytes that it is made of.

    The sums are of the result's dtype, before what is done after it.
    """
    dtype = target.dtype if after is None else after.dtype
    left, right, prepared = _weight(builder, sources, read)
    is_hosts = prepared is None and dtype == "f32" and host_product.reads_bytes(builder.device, left, right)
    if not is_hosts and byte_product.emit(builder, left, right, target, after, prepared):
        return
    is_packed = any(each.dtype != register(each.dtype) for each in (left, right))
    if dtype == "f32" and is_packed and matmul.emit_packed(builder, left, right, target, after, prepared):
        return
    if prepared is not None and read is not None:
        right = before.made(builder, read.x, read.sources, read.shape)
    elif not is_hosts:
        right = elementwise.converted(builder, right, dtype)
    matmul.emit(builder, elementwise.converted(builder, left, dtype), right, target, after)


def _weight(
    builder: Builder, sources: list[Source], read: Read | None
) -> tuple[Source, Source, Before | None]:
    """The operands of a product, and what is done with the elements of the second before."""
    if read is None:
        left, right = sources
        return left, right, None
    (left,) = sources
    found = before.split(read.x, read.sources, read.shape)
    if found is None:
        return left, before.made(builder, read.x, read.sources, read.shape), None
    return left, *found


def _convolution(
    builder: Builder, attributes: Attributes, sources: list[Source], target: Target, after: After | None
) -> None:
    x, weight = sources
    form = Convolution.of(attributes, x.layout.shape, weight.layout.shape)
    convolution.emit(builder, x, weight, form, target, after)


def _view(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    (source,) = sources
    shown = view(spec.name, attributes, source.layout) or source.layout
    elementwise.copy(
        builder,
        Source(source.operand, shown, source.dtype),
        Target(target.operand, Layout.contiguous(shown.shape), target.dtype),
    )


def _write(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    x, value = sources
    elementwise.copy(builder, x, target)
    there = target.layout.slice(taken(attributes, x.layout.shape))
    place = windows.seen(builder.device, target, there)
    elementwise.emit(builder, expression.cast(input_term(0, value.dtype), target.dtype), [value], place)


def _places(builder: Builder, index: Source) -> Source:
    """Positions as kernels take them: those that are i64 as i32, and still outside where they were."""
    if index.dtype != "i64":
        return index
    made = builder.temp(index.layout.shape, "i32")
    near = bind(parse("minimum(maximum(x, -2147483648), 2147483647)"), {"x": input_term(0, "i64")})
    elementwise.emit(builder, expression.cast(near, "i32"), [index], made)
    return made.source()


def _gather(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    x, index = sources[0], _places(builder, sources[1])
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    indexing.gather(builder, x, index, where, target)


def _scatter(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    x, index, value = sources[0], _places(builder, sources[1]), sources[2]
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    scatter.emit(builder, x, index, value, where, str(attributes["reduce"]), target)


def _pad(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    before, value = integers(attributes, "before"), typed("int | float", attributes["value"])
    indexing.pad(builder, sources[0], before, str(attributes["mode"]), value, target)


def _concat(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    where = axis(integer(attributes, "axis"), len(target.layout.shape))
    begin = 0
    for source in sources:
        size = source.layout.shape[where]
        ranges = [range(length) for length in target.layout.shape]
        ranges[where] = range(begin, begin + size)
        part = windows.seen(builder.device, target, target.layout.slice(ranges))
        converted = expression.cast(input_term(0, source.dtype), target.dtype)
        if source.dtype == target.dtype:
            elementwise.copy(builder, source, part)
        else:
            elementwise.emit(builder, converted, [source], part)
        begin += size


def _digest(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    data, offsets = sources
    given = messages(builder, data, offsets, maybe_integer(attributes, "max_bytes"))
    digest.emit(builder, DIGESTS[spec.name], given, attributes, target)


def _routine(
    builder: Builder, spec: OpSpec, attributes: Attributes, sources: list[Source], target: Target
) -> None:
    ROUTINES[spec.name](builder, attributes, sources, target)


TAKES_PACKED = ("elementwise", "leaf", "view")
"""Kinds whose kernels read and write packed elements; all others compute with copies in the register's dtype."""
_READERS: dict[str, Callable[[Builder, OpSpec, Attributes, Read, Target, After | None], None]] = {
    "reduction": _reduction,
    "softmax": _softmax,
    "normalize": _normalize,
}
TAKES_BEFORE = frozenset([*_READERS, "matmul"])
"""Kinds whose last input may be a term: of a product, one of bytes."""
TAKES_AFTER = frozenset([*_READERS, "matmul", "convolution"]) - {"softmax"}
"""Kinds whose result may go into a term."""
_LOWERINGS: dict[str, Callable[[Builder, OpSpec, Attributes, list[Source], Target], None]] = {
    "elementwise": _elementwise,
    "leaf": _elementwise,
    "search": _search,
    "attention": _attention,
    "view": _view,
    "write": _write,
    "gather": _gather,
    "scatter": _scatter,
    "pad": _pad,
    "concat": _concat,
    "digest": _digest,
    "routine": _routine,
}
