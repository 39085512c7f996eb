"""The server's side of a worker's socket is hostile territory: whatever a worker sends, the server goes on."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.graph import Graph, Node, TensorRef
from ops.wire import FrameReader, frame
from sandbox import frames, values
from sandbox.frames import ScriptJob, ServerMessage
from sandbox.gates.frames import FileEntry, FileInfo, FileStat, GateAnswer, GateRequest, encode_answer
from sandbox.limits import Limits
from sandbox.session import OUTPUT_SLACK, Session
from shaders.errors import ErrorRecord, KernelgateError
from tests.sandbox.support import ManualClock, Services

LIMITS = Limits(wall_s=5, cpu_s=5, memory_mb=64, output_bytes=1000)
JOB = ScriptJob("", values.pack({}), 1000)
MAX_FRAME = 1 << 20
GOOD = frame(frames.Finished(values.pack(7)))


class FakeWorker:
    """A worker whose end of the socket the test holds."""

    def __init__(self) -> None:
        self.connection, self.peer = socket.socketpair()
        self.connection.setblocking(False)
        self.peer.setblocking(False)
        self.killed = False
        self.is_settled = False
        self.wait_status: int | None = None
        self.first_words = b""

    def cpu_s(self) -> float:
        return 0.0

    def peak_bytes(self) -> int:
        return 0

    async def status(self, _patience_s: float) -> int | None:
        return self.wait_status

    def interrupt(self) -> None:
        pass

    def kill(self) -> None:
        self.killed = True

    async def stop(self, _patience_s: float, *, at_work: bool) -> None:
        self.kill()

    def close(self) -> None:
        self.kill()
        self.connection.close()


def converse(
    data: bytes, *, close: bool = True, kernel: bool = False, services: Services | None = None
) -> Any:
    """What the session makes of a worker that sends `data` and then closes its end."""

    async def scenario() -> Any:
        worker = FakeWorker()
        loop = asyncio.get_running_loop()
        talk = None if kernel else services or Services()
        session = Session(worker, LIMITS, talk, MAX_FRAME, loop.time)  # type: ignore[arg-type]

        async def misbehave() -> None:
            try:
                await loop.sock_sendall(worker.peer, data)
                if close:
                    worker.peer.shutdown(socket.SHUT_WR)
                while await loop.sock_recv(worker.peer, 1 << 16):
                    pass
            except OSError:
                pass

        peer = asyncio.create_task(misbehave())
        try:
            async with asyncio.timeout(20):
                return await session.converse(JOB)
        except KernelgateError as error:
            return error
        finally:
            peer.cancel()
            worker.peer.close()
            assert worker.killed

    return asyncio.run(scenario())


def raw(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


def packed(value: object) -> bytes:
    return raw(msgspec.msgpack.encode(value))


def test_a_session_that_is_cancelled_again_while_it_ends_still_closes_its_worker() -> None:
    """A service that cleans up slowly holds the conversation; the second cancel ends the waiting for it."""

    class Slow(Services):
        async def output(self, stream: str, text: str, cut: bool) -> None:
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                await free.wait()

    async def scenario() -> None:
        worker = FakeWorker()
        session = Session(worker, LIMITS, Slow(), MAX_FRAME, asyncio.get_running_loop().time)  # type: ignore[arg-type]
        worker.peer.send(frame(frames.Output("stdout", "text")))
        conversing = asyncio.create_task(session.converse(JOB))
        async with asyncio.timeout(20):
            await entered.wait()
            for _ in range(2):
                conversing.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await conversing
            assert worker.killed
            free.set()
            while worker.connection.fileno() >= 0:
                await asyncio.sleep(0)
        worker.peer.close()

    entered, free = asyncio.Event(), asyncio.Event()
    asyncio.run(scenario())


HANDMADE: dict[str, bytes] = {
    "nothing": b"",
    "half a header": b"\x01",
    "a header and no body": struct.pack("<I", 100),
    "half a body": struct.pack("<I", 100) + b"x" * 50,
    "four gigabytes announced": b"\xff\xff\xff\xff" + b"x" * 100,
    "just over the limit": struct.pack("<I", MAX_FRAME + 1),
    "an empty body": raw(b""),
    "no MessagePack": raw(b"\xc1"),
    "text": raw(b"hello there"),
    "trailing bytes": raw(msgspec.msgpack.encode({"t": "free", "handles": []}) + b"\0"),
    "a list": packed([1, 2]),
    "a number": packed(5),
    "no tag": packed({"handles": [1]}),
    "an unknown tag": packed({"t": "script", "source": "x"}),
    "a tag of another type": packed({"t": 1}),
    "the servers own message": packed({"t": "answer", "id": 1, "value": b""}),
    "a handle that is text": packed({"t": "free", "handles": ["1"]}),
    "a handle beyond 64 bits": raw(b"\x82\xa1t\xa4free\xa7handles\x91\xcf" + b"\xff" * 9),
    "output of a third stream": packed({"t": "output", "stream": "stdlog", "text": "x"}),
    "output of bytes": packed({"t": "output", "stream": "stdout", "text": b"x"}),
    "output that is not UTF-8": raw(b"\x83\xa1t\xa6output\xa6stream\xa6stdout\xa4text\xa2\xff\xfe"),
    "progress of lists": packed({"t": "progress", "fraction": 0.5, "values": {"a": [1]}}),
    "progress of text": packed({"t": "progress", "fraction": "half", "values": {}}),
    "a graph of text": packed({"t": "compute", "id": 1, "graph": "x"}),
    "a result that is no value": frame(frames.Finished(b"\xc1")),
    "a million empty lists": packed({"t": "free", "handles": [[]] * 1_000_000})[: MAX_FRAME + 4],
    "a deep message": raw(b"\x91" * 100_000 + b"\xc0"),
    "a reflection about a script": packed(
        {"t": "reflected", "reflection": {"source": "", "entry_points": [], "bindings": []}}
    ),
    "a signature of a script that runs": packed(
        {"t": "signed", "signature": {"inputs": [], "result": {"is": "simple", "kind": "any"}}}
    ),
    "a path that is a number": packed({"t": "file_stat", "id": 1, "path": 5}),
    "an offset below zero": packed({"t": "file_read", "id": 1, "path": "/a", "offset": -1}),
    "an offset beyond all": packed({"t": "file_read", "id": 1, "path": "/a", "offset": 1 << 61}),
    "a way to write that there is not": packed({"t": "file_write", "id": 1, "path": "/", "data": b"", "how": "x"}),
    "headers that are no pairs": packed({"t": "fetch", "id": 1, "method": "GET", "url": "", "headers": [["a"]]}),
    "a body of text": packed({"t": "fetch", "id": 1, "method": "GET", "url": "", "body": 5}),
    "a missing field": packed({"t": "dispatch", "id": 1, "kernel": "k"}),
    "a dispatch in the open": packed({"t": "dispatch", "id": 1, "kernel": "k", "request": {"inputs": {}}}),
}  # fmt: skip


@pytest.mark.parametrize("data", HANDMADE.values(), ids=HANDMADE.keys())
def test_junk_ends_the_run_with_a_protocol_error(data: bytes) -> None:
    outcome = converse(data)
    if isinstance(outcome, frames.Finished):
        with pytest.raises(KernelgateError):
            values.unpack(outcome.result)
        return
    assert isinstance(outcome, KernelgateError)
    assert outcome.code == "protocol"


@settings(max_examples=150)
@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_end_in_an_answer(bodies: list[bytes]) -> None:
    outcome = converse(b"".join(map(raw, bodies)))
    assert isinstance(outcome, KernelgateError | frames.Finished)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
_TAGS = [
    "output",
    "progress",
    "compute",
    "read",
    "dispatch",
    "free",
    "finished",
    "failed",
    "here",
    "reflected",
]
_TAGS += ["fetch", "file_read", "file_write", "file_stat", "file_list", "folder_make", "file_remove"]
_FIELDS = [
    "id",
    "graph",
    "handle",
    "handles",
    "text",
    "stream",
    "error",
    "result",
    "values",
    "fraction",
    "kernel",
]
_FIELDS += ["line", "column", "snippet", "script"]
_FIELDS += ["path", "data", "how", "offset", "size"]
_FIELDS += ["url", "method", "headers", "body", "timeout_s", "follow", "folder"]


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(_TAGS), st.dictionaries(st.sampled_from(_FIELDS), _JSON)), max_size=5)
)
def test_messages_of_any_shape_end_in_an_answer(messages: list[tuple[str, dict[str, Any]]]) -> None:
    data = b"".join(packed({"t": tag, **fields}) for tag, fields in messages)
    assert isinstance(converse(data), KernelgateError | frames.Finished)


def test_frames_cut_into_single_bytes_are_read() -> None:
    reader: FrameReader[frames.WorkerMessage] = FrameReader(frames.WorkerMessage, 1000)
    got = [message for byte in GOOD * 2 for message in reader.feed(bytes([byte]))]
    assert [values.unpack(message.result) for message in got] == [7, 7]


def test_what_follows_the_last_message_is_not_read() -> None:
    outcome = converse(GOOD + b"\xff" * 50)
    assert isinstance(outcome, frames.Finished)


def test_a_forged_end_only_ends_the_forgers_run() -> None:
    outcome = converse(GOOD, close=False)
    assert isinstance(outcome, frames.Finished)


def test_a_flood_of_output_is_cut_by_the_server_itself() -> None:
    chunk = frame(frames.Output("stdout", "x" * 10_000))
    services = Services()
    outcome = converse(chunk * 40, services=services)
    assert outcome.code == "output_limit"
    assert len(services.printed()) <= LIMITS.output_bytes + OUTPUT_SLACK + 10_000


def test_a_flood_of_messages_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.session.MAX_MESSAGES", 1000)
    outcome = converse(frame(frames.Free([])) * 2000)
    assert outcome.code == "message_limit"
    assert "limit of 1000 messages; it sent 1001" in outcome.message


def test_silence_ends_at_the_wall_clock_of_an_injected_clock() -> None:
    async def scenario() -> KernelgateError:
        worker, clock = FakeWorker(), ManualClock()
        limits = Limits(wall_s=0.01, cpu_s=1, memory_mb=1, output_bytes=0)
        session = Session(worker, limits, Services(), MAX_FRAME, clock)  # type: ignore[arg-type]
        task = asyncio.create_task(session.converse(JOB))
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert not task.done(), "the injected clock has not moved"
        clock.now = 1.0
        with pytest.raises(KernelgateError) as caught:
            await asyncio.wait_for(task, 10)
        worker.peer.close()
        return caught.value

    assert asyncio.run(scenario()).code == "wall_limit"


def test_a_worker_that_never_reads_does_not_hold_the_server() -> None:
    async def scenario() -> KernelgateError:
        worker, clock = FakeWorker(), ManualClock()
        session = Session(worker, LIMITS, Services(), MAX_FRAME, clock)  # type: ignore[arg-type]
        job = ScriptJob("x" * (8 << 20), values.pack({}), 0)
        limits_task = asyncio.create_task(session.converse(job))
        await asyncio.sleep(0.01)
        clock.now = 100.0
        session._watch()
        with pytest.raises(KernelgateError) as caught:
            await asyncio.wait_for(limits_task, 10)
        worker.peer.close()
        return caught.value

    assert asyncio.run(scenario()).code == "wall_limit"


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (ErrorRecord("script_error", "x"), "script_error"),
        (ErrorRecord("internal", "the server is broken"), "script_error"),
        (ErrorRecord("wall_limit", "a lie"), "script_error"),
        (ErrorRecord("device_out_of_memory", "a lie"), "script_error"),
        (ErrorRecord("memory_limit", "a text of its own"), "memory_limit"),
    ],
)
def test_a_worker_can_not_choose_what_its_run_failed_of(record: ErrorRecord, code: str) -> None:
    outcome = converse(frame(frames.Failed(record)))
    assert outcome.code == code
    assert "a text of its own" not in outcome.message


def test_a_giant_error_is_cut() -> None:
    outcome = converse(frame(frames.Failed(ErrorRecord("script_error", "x" * 500_000))))
    assert len(outcome.message) < 10_000


def test_a_code_that_a_request_was_refused_with_may_come_back() -> None:
    class Refusing(Services):
        async def read(self, handle: int) -> bytes:
            raise KernelgateError.from_record(ErrorRecord("unknown_handle", f"there is no tensor {handle}"))

    data = frame(frames.Read(1, 99)) + frame(frames.Failed(ErrorRecord("unknown_handle", "no")))
    assert converse(data, services=Refusing()).code == "unknown_handle"


def test_a_service_that_breaks_is_a_refusal_not_a_crash(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Services):
        async def compute(self, graph: Graph) -> list[TensorRef]:
            raise ZeroDivisionError

    got: list[ServerMessage] = []
    data = frame(frames.Compute(5, Graph([Node("neg", (0,))], [0]))) + GOOD
    assert isinstance(exchange(data, Broken(), got.append), frames.Finished)
    refusals = [message for message in got if isinstance(message, frames.Refusal)]
    assert [(message.id, message.error.code) for message in refusals] == [(5, "internal")]
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivisionError" not in refusals[0].error.message


def exchange(data: bytes, services: Services, hear: Callable[[ServerMessage], None]) -> Any:
    """As `converse`, telling `hear` what the server sends."""

    async def scenario() -> Any:
        worker, loop = FakeWorker(), asyncio.get_running_loop()
        reader: FrameReader[ServerMessage] = FrameReader(ServerMessage, MAX_FRAME)
        session = Session(worker, LIMITS, services, MAX_FRAME, loop.time)  # type: ignore[arg-type]

        async def listen() -> None:
            await loop.sock_sendall(worker.peer, data)
            while chunk := await loop.sock_recv(worker.peer, 1 << 16):
                for message in reader.feed(chunk):
                    hear(message)

        listener = asyncio.create_task(listen())
        try:
            return await asyncio.wait_for(session.converse(JOB), 20)
        finally:
            await asyncio.wait_for(listener, 20)
            worker.peer.close()

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (11, "worker_crashed", "SIGSEGV"),
        (31, "worker_crashed", "forbidden system call"),
        (9, "worker_crashed", "killed from outside"),
        (3 << 8, "protocol", "status 3"),
    ],
)
def test_a_death_is_told_by_its_cause_and_a_kill_counted(status: int, code: str, words: str) -> None:
    kills: list[str] = []

    async def scenario() -> KernelgateError:
        worker, loop = FakeWorker(), asyncio.get_running_loop()
        worker.is_settled, worker.wait_status = True, status
        session = Session(worker, LIMITS, Services(), MAX_FRAME, loop.time, on_kill=kills.append)  # type: ignore[arg-type]
        worker.peer.close()
        with pytest.raises(KernelgateError) as caught:
            await asyncio.wait_for(session.converse(JOB), 20)
        return caught.value

    error = asyncio.run(scenario())
    assert error.code == code
    assert words in error.message
    assert kills == [code] * (code == "worker_crashed")


def test_gates_are_asked_one_request_at_a_time() -> None:
    class Slow(Services):
        active = most = 0

        async def gate(self, request: GateRequest) -> GateAnswer:
            self.active += 1
            self.most = max(self.most, self.active)
            for _ in range(20):
                await asyncio.sleep(0)
            self.active -= 1
            return FileInfo("file", 1, 0.0)

    services = Slow()
    data = b"".join(frame(FileStat(number, "/a")) for number in range(50))
    assert isinstance(converse(data + GOOD, services=services), frames.Finished)
    assert services.most == 1


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        (None, b""),
        (b"raw bytes", b"raw bytes"),
        (FileInfo("file", 3, 1.5), msgspec.msgpack.encode({"kind": "file", "size": 3, "modified": 1.5})),
        ([FileEntry("a", "folder")], msgspec.msgpack.encode([{"name": "a", "kind": "folder"}])),
    ],
)
def test_each_answer_of_a_gate_has_its_form(answer: GateAnswer, form: bytes) -> None:
    assert encode_answer(answer) == form


def test_a_gates_code_may_come_back_once_it_was_given() -> None:
    record = ErrorRecord("file_not_found", "forged")
    denied = frame(FileStat(1, "/a")) + frame(frames.Failed(ErrorRecord("permission_denied", "yes")))
    assert converse(frame(frames.Failed(record))).code == "script_error"
    assert converse(denied).code == "permission_denied"


def test_a_kernels_worker_may_only_reflect() -> None:
    assert converse(GOOD, kernel=True).code == "protocol"
    assert converse(frame(frames.Read(1, 1)), kernel=True).code == "protocol"
    assert (
        converse(frame(frames.Failed(ErrorRecord("kernel_syntax", "x"))), kernel=True).code == "kernel_syntax"
    )
    assert (
        converse(frame(frames.Failed(ErrorRecord("script_error", "x"))), kernel=True).code != "kernel_syntax"
    )
