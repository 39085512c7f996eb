"""`shaders/suggestions.py`: names that may have been meant."""

from __future__ import annotations

import time

import pytest

from shaders.suggestions import meant

NAMES = ("softmax", "fmax", "Linear", "matmul")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sofmax", "Did you mean softmax or fmax?"),
        ("linear", "Did you mean Linear?"),
        ("MATMULL", "Did you mean matmul?"),
        ("zzz", "See the list."),
        ("sof", "See the list."),
        ("", "See the list."),
        ("softmax" * 10_000, "See the list."),
    ],
)
def test_what_is_close_is_named_the_closest_first_and_else_what_was_given(name: str, said: str) -> None:
    assert meant(name, NAMES, "See the list.") == said


def test_the_right_name_is_found_among_many_that_are_alike_without_comparing_all() -> None:
    names = ["ab" * 29 + f"{number:06}" for number in range(2000)]
    began = time.process_time()
    assert meant(names[1234][:-1], names).startswith("Did you mean ")
    assert time.process_time() - began < 0.3, "comparing one with another takes 0.4 ms"
    assert meant("sofmax", [*names, *NAMES]) == "Did you mean softmax or fmax?"
