"""NumPy's scalars: `np.float64(1.5)`, `np.int64(3)`, `np.True_` and their classes.

Owns the classes, their values and their text; each is Python's number with NumPy's type beside it. Arithmetic comes
from `methods.py`. Must not know arrays.
"""

from __future__ import annotations

import operator
from array import array as Buffer
from typing import Any

from sandbox.library.numpy import dtypes
from sandbox.library.numpy.dtypes import dtype
from sandbox.library.numpy.floats import shortest32


class generic:  # noqa: N801
    """What all scalars are."""

    __slots__ = ()
    _row: dtype

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
    def T(self) -> Any:  # noqa: N802
        """The scalar itself."""
        return self

    def item(self) -> Any:
        """Python's number."""
        raise NotImplementedError

    def tolist(self) -> Any:
        """Python's number."""
        return self.item()

    def __repr__(self) -> str:
        return f"np.{self._row._name}({self})"

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _memo: Any) -> Any:
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

    def __new__(cls, value: Any = False) -> Any:
        return True_ if value else False_

    def item(self) -> bool:
        """Python's bool."""
        return self._value

    def __bool__(self) -> bool:
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        return f"np.{self._value}_"

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)


def _singleton(value: bool) -> bool_:
    made: bool_ = object.__new__(bool_)
    made._value = value
    return made


True_, False_ = _singleton(True), _singleton(False)


class _Whole(int):
    """The part of integer scalars that is Python's `int`."""

    __slots__ = ()

    def __str__(self) -> str:
        return int.__repr__(self)


def _new_whole(cls: Any, value: Any = 0) -> Any:
    """The integer `value`. Raises `OverflowError` where `cls` has it not."""
    if isinstance(value, str | bytes | float):
        found = int(value)
    else:
        found = operator.index(value) if hasattr(type(value), "__index__") else int(value)
    dtypes.check_fits(int(found), cls._row)
    return int.__new__(cls, found)


def _item(self: Any) -> int:
    """Python's int."""
    return int(self)


def _integer(row: dtype) -> Any:
    """The class of the integer scalars of `row`."""
    base = signedinteger if row._kind == "i" else unsignedinteger
    space = {"__slots__": (), "__module__": "numpy", "_row": row, "__doc__": f"An integer: {row._name}."}
    cls: Any = type(row._name, (_Whole, base), {**space, "__new__": _new_whole, "item": _item})
    new = int.__new__
    dtypes.name_class(row, cls, lambda value: new(cls, value))
    cls.__repr__ = generic.__repr__
    return cls


int8, int16, int32, int64 = map(_integer, (dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64))
uint8, uint16, uint32, uint64 = map(_integer, (dtypes.UINT8, dtypes.UINT16, dtypes.UINT32, dtypes.UINT64))


class float64(floating, float):  # noqa: N801
    """A float of 64 bits, which is Python's."""

    __slots__ = ()
    _row = dtypes.FLOAT64

    def item(self) -> float:
        """Python's float."""
        return float(self)

    def __str__(self) -> str:
        return float.__repr__(self)

    def __repr__(self) -> str:
        return f"np.float64({float.__repr__(self)})"


class float32(floating, float):  # noqa: N801
    """A float of 32 bits, kept in one of Python's."""

    __slots__ = ()
    _row = dtypes.FLOAT32

    def __new__(cls, value: Any = 0.0) -> Any:
        return float.__new__(cls, Buffer("f", [float(value)])[0])

    def item(self) -> float:
        """Python's float."""
        return float(self)

    def __str__(self) -> str:
        return shortest32(self)

    def __repr__(self) -> str:
        return f"np.float32({shortest32(self)})"


_new_float = float.__new__
dtypes.name_class(dtypes.FLOAT64, float64, lambda value: _new_float(float64, value))
dtypes.name_class(dtypes.FLOAT32, float32, lambda value: _new_float(float32, value))
dtypes.name_class(dtypes.BOOL, bool_, lambda value: True_ if value else False_)

for _cls in (
    generic,
    number,
    integer,
    signedinteger,
    unsignedinteger,
    inexact,
    floating,
    float64,
    float32,
    bool_,
):
    _cls.__module__ = "numpy"

CLASSES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, float64, float32)
    + (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64)
}


def issubdtype(first: Any, second: Any) -> bool:
    """Whether type `first` is of kind `second`, as `np.integer` or a type."""
    kind = (
        second if isinstance(second, type) and issubclass(second, generic) else dtypes.dtype_of(second)._type
    )
    own = first if isinstance(first, type) and issubclass(first, generic) else dtypes.dtype_of(first)._type
    return issubclass(own, kind)
