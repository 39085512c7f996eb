"""Ops and graphs computed in NumPy.

Owns the arithmetic of each kind of op, and the map between our dtypes and NumPy's. Floats are computed in f64 and
rounded once at the end of an op (and where the expression itself converts to f32), so results are as good as f32 can
hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ops import shapes
from ops.attributes import Attributes, integer, integers
from ops.composites import expand
from ops.dtypes import BY_NAME
from ops.expression import Term, input_term
from ops.graph import Graph, Node, TensorType
from ops.infer import folded_axes, maybe_integers, result_type, swapped, taken
from ops.reference import indexing as indexing
from ops.reference import neural as neural
from ops.reference import spatial as spatial
from ops.reference.bfloat import BF16, opened, rounded
from ops.reference.functions import FUNCTIONS
from ops.reference.hashes import HASHES
from ops.reference.routines import ROUTINES
from ops.space import Convolution, window
from ops.spec import OpSpec, check_attributes
from ops.table import find
from ops.terms import term
from shaders.digests import DIGESTS

Array = npt.NDArray[Any]

DTYPES: dict[str, npt.DTypeLike] = {
    "bool": np.dtype("bool"),
    "u8": np.dtype("u1"),
    "i8": np.dtype("i1"),
    "u16": np.dtype("<u2"),
    "i16": np.dtype("<i2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"),
    "bf16": BF16,
    "f16": np.dtype("<f2"),
    "f32": np.dtype("<f4"),
}
_KINDS_WIDE = {"bool": np.bool_, "int": np.int64, "float": np.float64}
_BY_ELEMENT = ("elementwise", "leaf")


def dtype_name(dtype: npt.DTypeLike) -> str:
    """Our name of a NumPy dtype. Raises `KeyError` for one that we do not have."""
    wanted = np.dtype(dtype)
    return {np.dtype(mine): name for name, mine in DTYPES.items()}[wanted]


def to_wire(array: Array) -> bytes:
    """The elements of `array` in wire form: row-major, little-endian, a bool as one byte."""
    return np.ascontiguousarray(array).tobytes()


def from_wire(data: bytes | bytearray | memoryview, dtype: str, shape: Sequence[int]) -> Array:
    """The array of wire bytes `data`. A bool is whatever is not 0."""
    if dtype == "bool":
        return np.not_equal(np.frombuffer(data, np.uint8).reshape(shape), 0)
    return np.frombuffer(data, DTYPES[dtype]).reshape(shape)


def _wide(array: Array, dtype: str) -> Array:
    """Elements of `dtype` in the form in which is computed."""
    return opened(array).astype(_KINDS_WIDE[BY_NAME[dtype].kind])


def evaluate(graph: Graph, inputs: Mapping[int, Array]) -> list[Array]:
    """The values of the outputs of a valid graph; `inputs` gives the array of each handle that it reads."""
    values: list[Array] = []
    last_use = _last_uses(graph)
    for number, node in enumerate(graph.nodes):
        with np.errstate(all="ignore"):
            values.append(_node(graph, node, [values[index] for index in node.inputs], inputs))
        for index in {*node.inputs, number}:
            if last_use[index] <= number:
                values[index] = np.empty(0)
    return [values[index] for index in graph.outputs]


def _last_uses(graph: Graph) -> list[int]:
    """For each node the last one that reads it; outputs are read after all."""
    last = list(range(len(graph.nodes)))
    for number, node in enumerate(graph.nodes):
        for index in node.inputs:
            last[index] = number
    for index in graph.outputs:
        last[index] = len(graph.nodes)
    return last


def _node(graph: Graph, node: Node, args: list[Array], inputs: Mapping[int, Array]) -> Array:
    attributes: dict[str, Any] = node.attributes
    if node.op == "input":
        return inputs[attributes["handle"]]
    if node.op == "constant":
        data = graph.constants[attributes["index"]]
        return from_wire(data, attributes["dtype"], attributes["shape"])
    return apply(node.op, attributes, args)


def apply(op: str, attributes: Mapping[str, object], args: Sequence[Array]) -> Array:
    """The value of one op."""
    spec = find(op)
    types = [TensorType(arg.shape, dtype_name(arg.dtype)) for arg in args]
    if spec.kind == "composite":
        return _composite(op, attributes, types, args)
    normal = check_attributes(spec, attributes)
    result = result_type(spec, normal, types)
    with np.errstate(all="ignore"):
        taken = args if spec.kind in _BY_ELEMENT else map(opened, args)
        value = _KINDS[spec.kind](spec, normal, list(taken), result)
        return narrow(value, result.dtype).reshape(result.shape)


def _composite(
    op: str, attributes: Mapping[str, object], types: Sequence[TensorType], args: Sequence[Array]
) -> Array:
    """The value of an op that is made of others."""
    nodes, result = expand(op, attributes, types)
    leaves = [
        Node("input", (), {"handle": number, "shape": list(type.shape), "dtype": type.dtype})
        for number, type in enumerate(types)
    ]
    return evaluate(Graph([*leaves, *nodes], [result]), dict(enumerate(args)))[0]


def narrow(value: Array, dtype: str) -> Array:
    """`value` rounded to `dtype`: floats saturate to integers, NaN to 0, integers wrap."""
    value = np.asarray(value)
    if dtype == "bf16":
        return value if value.dtype == BF16 else rounded(value)
    if BY_NAME[dtype].kind == "int" and value.dtype.kind == "f":
        ends = np.iinfo(DTYPES[dtype])
        whole = np.trunc(np.nan_to_num(value.astype(np.float64), nan=0.0, posinf=2.0**64, neginf=-(2.0**64)))
        inside = np.where(np.abs(whole) < 2.0**63, whole, 0).astype(np.int64)
        value = np.where(whole >= 2.0**63, ends.max, np.where(whole <= -(2.0**63), ends.min, inside))
        value = np.clip(value, ends.min, ends.max)
    return value.astype(DTYPES[dtype], copy=False)


def _elementwise(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    terms = [input_term(number, dtype_name(arg.dtype)) for number, arg in enumerate(args)]
    index = np.arange(math.prod(result.shape), dtype=np.int64).reshape(result.shape)
    value = run(term(spec.name, attributes, terms, result.dtype), args, index)
    return np.broadcast_to(value, result.shape)


def run(term: Term, args: Sequence[Array], index: Array) -> Array:
    """The value of a typed term of `args`; `index` is what `index` means."""
    values: dict[int, Array] = {}
    stack = [term]
    while stack:
        node = stack[-1]
        waiting = [arg for arg in node.args if id(arg) not in values]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        values[id(node)] = _term(node, [values[id(arg)] for arg in node.args], args, index)
    return values[id(term)]


def _term(node: Term, operands: list[Array], args: Sequence[Array], index: Array) -> Array:
    match node.function:
        case "input":
            return _wide(args[int(node.value)], node.dtype)
        case "index":
            return index
        case "scalar" | "number":
            return _wide(narrow(np.asarray(node.value), node.dtype), node.dtype)
        case "cast":
            return _wide(narrow(operands[0], node.dtype), node.dtype)
        case "pow" if node.dtype != "f32":
            return _integer_power(operands[0], operands[1], node.dtype)
    value = FUNCTIONS[node.function](*operands)
    return narrow(value, node.dtype).astype(np.int64) if BY_NAME[node.dtype].kind == "int" else value


def _integer_power(base: Array, exponent: Array, dtype: str) -> Array:
    """`base ** exponent`, which wraps; 0 for a negative exponent, but for the bases 1 and -1."""
    bits, is_signed = 8 * BY_NAME[dtype].wire_bytes, BY_NAME[dtype].is_signed

    def power(x: int, y: int) -> int:
        if y < 0:
            return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
        value = pow(x, y, 1 << bits)
        return value - (1 << bits) if is_signed and value >> (bits - 1) else value

    return np.asarray(np.frompyfunc(power, 2, 1)(base, exponent), dtype=np.int64)


def _reduction(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    (array,) = args
    axes = folded_axes(spec, attributes, array.ndim)
    wide = _wide(array, dtype_name(array.dtype))
    return np.asarray(REDUCTIONS[spec.name](wide, axis=axes, keepdims=bool(attributes["keepdim"])))


def _mean(wide: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
    total = np.asarray(REDUCTIONS["sum"](wide, axis=axis, keepdims=keepdims))
    return np.asarray(total / math.prod(wide.shape[number] for number in axis))


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "nansum": np.nansum,
    "mean": _mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "any": np.any,
    "all": np.all,
    "count_nonzero": np.count_nonzero,
}
"""The meaning of each reduction, over wide arrays."""


def _search(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    (array,) = args
    axes = folded_axes(spec, attributes, array.ndim)
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    outer, columns = (tuple(array.shape[axis] for axis in group) for group in (kept, axes))
    rows = array.transpose(*kept, *axes).reshape(*outer, math.prod(columns))
    return np.asarray((np.argmax if spec.name == "argmax" else np.argmin)(rows, axis=-1))


def _softmax(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    wide = args[0].astype(np.float64)
    if wide.ndim == 0 or wide.size == 0:
        return np.exp(wide - wide) if spec.name == "softmax" else wide - wide
    meaning = neural.log_softmax if spec.name == "log_softmax" else neural.softmax
    return meaning(wide, integer(attributes, "axis"))


def _normalize(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    axes = shapes.axes(maybe_integers(attributes, "axes"), args[0].ndim)
    eps = cast("float", attributes["eps"])
    return neural.standardize(args[0].astype(np.float64), axes, eps, bool(attributes["centred"]))


def _attention(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    query, key, value, *mask = (arg.astype(np.float64) for arg in args)
    scale = cast("float | None", attributes["scale"])
    return neural.attention(
        query, key, value, mask[0] if mask else None, bool(attributes["is_causal"]), scale
    )


def _matmul(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    if BY_NAME[result.dtype].kind == "float":
        return np.asarray(np.matmul(*(arg.astype(DTYPES["f32"]) for arg in args)))
    wrapped: Array = np.matmul(*(arg.astype(np.uint32) for arg in args))  # wraps, as i32 does
    return np.asarray(wrapped).astype(np.int64)


def _convolution(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    x, weight = args
    return spatial.convolution(x, weight, Convolution.of(attributes, x.shape, weight.shape))


def _view(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    (array,) = args
    match spec.shape:
        case "reshape":
            return array.reshape(result.shape)
        case "expand":
            return np.broadcast_to(array, result.shape)
        case "permute":
            return array.transpose(integers(attributes, "axes"))
        case "transpose":
            return array.transpose(swapped(attributes, array.ndim))
        case "windows":
            return spatial.windows(array, *window(attributes, array.shape))
        case "diagonal":
            return np.diagonal(array, *(integer(attributes, name) for name in ("offset", "axis0", "axis1")))
    positions = taken(attributes, array.shape)
    return array[np.ix_(*positions)] if positions else array


def _write(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    array = args[0].copy()
    positions = taken(attributes, array.shape)
    value = opened(narrow(args[1], result.dtype))
    array[np.ix_(*positions) if positions else ()] = value
    return array


def _gather(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    return indexing.gather(args[0], args[1], integer(attributes, "axis"))


def _scatter(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    value = np.broadcast_to(opened(narrow(args[2], result.dtype)), args[1].shape)
    where, reduce = integer(attributes, "axis"), str(attributes["reduce"])
    return indexing.scatter(args[0], args[1], value, where, reduce)


def _pad(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    ends = list(zip(integers(attributes, "before"), integers(attributes, "after"), strict=True))
    value = opened(narrow(np.asarray(attributes["value"]), result.dtype))
    return indexing.pad(args[0], ends, str(attributes["mode"]), value)


def _concat(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    return np.concatenate([narrow(arg, result.dtype) for arg in args], axis=integer(attributes, "axis"))


def _digest(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    data, offsets = args[0].tobytes(), args[1].tolist()
    digest, longest = DIGESTS[spec.name], attributes["max_bytes"]
    most = digest.blocks(len(data) if longest is None else min(integer(attributes, "max_bytes"), len(data)))
    rows = [
        HASHES[spec.name](data[begin:end], attributes)
        if begin <= end <= len(data) and digest.blocks(end - begin) <= most
        else bytes(4 * result.shape[1])
        for begin, end in pairwise(offsets)
    ]
    return np.frombuffer(b"".join(rows), ">u4" if digest.order == "big" else "<u4").reshape(result.shape)


def _routine(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    return ROUTINES[spec.name](attributes, args)


_KINDS: dict[str, Callable[[OpSpec, Attributes, list[Array], TensorType], Array]] = {
    "elementwise": _elementwise,
    "leaf": _elementwise,
    "reduction": _reduction,
    "search": _search,
    "softmax": _softmax,
    "normalize": _normalize,
    "attention": _attention,
    "matmul": _matmul,
    "convolution": _convolution,
    "view": _view,
    "write": _write,
    "gather": _gather,
    "scatter": _scatter,
    "pad": _pad,
    "concat": _concat,
    "digest": _digest,
    "routine": _routine,
}
