"""The ceiling of a device process's memory, seen from outside."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import pytest

from host.ceiling import ROOM

BUFFERS = 1 << 28


@pytest.mark.parametrize(("adapter", "most"), [("cpu", BUFFERS + ROOM), ("null", None)])
def test_only_the_process_of_a_software_driver_has_a_ceiling(
    run: Callable[..., Any], opened: Any, adapter: str, most: int | None
) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)

    async def body() -> None:
        async with opened(adapter=adapter, memory_bytes=BUFFERS) as device:
            found = resource.prlimit(device.pid, resource.RLIMIT_AS)
            assert found == (before if most is None else (most, most))

    run(body())
