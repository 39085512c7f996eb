"""A hundred hand-made hostile messages, and a worker that holds its whole conversation in bad faith.

Together with `test_session.py`: there the frames that are no messages, here messages that lie. Whatever comes, the
session ends in one `KernelgateError` or one result, nothing else is touched, and time and memory stay bounded.
"""

from __future__ import annotations

import asyncio
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.graph import Graph, TensorRef
from ops.wire import frame
from sandbox import frames, values
from sandbox.frames import ServerMessage
from sandbox.limits import Limits
from sandbox.session import Session
from shaders.errors import ErrorRecord, KernelgateError
from tests.sandbox.support import Services
from tests.sandbox.test_session import (
    GOOD,
    JOB,
    MAX_FRAME,
    FakeWorker,
    ManualClock,
    converse,
    exchange,
    packed,
    raw,
)

HUGE = 2**63 - 1
EXT_TENSOR = 2


class Owner(Services):
    """Services that know handle 1 only, as those of the server know a run's own."""

    async def read(self, handle: int) -> bytes:
        if handle != 1:
            raise refusal("unknown_handle", f"there is no tensor {handle}")
        return b"\0\0\x80?"

    async def compute(self, graph: Graph) -> list[TensorRef]:
        raise refusal("graph_invalid", "no")

    async def explain(self, graph: Graph, wgsl: bool) -> str:
        raise refusal("graph_invalid", "no")

    async def dispatch(self, request: frames.DispatchKernel) -> dict[str, TensorRef]:
        raise refusal("kernel_not_found", "no")

    async def free(self, handles: list[int]) -> None:
        """Unknown ones are ignored."""


def refusal(code: str, message: str) -> KernelgateError:
    return KernelgateError.from_record(ErrorRecord(code, message))


def message(tag: str, **fields: object) -> bytes:
    return packed({"t": tag, **fields})


def dispatch(**changes: object) -> bytes:
    return message("dispatch", **{"id": 1, "kernel": "k", "request": packed({"inputs": {}}), **changes})


def graph(nodes: object = (), outputs: object = (), constants: object = ()) -> bytes:
    return message("compute", id=1, graph={"nodes": nodes, "outputs": outputs, "constants": constants})


def ext(code: int, data: bytes) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, data)


def nested(depth: int, bottom: object = None) -> Any:
    value: Any = bottom
    for _ in range(depth):
        value = [value]
    return value


def record(**fields: object) -> bytes:
    return message("failed", error=fields)


