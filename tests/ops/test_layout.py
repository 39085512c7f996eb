"""Layouts and shapes against NumPy's own strides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops import shapes
from ops.errors import ShapeError
from ops.layout import Layout, collapse
from ops.views import view

SHAPES = st.lists(st.integers(0, 4), max_size=5).map(tuple)


def read(layout: Layout, buffer: np.ndarray) -> np.ndarray:
    """The elements of `buffer` that a layout shows, one by one."""
    result = np.zeros(layout.shape, buffer.dtype)
    for index in np.ndindex(*layout.shape):
        result[index] = buffer[
            layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))
        ]
    return result


def random_view(data: st.DataObject) -> tuple[Layout, np.ndarray, np.ndarray]:
    """A layout made by random views, NumPy's array made by the same ones, and the buffer."""
    shape = data.draw(SHAPES)
    buffer = np.arange(int(np.prod(shape)) + 1)
    layout, array = Layout.contiguous(shape), buffer[: int(np.prod(shape))].reshape(shape)
    for _ in range(data.draw(st.integers(0, 4))):
        layout, array = data.draw(st.sampled_from([_permute, _slice, _expand, _reshape]))(data, layout, array)
    return layout, array, buffer


def _permute(data: st.DataObject, layout: Layout, array: np.ndarray) -> tuple[Layout, np.ndarray]:
    order = data.draw(st.permutations(range(array.ndim)))
    return layout.permute(order), array.transpose(order)


def _slice(data: st.DataObject, layout: Layout, array: np.ndarray) -> tuple[Layout, np.ndarray]:
    whole = [data.draw(st.slices(size)) if size else slice(None) for size in array.shape]
    ranges = [range(*part.indices(size)) for part, size in zip(whole, array.shape, strict=True)]
    return layout.slice(ranges), array[tuple(whole)]


def _expand(data: st.DataObject, layout: Layout, array: np.ndarray) -> tuple[Layout, np.ndarray]:
    if array.ndim > 5:
        return layout, array
    shape = tuple(data.draw(st.integers(1, 3)) if size == 1 else size for size in array.shape)
    shape = (*data.draw(st.lists(st.integers(1, 2), max_size=1)), *shape)
    return layout.expand(shape), np.broadcast_to(array, shape)


def _reshape(data: st.DataObject, layout: Layout, array: np.ndarray) -> tuple[Layout, np.ndarray]:
    sizes = [size for size in array.shape if size != 1]
    if len(sizes) > 1 and data.draw(st.booleans()):
        sizes[:2] = [sizes[0] * sizes[1]]
    where = data.draw(st.integers(0, len(sizes)))
    shape = (*sizes[:where], 1, *sizes[where:]) if len(sizes) < 8 else tuple(sizes)
    moved = layout.reshape(shape)
    return (layout, array) if moved is None else (moved, array.reshape(shape))


@given(st.data())
def test_views_of_views_show_what_numpy_shows(data: st.DataObject) -> None:
    layout, array, buffer = random_view(data)
    np.testing.assert_array_equal(read(layout, buffer), array)
    assert layout.count == array.size
    assert layout.is_contiguous == array.flags.c_contiguous


@given(st.data())
def test_a_reshape_is_a_view_wherever_numpy_makes_no_copy(data: st.DataObject) -> None:
    layout, array, buffer = random_view(data)
    if 0 in array.shape:
        return
    sizes = list(array.shape)
    factors = [factor for size in sizes for factor in _factors(size)]
    shape = tuple(data.draw(st.permutations(factors))) if data.draw(st.booleans()) else (array.size,)
    moved = layout.reshape(shape)
    reshaped = array.reshape(shape)
    assert moved is not None or not np.shares_memory(reshaped, buffer)
    if moved is not None:
        np.testing.assert_array_equal(read(moved, buffer), reshaped)


def _factors(size: int) -> list[int]:
    return [2, size // 2] if size % 2 == 0 and size > 2 else [size]


@given(st.data())
def test_collapsed_axes_keep_the_order_of_elements(data: st.DataObject) -> None:
    layout, array, buffer = random_view(data)
    shape, (strides,) = collapse(layout.shape, layout.strides)
    flat = Layout(shape, strides, layout.offset)
    np.testing.assert_array_equal(read(flat, buffer).reshape(-1), array.reshape(-1))
    assert 1 not in shape
    assert len(shape) <= len(layout.shape)


@given(st.lists(SHAPES, min_size=1, max_size=4))
def test_shapes_broadcast_as_numpys_do(several: list[tuple[int, ...]]) -> None:
    try:
        expected = np.broadcast_shapes(*several)
    except ValueError:
        with pytest.raises(ShapeError):
            shapes.broadcast(*several)
    else:
        assert shapes.broadcast(*several) == expected


@given(SHAPES, SHAPES)
def test_products_have_the_shape_that_numpy_gives(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    try:
        expected = np.matmul(np.zeros(left), np.zeros(right)).shape
    except ValueError:
        with pytest.raises(ShapeError):
            shapes.matmul(left, right)
    else:
        assert shapes.matmul(left, right) == expected


@pytest.mark.parametrize(
    ("op", "attributes", "expected"),
    [
        ("reshape", {"shape": [-1]}, None),
        ("reshape", {"shape": [4, 1, 3]}, Layout((4, 1, 3), (1, 12, 4), 0)),
        ("transpose", {}, Layout((3, 4), (4, 1), 0)),
        ("permute", {"axes": [1, 0]}, Layout((3, 4), (4, 1), 0)),
        ("expand", {"shape": [2, 4, 3]}, Layout((2, 4, 3), (0, 1, 4), 0)),
        ("slice", {"starts": [-1], "stops": [-9], "steps": [-2]}, Layout((2, 3), (-2, 4), 3)),
    ],
)
def test_view_ops_give_layouts(op: str, attributes: dict[str, Any], expected: Layout | None) -> None:
    assert view(op, attributes, Layout((4, 3), (1, 4), 0)) == expected
