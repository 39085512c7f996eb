"""Functions and methods that follow from the op table.

Owns the members that each row gives: a function of the `torch` namespace by the row's name and aliases, a method of
`Tensor`, and operators. A new elementwise row needs no edit here. Importing this module completes `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, overload

from ops.errors import GraphError
from ops.spec import OpSpec
from ops.table import TABLE
from ops.torch import advanced, draws, writing
from ops.torch.functions import elementwise, index, reduce, shape, spatial, unique
from ops.torch.functions.reduce import Extreme
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply, node_of
from ops.torch.typenames import Dims, DTypeLike, TypeName, dtype_of
from ops.torch.writing import become

Function = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {}
"""Every function of the `torch` namespace that computes tensors from tensors."""

_BY_HAND = {"where", "cast"}
_OF_TENSOR = {"flatten", "squeeze", "unsqueeze"}
"""Rows whose methods `Tensor` has itself, with PyTorch's arguments."""
_IN_PLACE = (
    "scatter scatter_add scatter_reduce index_add index_copy index_fill index_put masked_scatter tril triu"
    " cumsum cumprod addmm addmv baddbmm"
)
"""Functions that are no elementwise rows and have an in-place form."""
_OF_OTHERS = ("norm", "loss", "neural", "random")
"""Sections whose functions are in `ops/torch/nn/` and `ops/torch/draws.py`."""


def _elementwise(spec: OpSpec) -> Function:
    """The function of a row, which takes its inputs and then its attributes, in order or by name."""
    count = len(spec.inputs)
    names = (*spec.inputs, *(attribute.name for attribute in spec.attributes))

    def function(*args: Any, **named: Any) -> Tensor:
        inplace = named.pop("inplace", False)
        named = {_input_name(spec, name): value for name, value in named.items()}
        given = dict(zip(names, args, strict=False)) | named
        missing = [name for name in spec.inputs if name not in given]
        if missing or len(args) > len(names) or not given.keys() <= set(names):
            raise TypeError(f"{spec.name}({', '.join(names)}) takes {count} tensors, not these arguments")
        tensors = operands([given.pop(name) for name in spec.inputs], to_float=spec.result == "float")
        result = apply(spec.name, tensors, **given)
        return become(tensors[0], result) if inplace else result

    return _named(function, spec.name, spec.doc)


def _composite(spec: OpSpec) -> Function:
    """The function of a composite, which takes its inputs and then its attributes, in order or by name."""
    names = (*spec.inputs, *(attribute.name for attribute in spec.attributes))

    def function(*args: Any, **named: Any) -> Tensor:
        given = dict(zip(names, args, strict=False)) | {
            _input_name(spec, name): value for name, value in named.items()
        }
        given |= {name: dtype_of(value) for name, value in given.items() if isinstance(value, TypeName)}
        needed = spec.inputs[: len(spec.inputs) - spec.optional]
        if len(args) > len(names) or any(name not in given for name in needed):
            raise TypeError(f"{spec.name}({', '.join(names)}) does not take these arguments")
        inputs = [given.pop(name, None) for name in spec.inputs]
        tensors = operands([each for each in inputs if each is not None or not spec.optional])
        return apply(spec.name, tensors, **given)

    return _named(function, spec.name, spec.doc)


_INPUTS = {
    "input": 0,
    **dict.fromkeys(("other", "end", "exponent", "values", "tensor1", "mat1", "mat", "batch1", "scales"), 1),
    **dict.fromkeys(("tensor2", "mat2", "batch2", "vec", "vec2", "tensor", "zero_points"), -1),
}
"""PyTorch's names of operands, with their places; -1 is the last."""


def _input_name(spec: OpSpec, name: str) -> str:
    """The row's own name of the operand that PyTorch calls `name`."""
    place = _INPUTS.get(name, len(spec.inputs))
    return spec.inputs[place] if name not in spec.inputs and place < len(spec.inputs) else name


def _in_place(function: Function) -> Function:
    """The form of `function` that writes its result to its first tensor, and gives that."""

    @wraps(function)
    def method(self: Tensor, *args: Any, **named: Any) -> Tensor:
        return become(self, function(self, *args, **named))

    return _named(method, f"{function.__name__}_", f"{function.__doc__} In place.")


def _named(function: Function, name: str, doc: str | None) -> Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _binary(function: Function, reverse: bool = False) -> Function:
    """The dunder method of a function of two; foreign operands are left to Python."""

    def operator(self: Tensor, other: Operand) -> Tensor:
        if not isinstance(other, Tensor | int | float):
            return NotImplemented
        result: Tensor = function(other, self) if reverse else function(self, other)
        return result

    return operator


def _unary(function: Function) -> Function:
    """The dunder method of a function of one."""

    def operator(self: Tensor) -> Tensor:
        result: Tensor = function(self)
        return result

    return operator


def _reduction(spec: OpSpec) -> Function:
    def function(
        input: Tensor,
        dim: Dims = None,
        keepdim: bool = False,
        *,
        axis: Dims = None,
        dtype: DTypeLike | None = None,
    ) -> Tensor:
        dim = axis if dim is None else dim
        tensor = input if dtype is None else input.type(dtype)
        if spec.kind == "search":
            return apply(spec.name, [tensor], axis=dim, keepdim=keepdim)
        axes = dim if dim is None or isinstance(dim, int) else list(dim) or None
        folded = apply(spec.name, [tensor], axes=axes, keepdim=keepdim)
        return folded if dtype is None else folded.type(dtype)

    return _named(function, spec.name, spec.doc)


