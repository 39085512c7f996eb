"""The budget of an invocation is the least of its bounds, says whose bound that is, and names the loop that drew it."""

from __future__ import annotations

import pytest

from host.errors import DriverLoopLimit, FuelExhausted
from host.fuel import budget, ran_out
from ops.wire import FrameError
from shaders.guard.budget import MOST_FUEL
from shaders.reflect import reflect

KERNEL = reflect(
    """@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    loop { if (o[0] == 7u) { break; } }
}
"""
)
(ENTRY,) = KERNEL.entry_points
OWN = 50_000


@pytest.mark.parametrize(
    ("asked", "most", "value", "whose"),
    [
        (None, {}, OWN, "the device's own budget"),
        (None, {"the key's": 10_000}, 10_000, "the key's"),
        (20_000, {"the key's": 90_000}, 20_000, "what the request asks for"),
        (90_000, {"the key's": 20_000, "the server's": 30_000}, 20_000, "the key's"),
        (1 << 40, {}, MOST_FUEL, "the most there is"),
    ],
)
def test_the_least_bound_holds_and_says_whose_it_is(
    asked: int | None, most: dict[str, int], value: int, whose: str
) -> None:
    found = budget(KERNEL, ENTRY, "fuel", OWN, asked, most)
    assert (found.value, found.whose, found.driver) == (value, whose, False)
    assert 0 < found.left <= value


def test_where_the_driver_counts_turns_its_limit_holds_whatever_is_asked() -> None:
    found = budget(KERNEL, ENTRY, "turns", OWN, 1 << 30, {})
    assert found.driver
    assert 0 < found.left == found.value < 1 << 16


def test_what_is_too_little_to_begin_with_is_refused() -> None:
    with pytest.raises(
        FuelExhausted, match="before any loop is counted, and has 0, what the request asks for"
    ):
        budget(KERNEL, ENTRY, "fuel", OWN, 0, {})


def test_the_error_names_the_line_of_the_loop_and_whose_limit_it_was() -> None:
    fuel = ran_out(KERNEL, 1, budget(KERNEL, ENTRY, "fuel", OWN, 9_999, {}))
    assert isinstance(fuel, FuelExhausted)
    assert fuel.line == 3
    assert "9,999, what the request asks for" in fuel.message
    turns = ran_out(KERNEL, 1, budget(KERNEL, ENTRY, "turns", OWN, None, {}))
    assert isinstance(turns, DriverLoopLimit)
    assert turns.line == 3


@pytest.mark.parametrize("loop", [-1, 0, 2])
def test_a_report_of_a_loop_that_does_not_exist_breaks_the_protocol(loop: int) -> None:
    with pytest.raises(FrameError, match=f"reports loop {loop} of 1"):
        ran_out(KERNEL, loop, budget(KERNEL, ENTRY, "fuel", OWN, None, {}))
