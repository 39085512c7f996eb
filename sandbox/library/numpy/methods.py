"""The methods and operators of arrays, of scalars and of functions of elements.

Owns which function stands behind which. Must not know how they compute.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sandbox.library.numpy import (
    folding,
    indexing,
    iteration,
    joining,
    numerics,
    printing,
    products,
    reductions,
    scalars,
    selection,
    shapes,
    shaping,
    sorting,
    statistics,
)
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Result, Scalar
from sandbox.library.numpy.array import cast, copy_of, ndarray, plain, store, values
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.convert import astype as converted
from sandbox.library.numpy.dtypes import check_same_kind, dtype_of
from sandbox.library.numpy.scalars import float64, generic, int64
from sandbox.library.numpy.ufunc import ufunc
from sandbox.library.numpy.ufuncs import FUNCTIONS

Self = TypeVar("Self")
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
_COMPARE = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
_TIMES = FUNCTIONS["multiply"]
_OPERANDS = (ndarray, generic, int, float, list, tuple)
_EXACT = frozenset([float, int, float64, bool])
_PLAIN = frozenset([float, int, bool])


# ---------------------------------------------------------------------- operators of arrays
def _array_operator(function: Any, reverse: bool = False) -> Callable[..., Any]:
    def operate(self: ndarray, other: ArrayLike) -> Result:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return function(other, self) if reverse else function(self, other)

    return operate


def _power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, by a multiplication or a root where that is the same."""
    if type(exponent) in (int, float) and isinstance(base, ndarray) and base._dtype._kind == "f":
        quick = {2: "square", 0.5: "sqrt", 1: "positive", -1: "reciprocal"}.get(exponent)
        if quick is not None:
            return FUNCTIONS[quick](base)
    elif type(exponent) is int and exponent == 2 and isinstance(base, ndarray) and base._dtype._kind != "b":
        return FUNCTIONS["square"](base)
    return FUNCTIONS["power"](base, exponent)


def _in_place(function: Any, name: str) -> Callable[..., Any]:
    def operate(self: ndarray, other: ArrayLike) -> ndarray:
        if not isinstance(other, _OPERANDS):
            return NotImplemented  # type: ignore[no-any-return]
        found = asarray(function(self, other))
        if found._shape != self._shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {shapes.text(self._shape)} doesn't match the broadcast "
                f"shape {shapes.text(found._shape)}"
            )
        check_same_kind(name, found._dtype, self._dtype)
        store(self, cast(values(found), found._dtype, self._dtype))
        return self

    return operate


def _array_divmod(a: ArrayLike, b: ArrayLike) -> tuple[Result, Result]:
    return FUNCTIONS["floor_divide"](a, b), FUNCTIONS["remainder"](a, b)


def _unary(function: ufunc) -> Callable[..., Any]:
    def operate(self: ArrayLike) -> Result:
        return function(self)

    return operate


def _give(cls: Any, name: str, function: Any) -> None:
    setattr(cls, name, function)


def _add_operators() -> None:
    for name, function_name in _BINARY.items():
        function: Any = _power if name == "pow" else FUNCTIONS[function_name]
        _give(ndarray, f"__{name}__", _array_operator(function))
        _give(ndarray, f"__r{name}__", _array_operator(function, True))
        _give(ndarray, f"__i{name}__", _in_place(function, function_name))
    for name, function_name in _COMPARE.items():
        _give(ndarray, f"__{name}__", _array_operator(FUNCTIONS[function_name]))
    for name, function_name in _UNARY.items():
        _give(ndarray, f"__{name}__", _unary(FUNCTIONS[function_name]))
    for name, function in (("matmul", products.matmul), ("divmod", _array_divmod)):
        _give(ndarray, f"__{name}__", _array_operator(function))
        _give(ndarray, f"__r{name}__", _array_operator(function, True))
    _give(ndarray, "__imatmul__", _in_place(products.matmul, "matmul"))
    ndarray.__hash__ = None  # type: ignore[assignment]


