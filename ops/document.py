"""`docs/ops.md`, made from the table: `python -m ops.document > docs/ops.md`.

Owns the page's form. Must not know what rows mean.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from ops.backward import has_gradient
from ops.peers import combined, peers_of
from ops.spec import (
    ALL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    NUMBERS_64,
    REQUIRED,
    SUM,
    Attribute,
    OpSpec,
    also_called,
)
from ops.table import TABLE

_HEAD = """\
# Ops

Made from the op table by `python -m ops.document > docs/ops.md`; do not edit.

Ops of tensors; those of hashes, bits, arrays, random numbers and ciphers are [the library](library/hashes.md).

Each op is at `POST /api/ops/{name}`, and under PyTorch's name in scripts. Shapes broadcast by NumPy's rules. Two dtypes
meet in the smallest that holds both, as in PyTorch ([dtypes](numerics.md#dtypes)). What PyTorch gives as int64 without
being asked (sums of integers and bools, positions) is i32, and wraps; sums of i64 are i64. ONNX's names work too, as
`LeakyRelu`, with the defaults that stand here, and so do the names of attributes that "also" tells. Errors are bounds
on f32 results, relative to the exact result where nothing else is said; [numerics](numerics.md) has more.

An input with a question mark may be left out. An op that is made of other ops has no kernel of its own. In a script,
grants of operations must name those others.

Gradients of elementwise ops are ops as well: `NAME.dx` takes the inputs of NAME and `grad`, the gradient of its result,
and gives that of `x`. Where it is 0 everywhere, as that of `floor`, there is none. Those of other ops are made of ops.
"Also in" names systems that have an op, with their own name for it.
"""
_SECTIONS = {
    "elementwise": "Elementwise",
    "reduction": "Reductions",
    "search": "Positions",
    "softmax": "Softmax",
    "matmul": "Matrix products",
    "convolution": "Convolution, pooling and interpolation",
    "norm": "Normalisation",
    "loss": "Losses",
    "neural": "Embedding and attention",
    "sequence": "Sequences and experts",
    "vision": "Detection in images",
    "quantised": "Quantisation",
    "view": "Views, without copies",
    "concat": "Joining",
    "gather": "Reading and writing at positions",
    "pad": "Moving and repeating",
    "leaf": "New tensors",
    "random": "Random tensors",
}

_SHOWN = {"write": "gather", "scatter": "gather"}


def document() -> str:
    """The page."""
    parts = [_HEAD]
    for kind, title in _SECTIONS.items():
        rows = [
            spec
            for spec in TABLE.values()
            if spec.namespace == "tensor" and kind == _SHOWN.get(spec.kind, spec.section or spec.kind)
        ]
        parts.append(f"## {title}\n")
        parts += [_row(spec) for spec in rows]
    parts += _elsewhere()
    return "\n".join(parts)


def facts(spec: OpSpec) -> list[str]:
    """The paragraphs of a row: what it does, what it takes and gives, its attributes."""
    known = []
    if spec.aliases:
        known.append(f"also {', '.join(f'`{alias}`' for alias in spec.aliases)}")
    if spec.inputs:
        known.append(f"takes {_taken(spec)}")
    known.append(f"gives {_result(spec)}")
    if spec.tolerance:
        known.append(f"error up to {spec.tolerance:g}{_relative(spec)}")
    if has_gradient(spec):
        known.append("has a gradient")
    if spec.kind == "composite":
        known.append("made of other ops")
    if spec.namespace != "tensor":
        known.append(f"full name `{spec.namespace}.{spec.name}`")
    sentence = f"{'; '.join(known)}."
    peers = [_peer(spec, system, names) for system, names in peers_of(spec).items()]
    if peers:
        sentence += f" Also in {', '.join(peers)}."
    paragraphs = [f"{spec.doc}\n", f"{sentence[0].upper()}{sentence[1:]}\n"]
    return [*paragraphs, *map(_attribute, spec.attributes), *[""] * bool(spec.attributes)]


def _row(spec: OpSpec) -> str:
    needed = len(spec.inputs) - spec.optional
    inputs = ", ".join([*spec.inputs[:needed], *(f"{name}?" for name in spec.inputs[needed:])])
    inputs += ", …" * spec.variadic
    return "\n".join([f"### {spec.name}({inputs})\n", *facts(spec)])


def _peer(spec: OpSpec, system: str, names: Sequence[str]) -> str:
    """A system, with its names for an op that the op has not here."""
    others = [f"`{name}`" for name in names if name not in (spec.name, *spec.aliases)]
    return f"{system} as {' and '.join(others)}" if others else system


def _elsewhere() -> Iterator[str]:
    """What other systems have that is no op here, but several, or something that scripts find in `torch`."""
    yield _ELSEWHERE
    for system, names in combined().items():
        for theirs, ours in names.items():
            yield f"| {system} | `{theirs}` | {', then '.join(f'`{name}`' for name in ours)} |"
    yield ""


_ELSEWHERE = """\
## What other systems have

Of webgpu-torch, wonnx, MoxWebGPU and volvoxai the ops above say where each has them. What those systems have besides:

| system | there | here |
|---|---|---|"""


def _relative(spec: OpSpec) -> str:
    if spec.relative == SUM:
        return " of the same of absolute values"
    return "" if spec.relative == "result" else f" of `{spec.relative}`"


def _taken(spec: OpSpec) -> str:
    if spec.input_dtypes:
        pairs = zip(spec.inputs, spec.input_dtypes, strict=True)
        return "; ".join(f"{_GROUPS.get(dtypes, ' or '.join(dtypes))} as {name}" for name, dtypes in pairs)
    return _GROUPS.get(spec.dtypes, ", ".join(spec.dtypes))


_GROUPS = {
    ALL: "any dtype",
    NUMBERS_64: "any numbers",
    NUMBERS: "any numbers but i64",
    FLOATS: "any floats",
    INTEGERS: "any integers",
    (*INTEGERS, "bool"): "any integers, bool",
}
"""Groups of dtypes that rows take, in words."""


def _result(spec: OpSpec) -> str:
    return {
        "promote": "the common dtype" if len(spec.inputs) > 1 or spec.variadic else "the same dtype",
        "sum": "the same dtype, i32 for bool and shorter integers",
        "first": "the dtype of the first input",
        "choice": "the common dtype of all but the first input",
        "float": "the common dtype if that is a float, else f32",
        "attribute": "what `dtype` says",
    }.get(spec.result, spec.result)


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.default == REQUIRED else f"default `{_value(attribute.default)}`"
    choices = f" {' or '.join(f'`{choice}`' for choice in attribute.choices)}" if attribute.choices else ""
    names = ", ".join(f"`{name}`" for name in also_called(attribute.name))
    others = f", also {names}" if names else ""
    return f"* `{attribute.name}` ({attribute.type}{choices}, {default}{others}): {attribute.doc}"


def _value(default: object) -> str:
    return (
        {None: "null", True: "true", False: "false"}.get(default, str(default))
        if isinstance(default, bool | None)
        else str(default)
    )


if __name__ == "__main__":
    sys.stdout.write(document())