# What is no message of the protocol, whatever it says: the run ends as `protocol`.
REFUSED: dict[str, bytes] = {
    # lengths
    "a length of all ones": b"\xff\xff\xff\xff",
    "a length with its sign set": b"\x00\x00\x00\x80" + b"x",
    "a string longer than its message": raw(b"\x81\xa1t\xdb\xff\xff\xff\xff"),
    "bytes longer than their message": raw(b"\x81\xa1t\xc6\xff\xff\xff\xff"),
    "a list longer than its message": raw(b"\x81\xa1t\xdd\xff\xff\xff\xff"),
    "a map longer than its message": raw(b"\xdf\xff\xff\xff\xff"),
    "an extension longer than its message": raw(b"\xc9\xff\xff\xff\xff\x01"),
    "a length that wraps": raw(b"\xc6\x80\x00\x00\x00"),
    "two values in one message": raw(b"\x01\x02"),
    "a message cut in its middle": raw(frame(frames.Free([1, 2, 3]))[4:-1]),
    # depth
    "lists in lists": message("finished", result=nested(200)),
    "maps in maps": raw(b"\x81\xa1t" * 5000 + b"\xc0"),
    "a deep field": message("progress", fraction=None, values={"a": nested(200)}),
    "a deep unknown field": message("free", handles=[], more=nested(500)),
    "half a million items": message("free", handles=[0] * 500_001),
    "a map of many": raw(b"\xdf\x00\x07\xa1\x20" + b"\xa1a\xc0" * 500_000)[: MAX_FRAME + 4],
    # types
    "nil": raw(b"\xc0"),
    "true": raw(b"\xc3"),
    "a float": raw(b"\xcb" + b"\x7f\xf8" + bytes(6)),
    "an extension": packed(ext(5, b"x")),
    "a timestamp": packed(ext(-1, b"\0\0\0\0")),
    "a map with numbers for names": packed({1: "free"}),
    "a map with bytes for names": packed({b"t": b"free"}),
    "no fields at all": packed({}),
    "the tag of the job": message("script", source="x", inputs=b"", output_bytes=1),
    "the tag of a kernel's job": message("kernel", source="x"),
    "an answer nobody asked for": message("answer", id=1, value=b""),
    "a refusal nobody asked for": message("refusal", id=1, error={"code": "x", "message": "y"}),
    "a tag in capitals": message("Free", handles=[]),
    "a tag with a zero": message("free\0", handles=[]),
    "a tag of bytes": packed({"t": b"free", "handles": []}),
    "a list of tags": packed({"t": ["free"], "handles": []}),
    "an id of text": message("read", id="1", handle=1),
    "an id of a float": message("read", id=1.5, handle=1),
    "an id that is true": message("read", id=True, handle=1),
    "an id that is nothing": message("read", id=None, handle=1),
    "an id beyond 64 bits": raw(b"\x83\xa1t\xa4read\xa2id\xc7\x09\x01" + b"\x01" * 9 + b"\xa6handle\x01"),
    "a handle of a float": message("read", id=1, handle=1.5),
    "a handle of bytes": message("read", id=1, handle=b"1"),
    "a handle in a list": message("read", id=1, handle=[1]),
    "handles in a map": message("free", handles={"1": 1}),
    "handles that are nothing": message("free", handles=None),
    "one handle that is nothing": message("free", handles=[1, None]),
    "text that is a number": message("output", stream="stdout", text=1),
    "text that is a list": message("output", stream="stdout", text=["x"]),
    "a cut that is a number": message("output", stream="stdout", text="x", cut=1),
    "a stream that is nothing": message("output", stream=None, text="x"),
    "a stream that is a number": message("output", stream=1, text="x"),
    "progress without values": message("progress", fraction=0.5),
    "progress of bytes": message("progress", fraction=0.5, values={"a": b"x"}),
    "progress with numbers for names": message("progress", fraction=0.5, values={1: 1}),
    "progress that is true": message("progress", fraction=True, values={}),
    "a result of text": message("finished", result="x"),
    "a result of a number": message("finished", result=1),
    "no result": message("finished"),
    "an error of text": message("failed", error="x"),
    "an error without a code": record(message="x"),
    "an error whose code is a number": record(code=1, message="x"),
    "an error whose line is text": record(code="script_error", message="x", line="1"),
    "an error whose message is bytes": record(code="script_error", message=b"x"),
    "a script's name of bytes": message("load_script", id=1, name=b"x"),
    "no script's name": message("load_script", id=1),
    "a dispatch in the open": dispatch(request={"inputs": {}}),
    "a dispatch of text": dispatch(request="{}"),
    "a kernel that is nothing": dispatch(kernel=None),
    "a graph without nodes": message("compute", id=1, graph={"outputs": [0]}),
    "nodes of text": graph(nodes=["add"]),
    "a node of numbers": graph(nodes=[[1, [], {}]]),
    "a node whose inputs are text": graph(nodes=[["add", ["a"], {}]]),
    "outputs of text": graph(outputs=["0"]),
    "a reflection": message("reflected", reflection={"source": "", "entry_points": [], "bindings": []}),
}

