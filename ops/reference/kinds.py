"""What an op of each kind means, in NumPy.

Owns the table from kinds to meanings, and what of a row's attributes each of these is told. Must not know graphs or
composites.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import numpy as np

from ops import shapes
from ops.attributes import Attributes, integer, integers
from ops.dtypes import BY_NAME
from ops.expression import input_term
from ops.graph import TensorType
from ops.infer import folded_axes, maybe_integers, swapped, taken
from ops.reference import indexing, neural, spatial
from ops.reference.bfloat import opened
from ops.reference.elements import DTYPES, Array, dtype_name, narrow, widened
from ops.reference.hashes import HASHES
from ops.reference.routines import ROUTINES
from ops.reference.terms import run
from ops.space import Convolution, window
from ops.spec import OpSpec
from ops.terms import term
from shaders.digests import DIGESTS


def _elementwise(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    terms = [input_term(number, dtype_name(arg.dtype)) for number, arg in enumerate(args)]
    index = np.arange(math.prod(result.shape), dtype=np.int64).reshape(result.shape)
    value = run(term(spec.name, attributes, terms, result.dtype), args, index)
    return np.broadcast_to(value, result.shape)


def _reduction(spec: OpSpec, attributes: Attributes, args: list[Array], result: TensorType) -> Array:
    (array,) = args
    axes = folded_axes(spec, attributes, array.ndim)
    wide = widened(array, dtype_name(array.dtype))
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


KINDS: dict[str, Callable[[OpSpec, Attributes, list[Array], TensorType], Array]] = {
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
