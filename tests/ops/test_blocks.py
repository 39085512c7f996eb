"""Elementwise kernels over broadcast and transposed operands, and softmax by rows, at every edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.layout import Layout
from ops.lower import CPU, DeviceClass
from ops.lowering import blocks

SHAPES = [(4, 4), (36, 8), (32, 64), (68, 100), (5, 16), (16, 5), (3, 12, 20), (2, 3, 8, 16)]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


PAIRS: dict[str, Callable[[tuple[int, ...]], list[np.ndarray]]] = {
    "transposed and plain": lambda s: [numbers(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2), numbers(*s)],
    "both transposed": lambda s: [numbers(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2) for _ in range(2)],
    "a row for all": lambda s: [numbers(*s), numbers(s[-1])],
    "a column for all": lambda s: [numbers(*s), numbers(*s[:-1], 1)],
    "a column and a transposed one": lambda s: [
        numbers(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2),
        numbers(*s[:-1], 1),
    ],
    "a part of rows": lambda s: [numbers(*s[:-1], s[-1] + 4)[..., :-4], numbers(*s)],
    "a part that begins askew": lambda s: [numbers(*s[:-1], s[-1] + 3)[..., 3:], numbers(*s)],
    "the outermost axis innermost": lambda s: [np.moveaxis(numbers(*s[1:], s[0]), -1, 0), numbers(*s)],
    "reversed": lambda s: [numbers(*s)[..., ::-1], numbers(*s)[::-1]],
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_operands_of_every_lie_are_added_right(device: Any, name: str, shape: tuple[int, ...]) -> None:
    arrays = PAIRS[name](shape)
    assert np.array_equal(device.run("sub", {}, arrays), arrays[0] - arrays[1])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.int32, np.bool_])
def test_transposed_copies_keep_every_dtype(device: Any, shape: tuple[int, ...], dtype: Any) -> None:
    array = (numbers(*shape) * 100).astype(dtype).swapaxes(-1, -2)
    assert np.array_equal(device.run("cast", {"dtype": "i32"}, [array]), array.astype(np.int32))


def test_what_no_block_shows_is_refused() -> None:
    plain = Layout.contiguous((8, 8))
    for other in (
        Layout((8, 8), (8, 2)),
        Layout((8, 8), (-8, -1), 63),
        Layout((8, 8), (8, 1), 1),
        Layout((8, 8), (9, 1)),
        Layout((8, 8), (1, 9)),
    ):
        assert blocks.fit([other, plain]) is None
    cube = Layout.contiguous((8, 8, 8))
    two_ways = [cube.permute((2, 0, 1)), cube.permute((0, 2, 1)), cube]
    assert blocks.fit(two_ways) is None
    assert blocks.fit([plain.permute((1, 0)), plain]) is not None
    assert blocks.fit([Layout.contiguous((6, 6)).permute((1, 0)), Layout.contiguous((6, 6))]) is None


@pytest.fixture(params=["cpu", "gpu", "short loops"])
def softmax(device: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Runs softmax as a class of adapters does, or as one with short loops."""
    classes = {
        "cpu": CPU,
        "gpu": replace(CPU, kind="gpu"),
        "short loops": DeviceClass("cpu", CPU.lanes, 100),
    }
    own, device.device_class = device.device_class, classes[request.param]
    yield lambda array, axis: device.run("softmax", {"axis": axis}, [array])
    device.device_class = own


@pytest.mark.parametrize("shape", [(64, 4), (70, 1), (65, 129), (100, 64), (3, 40, 12), (2, 1000)], ids=str)
@pytest.mark.parametrize("axis", [0, -1])
def test_softmax_is_right_for_many_and_for_few_rows(softmax: Any, shape: tuple[int, ...], axis: int) -> None:
    array = numbers(*shape) * 30
    expected = reference.apply("softmax", {"axis": axis}, [array])
    np.testing.assert_allclose(softmax(array, axis), expected, rtol=1e-5, atol=1e-37)


def test_softmax_treats_infinities_and_nan_as_pytorch_does(softmax: Any) -> None:
    array = np.zeros((64, 8), np.float32)
    array[0, 3], array[1, 3], array[2, 3], array[3] = np.nan, np.inf, -np.inf, -np.inf
    array[4] = [-200, 0, -87, -88, -100, -86, 1e-30, -1e30]
    with np.errstate(invalid="ignore"):
        expected = reference.apply("softmax", {"axis": 1}, [array])
    found = softmax(array, 1)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-37)


def test_the_shares_of_two_numbers_are_as_their_powers_to_four_units_in_the_last_place(softmax: Any) -> None:
    """Below 2^-124 they may be 0: NVIDIA's products are, of what is next to the subnormal numbers."""
    distances = -np.random.default_rng(0).uniform(0, 87, (4096, 8)).astype(np.float32)
    distances[:, 0] = 0
    found = softmax(distances, 1).astype(np.float64)
    powers = np.exp(distances.astype(np.float64))
    np.testing.assert_allclose(found / found[:, :1], powers, rtol=4 * 2**-23, atol=2**-124)