# What is a message, but a lie: the request is refused, or the value is, and the run goes on to its own end.
LIES: dict[str, bytes] = {
    "the handle of another run": message("read", id=1, handle=2),
    "a handle of zero": message("read", id=1, handle=0),
    "a handle below zero": message("read", id=1, handle=-1),
    "the largest handle": message("read", id=1, handle=HUGE),
    "an id below zero": message("read", id=-5, handle=1),
    "the largest id": message("read", id=HUGE, handle=1),
    "the same id twice": message("read", id=7, handle=1) * 2,
    "ids that go backwards": message("read", id=9, handle=1) + message("read", id=1, handle=1),
    "freeing what others have": message("free", handles=[2, 3, HUGE, -1, 0]),
    "freeing twice": message("free", handles=[1, 1]) * 2,
    "a kernel of a strange name": dispatch(kernel="../../\0" * 50),
    "a kernel with a very long name": dispatch(kernel="k" * 100_000),
    "a dispatch that is no value": dispatch(request=b"\xc1"),
    "an empty graph": graph(),
    "a graph that is its own input": graph([["add", [0, 0], {}]], [0]),
    "a graph that looks ahead": graph([["neg", [5], {}]], [0]),
    "a graph of an unknown op": graph([["__import__", [], {}]], [0]),
    "a graph with another run's handle": graph(
        [["input", [], {"handle": 2, "shape": [1], "dtype": "f32"}]], [0]
    ),
    "a script of nobody": message("load_script", id=1, name="nothing"),
    "a script up the tree": message("load_script", id=1, name="../../etc/passwd\0"),
    "a script of a very long name": message("load_script", id=1, name="x" * 100_000),
    "progress beyond reason": message("progress", fraction=1e308, values={"x" * 10_000: "y" * 10_000}),
    "progress of what is no number": message("progress", fraction=float("nan"), values={}),
    "output of nothing, often": message("output", stream="stdout", text="") * 500,
    "output of control characters": message("output", stream="stderr", text="\x1b[2J\0\x07"),
    "a cut that was none": message("output", stream="stdout", text="", cut=True),
    "a field that is not known": message("free", handles=[], admin=True),
}  # fmt: skip

VALUES: dict[str, object] = {
    "an extension that nobody knows": ext(99, b"x"),
    "a tensor that is none": ext(EXT_TENSOR, b"\xc1"),
    "a tensor of text": ext(EXT_TENSOR, msgspec.msgpack.encode({"handle": "1", "shape": [], "dtype": "f32"})),
    "a tensor without a shape": ext(EXT_TENSOR, msgspec.msgpack.encode({"handle": 1})),
    "a deep value": nested(100),
    "a wide value": [0] * 300_000,
}


def test_there_are_a_hundred() -> None:
    assert len(REFUSED) + len(LIES) + len(VALUES) >= 100


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_message_ends_the_run(data: bytes) -> None:
    outcome = converse(data + GOOD, services=Owner())
    assert isinstance(outcome, KernelgateError), outcome
    assert outcome.code == "protocol"
    assert len(outcome.message) < 1000


@pytest.mark.parametrize("data", LIES.values(), ids=LIES.keys())
def test_a_lie_is_refused_and_the_run_goes_on(data: bytes) -> None:
    heard: list[ServerMessage] = []
    last = exchange(data + GOOD, Owner(), heard.append)
    assert isinstance(last, frames.Finished)
    assert all(isinstance(answer, frames.Answer | frames.Refusal | frames.ScriptJob) for answer in heard)
    asked = data.count(b"\xa2id")
    assert len(heard) == asked + 1, "one answer a request, after the job"
    assert not [
        answer for answer in heard if isinstance(answer, frames.Refusal) and answer.error.code == "internal"
    ]


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_result_that_is_no_value_is_found_out(value: object) -> None:
    last = converse(frame(frames.Finished(msgspec.msgpack.encode(value))), services=Owner())
    with pytest.raises(KernelgateError) as caught:
        values.unpack(last.result)
    assert caught.value.code == "protocol"


def test_a_result_with_the_handle_of_another_is_only_a_number() -> None:
    """The server asks its own table of the run's handles; see `api/runs/services.py`."""
    reference = msgspec.msgpack.encode(TensorRef(99, (1,), "f32"))
    last = converse(frame(frames.Finished(msgspec.msgpack.encode(ext(EXT_TENSOR, reference)))))
    assert values.unpack(last.result) == TensorRef(99, (1,), "f32")