def _extreme(name: str, search: str, pairwise: str) -> Function:
    """`max` and `min` as PyTorch has them: of all, along an axis with positions, or of two tensors."""

    @overload
    def function(input: Tensor) -> Tensor: ...

    @overload
    def function(input: Tensor, dim: int, keepdim: bool = False) -> Extreme: ...

    @overload
    def function(input: Tensor, *, axis: int, keepdim: bool = False) -> Extreme: ...

    @overload
    def function(input: Tensor, other: Tensor, /) -> Tensor: ...

    @overload
    def function(input: Tensor, *, other: Operand) -> Tensor: ...

    def function(
        input: Tensor,
        dim: int | Tensor | None = None,
        keepdim: bool = False,
        *,
        axis: int | None = None,
        other: Operand | None = None,
    ) -> Tensor | Extreme:
        if isinstance(dim, Tensor) or other is not None:
            return apply(pairwise, operands([input, dim if other is None else other]))
        dim = axis if dim is None else dim
        if dim is None:
            return apply(name, [input])
        values = apply(name, [input], axes=dim, keepdim=keepdim)
        numbers = input.int() if node_of(input).type.dtype == "bool" else input
        return Extreme(values, apply(search, [numbers], axis=dim, keepdim=keepdim))

    return _named(function, name, TABLE[name].doc)


def _softmax(name: str) -> Function:
    """The function of `softmax` or its kin, along the last axis by default."""

    def function(
        input: Tensor, dim: int | None = None, *, dtype: DTypeLike | None = None, axis: int | None = None
    ) -> Tensor:
        where = axis if dim is None else dim
        given = input if dtype is None else input.type(dtype)
        return apply(name, [given], axis=-1 if where is None else where)

    return _named(function, name, TABLE[name].doc)


def where(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    """`input` where `condition` is true, else `other`."""
    return apply("where", [condition, *operands([input, other])])


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors joined along an axis."""
    joined = list(tensors)
    if not all(isinstance(tensor, Tensor) for tensor in joined):
        raise GraphError("cat takes a list of tensors")
    while len(joined) > _MAX_CONCAT:
        groups = range(0, len(joined), _MAX_CONCAT)
        joined = [cat(joined[start : start + _MAX_CONCAT], dim, axis=axis) for start in groups]
    if len({tensor.ndim for tensor in joined}) > 1:  # PyTorch lets flat tensors of nothing pass
        joined = [tensor for tensor in joined if tensor.shape != (0,)]
    return apply("concat", joined, axis=dim if axis is None else axis)


_MAX_CONCAT = 512


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors of equal shape joined along a new axis."""
    where = dim if axis is None else axis
    return cat([tensor.unsqueeze(where) for tensor in tensors], where)


def _where_method(self: Tensor, condition: Tensor, other: Operand) -> Tensor:
    return where(condition, self, other)


def fill() -> None:
    """Add what each row of the table gives. A second call adds what rows were added since."""
    for spec in TABLE.values():
        if spec.name in _BY_HAND or spec.section in _OF_OTHERS:
            continue
        if spec.kind in ("elementwise", "matmul"):
            function = _elementwise(spec)
        elif spec.kind == "composite" and not spec.variadic:
            function = _composite(spec)
        elif spec.kind in ("reduction", "search"):
            function = _reduction(spec)
        else:
            continue
        named = (name for name in (spec.name, *spec.aliases) if name != spec.name or name not in _OF_TENSOR)
        FUNCTIONS.update(dict.fromkeys(named, function))
    FUNCTIONS["max"] = _extreme("max", "argmax", "maximum")
    FUNCTIONS["min"] = _extreme("min", "argmin", "minimum")
    FUNCTIONS.update({name: _softmax(name) for name in ("softmax", "log_softmax", "softmin")})
    for module in (
        elementwise,
        reduce,
        shape,
        index,
        spatial,
        unique,
    ):
        FUNCTIONS.update(module.written_by_hand())
    for name, function in FUNCTIONS.items():
        setattr(Tensor, name, function)
    rows = [spec for spec in TABLE.values() if spec.kind == "elementwise" and spec.name not in _BY_HAND]
    for name in [*(name for spec in rows for name in (spec.name, *spec.aliases)), *_IN_PLACE.split()]:
        setattr(Tensor, f"{name}_", _in_place(FUNCTIONS[name]))
    for spec in TABLE.values():
        if spec.operator:
            _operators(spec.operator, FUNCTIONS[spec.name], len(spec.inputs), spec.result == "bool")
    for name, function in _METHODS.items():
        setattr(Tensor, name, function)
    FUNCTIONS.update({"where": where, "cat": cat, "concat": cat, "concatenate": cat, "stack": stack})


_METHODS: dict[str, Function] = {
    "where": _where_method,
    **shape.METHODS,
    **draws.METHODS,
    **writing.METHODS,
    "__getitem__": advanced.read,
    "__setitem__": advanced.write,
}
"""Methods that are no functions of `torch`, or others."""


def _operators(dunder: str, function: Function, operands: int, comparison: bool) -> None:
    setattr(Tensor, dunder, _binary(function) if operands == 2 else _unary(function))
    if operands == 2 and not comparison:
        setattr(Tensor, f"__r{dunder[2:]}", _binary(function, reverse=True))
        if dunder != "__matmul__":
            setattr(Tensor, f"__i{dunder[2:]}", _binary(_in_place(function)))


fill()
