"""What the functions of `numpy` take and give, as their annotations say it.

Owns these names. Our functions convert whatever comes, so to us each is `Any`; scripts are told what works. Must not
know arrays.
"""

from __future__ import annotations

from typing import Annotated, Any

from ops.loose import Loose

_ARRAYS = (
    "numpy.ndarray | numpy.generic | torch.Tensor | builtins.float | collections.abc.Sequence[ArrayLike]"
)
_INTEGERS = "builtins.int | collections.abc.Sequence[builtins.int]"
_DTYPES = "numpy.dtype | builtins.type | builtins.str | None"
_OUT = "numpy.ndarray | tuple[numpy.ndarray] | None"
ArrayLike = Annotated[Any, Loose("ArrayLike", "what becomes an array", _ARRAYS)]
DTypeLike = Annotated[Any, Loose("DTypeLike", "what names a dtype", _DTYPES)]
Axes = Annotated[Any, Loose("Axes", "an axis, several, or all", f"{_INTEGERS} | None")]
ShapeLike = Annotated[Any, Loose("ShapeLike", "sizes", _INTEGERS)]
Out = Annotated[Any, Loose("Out", "where a result goes", _OUT)]
Seed = Annotated[Any, Loose("Seed", "what seeds a generator", f"{_INTEGERS} | None")]
Result = Annotated[
    Any, Loose("Result", "an array, or a scalar where no axis is left, as in NumPy's own stubs")
]
Setting = Annotated[Any, Loose("Setting", "what set_printoptions takes by the same name")]
Kept = Annotated[Any, Loose("Kept", "what the function that is called takes by that name")]
Scalar = Annotated[Any, Loose("Scalar", "a number of Python's or NumPy's, by the array's dtype")]
