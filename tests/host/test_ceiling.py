"""The ceiling of a device process's memory, seen from outside."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from host.ceiling import ROOM, default_memory, was_short

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


def test_only_a_cpu_adapter_has_a_default_budget() -> None:
    assert default_memory("discrete") is None
    assert default_memory("cpu") > 1 << 28  # type: ignore[operator]


def test_a_server_does_not_load_what_its_device_processes_do() -> None:
    found = "import sys, api.runtime; print(sorted({'wgpu', 'cffi'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", found], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "peak", "inherited", "budget", "short"),
    [
        ("LLVM ERROR: out of memory", 0, 0, None, True),
        ("memory allocation of 400 bytes failed", 0, 0, None, True),
        ("terminate called after throwing an instance of 'std::bad_alloc'", 0, 0, None, True),
        ("", ROOM, 0, 1 << 20, True),
        ("", ROOM, ROOM // 2, 1 << 20, True),
        ("", ROOM, ROOM, 1 << 20, False),
        ("", ROOM // 4, 0, 1 << 20, False),
        ("", 1 << 40, 0, None, False),
        ("thread panicked", 0, 0, 1 << 20, False),
    ],
)
def test_a_process_that_had_no_memory_left_is_known_by_its_words_or_its_peak(
    words: str, peak: int, inherited: int, budget: int | None, short: bool
) -> None:
    assert was_short(words, peak, inherited, budget) == short
