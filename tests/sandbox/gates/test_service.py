"""All gates behind one call, and requests that survive the wire."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sandbox.gates.errors import PermissionDenied
from sandbox.gates.frames import Fetch, FileList, FileRead, FileWrite, GateRequest
from sandbox.gates.grants import parse
from sandbox.gates.service import GateEvent, Gates


def test_one_call_serves_every_gate_and_one_list_has_all_events(internet: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    folder = str(tmp_path.resolve())
    grants = parse(
        {
            "fetch": [{"host": "public.test"}],
            "files": [{"path": "/in", "folder": folder, "mode": "overlay"}],
            "env": {"A": "1"},
        }
    )
    events: list[GateEvent] = []

    async def scenario() -> None:
        gates = Gates(grants, on_event=events.append, resolve=internet.resolve, connect=internet.connect)
        response: Any = await gates.serve(Fetch(1, "GET", "http://public.test/"))
        assert response.body == b"ok"
        assert await gates.serve(FileRead(2, "/in/a")) == b"x"
        await gates.serve(FileWrite(3, "/in/b", b"y"))
        with pytest.raises(PermissionDenied):
            await gates.serve(Fetch(4, "GET", "http://other.test/"))
        with pytest.raises(PermissionDenied):
            gates.require("tensors", "bob/weights")
        assert gates.environment == {"A": "1"}
        assert gates.changes() == {"/in/b": b"y"}
        await gates.close()

    internet.run(scenario)
    assert [event.denied for event in events] == [None, None, None, "permission_denied"]


@pytest.mark.parametrize(
    "data", [{"t": "file_read", "id": 1, "path": "/a", "offset": -1}, {"t": "fetch", "id": 1}, {"t": "x"}]
)
def test_a_malformed_request_does_not_decode(data: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(msgspec.msgpack.encode(data), type=GateRequest)


@pytest.mark.parametrize(
    "request_", [Fetch(1, "GET", "http://a/", [("A", "b")], b"c", 1.5), FileList(2, "/")]
)
def test_a_request_survives_the_wire(request_: GateRequest) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(request_), type=GateRequest) == request_


def test_the_records_load_without_the_network_half() -> None:
    async def loaded() -> bytes:
        code = "import sys, sandbox.gates.frames; print({'httpx2', 'httpcore2', 'ssl', 'anyio'} & set(sys.modules))"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(20):
            return (await process.communicate())[0]

    assert asyncio.run(loaded()) == b"set()\n"
