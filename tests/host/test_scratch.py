"""Memory that threads keep for what they compute."""

from __future__ import annotations

import threading
from typing import Any

from host import scratch as module
from host.scratch import scratch


def test_a_thread_gets_its_buffer_again_in_any_shape_that_fits() -> None:
    first = scratch("again", (6, 4))
    assert scratch("again", (3, 5)).ctypes.data == first.ctypes.data
    assert scratch("again", (3, 5)).flags.c_contiguous


def test_a_buffer_stays_where_it_is_when_more_of_it_is_asked_for() -> None:
    assert scratch("still", (4,)).ctypes.data == scratch("still", (4000,)).ctypes.data


def test_another_name_or_another_thread_gets_other_memory() -> None:
    mine = scratch("mine", (4,))
    theirs: list[Any] = []
    thread = threading.Thread(target=lambda: theirs.append(scratch("mine", (4,))))
    thread.start()
    thread.join(10)
    arrays = [mine, scratch("other", (4,)), *theirs]
    assert len({array.ctypes.data for array in arrays}) == 3


def test_what_is_large_is_not_kept() -> None:
    count = module.MOST_KEPT + 1
    one, other = scratch("large", (count,)), scratch("large", (count,))
    assert one.ctypes.data != other.ctypes.data


def test_elements_begin_with_a_line_of_the_caches() -> None:
    arrays = [scratch(f"line {count}", (count,)) for count in (1, 77, 5000, module.MOST_KEPT + 1)]
    assert [array.ctypes.data % 64 for array in arrays] == [0] * 4
