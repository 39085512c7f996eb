"""A worker takes no more than its share of the server's own time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from ops.wire import frame
from sandbox import frames, values
from sandbox.limits import Limits
from sandbox.session import Session
from sandbox.throttle import BURST_S, LONGEST_WAIT_S, SHARE, Throttle
from tests.sandbox.support import ManualClock, Services
from tests.sandbox.test_session import JOB, MAX_FRAME, FakeWorker


def costly(clock: ManualClock, each: float, count: int) -> Iterator[int]:
    for number in range(count):
        clock.now += each
        yield number


def test_a_burst_is_free_and_more_costs_time() -> None:
    clock = ManualClock()
    throttle = Throttle(clock)
    assert list(throttle.timed(costly(clock, BURST_S / 10, 10))) == list(range(10))
    assert throttle.wait_s() == 0
    list(throttle.timed(costly(clock, 0.01, 30)))
    assert 0 < throttle.wait_s() <= LONGEST_WAIT_S
    clock.now += 10 / SHARE
    assert throttle.wait_s() == 0


def test_a_wait_evens_the_account() -> None:
    clock = ManualClock()
    throttle = Throttle(clock)
    list(throttle.timed(costly(clock, 0.001, 720)))
    clock.now += throttle.wait_s()
    assert throttle.wait_s() < 1e-9


def test_a_message_that_fails_is_paid_for_too() -> None:
    clock = ManualClock()

    def failing() -> Iterator[int]:
        clock.now += 5
        raise ValueError
        yield 0

    throttle = Throttle(clock)
    try:
        list(throttle.timed(failing()))
    except ValueError:
        assert throttle.wait_s() == LONGEST_WAIT_S


def test_a_flood_leaves_the_server_most_of_its_time() -> None:
    """A worker sends large messages as fast as it can; the loop's other tasks keep most of the processor."""
    flood = frame(frames.Free(list(range(100_000))))

    async def scenario() -> tuple[float, str]:
        worker, loop = FakeWorker(), asyncio.get_running_loop()
        limits = Limits(wall_s=2.0, cpu_s=9, memory_mb=64, output_bytes=0)
        session = Session(worker, limits, Services(), MAX_FRAME, loop.time)  # type: ignore[arg-type]

        async def send() -> None:
            while True:
                await loop.sock_sendall(worker.peer, flood)

        sender = asyncio.create_task(send())
        began = time.process_time()
        try:
            await session.converse(JOB)
        except Exception as error:
            code = getattr(error, "code", repr(error))
        spent = time.process_time() - began
        sender.cancel()
        await asyncio.wait([sender])
        worker.peer.close()
        return spent, code

    spent, code = asyncio.run(scenario())
    assert code == "wall_limit"
    assert spent < 1.6, "two seconds of a processor were there to take"


def test_only_one_request_of_a_worker_is_served_at_a_time() -> None:
    class Watching(Services):
        def __init__(self) -> None:
            super().__init__()
            self.now = self.most = 0

        async def read(self, handle: int) -> bytes:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1
            return b""

    async def scenario() -> tuple[object, int]:
        worker, loop, services = FakeWorker(), asyncio.get_running_loop(), Watching()
        limits = Limits(wall_s=9, cpu_s=9, memory_mb=64, output_bytes=0)
        session = Session(worker, limits, services, MAX_FRAME, loop.time)  # type: ignore[arg-type]
        asked = b"".join(frame(frames.Read(number, 1)) for number in range(200))
        worker.peer.send(asked + frame(frames.Finished(values.pack(1))))
        last = await session.converse(JOB)
        worker.peer.close()
        return last, services.most

    last, most = asyncio.run(scenario())
    assert isinstance(last, frames.Finished)
    assert most == 1
