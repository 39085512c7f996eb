"""Types of results: the rules for dtype and shape that the rows of the op table name.

Owns type inference for one op at a time. Must not know graphs or layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod
from typing import cast

from ops import dtypes, routine_shapes, shapes, space
from ops.attributes import Attributes, integer, integers
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.graph import TensorType
from ops.shapes import MAX_COUNT, MAX_RANK, Shape
from ops.spec import OpSpec, check_attributes, check_count, check_dtypes
from ops.table import find


def infer(op: str, attributes: Mapping[str, object], inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
    """The types of the results of `op`. Raises `GraphError` or one of its kinds, or `DTypeError`."""
    spec = find(op)
    return (result_type(spec, check_attributes(spec, attributes), inputs),)


def result_type(spec: OpSpec, attributes: Attributes, inputs: Sequence[TensorType]) -> TensorType:
    """The type of the result of the row `spec` with attributes in normal form."""
    check_count(spec, len(inputs))
    if spec.kind == "composite":
        raise GraphError(f"{spec.name} is made of other ops", hint="A graph holds its parts instead.")
    given = tuple(value.dtype for value in inputs)
    check_dtypes(spec, given)
    routine_shapes.longest(spec, attributes)
    _check_fill(spec, attributes, given)
    shape = _SHAPES[spec.shape](spec, attributes, [value.shape for value in inputs])
    check_shape(shape)
    return TensorType(shape, result_dtype(spec, attributes, given))


def _check_fill(spec: OpSpec, attributes: Attributes, given: Sequence[str]) -> None:
    """Refuse with `AttributeValueError` to pad integers by what is none of theirs."""
    if spec.kind != "pad" or attributes["mode"] != "constant":
        return
    value = cast("float", attributes["value"])
    if not dtypes.dtype(given[0]).holds(value):
        raise AttributeValueError(
            f"{spec.name}: value is {value:g}, which {given[0]} does not hold",
            hint="Convert with cast, or .to(dtype) in a script, to a dtype that does.",
        )


def check_shape(shape: Shape) -> None:
    """Refuse with `ShapeError` shapes that no kernel of ours can address."""
    if len(shape) > MAX_RANK:
        raise ShapeError(f"a tensor of {len(shape)} axes is over the limit of {MAX_RANK}")
    if shape and (min(shape) < 0 or max(shape) > MAX_COUNT or prod(shape) > MAX_COUNT):
        raise ShapeError(
            f"shape {shapes.text(shape)[:80]} is not of sizes from 0 that hold at most {MAX_COUNT} elements"
        )


def result_dtype(spec: OpSpec, attributes: Attributes, given: tuple[str, ...]) -> str:
    """The dtype of a result of inputs of the dtypes `given`."""
    if spec.result == "attribute":
        return str(attributes["dtype"])
    if spec.result == "sum":
        row = dtypes.dtype(given[0])
        return "i32" if row.kind != "float" and row.wire_bytes < 4 else row.name
    if spec.result == "first":
        return given[0]
    if spec.result == "choice":
        given = given[1:]
    elif spec.result not in ("float", "promote"):
        return spec.result
    has_float = any(isinstance(attributes[each.name], float) for each in spec.attributes)
    return _met(given, is_floating=has_float or spec.result == "float")


@cache
def _met(given: tuple[str, ...], is_floating: bool) -> str:
    rows = [dtypes.dtype(name) for name in given]
    return (dtypes.floating(*rows) if is_floating else dtypes.promote(*rows)).name


def maybe_integers(attributes: Attributes, name: str) -> tuple[int, ...] | None:
    """The attribute `name`, a list of integers or None."""
    return cast("tuple[int, ...] | None", attributes[name])


def folded_axes(spec: OpSpec, attributes: Attributes, rank: int) -> Shape:
    """The axes that a reduction or search folds, ascending."""
    if spec.kind == "search":
        chosen = attributes["axis"]
        return shapes.axes(None if chosen is None else [cast("int", chosen)], rank)
    return shapes.axes(maybe_integers(attributes, "axes"), rank)


def _broadcast(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return shapes.broadcast(*inputs)


def _same(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    shapes.axis(integer(attributes, "axis"), len(inputs[0]))
    return inputs[0]


def _reduce(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    (shape,) = inputs
    folded = folded_axes(spec, attributes, len(shape))
    has_start = spec.reduction is not None and spec.reduction.start is not None
    if not has_start and any(shape[number] == 0 for number in folded):
        raise ShapeError(f"{spec.name} of an empty axis has no value (shape {shapes.text(shape)})")
    return shapes.reduced(shape, folded, bool(attributes["keepdim"]))


def _matmul(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return shapes.matmul(*inputs)


def _concat(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return shapes.concat(inputs, integer(attributes, "axis"))[0]


def _shape(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return integers(attributes, "shape")


def _count(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return (integer(attributes, "count"),)


def _reshape(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return shapes.reshape(inputs[0], integers(attributes, "shape"))


def _permute(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    order = shapes.permutation(integers(attributes, "axes"), len(inputs[0]))
    return tuple(inputs[0][number] for number in order)


def swapped(attributes: Attributes, rank: int) -> list[int]:
    """The order of axes that `transpose` means for a tensor of `rank`."""
    first, second = (shapes.axis(integer(attributes, name), rank) for name in ("axis0", "axis1"))
    order = list(range(rank))
    if rank:
        order[first], order[second] = order[second], order[first]
    return order


def _transpose(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return tuple(inputs[0][number] for number in swapped(attributes, len(inputs[0])))


def taken(attributes: Attributes, shape: Shape) -> list[range]:
    """The positions along each axis that `slice` takes of `shape`."""
    return shapes.slices(
        shape,
        integers(attributes, "starts"),
        integers(attributes, "stops"),
        maybe_integers(attributes, "steps"),
        maybe_integers(attributes, "axes"),
    )


def _slice(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return tuple(map(len, taken(attributes, inputs[0])))


def _write(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    place = tuple(map(len, taken(attributes, inputs[0])))
    if shapes.broadcast(place, inputs[1]) != place:
        raise ShapeError(f"a value of shape {shapes.text(inputs[1])} does not fit in {shapes.text(place)}")
    return inputs[0]


def _diagonal(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    first, second = (shapes.axis(integer(attributes, name), len(inputs[0])) for name in ("axis0", "axis1"))
    return shapes.diagonal(inputs[0], integer(attributes, "offset"), first, second)


def _gather(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    shapes.same_but(inputs[0], inputs[1], integer(attributes, "axis"), spec.name)
    return inputs[1]


def _scatter(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    shapes.same_but(inputs[0], inputs[1], integer(attributes, "axis"), spec.name)
    if shapes.broadcast(inputs[1], inputs[2]) != inputs[1]:
        raise ShapeError(
            f"{spec.name}: values of shape {shapes.text(inputs[2])} for {shapes.text(inputs[1])}"
        )
    return inputs[0]


def _pad(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    before, after = integers(attributes, "before"), integers(attributes, "after")
    return shapes.padded(inputs[0], before, after, str(attributes["mode"]))


def _expand(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return shapes.expand(inputs[0], integers(attributes, "shape"))


def _windows(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return space.windows(attributes, inputs[0])


def _convolution(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    return space.Convolution.of(attributes, *inputs).result


def _standardize(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    shapes.axes(maybe_integers(attributes, "axes"), len(inputs[0]))
    return inputs[0]


def _attention(spec: OpSpec, attributes: Attributes, inputs: list[Shape]) -> Shape:
    query, key, value, *mask = inputs
    if min(map(len, inputs[:3])) < 2 or query[-1] != key[-1] or key[-2] != value[-2]:
        given = ", ".join(shapes.text(shape) for shape in inputs[:3])
        raise ShapeError(f"{spec.name} takes query [… l, e], key [… s, e] and value [… s, v], not {given}")
    batch = shapes.broadcast(*(shape[:-2] for shape in inputs[:3]))
    scores = (*batch, query[-2], key[-2])
    if mask and shapes.broadcast(scores, mask[0]) != scores:
        raise ShapeError(
            f"{spec.name}: a mask of shape {shapes.text(mask[0])} for scores of {shapes.text(scores)}"
        )
    return (*batch, query[-2], value[-1])


_SHAPES: dict[str, Callable[[OpSpec, Attributes, list[Shape]], Shape]] = {
    "broadcast": _broadcast,
    "same": _same,
    "reduce": _reduce,
    "matmul": _matmul,
    "concat": _concat,
    "shape": _shape,
    "count": _count,
    "digest": routine_shapes.digest,
    "reshape": _reshape,
    "permute": _permute,
    "transpose": _transpose,
    "slice": _slice,
    "expand": _expand,
    "write": _write,
    "diagonal": _diagonal,
    "gather": _gather,
    "scatter": _scatter,
    "pad": _pad,
    "windows": _windows,
    "convolution": _convolution,
    "standardize": _standardize,
    "attention": _attention,
    "routine": routine_shapes.shape,
}