# ---------------------------------------------------------------------- methods of arrays
def _astype(
    self: ndarray, dtype: DTypeLike, order: str | None = None, casting: str = "unsafe", copy: bool = True
) -> ndarray:
    """A copy with another element type."""
    row = dtype_of(dtype)
    return self if not copy and row is self._dtype else converted(self, row)


def _item(self: ndarray, *args: int | tuple[int, ...]) -> Scalar:
    """One element, the only one or that at an index, as Python's number."""
    if not args:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return plain(self)[0]
    key = args[0] if len(args) == 1 else args
    found = self.flat[key] if isinstance(key, int) else indexing.get(self, key)  # type: ignore[attr-defined]
    return found.item()


def _fill(self: ndarray, value: ArrayLike) -> None:
    """Write one value everywhere."""
    indexing.put(self, ..., value)


def _contains(self: ndarray, item: ArrayLike) -> bool:
    return bool(reductions.any(FUNCTIONS["equal"](self, item)))


def _format(self: ndarray, spec: str) -> str:
    if self._shape and spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return format(plain(self)[0], spec) if spec else str(self)


def _copy(self: ndarray, order: str | None = None) -> ndarray:
    """A copy."""
    return copy_of(self)


def _compress(self: ndarray, condition: ArrayLike, axis: int | None = None) -> ndarray:
    """The entries along an axis for which `condition` holds."""
    found: ndarray = selection.compress_axis(condition, self, axis)
    return found


def _partition(self: ndarray, kth: ArrayLike, axis: int = -1) -> None:
    """Let lesser elements stand before the `kth` and greater behind: they are sorted."""
    sorting.sort_method(self, axis)


def _same(self: Self) -> Self:
    """The same: there are no complex numbers."""
    return self


METHODS: dict[str, Any] = {
    "__getitem__": indexing.get,
    "__setitem__": indexing.put,
    "__contains__": _contains,
    "__format__": _format,
    "__repr__": printing.array_repr,
    "__str__": printing.array_str,
    "flat": property(iteration.flatiter),
    "astype": _astype,
    "item": _item,
    "fill": _fill,
    "copy": _copy,
    "reshape": shaping.reshape,
    "ravel": shaping.ravel,
    "flatten": shaping.flatten,
    "transpose": shaping.transpose_method,
    "swapaxes": shaping.swapaxes,
    "squeeze": shaping.squeeze,
    "repeat": joining.repeat,
    "sum": reductions.sum,
    "prod": reductions.prod,
    "max": reductions.max,
    "min": reductions.min,
    "any": reductions.any,
    "all": reductions.all,
    "argmax": reductions.argmax,
    "argmin": reductions.argmin,
    "cumsum": reductions.cumsum,
    "cumprod": reductions.cumprod,
    "mean": statistics.mean,
    "std": statistics.std,
    "var": statistics.var,
    "round": numerics.round,
    "clip": numerics.clip,
    "dot": products.dot,
    "diagonal": products.diagonal,
    "trace": products.trace,
    "sort": sorting.sort_method,
    "argsort": sorting.argsort,
    "searchsorted": sorting.searchsorted,
    "nonzero": selection.nonzero,
    "take": selection.take,
    "put": selection.put_flat,
    "choose": selection.choose,
    "compress": _compress,
    "partition": _partition,
    "argpartition": sorting.argpartition,
    "conj": _copy,
    "mT": property(products.transpose_last),
    "real": property(_same),
}
_SCALAR_METHODS = (
    "sum prod max min any all argmax argmin cumsum cumprod mean std var clip reshape ravel flatten astype "
    "squeeze"
)


