"""f16: every bit pattern both ways, rounding as IEEE 754 says, and each kind of op on packed halves of odd counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.dtypes import dtype
from ops.errors import AttributeValueError
from ops.graph import TensorType
from ops.layout import Layout
from ops.lower import CPU, lower
from ops.spec import FLOATS
from ops.table import TABLE

PATTERNS = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def halves(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 2, shape).astype(np.float16)


def same_halves(actual: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit, but for which NaN it is."""
    assert actual.dtype == expected.dtype == np.float16
    is_nan = np.isnan(expected)
    assert np.array_equal(np.isnan(actual), is_nan)
    assert np.array_equal(actual[~is_nan].view(np.uint16), expected[~is_nan].view(np.uint16))


def test_every_f16_becomes_the_f32_that_it_is(device: Any) -> None:
    actual, expected = device.run("cast", {"dtype": "f32"}, [PATTERNS]), PATTERNS.astype(np.float32)
    is_nan = np.isnan(PATTERNS)
    assert np.isnan(actual[is_nan]).all()
    assert np.array_equal(actual[~is_nan].view(np.uint32), expected[~is_nan].view(np.uint32))


def test_every_f16_comes_back_from_f32(device: Any) -> None:
    same_halves(device.run("cast", {"dtype": "f16"}, [PATTERNS.astype(np.float32)]), PATTERNS)


def test_what_lies_between_goes_to_the_nearest_and_from_the_middle_to_the_even_one(device: Any) -> None:
    known = np.sort(PATTERNS[np.isfinite(PATTERNS)].astype(np.float32))
    middle = ((known[1:].astype(np.float64) + known[:-1]) / 2).astype(np.float32)
    up, down = np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))
    ends = np.float32([65519.996, 65520, -65520, 1e6, 3e38, -3e38, 2**-25, 2**-26, 1e-30])
    x = np.concatenate([middle, up, down, ends])
    with np.errstate(over="ignore"):
        same_halves(device.run("cast", {"dtype": "f16"}, [x]), x.astype(np.float16))


