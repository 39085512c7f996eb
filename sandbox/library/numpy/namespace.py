"""What `import numpy` gives a script.

Owns the list of names, each beside its module. Must not know how scripts are run.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from sandbox.library.numpy import (
    convert,
    counting,
    creation,
    dtypes,
    editing,
    einsum,
    errors,
    iteration,
    joining,
    methods,
    numerics,
    places,
    polynomials,
    printing,
    products,
    quantiles,
    reductions,
    scalars,
    selection,
    settings,
    shapes,
    shaping,
    sorting,
    statistics,
)
from sandbox.library.numpy.arguments import ArrayLike, DTypeLike, Result
from sandbox.library.numpy.array import ndarray, values
from sandbox.library.numpy.linalg import factors, solving, spectral
from sandbox.library.numpy.random import bits, generator, legacy, seeding
from sandbox.library.numpy.ufunc import ufunc
from sandbox.library.numpy.ufuncs import FUNCTIONS

_FUNCTIONS: dict[Any, str] = {
    convert: "array asarray",
    creation: (
        "zeros ones full zeros_like ones_like full_like eye identity tri arange linspace logspace geomspace meshgrid "
        "indices fromfunction fromiter frombuffer vander"
    ),
    shaping: (
        "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to broadcast_arrays "
        "atleast_1d atleast_2d atleast_3d flip fliplr flipud rot90 roll"
    ),
    joining: (
        "concatenate stack vstack hstack dstack column_stack append block split array_split hsplit vsplit repeat tile "
        "resize"
    ),
    reductions: "sum prod any all count_nonzero max min argmax argmin cumsum cumprod ptp",
    statistics: "mean var std average nansum nanprod nancumsum nanmean nanvar nanstd nanargmax nanargmin cov corrcoef",
    quantiles: "quantile percentile median nanmax nanmin nanmedian nanquantile nanpercentile",
    counting: "bincount histogram histogram_bin_edges digitize",
    products: (
        "dot matmul vdot inner outer tensordot kron cross diagonal diag diagflat trace fill_diagonal tril triu "
        "tril_indices triu_indices tril_indices_from triu_indices_from diag_indices"
    ),
    einsum: "einsum",
    sorting: (
        "sort argsort partition argpartition lexsort searchsorted unique unique_counts isin intersect1d union1d "
        "setdiff1d setxor1d"
    ),
    selection: (
        "where nonzero argwhere flatnonzero take take_along_axis put_along_axis extract choose select piecewise "
        "putmask copyto apply_along_axis"
    ),
    editing: "delete insert trim_zeros pad",
    places: "unravel_index ravel_multi_index ix_ result_type",
    numerics: (
        "round fix clip nan_to_num diff ediff1d gradient trapezoid interp unwrap convolve correlate isclose allclose "
        "array_equal array_equiv isposinf isneginf isreal sinc modf"
    ),
    polynomials: "polyval polyfit polyadd polysub polymul polydiv polyder polyint poly1d",
    printing: "set_printoptions get_printoptions printoptions array2string array_repr array_str",
    iteration: "ndindex ndenumerate flatiter vectorize",
    settings: "finfo iinfo errstate seterr",
    scalars: "True_ False_ issubdtype",
    dtypes: "dtype promote_types",
}
_LINALG: dict[Any, str] = {
    solving: "solve inv det slogdet pinv lstsq",
    spectral: "svd svdvals eigh eigvalsh matrix_rank cond",
    factors: "qr cholesky matrix_power multi_dot norm",
    errors: "LinAlgError",
}
_RANDOM: dict[Any, str] = {
    generator: "Generator default_rng",
    legacy: "RandomState",
    bits: "PCG64 MT19937",
    seeding: "SeedSequence",
}
_ALIASES = {
    "asanyarray": "asarray",
    "ascontiguousarray": "asarray",
    "empty": "zeros",
    "empty_like": "zeros_like",
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "cumulative_sum": "cumsum",
    "row_stack": "vstack",
}


def _listed(table: dict[Any, str]) -> dict[str, Any]:
    return {name: getattr(module, name) for module, names in table.items() for name in names.split()}


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The sizes of `a`."""
    return convert.asarray(a)._shape


def ndim(a: ArrayLike) -> int:
    """The number of axes of `a`."""
    return convert.asarray(a).ndim


def size(a: ArrayLike, axis: int | None = None) -> int:
    """The number of elements of `a`, or its size along an axis."""
    found = convert.asarray(a)
    return found.size if axis is None else found._shape[shapes.axis_of(axis, found.ndim)]


def copy(a: ArrayLike) -> ndarray:
    """A copy."""
    return convert.array(a)


def broadcast_shapes(*args: ArrayLike) -> tuple[int, ...]:
    """The shape that all shapes stretch to."""
    return shapes.broadcast(*map(shapes.shape_of, args)) if args else ()


def isscalar(element: ArrayLike) -> bool:
    """Whether it is a number or a string by itself."""
    return isinstance(element, int | float | complex | str | bytes | scalars.generic)


