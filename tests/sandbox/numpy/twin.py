"""One expression evaluated with NumPy and with the façade, and the comparison of what comes out."""

from __future__ import annotations

import math
import types
import warnings
from typing import Any

import numpy

from sandbox.library.numpy import namespace
from sandbox.library.numpy.array import ndarray
from sandbox.library.numpy.dtypes import dtype
from sandbox.library.numpy.scalars import generic


def _modules() -> Any:
    facade = types.SimpleNamespace(**namespace.namespace())
    for name, members in namespace.submodules().items():
        target = facade
        for part in name.split(".")[:-1]:
            if not hasattr(target, part):
                setattr(target, part, types.SimpleNamespace())
            target = getattr(target, part)
        setattr(target, name.split(".")[-1], types.SimpleNamespace(**members))
    return facade


FACADE = _modules()


def run(source: str, module: Any) -> Any:
    """The value of the last line of `source`, or the exception."""
    *before, last = [line for line in source.strip().split(";") if line.strip()]
    space: dict[str, Any] = {"np": module, "math": math}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(line.strip() for line in before), space)
            return eval(last.strip(), space)
        except Exception as error:
            return error


def check(source: str, exact: bool = False, messages: bool = False, any_error: bool = False) -> None:
    """`source` must come out alike."""
    ours, theirs = run(source, FACADE), run(source, numpy)
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"{source}: NumPy raises {theirs!r}, the façade gives {ours!r}"
        assert any_error or kinds(type(theirs)) & kinds(type(ours)), (
            f"{source}: {type(theirs).__name__} {theirs}, not {type(ours).__name__} {ours}"
        )
        if messages:
            assert str(ours) == str(theirs), source
        return
    if isinstance(ours, Exception):
        raise AssertionError(f"{source}: {ours!r}, NumPy gives {theirs!r}") from ours
    same(ours, theirs, source, exact)


def kinds(cls: type) -> set[str]:
    """The names of an exception's class and its bases, as far as they say something."""
    return {base.__name__ for base in cls.__mro__} - {"object", "BaseException", "Exception"}


def same(ours: Any, theirs: Any, source: str, exact: bool = False) -> None:
    """Values, shapes, types and texts are equal."""
    if isinstance(theirs, numpy.ndarray):
        assert isinstance(ours, ndarray), f"{source}: {ours!r}, not {theirs!r}"
        assert ours.shape == theirs.shape, f"{source}: shape {ours.shape}, not {theirs.shape}"
        assert ours.dtype.name == theirs.dtype.name, f"{source}: {ours.dtype}, not {theirs.dtype}"
        flat = zip(ours.ravel().tolist(), theirs.ravel().tolist(), strict=True)
        for number, (mine, real) in enumerate(flat):
            close(
                mine,
                real,
                f"{source} [{number}]",
                exact and theirs.dtype.name != "float32",
                theirs.dtype.name == "float32",
            )
        narrow = theirs.dtype.name == "float32"
        if ours.tolist() == theirs.tolist() or (theirs.size < 100 and not narrow):
            assert repr(ours) == repr(theirs), f"{source}\n{ours!r}\n{theirs!r}"
            assert str(ours) == str(theirs), f"{source}\n{ours!s}\n{theirs!s}"
    elif isinstance(theirs, numpy.generic):
        assert isinstance(ours, generic), f"{source}: {ours!r} ({type(ours)}), not {theirs!r}"
        assert type(ours).__name__.strip("_") == type(theirs).__name__.strip("_"), (
            f"{source}: {ours!r} {theirs!r}"
        )
        close(ours.item(), theirs.item(), source, exact, theirs.dtype.name == "float32")
        if ours.item() == theirs.item():
            assert (repr(ours), str(ours)) == (repr(theirs), str(theirs)), source
    elif isinstance(theirs, list | tuple):
        assert isinstance(ours, list | tuple), f"{source}: {ours!r}, not {theirs!r}"
        assert len(ours) == len(theirs), f"{source}: {ours!r}, not {theirs!r}"
        for mine, real in zip(ours, theirs, strict=True):
            same(mine, real, source, exact)
    elif isinstance(theirs, numpy.dtype):
        assert isinstance(ours, dtype), source
        assert repr(ours) == repr(theirs), source
    elif isinstance(theirs, float):
        assert type(ours) is float, f"{source}: {ours!r} is no float"
        close(ours, theirs, source, exact, False)
    else:
        assert type(ours) is type(theirs), f"{source}: {type(ours)}, not {type(theirs)}"
        assert ours == theirs, f"{source}: {ours!r}, not {theirs!r}"


def close(ours: Any, theirs: Any, source: str, exact: bool, narrow: bool) -> None:
    """Two Python numbers are equal, but for the last bits of a function's result."""
    assert type(ours) is type(theirs), f"{source}: {ours!r} is not of the type of {theirs!r}"
    if isinstance(theirs, float) and math.isnan(theirs):
        assert math.isnan(ours), f"{source}: {ours!r}, not NaN"
    elif exact or not isinstance(theirs, float):
        assert ours == theirs, f"{source}: {ours!r}, not {theirs!r}"
    else:
        tolerance = 1e-5 if narrow else 1e-11
        assert math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance * 0.01), (
            f"{source}: {ours!r}, not {theirs!r}"
        )
        assert ours != 0 or math.copysign(1, ours) == math.copysign(1, theirs) or theirs != 0, (
            f"{source}: sign of zero"
        )
