"""`shaders/suggestions.py`: names that may have been meant."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from shaders.suggestions import meant

NAMES = ("softmax", "fmax", "Linear", "matmul")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sofmax", "Did you mean softmax or fmax?"),
        ("linear", "Did you mean Linear?"),
        ("MATMULL", "Did you mean matmul?"),
        ("fmix", "Did you mean fmax?"),
        ("softie", "See the list."),
        ("zzz", "See the list."),
        ("", "See the list."),
        ("softmax" * 10_000, "See the list."),
    ],
)
def test_what_is_close_is_named_the_closest_first_and_else_what_was_given(name: str, said: str) -> None:
    assert meant(name, NAMES, "See the list.") == said


def test_few_of_many_names_that_are_alike_are_compared_letter_by_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []
    ratio = SequenceMatcher.ratio
    monkeypatch.setattr(SequenceMatcher, "ratio", lambda self: compared.append(self) or ratio(self))
    alike = [f"{'a' * 60}{number:04}" for number in range(1000)]
    assert meant("a" * 64, [*alike, "a" * 63]).startswith(f"Did you mean {'a' * 63} or ")
    assert 0 < len(compared) <= 2 * 16, "difflib compares twice"
