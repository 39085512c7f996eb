"""`api/tensors/formats.py`: headers of tensor files against NumPy and safetensors themselves."""

from __future__ import annotations

import contextlib
import io
import json
import struct

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from api.errors import MalformedTensor
from api.tensors import formats
from ops.dtypes import BY_NAME, DTypeError

SHAPES = st.lists(st.integers(0, 5), max_size=4).map(tuple)
DTYPES = {
    "f32": np.float32,
    "i32": np.int32,
    "u32": np.uint32,
    "bool": np.bool_,
    "i64": np.int64,
    "u8": np.uint8,
}
DTYPES |= {"bf16": np.dtype("V2"), "i16": np.int16}


SAFETENSORS = sorted({*DTYPES} - {"bf16"})
"""Those that safetensors writes for NumPy."""


def npy(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version, allow_pickle=True)
    return buffer.getvalue()


@given(
    SHAPES, st.sampled_from(sorted(DTYPES)), st.sampled_from([None, (1, 0), (2, 0), (3, 0)]), st.booleans()
)
def test_a_header_that_numpy_writes_is_read(
    shape: tuple[int, ...], name: str, version: tuple[int, int] | None, fortran: bool
) -> None:
    array = np.zeros(shape, DTYPES[name], order="F" if fortran else "C")
    file = npy(array, version)
    size = formats.npy_header_size(file[:12])
    assert size == len(file) - array.nbytes
    tensor = formats.parse_npy(file[:size])
    assert (tensor.shape, tensor.dtype.name, tensor.nbytes) == (shape, name, array.nbytes)
    assert tensor.fortran == (not array.flags.c_contiguous)


@given(SHAPES, st.sampled_from(sorted(DTYPES)))
def test_a_header_that_is_written_is_read_by_numpy(shape: tuple[int, ...], name: str) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(DTYPES[name])
    header = formats.npy_header(shape, BY_NAME[name])
    assert len(header) % 64 == 0
    read = np.load(io.BytesIO(header + array.tobytes()), allow_pickle=False)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


def test_big_endian_files_are_marked_for_conversion() -> None:
    file = npy(np.zeros(3, ">f4"))
    assert formats.parse_npy(file[: formats.npy_header_size(file)]).swapped


@pytest.mark.parametrize(
    ("array", "says", "hint"),
    [
        (np.zeros(1, np.float64), "'<f8'", "astype(np.float32)"),
        (np.zeros(1, np.uint64), "'<u8'", "astype(np.uint32)"),
        (np.zeros(1, np.complex64), "'<c8'", "astype(np.float32)"),
        (np.array([None]), "pickle", "astype(np.float32)"),
        (np.zeros(1, "U3"), "'<U3'", "astype"),
        (np.zeros(1, [("a", "f4"), ("b", "i4")]), "structured", "Save each field"),
    ],
)
def test_a_dtype_that_has_no_row_is_refused_with_the_way_out(array: np.ndarray, says: str, hint: str) -> None:
    file = npy(array)
    with pytest.raises(DTypeError) as caught:
        formats.parse_npy(file[: formats.npy_header_size(file)])
    assert says in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    "start",
    [b"PK\x03\x04" + bytes(20), b"\x93NUMPY\x09\x00" + bytes(20), b"\x93NUMPY\x02\x00" + b"\xff" * 20],
)
def test_what_is_no_npy_file_is_refused(start: bytes) -> None:
    with pytest.raises(MalformedTensor):
        formats.npy_header_size(start)


@pytest.mark.parametrize(
    "text", [b"{}", b"garbage", b"{'descr': '<f4', 'fortran_order': False}", b"__import__('os')"]
)
def test_a_npy_header_is_matched_and_never_evaluated(text: bytes) -> None:
    with pytest.raises(MalformedTensor):
        formats.parse_npy(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)


