"""Short integers and bf16: packed in words, in any layout, through each kind of op, with PyTorch's wrap-around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.dtypes import dtype
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import CPU, lower
from ops.reference.bfloat import BF16, opened, rounded
from ops.spec import NARROW
from ops.table import find

INTEGERS = {name: reference.DTYPES[name] for name in NARROW}
HALVES = ("f16", "bf16")
EVERY = np.arange(1 << 16, dtype=np.uint16)


def numbers(name: str, *shape: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed + sum(shape))
    if name in HALVES:
        return reference.narrow(values.normal(0, 2, shape), name)
    ends = np.iinfo(reference.DTYPES[name])
    return values.integers(ends.min, ends.max, shape, reference.DTYPES[name], endpoint=True)


@pytest.mark.parametrize("name", NARROW)
def test_every_short_integer_becomes_the_i32_that_it_is_and_comes_back(device: Any, name: str) -> None:
    x = EVERY.view(np.uint8 if np.dtype(INTEGERS[name]).itemsize == 1 else np.uint16).view(INTEGERS[name])
    wide = device.run("cast", {"dtype": "i32"}, [x])
    assert np.array_equal(wide, x.astype(np.int32))
    assert np.array_equal(device.run("cast", {"dtype": name}, [wide]), x)


@pytest.mark.parametrize("name", NARROW)
def test_integers_keep_their_lowest_bits_and_floats_stop_at_the_ends(device: Any, name: str) -> None:
    x = np.random.default_rng(3).integers(-(1 << 31), 1 << 31, 4097).astype(np.int32)
    assert np.array_equal(device.run("cast", {"dtype": name}, [x]), x.astype(INTEGERS[name]))
    floats = np.float32(
        [-1e9, -129.5, -1.9, -0.5, 0.5, 1.9, 127.5, 300, 70000, np.inf, -np.inf, np.nan, 1e38]
    )
    ends = np.iinfo(INTEGERS[name])
    expected = np.trunc(np.nan_to_num(np.clip(floats, ends.min, ends.max), nan=0)).astype(INTEGERS[name])
    assert np.array_equal(device.run("cast", {"dtype": name}, [floats]), expected)


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize(
    ("op", "oracle"),
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("maximum", np.maximum),
        ("bitwise_xor", np.bitwise_xor),
        ("lt", np.less),
        ("eq", np.equal),
    ],
)
def test_arithmetic_wraps_as_numpys_does(device: Any, name: str, op: str, oracle: Any) -> None:
    x, y = numbers(name, 4099), numbers(name, 4099, seed=1)
    assert np.array_equal(device.run(op, {}, [x, y]), oracle(x, y))


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize(
    ("op", "oracle"),
    [
        ("neg", np.negative),
        ("abs", np.abs),
        ("bitwise_not", np.invert),
        ("sign", np.sign),
        ("square", np.square),
    ],
)
def test_functions_of_one_short_integer_wrap_too(device: Any, name: str, op: str, oracle: Any) -> None:
    x = np.append(numbers(name, 100), [np.iinfo(INTEGERS[name]).min]).astype(INTEGERS[name])
    assert np.array_equal(device.run(op, {}, [x]), oracle(x))


LAYOUTS: dict[str, Any] = {
    "odd count": lambda name: numbers(name, 7),
    "one": lambda name: numbers(name, 1),
    "odd rows": lambda name: numbers(name, 5, 7),
    "odd offset": lambda name: numbers(name, 101)[1:],
    "odd offset and count": lambda name: numbers(name, 100)[3:],
    "every third backwards": lambda name: numbers(name, 100)[::-3],
    "transposed": lambda name: numbers(name, 9, 12).T,
    "even, transposed": lambda name: numbers(name, 8, 12).T,
    "spread": lambda name: np.broadcast_to(numbers(name, 5, 1), (5, 6)),
    "rank 0": lambda name: numbers(name),
    "empty": lambda name: numbers(name, 0, 3),
}


@pytest.mark.parametrize("name", [*NARROW, "bf16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_packed_elements_are_read_and_written_in_any_layout(
    device: Any, check: Any, layout: str, name: str
) -> None:
    x = np.asarray(LAYOUTS[layout](name), reference.DTYPES[name])
    copied = device.run("reshape", {"shape": [-1] if x.size else [0]}, [x])
    assert copied.tobytes() == np.ascontiguousarray(x).tobytes()
    check("neg", {}, [x])
    check("add", {}, [x, reference.narrow(np.asarray(2), name)])
    check("add", {}, [x, np.ones(x.shape, np.float32)])
    check("eq", {}, [x, x])
    check("cast", {"dtype": "i32"}, [x])
    check("cast", {"dtype": "i64"}, [x])


def test_rows_of_a_size_that_4_divides_are_written_by_one_kernel(check: Any) -> None:
    for name in (*NARROW, "bf16"):
        matrix, row = numbers(name, 6, 8), numbers(name, 8)
        size = matrix.itemsize
        layouts = [(Layout(x.shape, tuple(s // size for s in x.strides)), dtype(name)) for x in (matrix, row)]
        assert len(lower("add", {}, layouts, TensorType((6, 8), name), CPU).dispatches) == 1
        check("add", {}, [matrix, row])


ROWS: list[tuple[str, dict[str, Any]]] = [
    ("sum", {"axes": [-1]}),
    ("max", {"axes": [0]}),
    ("any", {}),
    ("softmax", {"axis": -1}),
    ("log_softmax", {"axis": 0}),
    ("standardize", {"axes": [-1]}),
]
MATRICES: dict[str, Any] = {
    "odd rows": lambda name: numbers(name, 5, 7),
    "rows of fours": lambda name: numbers(name, 70, 408),
    "few rows of fours": lambda name: numbers(name, 3, 4096),
    "within a word": lambda name: numbers(name, 6, 24)[:, 3:19],
    "backwards": lambda name: numbers(name, 6, 24)[:, ::-1],
    "transposed": lambda name: numbers(name, 9, 12).T,
    "spread": lambda name: np.broadcast_to(numbers(name, 5, 1), (5, 8)),
}


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize(
    ("op", "attributes", "name"),
    [
        (op, attributes, name)
        for op, attributes in ROWS
        for name in (*NARROW, *HALVES)
        if name in find(op).dtypes
    ],
)
def test_what_goes_over_rows_reads_packed_elements_in_any_layout(
    check: Any, op: str, attributes: dict[str, Any], layout: str, name: str
) -> None:
    x = MATRICES[layout](name)
    sizes = np.abs(opened(x) if name == "bf16" else x.astype(np.float64)).sum()
    check(op, attributes, [x], scale=np.asarray(float(sizes)) if op == "sum" else None)


@pytest.mark.parametrize(("op", "attributes"), ROWS[:1] + ROWS[3:], ids=str)
def test_no_wider_copy_of_packed_elements_is_made(op: str, attributes: dict[str, Any]) -> None:
    layout = Layout.contiguous((64, 256))
    (wide,) = lower(op, attributes, [(layout, dtype("f32"))], TensorType((64, 256), "f32"), CPU).dispatches
    halves = lower(op, attributes, [(layout, dtype("f16"))], TensorType((64, 256), "f16"), CPU)
    assert [step.spec.name for step in halves.dispatches] == [wide.spec.name, "elementwise"]


@pytest.mark.parametrize("name", ["i8", "bf16"])
def test_packed_elements_are_read_through_windows(tiny: Any, name: str) -> None:
    x = numbers(name, 3, 60_004)
    exact = (opened(x) if name == "bf16" else x).astype(np.float64)
    total = tiny.run("sum", {"axes": [1]}, [x])
    actual = opened(total) if name == "bf16" else total
    assert (np.abs(actual - exact.sum(1)) <= 4e-3 * np.abs(exact.sum(1)) + 1e-6 * np.abs(exact).sum(1)).all()
    assert np.array_equal(
        tiny.run("max", {"axes": [0]}, [x]), x.max(0) if name == "i8" else rounded(exact.max(0))
    )


BESIDE: dict[str, Any] = {
    "a row": lambda name: numbers(name, 16),
    "a column": lambda name: numbers(name, 12, 1),
    "a transposed matrix": lambda name: numbers(name, 16, 12).T,
    "one number": lambda name: numbers(name, 1, 1),
    "a stack": lambda name: numbers(name, 3, 12, 16),
}


@pytest.mark.parametrize("name", [*NARROW, *HALVES])
@pytest.mark.parametrize("beside", BESIDE)
def test_packed_elements_beside_others_go_by_fours(check: Any, beside: str, name: str) -> None:
    x, other = numbers(name, 12, 16), BESIDE[beside](name)
    check("mul", {}, [x, other])
    check("sub", {}, [other, np.float32(np.arange(16)) / 7])
    size = x.itemsize
    layouts = [(Layout(a.shape, tuple(s // size for s in a.strides)), dtype(name)) for a in (x, other)]
    shape = np.broadcast_shapes(x.shape, other.shape)
    (step,) = lower("mul", {}, layouts, TensorType(shape, name), CPU).dispatches
    assert step.spec.name == ("elementwise" if beside == "one number" else "elementwise_blocks")


def test_every_bf16_becomes_the_f32_that_it_is_and_comes_back(device: Any) -> None:
    x = EVERY.view(BF16)
    wide = device.run("cast", {"dtype": "f32"}, [x])
    is_nan = np.isnan(opened(x))
    assert np.isnan(wide[is_nan]).all()
    assert np.array_equal(wide[~is_nan].view(np.uint32), EVERY[~is_nan].astype(np.uint32) << 16)
    back = device.run("cast", {"dtype": "bf16"}, [opened(x)])
    assert np.array_equal(back[~is_nan].view(np.uint16), EVERY[~is_nan])
    assert np.isnan(opened(back[is_nan])).all()


def test_what_lies_between_two_bf16_goes_to_the_nearest_and_from_the_middle_to_the_even_one(
    device: Any,
) -> None:
    below = np.arange(0x0080, 0x7F80, dtype=np.uint32)
    for offset, expected in ((0x7FFF, below), (0x8000, below + (below & 1)), (0x8001, below + 1)):
        for sign in (0, 1 << 15):
            x = ((below + sign << 16) + offset).astype(np.uint32).view(np.float32)
            actual = device.run("cast", {"dtype": "bf16"}, [x]).view(np.uint16)
            assert np.array_equal(actual, (expected + sign).astype(np.uint16))


KINDS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("matmul", {}, ["7x9", "9x5"]),
    ("cumsum", {}, ["3x33"]),
    ("cummax", {}, ["33"]),
    ("sort", {}, ["4x33"]),
    ("argsort", {"descending": True}, ["33"]),
    ("argmax", {}, ["33"]),
    ("argmin", {"axis": 0}, ["33x3"]),
    ("concat", {"axis": 1}, ["3x3", "3x5"]),
    ("concat", {}, ["3", np.arange(4, dtype=np.int32)]),
    ("slice_scatter", {"starts": [1], "stops": [4]}, ["9", "3"]),
    ("gather", {}, ["9", np.int32([-1, 0, 3])]),
    ("gather", {}, ["9", np.int8([-1, 0, 3])]),
    ("gather", {}, ["9", np.int64([-1, 1 << 40, 3])]),
    ("scatter", {"reduce": "add"}, ["3", np.uint8([0, 1, 1]), "3"]),
    ("scatter", {}, ["3", np.int64([0, -1, (1 << 32) + 1]), "3"]),
    ("pad", {"before": [1], "after": [2], "value": 3}, ["4"]),
    ("take", {}, ["9", np.uint32([5, 99])]),
    ("compact", {}, ["9", np.arange(9) % 2 == 0]),
    ("run_starts", {}, ["9"]),
    ("where", {}, [np.arange(9) % 2 == 0, "9", np.int8(3)]),
    ("masked_fill", {"value": -1}, ["9", np.arange(9) % 2 == 0]),
    ("sum", {}, ["9001"]),
    ("max", {"axes": [1]}, ["5x9"]),
    ("any", {}, ["33"]),
    ("count_nonzero", {}, ["33"]),
    ("median", {}, ["33"]),
    ("clamp", {"min": 2, "max": 100}, ["33"]),
    ("full", {"shape": [5], "value": 3}, []),
    ("arange", {"count": 7, "step": 3}, []),
    ("flip", {}, ["3x5"]),
    ("topk", {"k": 3}, ["33"]),
]


@pytest.mark.parametrize("name", ["i8", "u8", "u16", "bf16"])
@pytest.mark.parametrize(("op", "attributes", "arrays"), KINDS)
def test_every_kind_of_op_takes_packed_elements(
    check: Any, name: str, op: str, attributes: dict[str, Any], arrays: list[Any]
) -> None:
    made = [
        numbers(name, *map(int, each.split("x"))) if isinstance(each, str) else np.asarray(each)
        for each in arrays
    ]
    attributes = attributes if arrays else {**attributes, "dtype": name}
    is_summed = name == "bf16" and op in ("matmul", "cumsum", "sum", "scatter")
    scale = (
        np.asarray(sum(float(np.abs(opened(each).astype(np.float64)).sum()) for each in made))
        if is_summed
        else None
    )
    check(op, attributes, made, scale=scale)


@pytest.mark.parametrize("name", NARROW)
def test_the_largest_of_a_window_is_never_what_stands_around_the_image(device: Any, name: str) -> None:
    low = np.iinfo(INTEGERS[name]).min
    x = np.full((1, 1, 4, 4), low + 1, INTEGERS[name])
    given = {"kernel_size": 3, "stride": 2, "padding": 1}
    assert device.run("max_pool", given, [x]).tolist() == [[[[low + 1] * 2] * 2]]
    assert device.run("max_pool_indices", given, [x]).tolist() == [[[[0, 1], [4, 5]]]]


def test_sums_of_short_integers_are_i32(device: Any) -> None:
    assert device.run("sum", {}, [np.full(1000, 100, np.int8)]) == 100_000
    assert device.run("cumsum", {}, [np.full(1000, 200, np.uint8)])[-1] == 200_000