def test_any_f32_is_rounded_as_numpy_rounds_it(device: Any) -> None:
    x = (
        np.random.default_rng(1)
        .integers(0, 1 << 32, 1 << 18, dtype=np.uint64)
        .astype(np.uint32)
        .view(np.float32)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        same_halves(device.run("cast", {"dtype": "f16"}, [x]), x.astype(np.float16))


@pytest.mark.parametrize(("op", "oracle"), [("add", np.add), ("mul", np.multiply), ("div", np.true_divide)])
def test_arithmetic_is_numpys_bit_for_bit(device: Any, op: str, oracle: Any) -> None:
    shuffled = np.random.default_rng(2).permutation(PATTERNS)
    with np.errstate(all="ignore"):
        same_halves(device.run(op, {}, [PATTERNS, shuffled]), oracle(PATTERNS, shuffled))


LAYOUTS = {
    "odd count": lambda: halves(7),
    "one": lambda: halves(1),
    "odd rows": lambda: halves(5, 7),
    "odd offset": lambda: halves(101)[1:],
    "odd offset and count": lambda: halves(100)[3:],
    "every third backwards": lambda: halves(100)[::-3],
    "transposed": lambda: halves(9, 12).T,
    "even, transposed": lambda: halves(8, 12).T,
    "spread": lambda: np.broadcast_to(halves(5, 1), (5, 6)),
    "rank 0": lambda: halves(),
    "empty": lambda: halves(0, 3),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_halves_are_read_and_written_in_any_layout(device: Any, check: Any, layout: str) -> None:
    x = LAYOUTS[layout]()
    same_halves(device.run("reshape", {"shape": [-1] if x.size else [0]}, [x]), x.reshape(-1))
    check("neg", {}, [x])
    check("add", {}, [x, np.float16(1.5)])
    check("add", {}, [x, np.ones(x.shape, np.float32)])
    check("eq", {}, [x, x])
    check("cast", {"dtype": "i32"}, [x])


def test_rows_of_even_size_are_written_by_one_kernel(device: Any, check: Any) -> None:
    matrix, row, column = halves(6, 8), halves(8), halves(6, 1)
    for arrays in ([matrix, row], [matrix, column], [halves(8, 6).T, row], [matrix[:, ::-1], row]):
        layouts = [
            (Layout(x.shape, tuple(step // 2 for step in x.strides), 7 * (x.strides[-1] < 0)), dtype("f16"))
            for x in arrays
        ]
        assert len(lower("add", {}, layouts, TensorType((6, 8), "f16"), CPU).dispatches) == 1
        check("add", {}, arrays)


def test_every_row_that_takes_f32_takes_f16() -> None:
    missing = {
        row.name
        for row in TABLE.values()
        for dtypes in (row.input_dtypes or (row.dtypes,))
        if row.inputs and ("f32" in dtypes) != ("f16" in dtypes)
    }
    assert not missing
    assert set(FLOATS) == {"f32", "f16", "bf16"}


KINDS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("matmul", {}, [halves(7, 9), halves(9, 5)]),
    ("matmul", {}, [halves(64, 40), halves(40, 64).astype(np.float32)]),
    ("softmax", {"axis": 1}, [halves(5, 9)]),
    ("cumsum", {}, [halves(3, 33)]),
    ("cummax", {}, [halves(33)]),
    ("sort", {}, [halves(4, 33)]),
    ("argsort", {"descending": True}, [halves(33)]),
    ("argmax", {}, [halves(33)]),
    ("concat", {"axis": 1}, [halves(3, 3), halves(3, 5)]),
    ("concat", {}, [halves(3), np.arange(4, dtype=np.int32)]),
    ("slice_scatter", {"starts": [1], "stops": [4]}, [halves(9), halves(3)]),
    ("gather", {}, [halves(9), np.int32([-1, 0, 3])]),
    ("scatter", {"reduce": "add"}, [halves(3), np.int32([0, 1, 1]), halves(3)]),
    ("pad", {"before": [1], "after": [2], "value": 0.1}, [halves(4)]),
    ("take", {}, [halves(9), np.uint32([5, 99])]),
    ("compact", {}, [halves(9), np.arange(9) % 2 == 0]),
    ("run_starts", {}, [halves(9)]),
    ("where", {}, [np.arange(9) % 2 == 0, halves(9), np.int32(3)]),
    ("sum", {}, [np.full(9001, 10, np.float16)]),
    ("mean", {}, [np.full(9001, 10, np.float16)]),
    ("norm", {"p": 2.0}, [np.full(5, 300, np.float16)]),
    ("var", {}, [np.float16([300, -300, 250])]),
    ("logsumexp", {}, [np.float16([60000, 60000])]),
    ("median", {}, [np.float16([3, 1, np.nan])]),
    ("trace", {}, [halves(5, 5)]),
    ("nan_to_num", {}, [np.float16([np.nan, np.inf, -np.inf, 2])]),
    ("full", {"shape": [5], "value": 0.1, "dtype": "f16"}, []),
    ("arange", {"count": 7, "step": 0.3, "dtype": "f16"}, []),
    ("linspace", {"count": 5, "start": 0.0, "end": 1.0, "dtype": "f16"}, []),
    ("gelu.dx", {}, [halves(33), halves(33)]),
]


@pytest.mark.parametrize(
    ("op", "attributes", "arrays"), KINDS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_kind_of_op_takes_halves(
    check: Any, op: str, attributes: dict[str, Any], arrays: list[Any]
) -> None:
    arrays = [np.asarray(array) for array in arrays]
    scale = None
    if op in ("matmul", "cumsum", "sum", "mean", "scatter", "trace"):
        scale = np.asarray(sum(float(np.abs(array.astype(np.float64)).sum()) for array in arrays))
    check(op, attributes, arrays, scale=scale)


def test_sums_are_kept_in_f32_until_the_end(device: Any) -> None:
    x = np.full(4097, 0.25, np.float16)
    assert device.run("sum", {}, [x]) == 1024
    assert device.run("matmul", {}, [x, x]) == 256
    assert reference.apply("norm", {"p": 2.0}, [np.full(4, 40000, np.float16)]) == np.inf
    assert reference.apply("norm", {"p": 2.0}, [np.full(4, 30000, np.float16)]) == 60000


def test_dtypes_meet_as_in_pytorch(torch: Any) -> None:
    half = torch.tensor([1.5, 2.5], dtype=torch.float16)
    assert torch.half is torch.float16
    assert (half + torch.tensor([1.0, 2.0])).dtype is torch.float32
    assert (half * 2.5).dtype is (half + 1).dtype is torch.float16
    assert (half + torch.tensor([1, 2])).dtype is torch.float16
    assert (half + torch.tensor([True, False])).dtype is torch.float16
    assert torch.exp(half).dtype is (half / 2).dtype is half.sum().dtype is half.mean().dtype is torch.float16
    assert torch.sigmoid(torch.tensor([1, 2])).dtype is torch.float32
    assert half.float().dtype is torch.float32
    assert (
        half.to(torch.int32).half().dtype is torch.tensor([1.0]).to(dtype=torch.half).dtype is torch.float16
    )
    assert (half > 2).dtype is torch.bool
    assert torch.nn.functional.softmax(half, dim=0).dtype is torch.float16


def test_values_come_in_and_go_out(torch: Any) -> None:
    half = torch.tensor([[0.1, -2.0], [float("inf"), 65504]], dtype=torch.float16)
    assert half.tolist() == np.float16([[0.1, -2], [np.inf, 65504]]).tolist()
    assert half[0, 0].item() == float(np.float16(0.1))
    assert (half + 0).tolist() == half.tolist()
    assert repr(torch.tensor([1.0, 2.0], dtype=torch.half)) == "tensor([1., 2.], dtype=torch.float16)"
    assert half.dtype.itemsize == 2
    assert half.is_floating_point()
    assert torch.zeros(3, dtype="float16").tolist() == [0, 0, 0]
    with pytest.raises(AttributeValueError, match="the data do not fit in f16"):
        torch.tensor([1e6], dtype=torch.float16)


def test_writing_in_place_keeps_the_dtype(torch: Any) -> None:
    half = torch.zeros(5, dtype=torch.float16)
    half[1:4] = torch.tensor([0.1, 0.2, 0.3])
    half += 1
    assert half.dtype is torch.float16
    assert half.tolist() == (np.float16([0, 0.1, 0.2, 0.3, 0]) + np.float16(1)).tolist()
