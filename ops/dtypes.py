"""The element types of tensors, one row each.

Owns names, aliases and widths. Must not know NumPy: `ops/reference.py` maps these names to NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaders.errors import KernelgateError


class DTypeError(KernelgateError):
    """A dtype that does not exist, or that an op does not take."""

    code = "dtype_mismatch"
    title = "A tensor's element type does not fit"


@dataclass(frozen=True, slots=True)
class DType:
    """An element type.

    `wgsl` is how strangers' kernels see an element. `wire_bytes` is the width of an element in files and frames,
    `device_bytes` its width in a device buffer (a bool is one byte in a file and a whole `u32`, 0 or 1, on the device,
    since WGSL's bool has no layout).
    `code` is the `struct` code of the wire form. `rank` orders promotion: the higher wins.
    """

    name: str
    wgsl: str
    wire_bytes: int
    device_bytes: int
    code: str
    kind: str
    rank: int
    aliases: tuple[str, ...]


ROWS = (
    DType("bool", "u32", 1, 4, "?", "bool", 0, ("bool_",)),
    DType("u32", "u32", 4, 4, "I", "int", 1, ("uint32",)),
    DType("i32", "i32", 4, 4, "i", "int", 2, ("int32", "int")),
    DType("f16", "f16", 2, 2, "e", "float", 3, ("float16", "half")),
    DType("f32", "f32", 4, 4, "f", "float", 4, ("float32", "float")),
)
BY_NAME = {row.name: row for row in ROWS}
_ALIASES = {alias: row for row in ROWS for alias in (row.name, *row.aliases)}


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
    """The dtype that holds all of `dtypes`: the one of highest rank (u32 with i32 gives i32)."""
    return max(dtypes, key=lambda row: row.rank)


def floating(*dtypes: DType) -> DType:
    """The dtype of a function of floats: the highest of `dtypes`, f32 for whole numbers."""
    found = promote(*dtypes)
    return found if found.kind == "float" else BY_NAME["f32"]
