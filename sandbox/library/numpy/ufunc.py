"""Functions of elements: how operands meet, and how results come to be.

Owns `ufunc` and its call. A function is a set of loops, one for each kind of element; a loop has a quick form, which
may fail as Python's arithmetic does (division by zero, a logarithm of nothing), and then a safe one. Which functions
there are is told in `ufuncs.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.library.numpy import dtypes, shapes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Out, Result
from sandbox.library.numpy.array import box, broadcasted, cast, make, ndarray, own_values, store, values
from sandbox.library.numpy.convert import asarray, strong
from sandbox.library.numpy.dtypes import (
    BOOL,
    FLOAT64,
    INT8,
    INT64,
    Buffer,
    check_same_kind,
    dtype,
    dtype_of,
    promote,
)
from sandbox.library.numpy.errors import UFuncTypeError
from sandbox.library.numpy.shapes import Shape

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Loop:
    """What is done to elements. `takes` and `gives`: their types, where it is not the operands' common one."""

    quick: Function
    safe: Function | None = None
    takes: dtype | None = None
    gives: dtype | None = None

    def run(self, columns: Sequence[Any]) -> list[Any]:
        """The results for columns of operands."""
        if self.safe is None:
            return list(map(self.quick, *columns))
        try:
            return list(map(self.quick, *columns))
        except (ValueError, ArithmeticError):
            return list(map(self.safe, *columns))


class ufunc:  # noqa: N801
    """A function of elements, as `np.add`."""

    __slots__ = ("_doc", "_identity", "_loops", "_name", "_nin")
    _name: str
    _doc: str
    _nin: int
    _identity: Any
    _loops: dict[str, Loop]

    def __new__(cls, *_args: object) -> ufunc:
        raise TypeError("cannot create 'numpy.ufunc' instances")

    @property
    def nin(self) -> int:
        """How many operands it has."""
        return self._nin

    @property
    def nout(self) -> int:
        """How many results it has."""
        return 1

    @property
    def identity(self) -> Result:
        """What a reduction begins with."""
        return self._identity

    @property
    def __name__(self) -> str:
        return self._name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return self._doc

    def __repr__(self) -> str:
        return f"<ufunc '{self._name}'>"

    def __call__(
        self,
        *operands: ArrayLike,
        out: Out = None,
        where: ArrayLike = True,
        dtype: DTypeLike = None,
        casting: str = "same_kind",
    ) -> Result:
        if len(operands) == self._nin + 1 and out is None:
            *operands, out = operands  # type: ignore[assignment]
        if len(operands) != self._nin:
            raise TypeError(
                f"{self._name}() takes {self._nin} positional arguments but {len(operands)} were given"
            )
        arrays, common = meet(operands)
        loop, takes = loop_of(self, common if dtype is None else dtype_of(dtype))
        first = arrays[0]._shape
        same = all(a._shape == first for a in arrays)
        shape = first if same else shapes.broadcast(*[a._shape for a in arrays])
        items = loop.run([column(a, takes, shape) for a in arrays])
        result = make(items, loop.gives or takes, shape)
        if out is not None or where is not True:
            return deliver(self._name, result, out[0] if isinstance(out, tuple) else out, where)
        return result if shape else box(result)


ufunc.__module__ = "numpy"


def define(name: str, doc: str, nin: int, loops: Mapping[str, Loop], identity: Any = None) -> ufunc:
    """The function `name`. `loops`: by the kind of element (`b`, `i`, `f`); one that is missing uses the next."""
    made: ufunc = object.__new__(ufunc)
    made._name, made._doc, made._nin, made._identity = name, doc, nin, identity
    made._loops = dict(loops)
    return made


def meet(operands: Sequence[Any]) -> tuple[list[ndarray], dtype]:
    """The operands as arrays, and their common type; Python's numbers give way. Raises `OverflowError`."""
    pairs = [strong(operand) for operand in operands]
    arrays = [a for a, _ in pairs]
    if len(pairs) == 1 or pairs[0][1] == pairs[1][1] == "" == pairs[-1][1]:
        common = arrays[0]._dtype
        for a in arrays[1:]:
            common = promote(common, a._dtype)
        return arrays, common
    firm = [a._dtype for a, weak in pairs if not weak]
    weak = {kind for _, kind in pairs if kind}
    if not firm:
        return arrays, FLOAT64 if "f" in weak else INT64
    common = firm[0]
    for row in firm[1:]:
        common = promote(common, row)
    if "f" in weak:
        return arrays, common if common._kind == "f" else FLOAT64
    if common._kind == "b":
        return arrays, INT64
    for a, kind in pairs:
        if kind and common._kind in "iu":
            dtypes.check_fits(a._data[0], common)
    return arrays, common


def loop_of(function: ufunc, common: dtype) -> tuple[Loop, dtype]:
    """The loop for operands of `common`, and the type that they are given to it as. Raises `UFuncTypeError`."""
    kinds = "bif"
    start = kinds.index("i" if common._kind == "u" else common._kind)
    for kind in kinds[start:]:
        loop = function._loops.get(kind)
        if loop is not None:
            default = common if kind == kinds[start] else INT8 if kind == "i" else FLOAT64
            return loop, loop.takes or default
    raise UFuncTypeError(
        f"ufunc '{function._name}' not supported for the input types, and the inputs could not be safely coerced "
        "to any supported types according to the casting rule ''safe''"
    )


def column(a: ndarray, takes: dtype, shape: Shape) -> Result:
    """The elements of `a` stretched to `shape`, as numbers of the kind of `takes`: not to be changed."""
    if a._shape != shape and a.size != 1:
        a = broadcasted(a, shape)
    found = values(a)
    if a._dtype is not takes:
        if takes._kind == "f":
            found = found if a._dtype._kind == "f" else Buffer("d", found)
        elif takes._kind == "b" or a._dtype._kind == "f":
            found = cast(found, a._dtype, takes)
    if a._shape != shape:
        count = shapes.check(shape)
        return [found[0]] * count if count != 1 else found
    return found


def deliver(name: str, result: ndarray, out: Out, where: ArrayLike) -> Result:
    """`result` put into `out`, where `where` holds."""
    if out is None:
        out = make(own_values(result), result._dtype, result._shape)
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of ArrayType")
    check_same_kind(name, result._dtype, out._dtype)
    if shapes.broadcast(out._shape, result._shape) != out._shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {shapes.text(out._shape)} doesn't match the broadcast "
            f"shape {shapes.text(shapes.broadcast(out._shape, result._shape))}"
        )
    items = cast(values(broadcasted(result, out._shape)), result._dtype, out._dtype)
    if where is not True:
        chosen = values(broadcasted(asarray(where, BOOL), out._shape))
        items = Buffer(
            out._dtype._code,
            [new if use else old for new, old, use in zip(items, values(out), chosen, strict=True)],
        )
    store(out, items[:] if items is out._data else items)
    return out
