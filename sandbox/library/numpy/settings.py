"""Limits of types, and the switches of NumPy that change nothing here.

Owns `finfo`, `iinfo`, `errstate` and `seterr`. Nothing warns: a division by zero gives an infinity in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sandbox.library.numpy.arguments import DTypeLike, Result
from sandbox.library.numpy.dtypes import dtype, dtype_of
from sandbox.library.numpy.scalars import generic

F = TypeVar("F", bound=Callable[..., object])
_FLOATS = {
    2: (10, 3, 0.0009765625, 65504.0, 6.103515625e-05, 1e-03),
    4: (23, 6, 1.1920928955078125e-07, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-06),
    8: (52, 15, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308, 1e-15),
}


class finfo:  # noqa: N801
    """The limits of a float type."""

    __slots__ = ("_row",)

    def __init__(self, dtype: DTypeLike) -> None:
        self._row = dtype_of(dtype.dtype if isinstance(dtype, generic) else dtype)
        if self._row._kind != "f":
            raise ValueError(f"data type {self._row!r} not inexact")

    def _limit(self, number: int) -> Any:
        return self._row._box(_FLOATS[self._row._size][number])

    @property
    def dtype(self) -> dtype:
        """The type."""
        return self._row

    @property
    def bits(self) -> int:
        """Its size."""
        return self._row._size * 8

    @property
    def precision(self) -> int:
        """Decimal digits that survive."""
        return int(_FLOATS[self._row._size][1])

    @property
    def eps(self) -> Result:
        """From 1 to the next number."""
        return self._limit(2)

    @property
    def max(self) -> Result:
        """The greatest."""
        return self._limit(3)

    @property
    def min(self) -> Result:
        """The least."""
        return self._row._box(-_FLOATS[self._row._size][3])

    @property
    def tiny(self) -> Result:
        """The least above zero with all its digits."""
        return self._limit(4)

    smallest_normal = tiny

    @property
    def resolution(self) -> Result:
        """The decimal form of `eps`."""
        return self._limit(5)


class iinfo:  # noqa: N801
    """The limits of an integer type."""

    __slots__ = ("_row",)

    def __init__(self, type: DTypeLike) -> None:
        self._row = dtype_of(type.dtype if isinstance(type, generic) else type)
        if self._row._kind not in "iu":
            raise ValueError(f"Invalid integer data type {self._row._kind!r}.")

    @property
    def dtype(self) -> dtype:
        """The type."""
        return self._row

    @property
    def bits(self) -> int:
        """Its size."""
        return self._row._size * 8

    @property
    def max(self) -> int:
        """The greatest."""
        return self._row._high

    @property
    def min(self) -> int:
        """The least."""
        return self._row._low

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self._row._name})"


class errstate:  # noqa: N801
    """`with np.errstate(divide="ignore"):`, also as a decorator. Nothing warns anyway."""

    __slots__ = ()

    def __init__(self, **_kinds: object) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: object) -> None:
        pass

    def __call__(self, function: F) -> F:
        return function


def seterr(**_kinds: object) -> dict[str, str]:
    """What is done about errors of floats: nothing."""
    return dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")


for _cls in (finfo, iinfo, errstate):
    _cls.__module__ = "numpy"
