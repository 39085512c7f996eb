"""NumPy's scalars: `np.float64(1.5)`, `np.int64(3)`, `np.True_` and their classes.

Owns the classes, their values and their text; each is Python's number with NumPy's type beside it. Arithmetic comes
from `methods.py`. Must not know arrays.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any, TypeVar

from sandbox.library.numpy import dtypes
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Result
from sandbox.library.numpy.dtypes import dtype
from sandbox.library.numpy.floats import nearest, written

Self = TypeVar("Self")


class generic:  # noqa: N801
    """What all scalars are."""

    __slots__ = ()
    _row: dtype
    _value: Any

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._row

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array of rank 0."""
        return ()

    @property
    def ndim(self) -> int:
        """As of an array of rank 0."""
        return 0

    @property
    def size(self) -> int:
        """As of an array of rank 0."""
        return 1

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._row._size

    @property
    def nbytes(self) -> int:
        """Bytes of an element."""
        return self._row._size

    @property
    def T(self) -> Result:  # noqa: N802
        """The scalar itself."""
        return self

    def item(self) -> Result:
        """Python's number."""
        return self._value

    def tolist(self) -> Result:
        """Python's number."""
        return self.item()

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        return f"np.{self._row._name}({self})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __hash__(self) -> int:
        return hash(self.item())

    def __copy__(self) -> Result:
        return self

    def __deepcopy__(self, _memo: Any) -> Result:
        return self


class number(generic):  # noqa: N801
    """Integers and floats."""

    __slots__ = ()


class integer(number):  # noqa: N801
    """Integers."""

    __slots__ = ()


class signedinteger(integer):  # noqa: N801
    """Integers of both signs."""

    __slots__ = ()


class unsignedinteger(integer):  # noqa: N801
    """Integers from zero."""

    __slots__ = ()


class inexact(number):  # noqa: N801
    """Floats."""

    __slots__ = ()


class floating(inexact):  # noqa: N801
    """Floats."""

    __slots__ = ()


class bool_(generic):  # noqa: N801
    """`np.True_` and `np.False_`; there is one of each."""

    __slots__ = ("_value",)
    _row = dtypes.BOOL
    _value: bool

    def __new__(cls, value: ArrayLike = False) -> Result:
        return True_ if value else False_

    def __repr__(self) -> str:
        return f"np.{self._value}_"


def _held(cls: type, value: Any) -> Any:
    """A scalar of a class that keeps its value."""
    made: Any = object.__new__(cls)
    made._value = value
    return made


def _make_integer(cls: Any, value: ArrayLike | str = 0) -> Any:
    """The integer `value`. Raises `OverflowError` where `cls` has it not."""
    if isinstance(value, str | bytes | float | bool_):
        found = int(value)
    else:
        found = operator.index(value) if hasattr(type(value), "__index__") else int(value)
    dtypes.check_fits(int(found), cls._row)
    return _held(cls, int(found))


def _make_float(cls: Any, value: ArrayLike | str = 0.0) -> Any:
    """The float nearest to `value`."""
    return _held(cls, nearest(float(value), cls._row._size))


def _number_class(row: dtype, base: type, make: Callable[..., Any]) -> Any:
    """The class of the scalars of `row`, which keep their values."""
    own = {"__slots__": ("_value",), "_row": row, "__module__": "numpy", "__doc__": f"A number: {row._name}."}
    cls: Any = type(row._name, (base,), {**own, "__new__": make})
    new = object.__new__

    def box(value: Any) -> Any:
        made = new(cls)
        made._value = value
        return made

    dtypes.name_class(row, cls, box)
    return cls


def _index(self: generic) -> int:
    return int(self._value)


def _numerator(self: Self) -> Self:
    """The integer itself."""
    return self


def _denominator(self: generic) -> int:
    """1."""
    return 1


def _is_whole(self: generic) -> bool:
    """True."""
    return True


def _is_integer(self: generic) -> bool:
    """Whether there is nothing behind the point."""
    return bool(self._value.is_integer())


def _bit_count(self: generic) -> int:
    """The ones among the bits of the absolute value."""
    return int(abs(self._value).bit_count())


def _integer(row: dtype) -> Any:
    cls = _number_class(row, signedinteger if row._kind == "i" else unsignedinteger, _make_integer)
    cls.__index__ = _index
    cls.numerator = property(_numerator)
    cls.denominator = property(_denominator)
    cls.is_integer = _is_whole
    cls.bit_count = _bit_count
    numbers.Integral.register(cls)
    return cls


int8, int16, int32, int64 = map(_integer, (dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64))
uint8, uint16, uint32, uint64 = map(_integer, (dtypes.UINT8, dtypes.UINT16, dtypes.UINT32, dtypes.UINT64))


def _float(row: dtype) -> Any:
    cls = _number_class(row, floating, _make_float)
    cls.__str__ = lambda self: written(self._value, row._size)
    cls.is_integer = _is_integer
    numbers.Real.register(cls)
    return cls


float16, float32 = map(_float, (dtypes.FLOAT16, dtypes.FLOAT32))
True_, False_ = _held(bool_, True), _held(bool_, False)


class float64(floating, float):  # noqa: N801
    """A float of 64 bits, which is Python's."""

    __slots__ = ()
    _row = dtypes.FLOAT64

    __bool__ = float.__bool__
    __int__ = float.__int__
    __float__ = float.__float__
    __hash__ = float.__hash__

    def __format__(self, spec: str) -> str:
        return float.__format__(self, spec)

    def item(self) -> float:
        """Python's float."""
        return float(self)

    def __str__(self) -> str:
        return float.__repr__(self)

    def __repr__(self) -> str:
        return f"np.float64({float.__repr__(self)})"


_new_float = float.__new__
dtypes.name_class(dtypes.FLOAT64, float64, lambda value: _new_float(float64, value))
dtypes.name_class(dtypes.BOOL, bool_, lambda value: True_ if value else False_)

_ABSTRACT = (generic, number, integer, signedinteger, unsignedinteger, inexact, floating)
for _cls in (*_ABSTRACT, float64, bool_):
    _cls.__module__ = "numpy"

CLASSES: dict[str, Any] = {
    cls.__name__: cls
    for group in (
        _ABSTRACT,
        (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64),
    )
    for cls in group
}


def issubdtype(first: DTypeLike, second: DTypeLike) -> bool:
    """Whether type `first` is of kind `second`, as `np.integer` or a type."""
    kind = (
        second if isinstance(second, type) and issubclass(second, generic) else dtypes.dtype_of(second)._type
    )
    own = first if isinstance(first, type) and issubclass(first, generic) else dtypes.dtype_of(first)._type
    return issubclass(own, kind)
