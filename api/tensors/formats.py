"""Tensor files: the headers of `.npy` and safetensors, read and written.

Owns header grammar and which foreign dtypes are taken. Headers are small and parsed by fixed patterns, never
evaluated; elements are not touched here. Must not know HTTP or storage.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from typing import Any

import msgspec

from api.errors import MalformedJson, MalformedTensor
from api.http.body import parse_json
from api.tensors.elements import numpy_dtype, parse_shape
from ops.dtypes import BY_NAME, ROWS, DType, DTypeError

NPY = "application/x-npy"
SAFETENSORS = "application/vnd.safetensors"
RAW = "application/octet-stream"
NPY_MAGIC = b"\x93NUMPY"
NPY_HEADER_LIMIT = 1 << 16
SAFETENSORS_HEADER_LIMIT = 1 << 20
MAX_TENSORS = 4096

_ITEM = re.compile(
    r"""\s*(?:['"]descr['"]\s*:\s*(?P<quote>['"])(?P<descr>[^'"\\]{1,40})(?P=quote)"""
    r"""|['"]fortran_order['"]\s*:\s*(?P<fortran>True|False)"""
    r"""|['"]shape['"]\s*:\s*\((?P<shape>[^()]*)\))\s*(?P<end>,\s*\}|,|\})""",
    re.ASCII,
)
_FIELDS = re.compile(r"""\s*['"]descr['"]\s*:\s*[\[(]""", re.ASCII)
_PARTS = ("descr", "fortran", "shape")
_SIZE = re.compile(r"\s*(\d{1,19})L?\s*", re.ASCII)
_NPY_DTYPES = {
    **{
        f"{row.name[0]}{row.wire_bytes}": row.name
        for row in ROWS
        if row.kind != "bool" and row.name != "bf16"
    },
    "b1": "bool",
    "V2": "bf16",
}
"""Foreign names; bf16 has none in NumPy, whose files name the two opaque bytes as which extensions keep it."""
_SAFETENSORS_DTYPES = {row.name.upper(): row.name for row in ROWS}
_CASTS = {"b": "np.bool_", "u": "np.uint32", "f": "np.float32", "c": "np.float32"}


@dataclass(frozen=True, slots=True)
class FileTensor:
    """A tensor in a file: where its elements start (from the end of the header) and how they are stored."""

    shape: tuple[int, ...]
    dtype: DType
    offset: int = 0
    name: str = ""
    swapped: bool = False
    fortran: bool = False

    @property
    def nbytes(self) -> int:
        """The size of its elements."""
        return math.prod(self.shape) * self.dtype.wire_bytes


def npy_header_size(start: bytes) -> int | None:
    """The bytes before the elements of a `.npy` file that begins with `start`; None: more is needed to tell."""
    if not start.startswith(NPY_MAGIC[: len(start)]):
        raise MalformedTensor("the body is not a .npy file", hint="numpy.save writes them.")
    if len(start) < 12:
        return None
    major = start[6]
    if major not in (1, 2, 3):
        raise MalformedTensor(f".npy format version {major} is not known")
    size = (
        10 + struct.unpack_from("<H", start, 8)[0]
        if major == 1
        else 12 + struct.unpack_from("<I", start, 8)[0]
    )
    if size > NPY_HEADER_LIMIT:
        raise MalformedTensor(f"a .npy header of {size} bytes is over the limit of {NPY_HEADER_LIMIT}")
    return int(size)


def parse_npy(header: bytes) -> FileTensor:
    """What a `.npy` header says. Raises `MalformedTensor`, or `DTypeError` for a dtype that has no row here."""
    entries = _npy_entries(header[10 if header[6] == 1 else 12 :].decode("latin-1"))
    shape = _npy_shape(entries["shape"])
    row = _npy_dtype(entries["descr"])
    return FileTensor(shape, row, swapped=entries["descr"][0] == ">", fortran=entries["fortran"] == "True")


def _npy_entries(text: str) -> dict[str, str]:
    """The texts of the three values in the dict that a header is, each of which is there once."""
    found: dict[str, str] = {}
    place = text.find("{") + 1 if not text[: text.find("{")].strip() else 0
    end = "," if place else ""
    while end == ",":
        if _FIELDS.match(text, place):
            raise DTypeError(
                "the .npy file has a structured dtype",
                hint="Save each field as an array of its own: numpy.save(path, array['field']).",
            )
        item = _ITEM.match(text, place)
        if item is None:
            break
        name, value = next((name, item[name]) for name in _PARTS if item[name] is not None)
        if name in found:
            break
        found[name], place, end = value, item.end(), item["end"]
    if len(found) != len(_PARTS) or not end.endswith("}") or text[place:].strip(" \t\n"):
        raise MalformedTensor(
            "the .npy header is not a dict of descr, fortran_order and shape", hint="numpy.save writes them."
        )
    return found


def _npy_shape(text: str) -> tuple[int, ...]:
    """The sizes in the text of a tuple."""
    parts = text.split(",") if text.strip() else [""]
    sizes = [_SIZE.fullmatch(part) for part in (parts[:-1] if not parts[-1].strip() else parts)]
    if len(parts) == 1 and parts[0].strip():
        sizes = [None]
    if None in sizes:
        raise MalformedTensor("the shape in the .npy header is not a tuple of sizes")
    return parse_shape([int(size[1]) for size in sizes if size is not None])


def _npy_dtype(descr: str) -> DType:
    name = _NPY_DTYPES.get(descr[1:])
    if name is not None and descr[0] in "<>|=":
        return BY_NAME[name]
    if descr[1:2] == "O" or descr == "O":
        raise DTypeError(
            "the .npy file holds Python objects (a pickle), which are never loaded",
            hint="Convert first: array.astype(np.float32).",
        )
    cast = _CASTS.get(descr[1:2], "np.float32")
    raise DTypeError(
        f"the .npy file has the dtype {descr!r}; tensors here are {', '.join(BY_NAME)}",
        hint=f"Convert before saving: array.astype({cast}).",
    )


def npy_header(shape: tuple[int, ...], row: DType) -> bytes:
    """The bytes before the elements of a `.npy` file, version 1.0, padded as numpy pads."""
    sizes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    descr = numpy_dtype(row).str
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return NPY_MAGIC + b"\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin-1")


