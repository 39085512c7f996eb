"""What the server does with what a worker says, whatever it says."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from api.runs.events import EventLog
from api.runs.services import MAX_PROGRESS_VALUES, RunServices


@pytest.mark.parametrize(
    ("values", "cut"),
    [
        ({"loss": 0.5}, False),
        ({str(number): number for number in range(MAX_PROGRESS_VALUES)}, False),
        ({str(number): number for number in range(MAX_PROGRESS_VALUES + 1)}, True),
        ({"text": "x" * 5000}, True),
    ],
)
def test_a_report_of_progress_is_cut_when_it_is_large(values: dict[str, Any], cut: bool) -> None:
    events = EventLog(10)
    services = RunServices(*[cast(Any, None)] * 6, events, cast(Any, None), {})
    asyncio.run(services.progress(float("inf"), values))
    (event,) = events.unstored()
    assert ('"cut":true' in event.data) == cut
