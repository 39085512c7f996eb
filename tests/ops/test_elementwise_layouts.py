"""Elementwise rows on the device: operands of every layout and shape give the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def layouts(base: np.ndarray) -> dict[str, np.ndarray]:
    """The ways in which elements of a large f32 array may lie."""
    return {
        "scalar": base[:1].reshape(()),
        "one": base[5:6],
        "odd": base[:1001],
        "quads": base[:1024],
        "offset by one": base[1:1025],
        "offset by four": base[4:1028],
        "reversed": base[1023::-1],
        "every third": base[:3000:3],
        "transposed": base[: 24 * 36].reshape(24, 36).T,
        "odd matrix transposed": base[: 23 * 37].reshape(23, 37).T,
        "middle of a matrix": base[:2048].reshape(32, 64)[3:17, 5:42],
        "quads in a matrix": base[:2048].reshape(32, 64)[3:17, 8:40],
        "permuted": base[: 5 * 6 * 7 * 8].reshape(5, 6, 7, 8).transpose(2, 0, 3, 1),
        "rank eight": base[: 2**8].reshape([2] * 8).transpose(7, 0, 6, 1, 5, 2, 4, 3),
        "expanded": np.broadcast_to(base[:30].reshape(1, 30, 1), (4, 30, 8)),
        "reversed twice": base[:600].reshape(20, 30)[::-2, ::-1],
        "empty": base[:0].reshape(0, 5),
        "empty inside": base[:0].reshape(3, 0, 2),
    }


NAMES = list(layouts(np.zeros(4096, np.float32)))


@pytest.mark.parametrize("name", NAMES)
def test_any_layout_gives_the_same_values(name: str, check: Any) -> None:
    base = np.random.default_rng(3).normal(size=4096).astype(np.float32)
    array = layouts(base)[name]
    other = np.random.default_rng(4).normal(size=array.shape).astype(np.float32)
    check("neg", {}, [array])
    check("sub", {}, [array, other])
    check("sub", {}, [other, array])
    check("where", {}, [array > 0, array, base[7:8].reshape(())])
    check("lt", {}, [array, array[..., :1]] if array.ndim else [array, array])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((), (3,)),
        ((4,), ()),
        ((3, 1), (4,)),
        ((3, 4), (4,)),
        ((8, 12), (12,)),
        ((8, 12), (8, 1)),
        ((2, 1, 4, 1), (3, 1, 5)),
        ((1, 0), (3, 1)),
        ((1, 1, 1), (1,)),
        ((2, 1, 2, 1, 2, 1, 2, 1), (3, 1, 3, 1, 3, 1, 3)),
    ],
)
def test_operands_broadcast_as_in_numpy(left: tuple[int, ...], right: tuple[int, ...], check: Any) -> None:
    draw = np.random.default_rng(5)
    arrays = [draw.normal(size=shape).astype(np.float32) for shape in (left, right)]
    check("mul", {}, arrays)
    check("sub", {}, arrays[::-1])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_views_of_random_ranks_agree(check: Any, data: st.DataObject) -> None:
    arrays = []
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=6)))
    for seed in range(2):
        order = data.draw(st.permutations(range(len(shape))))
        steps = [data.draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
        sizes = [size * abs(step) for size, step in zip(shape, steps, strict=True)]
        base = np.random.default_rng(seed).normal(size=[sizes[axis] for axis in order]).astype(np.float32)
        view = base.transpose(np.argsort(order)) if shape else base
        view = view[tuple(slice(None, None, step) for step in steps)]
        flat = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
        arrays.append(view[tuple(slice(0, 1) if one else slice(None) for one in flat)])
    check("sub", {}, arrays)


def test_more_workgroups_than_a_dimension_holds_reach_every_element(check: Any) -> None:
    values = np.arange(64 * 65_536 + 3, dtype=np.int32)
    check("neg", {}, [values])


def test_copies_keep_every_bit(device: Any) -> None:
    words = np.array([0x7FC00001, 0xFFC12345, 0x7F800001, 1, 0x80000001, 0x80000000], np.uint32)
    values = words.view(np.float32)
    reversed_ = device.run("slice", {"starts": [-1], "stops": [-100], "steps": [-1]}, [values])
    np.testing.assert_array_equal(reversed_.view(np.uint32), words[::-1])
    joined = device.run("concat", {}, [values, values])
    np.testing.assert_array_equal(joined.view(np.uint32), np.concatenate([words, words]))
