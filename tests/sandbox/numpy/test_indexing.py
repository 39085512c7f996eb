"""Any index, any broadcast: the façade and NumPy agree."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.sandbox.numpy.twin import check

sizes = st.integers(0, 4)
shapes = st.lists(sizes, min_size=1, max_size=4).map(tuple)
filled = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
numbers = st.integers(-5, 4)
bounds = st.none() | st.integers(-6, 6)
steps = st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3])
slices = st.tuples(bounds, bounds, steps).map(lambda parts: "slice({}, {}, {})".format(*parts))
arrays = st.lists(st.integers(-3, 2), max_size=3).map(str)
masks = st.lists(st.booleans(), max_size=4).map(str)
parts = st.one_of(numbers.map(str), slices, slices, st.just("..."), st.just("None"), arrays, masks)
keys = st.lists(parts, min_size=1, max_size=4).map(lambda items: f"({', '.join(items)},)")
orders = st.sampled_from(["", ".T", "[::-1]", "[..., ::2]"])


def source(shape: tuple[int, ...], order: str) -> str:
    count = 1
    for size in shape:
        count *= size
    return f"np.arange({count}).reshape({shape}){order}"


@settings(max_examples=400)
@given(shapes, orders, keys)
def test_reading_agrees(shape: tuple[int, ...], order: str, key: str) -> None:
    check(f"a = {source(shape, order)}; a[{key}]")


@settings(max_examples=300)
@given(filled, orders, keys, st.sampled_from(["7", "-1.5", "[1]", "[5, 6]", "[[1], [2]]", "a[..., :1] * 10"]))
@example((1,), "", "(0, ...,)", "[1]")  # a list may not have more dimensions than its place, an array may
@example((1,), "", "(0, ...,)", "np.array([1])")
@example((2,), "", "(...,)", "[[1, 2]]")
@example((2,), "", "(...,)", "np.array([[1, 2]])")
@example((2,), "", "([0, 1],)", "[[1, 2]]")
def test_writing_agrees(shape: tuple[int, ...], order: str, key: str, value: str) -> None:
    check(f"a = {source(shape, order)}; a[{key}] = {value}; a", any_error=True)


@settings(max_examples=150)
@given(shapes, orders, st.data())
def test_a_mask_of_the_whole_agrees(shape: tuple[int, ...], order: str, data: Any) -> None:
    text = source(shape, order)
    check(f"a = {text}; a[a % 3 == 1]")
    check(f"a = {text}; a[a % 3 == 1] = -5; a")
    check(f"a = {text}; a[a % 2 == 0] += 100; a")


@settings(max_examples=200)
@given(shapes, shapes, orders, st.sampled_from(["+", "*", "-", "<", "/"]))
def test_broadcasting_agrees(
    first: tuple[int, ...], second: tuple[int, ...], order: str, operator: str
) -> None:
    check(f"{source(first, order)} {operator} ({source(second, order)} + 1)")


ones = st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=4).map(tuple)


@settings(max_examples=150)
@given(ones, st.data())
def test_shapes_that_stretch_agree(shape: tuple[int, ...], data: Any) -> None:
    thin = tuple(data.draw(st.sampled_from([1, size])) for size in shape)[
        data.draw(st.integers(0, len(shape) - 1)) :
    ]
    check(f"{source(shape, '')} * {source(thin, '')}")
    check(f"np.broadcast_to({source(thin, '')}, {shape})")
    check(f"a = {source(shape, '')} + 0.5; a -= {source(thin, '')}; a")


@settings(max_examples=200)
@given(shapes, orders, st.lists(st.integers(-1, 6), min_size=1, max_size=4))
def test_reshaping_agrees_and_shares_where_numpy_does(
    shape: tuple[int, ...], order: str, wanted: list[int]
) -> None:
    check(f"a = {source(shape, order)}; a.reshape({tuple(wanted)})")
    check(f"a = {source(shape, order)}; b = a.reshape({tuple(wanted)}); b[...] = -1; a")


@settings(max_examples=200)
@given(shapes, orders, st.permutations(range(4)), st.integers(-5, 4))
def test_moving_axes_agrees(shape: tuple[int, ...], order: str, axes: list[int], axis: int) -> None:
    turned = tuple(item for item in axes if item < len(shape))
    check(f"a = {source(shape, order)}; a.transpose({turned})")
    check(f"a = {source(shape, order)}; np.moveaxis(a, 0, {axis})")
    check(f"a = {source(shape, order)}; np.expand_dims(a, {axis})")
    check(f"a = {source(shape, order)}; a.sum(axis={axis})")
    check(f"a = {source(shape, order)}; np.concatenate([a, a], axis={axis})")
    check(f"a = {source(shape, order)}; np.roll(a, 1, axis={axis})")
    check(f"a = {source(shape, order)}; np.sort(-a, axis={axis})")
