"""Boxes that cover a grid once and only once, and slices that find their size."""

import itertools

import pytest

from host.slices import Grid, Pace, Tally


@pytest.mark.parametrize("size", [(1, 1, 1), (7, 5, 3), (20, 1, 2), (1, 30, 1), (3, 1, 17), (13, 2, 1)])
@pytest.mark.parametrize("most", [4, 100])
@pytest.mark.parametrize("counts", [[1], [3, 1, 50], [7], [1000]])
def test_boxes_cover_every_workgroup_once_and_stay_within_the_limits(size, most, counts):
    grid, wanted = Grid(size, most), itertools.cycle(counts)
    seen = []
    while not grid.is_done:
        count = next(wanted)
        first, sides = grid.take(count)
        assert max(sides) <= most
        assert sides[0] * sides[1] * sides[2] <= count
        seen += itertools.product(*(range(f, f + s) for f, s in zip(first, sides, strict=True)))
    assert len(seen) == size[0] * size[1] * size[2]
    assert set(seen) == set(itertools.product(*map(range, size)))


def test_an_empty_grid_is_done():
    assert Grid((4, 0, 4), 100).is_done


def test_a_tally_says_which_part_is_done():
    tally = Tally(8)
    tally.add(2)
    assert tally.fraction == 0.25
    tally.add(6)
    assert tally.fraction == Tally(0).fraction == 1.0


def test_a_grid_of_two_to_the_31_takes_few_boxes():
    grid, boxes = Grid((1 << 31, 1, 1), 65_535), 0
    while not grid.is_done:
        grid.take(1 << 40)
        boxes += 1
    assert boxes == -(-(1 << 31) // 65_535)


def test_slices_grow_until_they_take_their_time():
    pace = Pace("cpu", 20.0)
    count = pace.begin()
    seen = [count]
    for _ in range(6):
        count = pace.next(count, count * 0.001)
        seen.append(count)
    assert seen == [8, 64, 512, 4096, 20_000, 20_000, 20_000]


def test_slices_shrink_at_once_when_the_work_is_heavier():
    pace = Pace("cpu", 20.0)
    assert pace.next(1000, 2000.0) == 10
    assert pace.next(10, 4000.0) == 1


def test_the_next_dispatch_begins_with_a_part_of_what_the_last_one_ended_with():
    pace = Pace("discrete", 20.0)
    pace.next(100_000, 10.0)
    assert pace.begin() == 200_000 // 16
    pace.next(1000, 40.0)
    assert pace.begin() == 64


def test_a_short_last_slice_does_not_spoil_what_was_learnt():
    pace = Pace("cpu", 20.0)
    learnt = pace.next(10_000, 10.0)
    assert pace.next(3, 0.2) == learnt
