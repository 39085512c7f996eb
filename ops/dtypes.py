"""The element types of tensors, one row each.

Owns names, aliases and widths. Must not know NumPy: `ops/reference/` maps these names to NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, reduce
from math import inf

from shaders.errors import KernelgateError


class DTypeError(KernelgateError):
    """A dtype that does not exist, or that an op does not take."""

    code = "dtype_mismatch"
    title = "A tensor's element type does not fit"


@dataclass(frozen=True, slots=True)
class DType:
    """An element type.

    `wgsl` is how kernels see an element; those of strangers take no dtype that has none. `wire_bytes` is the width of
    an element in files and frames, `device_bytes` its width in a device buffer (a bool is one byte in a file and a
    whole `u32`, 0 or 1, on the device, since WGSL's bool has no layout).
    `code` is the `struct` code of the wire form, or NumPy's name where that has none. `register` names the dtype in
    which a kernel has an element that it has read: its own, but for those of which a word holds several.
    """

    name: str
    wgsl: str
    wire_bytes: int
    device_bytes: int
    code: str
    kind: str
    register: str
    aliases: tuple[str, ...]

    @property
    def is_packed(self) -> bool:
        """Whether a word of a device buffer holds several elements."""
        return self.device_bytes < 4

    @property
    def is_signed(self) -> bool:
        """Whether it has numbers below 0."""
        return self.kind == "float" or self.name.startswith("i")

    @property
    def lowest(self) -> float:
        """The least number of it, a whole one but for floats."""
        if self.kind == "float":
            return -inf
        return -(1 << 8 * self.wire_bytes - 1) if self.is_signed else 0

    @property
    def highest(self) -> float:
        """The largest number of it, likewise."""
        if self.kind == "float":
            return inf
        return 1 if self.kind == "bool" else (1 << 8 * self.wire_bytes - self.is_signed) - 1

    def holds(self, value: float) -> bool:
        """Whether a number means one of it: for integers those that are within when they are cut off towards 0."""
        return self.kind != "int" or self.lowest - 1 < value < self.highest + 1

    @property
    def level(self) -> int:
        """How high its kind is: of dtypes of several kinds, the highest is what all become."""
        return _KINDS.index(self.kind)


ROWS = (
    DType("bool", "u32", 1, 4, "?", "bool", "bool", ("bool_",)),
    DType("u8", "", 1, 1, "B", "int", "u32", ("uint8", "byte")),
    DType("i8", "", 1, 1, "b", "int", "i32", ("int8",)),
    DType("u16", "", 2, 2, "H", "int", "u32", ("uint16",)),
    DType("i16", "", 2, 2, "h", "int", "i32", ("int16", "short")),
    DType("u32", "u32", 4, 4, "I", "int", "u32", ("uint32",)),
    DType("i32", "i32", 4, 4, "i", "int", "i32", ("int32", "int")),
    DType("i64", "vec2<u32>", 8, 8, "q", "int", "i64", ("int64", "long")),
    DType("bf16", "", 2, 2, "V2", "float", "f32", ("bfloat16",)),
    DType("f16", "f16", 2, 2, "e", "float", "f32", ("float16", "half")),
    DType("f32", "f32", 4, 4, "f", "float", "f32", ("float32", "float")),
)
BY_NAME = {row.name: row for row in ROWS}
_ALIASES = {alias: row for row in ROWS for alias in (row.name, *row.aliases)}
_KINDS = ("bool", "int", "float")


def dtype(name: str) -> DType:
    """The row called `name` or one of its aliases. Raises `DTypeError`."""
    row = _ALIASES.get(name) if isinstance(name, str) else None
    if row is None:
        raise DTypeError(
            f"there is no dtype {name!r}",
            hint=f"Use one of {', '.join(BY_NAME)}.",
        )
    return row


def promote(*dtypes: DType) -> DType:
    """The dtype in which `dtypes` meet: the smallest that holds both, as in PyTorch.

    There are two exceptions: u32 with a smaller or equal signed dtype gives i32, where PyTorch has no answer, and
    nothing gives f64.
    """
    return reduce(_meet, dtypes)


@cache
def _meet(one: DType, other: DType) -> DType:
    if one is other:
        return one
    if one.kind != other.kind:
        return max(one, other, key=lambda row: row.level)
    if one.kind == "float":
        return BY_NAME["f32"]
    if one.is_signed == other.is_signed:
        return max(one, other, key=lambda row: row.wire_bytes)
    signed, unsigned = (one, other) if one.is_signed else (other, one)
    if signed.wire_bytes > unsigned.wire_bytes:
        return signed
    return BY_NAME["i16" if unsigned.wire_bytes == 1 else "i32"]


def floating(*dtypes: DType) -> DType:
    """The dtype of a function of floats: the highest of `dtypes`, f32 for whole numbers."""
    found = promote(*dtypes)
    return found if found.kind == "float" else BY_NAME["f32"]


def register(name: str) -> str:
    """The dtype in which a kernel has elements of the dtype `name` (see `DType`)."""
    return BY_NAME[name].register


def is_packed(name: str) -> bool:
    """Whether a word of a device buffer holds several elements of the dtype `name`."""
    return BY_NAME[name].is_packed
