"""`OpSpec`: a row of the op table, and the attributes of ops.

Owns what a row may say, and the check of a node's attributes against its row. Must not know shapes: the rules that
rows name are in `ops/infer.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeGuard

from ops import dtypes
from ops.dtypes import DTypeError
from ops.errors import AttributeValueError, GraphError
from shaders.suggestions import meant

AttributeType = Literal[
    "number",
    "integer",
    "flag",
    "text",
    "string",
    "dtype",
    "sizes",
    "integers",
    "words",
    "axis",
    "axes",
    "extents",
    "factors",
]
Kind = Literal[
    "elementwise",
    "leaf",
    "reduction",
    "search",
    "softmax",
    "normalize",
    "attention",
    "matmul",
    "convolution",
    "view",
    "write",
    "concat",
    "gather",
    "scatter",
    "pad",
    "digest",
    "routine",
    "composite",
]
ResultRule = Literal["promote", "float", "f32", "i32", "bool", "u32", "sum", "first", "choice", "attribute"]
ShapeRule = Literal[
    "broadcast", "same", "reduce", "matmul", "concat", "shape", "count", "digest",
    "reshape", "permute", "transpose", "slice", "diagonal", "expand", "write", "gather", "scatter", "pad",
    "windows", "convolution", "standardize", "attention",
    "routine",
]  # fmt: skip
Normal = None | bool | int | float | str | tuple[int, ...] | tuple[float, ...]

FLOATS = ("f32", "f16", "bf16")
NARROW = ("i16", "u16", "i8", "u8")
NUMBERS = (*FLOATS, "i32", "u32", *NARROW)
NUMBERS_64 = (*NUMBERS, "i64")
"""The same with i64, a pair of words, which not every kernel takes."""
ALL = (*NUMBERS, "bool", "i64")
INTEGERS = ("i64", "i32", "u32", *NARROW)
SUM = "sum"
REQUIRED = "\0required"
_LIMIT = 1 << 53
_MAX_LIST = 64
_MAX_TEXT = 256


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an op.

    Types: `number` any number; `integer`; `flag` a bool; `text` one of `choices`; `string` any short text; `dtype` a
    dtype's name; `sizes` a list of sizes (-1 where the op allows it); `integers` a list; `words` a list of numbers of
    32 bits, on which no kernel depends; `axis` one axis, or None for all; `axes` one axis, a list of them, or None for
    all; `extents` one integer for all axes of space, a list, or one of `choices`; `factors` one number for all axes of
    space, or a list.
    """

    name: str
    type: AttributeType
    default: Normal = REQUIRED
    choices: tuple[str, ...] = ()
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Reduction:
    """How a reduction folds: `load` is an expression of the inputs, `combine` one of `a` and `b` that is associative.

    `finish` is applied last, to `a`, and may use `n`, the number of elements folded. `start` is the neutral value;
    without one the fold begins with an element, and an empty axis is an error. `empty` is the result of an empty axis
    where that is not `start`.
    """

    combine: str
    start: int | float | None
    load: str = "x"
    finish: str = "a"
    empty: float | None = None


@dataclass(frozen=True, slots=True)
class OpSpec:
    """An op: its names, inputs, attributes, meaning, and the rules for the dtype and shape of its result.

    `dtypes` are those that every input may have; `input_dtypes`, where given, those of each.
    `expression` is the meaning of an elementwise op, `whole` another for inputs none of which is a float. `operator` is
    the Python operator that means the op on a `Tensor`, as in `__add__`. `gradients` are expressions, one an input, of
    what the gradient `grad` of the result gives it; without them they are derived from `expression`.
    `tolerance` is the error that f32 results may have against the exact value; 0 means exact or correctly rounded but
    for subnormal results. It is relative to `relative`: an expression of the inputs and of `result`, or SUM, the same
    op of absolute values.
    `variadic` ops take one or more inputs; of others the last `optional` inputs may be left out. `namespace` is the
    first part of the full name, as in `hash.sha256`.
    `section` is where a composite stands in the documentation: the kind that it is like.
    `standard` is the publication that defines what is computed, if one does.
    """

    name: str
    kind: Kind
    inputs: tuple[str, ...]
    doc: str
    expression: str = ""
    aliases: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    dtypes: tuple[str, ...] = ALL
    result: ResultRule = "promote"
    shape: ShapeRule = "broadcast"
    operator: str = ""
    tolerance: float = 0.0
    relative: str = "result"
    whole: str = ""
    gradients: tuple[str, ...] = ()
    reduction: Reduction | None = None
    variadic: bool = False
    optional: int = 0
    namespace: str = "tensor"
    section: str = ""
    input_dtypes: tuple[tuple[str, ...], ...] = ()
    standard: str = ""


def check_attributes(spec: OpSpec, attributes: Mapping[str, object]) -> dict[str, Normal]:
    """`attributes` in their normal form (by our names, defaults filled in, lists as tuples, dtypes by name).

    Raises `AttributeValueError` for one that the op lacks, that is missing, or whose value is of another type, and
    `DTypeError` for a dtype that does not exist.
    """
    if not attributes:
        return {attribute.name: _default(spec, attribute) for attribute in spec.attributes}
    names = {attribute.name for attribute in spec.attributes}
    given: dict[str, object] = {}
    for name, value in attributes.items():
        known = name if name in names else next(iter(names & _SYNONYMS.get(name, set())), None)
        if known is None:
            hint = meant(str(name), names, f"It has {', '.join(sorted(names)) or 'none'}.")
            raise AttributeValueError(f"{spec.name} has no attribute {str(name)[:64]!r}", hint=hint)
        if known in given:
            raise AttributeValueError(f"{spec.name}: {known!r} is given twice, by two of its names")
        given[known] = value
    return {
        attribute.name: _check(spec, attribute, given[attribute.name])
        if attribute.name in given
        else _default(spec, attribute)
        for attribute in spec.attributes
    }


