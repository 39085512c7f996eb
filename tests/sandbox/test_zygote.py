"""The zygote and the server's end of it: no failure to fork ends it, and its end leaves nothing behind."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
from typing import Any

import pytest

from ops.wire import FrameError
from sandbox import zygote_process
from sandbox.control import Channel, NotSpawned, ServerMessage, Spawned, ZygoteMessage
from sandbox.errors import WorkerCrashedError
from sandbox.handles import Handle
from sandbox.zygote import TRADES, Zygote
from sandbox.zygote_process import ZygoteProcess
from tests.sandbox.support import children, descendants, nothing_left_open, until

COMMAND = [sys.executable, "-I", "-m", "sandbox.zygote", "restricted"]


class Exhausted:
    """A preparation that can make no namespace for a worker."""

    def before_fork(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_machine_out_of_namespaces_makes_no_worker_and_says_so() -> None:
    ours, theirs = socket.socketpair()
    connection, peer = socket.socketpair()
    before = set(children())
    with ours, theirs, peer:
        channel = Channel[ServerMessage](theirs, ServerMessage)
        zygote = Zygote(channel, Exhausted(), TRADES["restricted"])  # type: ignore[arg-type]
        zygote._fork(connection.detach())
        ((message, _),) = Channel[ZygoteMessage](ours, ZygoteMessage).receive()
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
            process._handle(NotSpawned("EAGAIN, no"), None)  # before the zygote's own answer
            with pytest.raises(WorkerCrashedError, match="no worker can be made now: EAGAIN, no") as refusal:
                await asked
        finally:
            await process.close()
        return refusal.value.hint or "", process.died.is_set()

    hint, died = asyncio.run(scenario())
    assert hint == "Try again later."
    assert died


def test_a_start_that_is_cancelled_leaves_nothing_open() -> None:
    async def scenario(turns: int) -> None:
        process = ZygoteProcess(COMMAND)
        starting = asyncio.create_task(process.start())
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    with nothing_left_open():
        for turns in range(1, 6):
            asyncio.run(scenario(turns))


def test_a_start_that_fails_is_an_error_and_leaves_nothing_open() -> None:
    async def scenario(command: list[str]) -> str:
        with pytest.raises(WorkerCrashedError) as failure:
            await ZygoteProcess(command).start()
        return str(failure.value)

    with nothing_left_open():
        assert "cannot be started" in asyncio.run(scenario(["/nonexistent/python"]))
        assert "died" in asyncio.run(scenario([sys.executable, "-c", "pass"]))


def test_a_worker_whose_asker_is_cancelled_is_closed_whenever_that_happens() -> None:
    """Before the zygote has answered, in the turn of the loop in which it answers, and when it ends meanwhile."""

    async def scenario(moment: str) -> None:
        process = ZygoteProcess(COMMAND)
        await process.start()
        asked = asyncio.create_task(process.spawn())
        await asyncio.sleep(0)
        deliver = process._deliver

        def deliver_too_late(pid: int, handle: Handle) -> None:
            deliver(pid, handle)
            if moment == "with the answer":
                asked.cancel()
            if moment == "at the end":
                process._lost()
                asked.cancel()

        process._deliver = deliver_too_late  # type: ignore[method-assign]
        if moment == "before the answer":
            asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await process.close()

    with nothing_left_open():
        for moment in ("before the answer", "with the answer", "at the end"):
            asyncio.run(scenario(moment))


def test_who_waits_for_a_worker_when_the_zygote_ends_gets_an_error_and_no_socket_stays_open() -> None:
    async def scenario() -> None:
        process = ZygoteProcess(COMMAND)
        await process.start()
        waiting = [asyncio.create_task(process.spawn()) for _ in range(4)]
        await asyncio.sleep(0)
        assert len(process._waiting) == 4
        await process.close()
        for task in waiting:
            with pytest.raises(WorkerCrashedError, match="died"):
                await task

    with nothing_left_open():
        asyncio.run(scenario())


def test_an_answer_to_nothing_ends_the_zygote_and_its_handle_is_closed() -> None:
    async def scenario() -> bool:
        process = ZygoteProcess(COMMAND)
        await process.start()
        with pytest.raises(FrameError):
            process._handle(Spawned(os.getpid(), True), os.pidfd_open(os.getpid()))
        worker = await process.spawn()
        process._workers.clear()
        os.kill(worker._handle.pid, signal.SIGKILL)  # its end is told, of whom nobody knows
        await process.close()
        worker.close()
        return process.died.is_set()

    with nothing_left_open():
        assert asyncio.run(scenario())


def test_a_zygote_that_does_not_end_is_ended_with_all_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM lets the keeper kill and reap it; a zygote that was stopped cannot end by itself."""
    monkeypatch.setattr(zygote_process, "END_S", 0.2)

    async def scenario() -> None:
        process = ZygoteProcess(COMMAND)
        ready = await process.start()
        worker = await process.spawn()
        assert process.pid is not None
        family = descendants(process.pid)
        if not family:
            pytest.skip(f"no keeper at level {ready.level}: {ready.reason}")
        os.kill(family[0], signal.SIGSTOP)
        await process.close()
        worker.close()
        # A keeper that was late, and so was killed itself, leaves them to the system to reap.
        await until(lambda: not any(map(alive, family)))

    with nothing_left_open():
        asyncio.run(scenario())


def alive(pid: int) -> Any:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
