"""`import numpy`: a small façade over plain Python buffers, never the real package.

Owns its registration as modules of scripts, and the way from a tensor of `torch` to an array. Must not know what is
in it.
"""

from __future__ import annotations

from typing import Any

from ops.torch.tensor import Tensor
from sandbox.library.numpy import namespace
from sandbox.library.numpy.arguments import Result
from sandbox.library.numpy.array import ndarray
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.scalars import generic
from sandbox.policy import classes, ownership, views


def install() -> None:
    """Provide `numpy` and its submodules; scripts may set `a.shape`, and derive from no class of it."""
    _provide("numpy", namespace.namespace())
    for name, inside in namespace.submodules().items():
        _provide(f"numpy.{name}", inside)
    ownership.add_writable(ndarray)
    setattr(Tensor, "numpy", _array_of)  # noqa: B010  # the class does not know it


def _provide(title: str, members: dict[str, Any]) -> None:
    views.provide(title, lambda: members)
    for value in members.values():
        if isinstance(value, type) and not issubclass(value, Exception) and value is not Any:
            classes.seal_class(value)


def _array_of(self: Tensor) -> ndarray:
    """A copy of the elements, as an array of `numpy`."""
    return asarray(self)


def plain(value: object) -> Result:
    """An array as nested lists, a scalar as a number; else None."""
    return value.tolist() if isinstance(value, ndarray | generic) else None