_SYNONYMS = {
    "dim": {"axis", "axes"},
    "dims": {"axes"},
    "axis": {"axes"},
    "axes": {"axis"},
    "dim0": {"axis0"},
    "dim1": {"axis1"},
    "strides": {"stride"},
    "dilations": {"dilation"},
    "pads": {"padding"},
    "group": {"groups"},
    "kernel_shape": {"kernel_size"},
    "keepdims": {"keepdim"},
    "epsilon": {"eps"},
    "transA": {"trans_a"},
    "transB": {"trans_b"},
}
"""PyTorch's, NumPy's and ONNX's names of attributes, with ours."""


def also_called(attribute: str) -> list[str]:
    """Other names by which ops take an attribute of ours."""
    return [name for name, ours in _SYNONYMS.items() if attribute in ours]


def _default(spec: OpSpec, attribute: Attribute) -> Normal:
    if attribute.default == REQUIRED:
        raise AttributeValueError(
            f"{spec.name} needs the attribute {attribute.name!r}", hint=attribute.doc or None
        )
    return attribute.default


def _check(spec: OpSpec, attribute: Attribute, value: object) -> Normal:
    normal = _normal(attribute, value)
    if normal is not None or (value is None and _optional(attribute)):
        return normal
    wanted = f"one of {', '.join(attribute.choices)}" if attribute.type == "text" else _WANTED[attribute.type]
    raise AttributeValueError(
        f"{spec.name}: the attribute {attribute.name!r} is {show(value)}, but must be {wanted}",
        hint=attribute.doc or None,
    )


_WANTED = {
    "number": "a number",
    "integer": "an integer",
    "flag": "true or false",
    "text": "text",
    "string": f"text of at most {_MAX_TEXT} characters",
    "dtype": "the name of a dtype",
    "sizes": f"a list of at most {_MAX_LIST} sizes",
    "integers": f"a list of at most {_MAX_LIST} integers",
    "words": f"a list of at most {_MAX_LIST} words",
    "axis": "an axis or null",
    "axes": "an axis, a list of axes, or null",
    "extents": "an integer or a list of one for each axis of space",
    "factors": "a number or a list of one for each axis of space",
}


def show(value: object) -> str:
    """A short text of an untrusted value, for messages."""
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "an integer of more than 64 bits"
    return repr(value[:8] if isinstance(value, list | tuple | str) else value)[:80]


def _optional(attribute: Attribute) -> bool:
    return attribute.default is None or attribute.type in ("axis", "axes")


def _normal(attribute: Attribute, value: object) -> Normal:
    """`value` in normal form, None if it is not of the attribute's type (or is None)."""
    match attribute.type:
        case "number":
            return (
                value
                if isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 64)
                else None
            )
        case "integer" | "axis":
            return value if _is_integer(value) else None
        case "flag":
            return value if isinstance(value, bool) else None
        case "text":
            return value if isinstance(value, str) and value in attribute.choices else None
        case "string":
            return value if isinstance(value, str) and len(value) <= _MAX_TEXT else None
        case "dtype":
            return _dtype_name(value)
        case "axes" if _is_integer(value):
            return (value,)
        case "extents" if _is_integer(value) or (isinstance(value, str) and value in attribute.choices):
            return value
        case "factors":
            return _factors(value)
    if isinstance(value, list | tuple) and len(value) <= _MAX_LIST and all(map(_is_integer, value)):
        return tuple(value)
    return None


def _factors(value: object) -> float | tuple[float, ...] | None:
    if isinstance(value, list | tuple) and len(value) <= _MAX_LIST and all(map(_is_real, value)):
        return tuple(map(float, value))
    return float(value) if _is_real(value) else None


def _is_real(value: object) -> TypeGuard[int | float]:
    return isinstance(value, float) or _is_integer(value)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and -_LIMIT <= value <= _LIMIT


def _dtype_name(value: object) -> str | None:
    return dtypes.dtype(value).name if isinstance(value, str) else None


def check_count(spec: OpSpec, count: int) -> None:
    """Refuse with `GraphError` a number of inputs that the op does not take."""
    most = len(spec.inputs)
    least = most - spec.optional
    if (count < 1) if spec.variadic else not least <= count <= most:
        choice = " or ".join(str(number) for number in range(least, most + 1))
        wanted = "at least 1 input" if spec.variadic else f"{choice} inputs"
        raise GraphError(f"{spec.name} takes {wanted}, not {count}")


def check_dtypes(spec: OpSpec, given: tuple[str, ...]) -> None:
    """Refuse with `DTypeError` inputs of dtypes that the op does not take."""
    for number, name in enumerate(given):
        taken = spec.input_dtypes[number] if spec.input_dtypes else spec.dtypes
        if name not in taken:
            where = f" as {spec.inputs[number]}" if spec.input_dtypes else ""
            raise DTypeError(
                f"{spec.name} does not take {name}{where}",
                hint=f"It takes {', '.join(taken)}: convert with cast, or .to(dtype) in a script.",
            )
