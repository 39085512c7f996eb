"""Element types: their names, how they are stored, and what two of them become together.

Owns `dtype` and the table of its instances. Must not know arrays; the classes of scalars name themselves here.
"""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any, Final

from sandbox.library.numpy.arguments import DTypeLike, Result
from sandbox.library.numpy.errors import UFuncTypeError

Buffer: Final[Any] = array.array
"""What holds elements."""


class dtype:  # noqa: N801
    """An element type; there is one instance of each."""

    __slots__ = ("_box", "_code", "_high", "_kind", "_low", "_name", "_size", "_type")
    _name: str
    _kind: str
    _code: str
    _size: int
    _low: int
    _high: int
    _type: Any
    _box: Callable[[Any], Any]

    def __new__(cls, spec: DTypeLike = None) -> dtype:
        return dtype_of(spec)

    @property
    def name(self) -> str:
        """As `float64`."""
        return self._name

    @property
    def kind(self) -> str:
        """One of `b`, `i`, `u` and `f`."""
        return self._kind

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._size

    @property
    def char(self) -> str:
        """NumPy's letter of the type."""
        if self is FLOAT16:
            return "e"
        return "?" if self._kind == "b" else self._code.replace("q", "l").replace("Q", "L")

    @property
    def str(self) -> Result:
        """As `<f8`."""
        return f"{'|' if self._size == 1 else '<'}{self._kind}{self._size}"

    @property
    def type(self) -> Result:
        """The class of its scalars."""
        return self._type

    def __eq__(self, other: object) -> bool:
        try:
            return self is dtype_of(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> Result:
        return f"dtype('{self._name}')"

    def __str__(self) -> Result:
        return self._name

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, _memo: Any) -> dtype:
        return self


dtype.__module__ = "numpy"
TABLE: dict[str, dtype] = {}
_NAMES: dict[Any, dtype] = {}


def _row(name: str, kind: str, code: str, size: int, *aliases: Any) -> dtype:
    row: dtype = object.__new__(dtype)
    row._name, row._kind, row._code, row._size = name, kind, code, size
    bits = 8 * size
    row._low = -(1 << (bits - 1)) if kind == "i" else 0
    row._high = (1 << (bits - 1)) - 1 if kind == "i" else (1 << bits) - 1 if kind == "u" else 1
    TABLE[name] = row
    for alias in (name, f"{kind}{size}", f"<{kind}{size}", f"={kind}{size}", f"|{kind}{size}", *aliases):
        _NAMES[alias] = row
    return row


BOOL: Final = _row("bool", "b", "B", 1, bool, "bool_", "?")
INT8: Final = _row("int8", "i", "b", 1, "byte", "b")
INT16: Final = _row("int16", "i", "h", 2, "short", "h")
INT32: Final = _row("int32", "i", "i", 4, "intc", "i")
INT64: Final = _row("int64", "i", "q", 8, int, "int", "int_", "intp", "long", "longlong", "l", "q")
UINT8: Final = _row("uint8", "u", "B", 1, "ubyte", "B")
UINT16: Final = _row("uint16", "u", "H", 2, "ushort", "H")
UINT32: Final = _row("uint32", "u", "I", 4, "uintc", "I")
UINT64: Final = _row("uint64", "u", "Q", 8, "uint", "uintp", "ulong", "ulonglong", "L", "Q")
FLOAT16: Final = _row("float16", "f", "f", 2, "half", "e")
FLOAT32: Final = _row("float32", "f", "f", 4, "single", "f")
FLOAT64: Final = _row("float64", "f", "d", 8, float, "float", "double", "d")


def name_class(row: dtype, cls: type, box: Callable[[Any], Any]) -> None:
    """`cls` is the class of the scalars of `row`, and `box` makes one of an element."""
    row._type, row._box = cls, box
    _NAMES[cls] = row


def dtype_of(spec: DTypeLike) -> dtype:
    """The element type that `spec` names: a `dtype`, a class, or a name. Raises `TypeError`."""
    if spec is None:
        return FLOAT64
    if type(spec) is dtype:
        return spec
    if isinstance(spec, type | str):
        found = _NAMES.get(str.__str__(spec) if isinstance(spec, str) else spec)
        if found is not None:
            return found
    shown = spec.__name__ if isinstance(spec, type) else repr(spec)[:80]
    raise TypeError(
        f"data type {shown} is not available to scripts: numpy has bools, integers and floats here"
    )


def promote_types(first: DTypeLike, second: DTypeLike) -> dtype:
    """The smallest type that holds both."""
    return promote(dtype_of(first), dtype_of(second))


def promote(a: dtype, b: dtype) -> dtype:
    """The smallest type that holds `a` and `b`."""
    if a is b or b._kind == "b":
        return a
    if a._kind == "b":
        return b
    if a._kind == b._kind:
        return a if a._size >= b._size else b
    if "f" in (a._kind, b._kind):
        real, whole = (a, b) if a._kind == "f" else (b, a)
        needed = {1: FLOAT16, 2: FLOAT32}.get(whole._size, FLOAT64)
        return real if real._size >= needed._size else needed
    signed, unsigned = (a, b) if a._kind == "i" else (b, a)
    if signed._size > unsigned._size:
        return signed
    return {1: INT16, 2: INT32, 4: INT64, 8: FLOAT64}[unsigned._size]


def check_fits(value: int, row: dtype) -> None:
    """Raises `OverflowError` for an integer that `row` has not got."""
    if row._kind in "iu" and not row._low <= value <= row._high:
        raise OverflowError(f"Python integer {value} out of bounds for {row._name}")


def check_same_kind(name: str, source: dtype, target: dtype) -> None:
    """Raises `UFuncTypeError` where a result of `source` must not be stored as `target`."""
    ranks = "buif"
    if ranks.index(source._kind) > ranks.index(target._kind):
        raise UFuncTypeError(
            f"Cannot cast ufunc '{name}' output from {source!r} to {target!r} with casting rule 'same_kind'"
        )
