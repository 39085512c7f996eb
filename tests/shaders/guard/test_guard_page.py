"""The page about the guard shows what the guard does."""

import re
from pathlib import Path

from shaders.guard.budget import priced
from shaders.reflect import reflect

PAGE = Path(__file__).parents[3] / "docs" / "guard.md"


def test_the_kernel_of_the_page_becomes_what_the_page_says():
    before, after = re.findall(r"```wgsl\n(.*?)```", PAGE.read_text(), re.DOTALL)
    guard = reflect(before).guard
    assert guard is not None
    assert priced(guard, "fuel").split() == after.split()
