"""The zygote and the server's end of it: no failure to fork ends it, and its end leaves nothing behind."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
import time
from typing import Any

import pytest

from sandbox import zygote_process
from sandbox.control import NotSpawned, decode_zygote
from sandbox.errors import WorkerCrashedError
from sandbox.zygote import TRADES, Zygote
from sandbox.zygote_process import ZygoteProcess
from tests.sandbox.support import children, descriptors

COMMAND = [sys.executable, "-I", "-m", "sandbox.zygote", "restricted"]


class Exhausted:
    """A preparation that can make no namespace for a worker."""

    def before_fork(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_machine_out_of_namespaces_makes_no_worker_and_says_so() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection, peer = socket.socketpair()
    before = set(children())
    with ours, theirs, peer:
        zygote = Zygote(theirs, Exhausted(), TRADES["restricted"])  # type: ignore[arg-type]
        zygote._fork(connection.detach())
        message = decode_zygote(ours.recv(65536))
        assert peer.recv(1) == b"", "the worker's socket is closed"
    os.close(zygote._wake)
    os.close(zygote._woken)
    assert message == NotSpawned("ENOSPC, No space left on device")
    assert set(children()) == before


def test_a_refused_worker_is_an_error_and_the_next_one_is_made() -> None:
    async def scenario() -> tuple[str, bool]:
        process = ZygoteProcess(COMMAND)
        await process.start()
        try:
            asked = asyncio.create_task(process.spawn())
            await asyncio.sleep(0)
            process._handle(NotSpawned("EAGAIN, no"), [])  # before the zygote's own answer
            with pytest.raises(WorkerCrashedError, match="no worker can be made now: EAGAIN, no") as refusal:
                await asked
        finally:
            await process.close()
        return refusal.value.hint or "", process.died.is_set()

    hint, died = asyncio.run(scenario())
    assert hint == "Try again later."
    assert died


def test_a_zygote_that_does_not_end_is_ended_with_all_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM lets the keeper kill and reap it; a zygote that was stopped can not end by itself."""
    monkeypatch.setattr(zygote_process, "END_S", 0.2)

    async def scenario() -> tuple[list[int], float]:
        process = ZygoteProcess(COMMAND)
        ready = await process.start()
        worker = await process.spawn()
        assert process.pid is not None
        family = descendants(process.pid)
        if not family:
            pytest.skip(f"no keeper at level {ready.level}: {ready.reason}")
        os.kill(family[0], signal.SIGSTOP)
        began = time.monotonic()
        await process.close()
        worker.close()
        return family, time.monotonic() - began

    before = descriptors()
    with asyncio.Runner() as runner:
        family, took = runner.run(scenario())
    assert took < 5
    assert not [pid for pid in family if alive(pid)]
    assert descriptors() == before


def descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [lower for child in found for lower in descendants(child)]


def alive(pid: int) -> Any:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
