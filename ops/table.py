"""The op table: every op by its name.

Owns the collection of rows and how they are found. Must not know what rows mean.
"""

from __future__ import annotations

from functools import cache

from ops.attribute_words import explained
from ops.errors import UnknownOpError
from ops.gradient import gradient_row
from ops.rows import (
    activations,
    arithmetic,
    arrays,
    bits,
    chance,
    data,
    hashes,
    indexing,
    keyed,
    linear,
    logic,
    losses,
    neural,
    norms,
    quantised,
    reductions,
    sequences,
    shaping,
    smooth,
    spatial,
    streams,
    vision,
)
from ops.spec import OpSpec
from shaders.suggestions import meant

TABLE: dict[str, OpSpec] = {
    row.name: explained(row)
    for rows in (
        arithmetic,
        smooth,
        activations,
        logic,
        bits,
        reductions,
        arrays,
        shaping,
        indexing,
        linear,
        spatial,
        norms,
        losses,
        neural,
        sequences,
        vision,
        chance,
        quantised,
        data,
        hashes,
        keyed,
        streams,
    )
    for row in rows.ROWS
}
_ALIASES = {alias: row for row in TABLE.values() for alias in row.aliases}
_ONNX = {
    "".join(part.capitalize() for part in name.split("_")): row
    for row in TABLE.values()
    for name in (row.name, *row.aliases)
    if row.kind == "elementwise" or "reduce_" in name or "_elements" in name
} | {
    "Gather": TABLE["index_select"],
    "MatMul": TABLE["matmul"],
    "Gemm": TABLE["gemm"],
    "MatMulInteger": TABLE["int_matmul"],
    "ArgMax": TABLE["argmax"],
    "ArgMin": TABLE["argmin"],
    "Softmax": TABLE["softmax"],
    "LogSoftmax": TABLE["log_softmax"],
    "InstanceNormalization": TABLE["instance_norm"],
    "GroupNormalization": TABLE["group_norm"],
    "CumSum": TABLE["cumsum"],
    "Einsum": TABLE["einsum"],
    "Tile": TABLE["tile"],
    "Equal": TABLE["eq"],
    "And": TABLE["logical_and"],
    "Or": TABLE["logical_or"],
    "Xor": TABLE["logical_xor"],
    "Not": TABLE["logical_not"],
    "Identity": TABLE["positive"],
    "Conv": TABLE["conv"],
    "ConvTranspose": TABLE["conv_transpose"],
    "PRelu": TABLE["prelu"],
    "BatchNormalization": TABLE["batch_norm"],
    "Concat": TABLE["concat"],
    "Reshape": TABLE["reshape"],
    "Expand": TABLE["expand"],
    "NonMaxSuppression": TABLE["non_max_suppression"],
    "MaxPool": TABLE["max_pool"],
    "AveragePool": TABLE["avg_pool"],
    "GlobalAveragePool": TABLE["global_avg_pool"],
    "GlobalMaxPool": TABLE["global_max_pool"],
}
NAMESPACES = ("tensor", "hash", "bits", "data", "random", "cipher")


def find(name: str) -> OpSpec:
    """The row called `name`, with or without a namespace (as `tensor.` or `hash.`) in front.

    An alias will do, ONNX's name (`LeakyRelu`), and the name of a gradient (`gelu.dx`).

    Raises `UnknownOpError`, with the names that are closest, and `GraphError` for a gradient that is not known.
    """
    if name in TABLE:
        return TABLE[name]
    space, dot, rest = name.partition(".")
    bare = rest if dot and space in NAMESPACES else name
    row = TABLE.get(bare) or _ALIASES.get(bare) or _ONNX.get(bare) or _gradient(bare)
    if row is None:
        hint = meant(bare, TABLE, "GET /api/ops lists all ops.")
        raise UnknownOpError(f"there is no op {name[:64]!r}", hint=hint)
    return row


@cache
def gradient(spec: OpSpec, number: int) -> OpSpec | None:
    """The row of the gradient of an elementwise row by its input `number`; None where it is 0 everywhere.

    Raises `GraphError` if it is not known.
    """
    return gradient_row(spec, number)


def _gradient(name: str) -> OpSpec | None:
    base, _, part = name.rpartition(".d")
    row = TABLE.get(base)
    if row is None or row.kind != "elementwise" or part not in row.inputs:
        return None
    return gradient(row, row.inputs.index(part))


def full_name(spec: OpSpec) -> str:
    """The name of the operation among all that there are, as grants spell it: `tensor.add`, `hash.sha256`."""
    return f"{spec.namespace}.{spec.name}"
