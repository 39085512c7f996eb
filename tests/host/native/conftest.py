"""A real device, the CPU adapter's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from host import adapters, native
from host.native import Gpu


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    opened = adapters.choose(native.adapters(), "cpu").open()
    yield opened
    opened.close()