@pytest.mark.parametrize(
    "end",
    [
        GOOD,
        frame(frames.Failed(ErrorRecord("script_error", "mine"))),
        frame(frames.Failed(ErrorRecord("cpu_limit", "x"))),
    ],
)
def test_only_the_first_end_counts(end: bytes) -> None:
    first = converse(GOOD + end)
    assert isinstance(first, frames.Finished)
    failed = converse(frame(frames.Failed(ErrorRecord("script_error", "first"))) + end)
    assert (failed.code, failed.message) == ("script_error", "first")


@pytest.mark.parametrize(
    "data", [b"", b"\x05", b"\x05\0\0\0", b"\x05\0\0\0abc", message("free", handles=[]) + b"\x01"]
)
def test_silence_after_any_beginning_ends_at_the_wall_clock(data: bytes) -> None:
    async def scenario() -> str:
        worker, clock = FakeWorker(), ManualClock()
        limits = Limits(wall_s=0.01, cpu_s=1, memory_mb=1, output_bytes=0)
        session = Session(worker, limits, Services(), MAX_FRAME, clock)  # type: ignore[arg-type]
        task = asyncio.create_task(session.converse(JOB))
        if data:
            worker.peer.send(data)
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert not task.done()
        clock.now = 1.0
        with pytest.raises(KernelgateError) as caught:
            await asyncio.wait_for(task, 10)
        worker.peer.close()
        return caught.value.code

    assert asyncio.run(scenario()) == "wall_limit"


@pytest.mark.parametrize(
    "piece",
    [
        message("free", handles=list(range(5_000))),
        message("output", stream="stdout", text=""),
        message("progress", fraction=0.5, values={"a": 1}),
        b"\x40\x42\x0f\x00" + bytes(100_000),
    ],
    ids=["frees", "empty output", "progress", "an endless message"],
)
def test_a_flood_costs_the_server_a_bounded_memory(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sandbox.throttle.SHARE", 1e9
    )  # measuring memory takes time, which has a test of its own

    class Deaf(Services):
        async def output(self, stream: str, text: str, cut: bool) -> None:
            """Keeps nothing."""

        async def progress(self, fraction: float | None, values: dict[str, Any]) -> None:
            """Keeps nothing."""

        async def free(self, handles: list[int]) -> None:
            """Keeps nothing."""

    data = piece * max(8, 300_000 // len(piece))
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        converse(data, services=Deaf())
        grown = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert grown < 3 << 20, f"{grown / 1e6:.0f} MB"


_CONVERSATIONS = st.lists(
    st.one_of(
        st.builds(lambda i, h: message("read", id=i, handle=h), st.integers(-3, 3), st.integers(-3, 3)),
        st.builds(lambda i, n: message("load_script", id=i, name=n), st.integers(-3, 3), st.text(max_size=5)),
        st.builds(
            lambda h: message("free", handles=h), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)
        ),
        st.builds(lambda data: dispatch(request=data), st.binary(max_size=50)),
        st.builds(
            lambda op, inputs, out: graph([[op, inputs, {}]], [out]),
            st.sampled_from(["add", "input", "", "matmul", "\0"]),
            st.lists(st.integers(-2, 3), max_size=3),
            st.integers(-2, 3),
        ),
        st.builds(
            lambda t, c: message("output", stream="stdout", text=t, cut=c), st.text(max_size=9), st.booleans()
        ),
        st.builds(
            lambda f, v: message("progress", fraction=f, values=v),
            st.none() | st.floats(),
            st.dictionaries(
                st.text(max_size=3), st.none() | st.booleans() | st.floats() | st.text(max_size=3), max_size=3
            ),
        ),
        st.sampled_from([*REFUSED.values()][:12]),
    ),
    max_size=8,
)


@settings(max_examples=150)
@given(_CONVERSATIONS, st.integers(0, 40), st.booleans())
def test_any_conversation_in_bad_faith_ends_in_one_answer(
    pieces: list[bytes], cut: int, finish: bool
) -> None:
    data = b"".join(pieces) + (GOOD if finish else b"")
    outcome = converse(data[: len(data) - cut] if cut < len(data) else data, services=Owner())
    assert isinstance(outcome, KernelgateError | frames.Finished)
    if isinstance(outcome, KernelgateError):
        assert outcome.code == "protocol"