def binary_repr(num: ArrayLike, width: int | None = None) -> str:
    """The binary digits of a whole number, of a negative one in two's complement if there is a `width`."""
    number = operator.index(num)
    if width is not None and number < 0:
        number += 1 << width
    return format(number, "b").rjust(width or 0, "0")


def iterable(y: ArrayLike) -> bool:
    """Whether it can be iterated."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def may_share_memory(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether two arrays read the same buffer."""
    return isinstance(a, ndarray) and isinstance(b, ndarray) and values(a) is values(b)


class _Index:
    """`np.s_[1:2]`."""

    __slots__ = ()

    def __getitem__(self, key: object) -> Result:
        return key


class _Joined:
    """`np.r_[1:4, 0]` and `np.c_[a, b]`."""

    __slots__ = ("_columns",)

    def __init__(self, columns: bool) -> None:
        self._columns = columns

    def __getitem__(self, key: object) -> ndarray:
        parts = [self._part(item) for item in (key if isinstance(key, tuple) else (key,))]
        return joining.column_stack(parts) if self._columns else joining.concatenate(parts)

    def _part(self, item: Any) -> ndarray:
        if not isinstance(item, slice):
            return shaping.atleast_1d(item)  # type: ignore[no-any-return]
        start = 0 if item.start is None else item.start
        if isinstance(item.step, complex):
            return creation.linspace(start, item.stop, int(abs(item.step)))  # type: ignore[no-any-return]
        return creation.arange(start, item.stop, 1 if item.step is None else item.step)


class _Grid:
    """`np.mgrid[0:2, 0:3]` and `np.ogrid`."""

    __slots__ = ("_sparse",)

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: object) -> Result:
        lines = [_Joined(False)._part(item) for item in (key if isinstance(key, tuple) else (key,))]
        grid = creation.meshgrid(*lines, indexing="ij", sparse=self._sparse)
        return grid if self._sparse else joining.stack(grid) if isinstance(key, tuple) else grid[0]


def namespace() -> dict[str, Any]:
    """The public names of `numpy`, its submodules left out."""
    methods.complete()
    found = {**FUNCTIONS, **_listed(_FUNCTIONS), **scalars.CLASSES}
    found |= {alias: found[name] for alias, name in _ALIASES.items()}
    own = (shape, ndim, size, copy, broadcast_shapes, isscalar, binary_repr, iterable, may_share_memory)
    found |= {function.__name__: function for function in own}
    return {
        **found,
        "compress": selection.compress_axis,
        "put": selection.put_flat,
        "shares_memory": may_share_memory,
        "bool": scalars.bool_,
        "int_": scalars.int64,
        "intp": scalars.int64,
        "long": scalars.int64,
        "uint": scalars.uint64,
        "intc": scalars.int32,
        "short": scalars.int16,
        "byte": scalars.int8,
        "ubyte": scalars.uint8,
        "longlong": scalars.int64,
        "uintp": scalars.uint64,
        "uintc": scalars.uint32,
        "ushort": scalars.uint16,
        "double": scalars.float64,
        "single": scalars.float32,
        "half": scalars.float16,
        "ndarray": ndarray,
        "ufunc": ufunc,
        "s_": _Index(),
        "index_exp": _Index(),
        "r_": _Joined(False),
        "c_": _Joined(True),
        "mgrid": _Grid(False),
        "ogrid": _Grid(True),
        "newaxis": None,
        "pi": math.pi,
        "e": math.e,
        "inf": math.inf,
        "nan": math.nan,
        "euler_gamma": 0.5772156649015329,
        "__version__": "2.0",
    }


def submodules() -> dict[str, dict[str, Any]]:
    """The modules inside `numpy`, by name."""
    return {
        "linalg": {
            **_listed(_LINALG),
            "matmul": products.matmul,
            "outer": products.outer,
            "trace": products.trace,
        },
        "random": {**legacy.functions(), **_listed(_RANDOM)},
        "typing": {"NDArray": Typed(), "ArrayLike": ArrayLike, "DTypeLike": DTypeLike},
        "exceptions": {"AxisError": errors.AxisError},
        "lib": {},
        "lib.stride_tricks": {"sliding_window_view": places.sliding_window_view},
        "testing": {"assert_allclose": assert_allclose, "assert_array_equal": assert_array_equal},
    }


class Typed:
    """`NDArray[np.float64]`, which means `ndarray` to a reader and nothing to Python."""

    __slots__ = ()

    def __getitem__(self, _item: object) -> Result:
        return ndarray


def assert_allclose(
    actual: ArrayLike, desired: ArrayLike, rtol: float = 1e-07, atol: float = 0, **_more: object
) -> None:
    """Raises `AssertionError` where numbers differ by more than a little."""
    if not numerics.allclose(actual, desired, rtol, atol, equal_nan=True):
        raise AssertionError(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}\n{actual!r}\n{desired!r}")


def assert_array_equal(actual: ArrayLike, desired: ArrayLike, **_more: object) -> None:
    """Raises `AssertionError` where elements differ."""
    if not numerics.array_equal(actual, desired, equal_nan=True):
        raise AssertionError(f"Arrays are not equal\n{actual!r}\n{desired!r}")
