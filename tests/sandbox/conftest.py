"""One real pool of workers for all tests of the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from sandbox.pool import PoolSettings, WorkerPool
from tests.sandbox.support import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One pool for all tests."""
    with asyncio.Runner() as runner:
        pool = WorkerPool(PoolSettings(size=2))
        runner.run(pool.start())
        try:
            yield Sandbox(runner, pool)
        finally:
            runner.run(pool.close())
