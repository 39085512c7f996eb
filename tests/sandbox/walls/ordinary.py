"""What honest Python does behind every wall: each must work. The other half of the table of attacks."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import gc
import hashlib
import json
import os
import random
import re
import signal
import socket
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable

MEGABYTE = 1 << 20


def _asyncio() -> None:
    async def slow(value: int) -> int:
        await asyncio.sleep(0.001)
        return value

    async def everything() -> list[int]:
        async with asyncio.timeout(5):
            return await asyncio.gather(*map(slow, range(3)))

    assert asyncio.run(everything()) == [0, 1, 2]


def _async_timeout() -> None:
    async def stuck() -> None:
        await asyncio.wait_for(asyncio.Event().wait(), 0.001)

    try:
        asyncio.run(stuck())
    except TimeoutError:
        return
    raise AssertionError("did not time out")


def _talk() -> None:
    ours, theirs = socket.socketpair()
    ours.sendall(b"x" * 1000)
    assert len(theirs.recv(1000, socket.MSG_WAITALL)) == 1000
    ours.setblocking(False)
    ours.close()
    assert theirs.recv(1) == b""


def _timer() -> None:
    """The console flushes so."""
    rang = []
    signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    end = time.monotonic() + 5
    while not rang and time.monotonic() < end:
        time.sleep(0.001)
    assert rang


def _memory() -> None:
    for size in (1, 100, 1 << 12, 1 << 17, 8 * MEGABYTE):
        block = bytearray(size)
        block.extend(bytes(size))
        del block
    gc.collect()


def _out_of_memory() -> None:
    try:
        bytearray(1 << 40)
    except MemoryError:
        assert len(bytearray(MEGABYTE)) == MEGABYTE
        return
    raise AssertionError("there is no limit")


def _locks() -> None:
    lock = threading.Lock()
    assert lock.acquire(timeout=1)
    assert not lock.acquire(timeout=0.001)


def _clocks() -> None:
    for clock in (time.time, time.monotonic, time.perf_counter, time.process_time, time.thread_time):
        clock()
    time.get_clock_info("monotonic")
    time.sleep(0.001)
    datetime.datetime.now(datetime.UTC).isoformat()
    os.times()


def _random() -> None:
    assert len(os.urandom(16)) == 16
    random.seed()
    random.SystemRandom().random()
    uuid.uuid4()


def _traceback() -> None:
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        assert "ZeroDivisionError" in traceback.format_exc()


def _recursion() -> None:
    def down(n: int) -> int:
        return down(n + 1)

    try:
        down(0)
    except RecursionError:
        return
    raise AssertionError("no end")


def _compute() -> None:
    assert json.loads(json.dumps({"a": [1.5, None]})) == {"a": [1.5, None]}
    assert re.fullmatch(r"(a|b)+", "abab")
    assert decimal.Decimal(1) / 3
    hashlib.sha256(b"x").hexdigest()
    assert eval(compile("sum(range(10))", "<script>", "eval")) == 45
    assert sys.getsizeof([])


ORDINARY: dict[str, Callable[[], None]] = {
    "asyncio": _asyncio,
    "a timeout in asyncio": _async_timeout,
    "a pair of sockets": _talk,
    "a timer": _timer,
    "memory within the limit": _memory,
    "memory beyond the limit, and on": _out_of_memory,
    "locks with timeouts": _locks,
    "clocks": _clocks,
    "random numbers": _random,
    "a traceback": _traceback,
    "recursion": _recursion,
    "the standard library": _compute,
}