def safetensors_header_size(start: bytes) -> int | None:
    """The bytes before the elements of a safetensors file that begins with `start`; None: more is needed."""
    if len(start) < 8:
        return None
    (size,) = struct.unpack_from("<Q", start)
    if size > SAFETENSORS_HEADER_LIMIT:
        raise MalformedTensor(
            f"a safetensors header of {size} bytes is over the limit of {SAFETENSORS_HEADER_LIMIT}"
        )
    return 8 + int(size)


def parse_safetensors(header: bytes) -> list[FileTensor]:
    """The tensors of a safetensors file in the order of their elements, which must lie without gaps.

    Raises `MalformedTensor`, or `DTypeError` for a dtype that has no row here.
    """
    try:
        entries = parse_json(header[8:])
    except MalformedJson as error:
        raise MalformedTensor(f"the safetensors header is not JSON: {error.message}") from None
    if not isinstance(entries, dict):
        raise MalformedTensor("the safetensors header is not an object")
    entries.pop("__metadata__", None)
    if len(entries) > MAX_TENSORS:
        raise MalformedTensor(f"{len(entries)} tensors in one file are over the limit of {MAX_TENSORS}")
    tensors = sorted(
        (_entry(name, entry) for name, entry in entries.items()), key=lambda t: (t.offset, t.nbytes)
    )
    end = 0
    for tensor in tensors:
        if tensor.offset != end:
            raise MalformedTensor(
                f"the elements of {tensor.name[:80]!r} start at {tensor.offset!s:.40}, not at {end}"
            )
        end += tensor.nbytes
    return tensors


class _Entry(msgspec.Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def _entry(name: str, value: Any) -> FileTensor:
    try:
        entry = msgspec.convert(value, _Entry)
    except msgspec.ValidationError as error:
        raise MalformedTensor(f"the safetensors entry {name[:80]!r} is malformed: {error}") from None
    row = BY_NAME.get(_SAFETENSORS_DTYPES.get(entry.dtype, ""))
    if row is None:
        raise DTypeError(
            f"the tensor {name[:80]!r} has the dtype {entry.dtype[:20]}; tensors here are {', '.join(BY_NAME)}",
            hint="Convert before saving: tensor.float(), or array.astype(np.float32).",
        )
    start, stop = entry.data_offsets
    tensor = FileTensor(parse_shape(list(entry.shape)), row, start, name)
    if start < 0 or any(size < 0 for size in entry.shape) or stop - start != tensor.nbytes:
        raise MalformedTensor(f"the offsets of {name[:80]!r} do not fit its shape {list(entry.shape)!s:.80}")
    return tensor


def safetensors_header(name: str, shape: tuple[int, ...], row: DType, nbytes: int) -> bytes:
    """The bytes before the elements of a safetensors file with one tensor, padded to 8 as the format asks."""
    code = next(code for code, dtype_name in _SAFETENSORS_DTYPES.items() if dtype_name == row.name)
    text = msgspec.json.encode({name: {"dtype": code, "shape": shape, "data_offsets": (0, nbytes)}})
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text
