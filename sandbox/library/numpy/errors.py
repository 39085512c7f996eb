"""The exceptions that NumPy has and Python has not.

Owns their names, as scripts see them. Must not know arrays.
"""

from __future__ import annotations


class AxisError(ValueError, IndexError):
    """An axis that an array has not got."""

    def __init__(self, axis: int | str, ndim: int | None = None) -> None:
        text = axis if ndim is None else f"axis {axis} is out of bounds for array of dimension {ndim}"
        super().__init__(text)


class LinAlgError(ValueError):
    """A matrix that the operation cannot take."""


class UFuncTypeError(TypeError):
    """Element types that a function cannot take, or a result that its target cannot hold."""


AxisError.__module__ = "numpy.exceptions"
LinAlgError.__module__ = "numpy.linalg"
UFuncTypeError.__module__ = "numpy"