@pytest.mark.parametrize(
    "shape",
    [
        "1 2,",
        "L,",
        "1L2,",
        "5\x1c5,",
        "5\xa05,",
        "1" * 5000 + ",",
        "-1,",
        "5",
        ",",
        "1,,",
        "9" * 19 + "1,",
        "1," * 9,
        "(1,)",
        "0x1,",
        "1_0,",
        "1.,",
    ],
)
def test_a_shape_that_numpy_would_not_write_is_refused(shape: str) -> None:
    with pytest.raises(MalformedTensor):
        parse_text(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n")


@pytest.mark.parametrize(
    "text",
    [
        """{'descr': '<f4'), ('b', 'fortran_order': False, 'shape': (1,), }""",
        """{'descr': "<f4'), ('b", 'fortran_order': False, 'shape': (1,), }""",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + f()",
        "f() + {'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
    ],
)
def test_a_header_that_is_not_that_dict_is_refused(text: str) -> None:
    with pytest.raises(MalformedTensor):
        parse_text(text)


@pytest.mark.parametrize(
    ("sizes", "shape"), [("", ()), ("3,", (3,)), ("2L, 3L", (2, 3)), ("2, 3,", (2, 3)), ("0,", (0,))]
)
def test_a_header_may_be_spaced_and_ordered_as_python_allows(sizes: str, shape: tuple[int, ...]) -> None:
    text = f"{{'shape':({sizes}) ,'fortran_order' : True,'descr': '>i4'}}  \n"
    tensor = parse_text(text)
    assert (tensor.shape, tensor.dtype.name, tensor.swapped, tensor.fortran) == (shape, "i32", True, True)


def parse_text(text: str) -> formats.FileTensor:
    data = text.encode("latin-1")
    return formats.parse_npy(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data)


def test_sizes_are_checked_before_they_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats.math, "prod", lambda _: pytest.fail("they were multiplied"))
    for shape in ([2**63 - 1] * 45_000, [2**63], [1] * 9):
        with pytest.raises(MalformedTensor):
            formats.parse_safetensors(
                header_of({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 8]}})
            )


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=9), st.tuples(SHAPES, st.sampled_from(SAFETENSORS)), max_size=5
    )
)
def test_a_file_that_safetensors_writes_is_read(tensors: dict[str, tuple[tuple[int, ...], str]]) -> None:
    tensors.pop("__metadata__", None)
    arrays = {name: np.ones(shape, DTYPES[dtype]) for name, (shape, dtype) in tensors.items()}
    file = safetensors.numpy.save(arrays, metadata={"made": "here"})
    size = formats.safetensors_header_size(file[:12])
    assert size is not None
    found = formats.parse_safetensors(file[:size])
    assert {t.name: (t.shape, t.dtype.name) for t in found} == tensors
    assert size + sum(t.nbytes for t in found) == len(file)


@given(SHAPES, st.sampled_from(SAFETENSORS))
def test_a_header_that_is_written_is_read_by_safetensors(shape: tuple[int, ...], name: str) -> None:
    array = np.ones(shape, DTYPES[name])
    header = formats.safetensors_header("w", shape, BY_NAME[name], array.nbytes)
    read = safetensors.numpy.load(header + array.tobytes())
    np.testing.assert_array_equal(read["w"], array)
    assert read["w"].dtype == array.dtype


def test_bf16_is_read_and_written_by_the_name_that_safetensors_has() -> None:
    header = formats.safetensors_header("w", (3,), BY_NAME["bf16"], 6)
    (found,) = formats.parse_safetensors(header)
    assert (found.shape, found.dtype.name, found.nbytes) == ((3,), "bf16", 6)
    assert b'"BF16"' in header


def header_of(entries: object) -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        (b"{", MalformedTensor),
        (b"[" * 5000 + b"]" * 5000, MalformedTensor),
        ([], MalformedTensor),
        ({"a": 1}, MalformedTensor),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, MalformedTensor),
        ({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, MalformedTensor),
        ({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}}, MalformedTensor),
        (
            {
                "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
            },
            MalformedTensor,
        ),
        ({"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}, DTypeError),
        ({"a": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}, DTypeError),
    ],
)
def test_a_safetensors_header_that_contradicts_itself_is_refused(
    entries: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        formats.parse_safetensors(header_of(entries))


def test_a_safetensors_header_beyond_the_limit_is_refused_by_its_size() -> None:
    with pytest.raises(MalformedTensor, match="over the limit"):
        formats.safetensors_header_size(b"\xff" * 8)


@given(st.binary(max_size=200))
def test_no_header_bytes_cause_anything_but_a_clear_error(noise: bytes) -> None:
    with contextlib.suppress(MalformedTensor, DTypeError):
        formats.parse_safetensors(header_of(noise))
    with contextlib.suppress(MalformedTensor, DTypeError):
        formats.parse_npy(formats.NPY_MAGIC + b"\x01\x00\0\0" + noise)