def _scalar_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of arrays, of a scalar."""

    @wraps(method)
    def of_scalar(self: generic, *args: Any, **kwargs: Any) -> Any:
        found = method(asarray(self), *args, **kwargs)
        return (
            found._dtype._box(values(found)[0]) if isinstance(found, ndarray) and not found._shape else found
        )

    return of_scalar


def _scalar_at(self: generic, key: object) -> Result:
    return indexing.get(asarray(self), key)


def _add_methods() -> None:
    for name, method in METHODS.items():
        _give(ndarray, name, method)
    for name in _SCALAR_METHODS.split():
        _give(generic, name, _scalar_method(METHODS[name]))
    _give(generic, "round", _scalar_method(numerics.round))
    _give(generic, "copy", _same)
    _give(generic, "real", property(_same))
    _give(generic, "__getitem__", _scalar_at)
    for name in ("reduce", "accumulate", "outer", "at"):
        _give(ufunc, name, getattr(folding, name))


# ---------------------------------------------------------------------- operators of scalars
def _general(function: Any, self: Any, other: Any, reverse: bool) -> Any:
    if isinstance(other, ndarray) or not isinstance(other, _OPERANDS):
        return NotImplemented
    if function is _TIMES and isinstance(other, list | tuple):
        return NotImplemented  # a list repeats itself
    return function(other, self) if reverse else function(self, other)


def _scalar_operator(function: Any, reverse: bool = False) -> Callable[..., Any]:
    def operate(self: generic, other: ArrayLike) -> Result:
        return _general(function, self, other, reverse)

    return operate


def _float_operator(function: Any, native: Callable[[Any, Any], Any], reverse: bool) -> Callable[..., Any]:
    """An operator of `float64`, quick for plain numbers."""
    new = float.__new__

    def operate(self: Any, other: ArrayLike) -> Result:
        if type(other) in _EXACT:
            try:
                return new(float64, native(self, other))
            except ArithmeticError:
                pass
        return _general(function, self, other, reverse)

    return operate


def _int_operator(function: Any, native: Callable[[Any, Any], Any], reverse: bool) -> Callable[..., Any]:
    """An operator of `int64`, quick for plain numbers."""
    new: Any = int64(0)._row._box

    def operate(self: Any, other: ArrayLike) -> Result:
        if type(other) is int64:
            other = other._value
        if type(other) is int:
            try:
                found = native(self._value, other)
            except ArithmeticError:
                return _general(function, self, int64(other), reverse)
            if -(1 << 63) <= found < 1 << 63:
                return new(found)
            other = int64(other)
        return _general(function, self, other, reverse)

    return operate


def _comparison(function: ufunc, cls: type, compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    true, false = scalars.True_, scalars.False_
    held = not issubclass(cls, float)

    def operate(self: Any, other: ArrayLike) -> Result:
        if type(other) in _PLAIN:
            return true if compare(self._value if held else float(self), other) else false
        return _general(function, self, other, False)

    return operate


def _rounded(self: Any, ndigits: int | None = None) -> Scalar:
    return round(self.item()) if ndigits is None else _scalar_method(numerics.round)(self, ndigits)


_QUICK_FLOAT = ("add", "sub", "mul", "truediv", "floordiv", "mod")
_QUICK_INT = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor")


def _add_scalar_operators() -> None:
    for cls in [cls for cls in scalars.CLASSES.values() if hasattr(cls, "_row")]:
        _add_to_scalar(cls)


def _add_to_scalar(cls: Any) -> None:
    for name, function_name in _BINARY.items():
        function = FUNCTIONS[function_name]
        for prefix, reverse in (("", False), ("r", True)):
            method = f"__{prefix}{name}__"
            operate = _scalar_operator(function, reverse)
            if cls is float64 and name in _QUICK_FLOAT:
                operate = _float_operator(function, getattr(float, method), reverse)
            elif cls is int64 and name in _QUICK_INT:
                operate = _int_operator(function, getattr(int, method), reverse)
            _give(cls, method, operate)
    for name, function_name in _COMPARE.items():
        _give(cls, f"__{name}__", _comparison(FUNCTIONS[function_name], cls, getattr(operator, name)))
    for name, function_name in _UNARY.items():
        _give(cls, f"__{name}__", _unary(FUNCTIONS[function_name]))
    for name, reverse in (("__divmod__", False), ("__rdivmod__", True)):
        _give(cls, name, _scalar_operator(_array_divmod, reverse))
    _give(cls, "__round__", _rounded)
    _give(cls, "__hash__", float.__hash__ if cls is float64 else generic.__hash__)


def complete() -> None:
    """Give `ndarray`, the scalars and `ufunc` their methods and operators."""
    _add_operators()
    _add_methods()
    _add_scalar_operators()
