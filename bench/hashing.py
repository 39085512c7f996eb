"""SHA-256 of a million messages on the device, against a kernel written by hand and a hashlib loop on one core.

Run as `python bench/hashing.py [adapter]`: first the operations inside an engine, by the processors' time of this
process, whose threads a software driver's are, as if it were spread evenly over all cores; then one of them through a
server, which it starts on a free port, by the clock.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import handwritten
import numpy as np
import timing

from host import frames
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.native import Buffer, Program, Slot
from host.shared import Source
from kernelgate import Tensor
from kernelgate.local import LocalServer
from ops.graph import Graph, Node, TensorType

MESSAGES, ROUNDS, LOOPED = 1 << 20, 9, 100_000
TARGETS = {64: 10, 55: 14}
SERVED_LENGTH = 32
_handles = itertools.count(1)


class Contest:
    """Messages of one length, on an engine's device."""

    def __init__(self, engine: WgpuEngine, length: int) -> None:
        self._engine, self._length = engine, length
        self._rows = np.random.default_rng(length).integers(0, 256, (MESSAGES, 64), np.uint8)
        packed = np.ascontiguousarray(self._rows[:, :length]).reshape(-1).view(np.uint32)
        offsets = np.arange(MESSAGES + 1, dtype=np.uint32) * np.uint32(length)
        by_row = Node("digest_rows", (0,), {"bytes": length})
        self._ways = {
            "rows": self._graph(by_row, self._rows.view(np.uint32)),
            "offsets": self._graph(Node("sha256", (0, 1), {"max_bytes": length}), packed, offsets),
        }

    def _graph(self, node: Node, *arrays: np.ndarray) -> Graph:
        inputs = []
        for array in arrays:
            handle = next(_handles)
            type = TensorType(array.shape, "u32")
            self._engine.upload(handle, "me", type, Source(array.nbytes, array.tobytes()))
            attributes = {"handle": handle, "shape": list(array.shape), "dtype": "u32"}
            inputs.append(Node("input", attributes=attributes))
        return Graph([*inputs, node], [len(inputs)])

    def by(self, way: str, check: bool = False) -> None:
        """Hash once; `check`: and compare every digest with hashlib's."""
        handle, found = next(_handles), bytearray()
        request = frames.RunGraph(1, 1, "me", self._ways[way], [handle])
        finish(self._engine.run_graph(request, lambda: None))
        if check:
            self._engine.download(handle, found.extend)
            wanted = b"".join(hashlib.sha256(message).digest() for message in self.messages(MESSAGES))
            assert np.frombuffer(found, np.uint32).astype(">u4").tobytes() == wanted
        self._engine.free([handle])

    def messages(self, count: int) -> list[bytes]:
        """The first messages as Python has them."""
        return [row.tobytes()[: self._length] for row in self._rows[:count]]

    def by_hand(self) -> Callable[[], object]:
        """The peer's way, and its buffers filled."""
        gpu, rows = self._engine._gpu, self._rows.copy()
        if self._length == 55:
            rows[:, 55:] = [0x80, 0, 0, 0, 0, 0, 0, 440 >> 8, 440 & 255]
        messages, digests = (gpu.create_buffer(size, "storage") for size in (rows.nbytes, 32 * MESSAGES))
        gpu.write(messages, 0, rows.tobytes())
        text = handwritten.sha256(1 if self._length == 55 else 2)
        pipeline = gpu.compile(Program(text, "main", ((Slot(0, "read"), Slot(1, "read_write")),), True))
        workgroups = (MESSAGES // 64, 1, 1)

        def whole(buffer: Buffer) -> tuple[Buffer, int, int]:
            return buffer, 0, buffer.size

        def act() -> None:
            gpu.submit([gpu.run(pipeline, [[whole(messages), whole(digests)]], workgroups)])
            gpu.wait()

        return act


def inside(adapter: str | None) -> None:
    """Both operations against their peers."""
    engine = WgpuEngine(EngineSettings(adapter=adapter))
    for length, most in TARGETS.items():
        contest = Contest(engine, length)
        messages = contest.messages(LOOPED)

        def with_hashlib(messages: list[bytes] = messages) -> None:
            for message in messages:
                hashlib.sha256(message).digest()

        contest.by("rows", check=True)
        contest.by("offsets", check=True)
        times = timing.interleave(
            {
                "rows": lambda contest=contest: contest.by("rows"),
                "offsets": lambda contest=contest: contest.by("offsets"),
                "by hand": contest.by_hand(),
                "hashlib": with_hashlib,
            },
            ROUNDS,
            clock=timing.processor,
        )
        cores = os.cpu_count() or 1
        rate = {name: MESSAGES * cores / timing.median(all_) for name, all_ in times.items()}
        rate["hashlib"] *= LOOPED / MESSAGES / cores
        what = f"SHA-256 of 1 M messages of {length} bytes on {engine.info.name}"
        hand = timing.ratio(times, "by hand", "rows")
        timing.row(f"{what}, of a kernel by hand", f"{hand:.2f}", ">= 0.9", hand >= 0.9)
        for way in ("rows", "offsets"):
            ratio = timing.ratio(times, "hashlib", way) * MESSAGES / LOOPED * cores
            figure = f"{rate[way] / 1e6:.1f} M/s, {ratio:.1f} times hashlib ({rate['hashlib'] / 1e6:.1f} M/s)"
            timing.row(
                f"{what}, by {way}",
                figure,
                f">= {most} times" if way == "rows" else "",
                way != "rows" or ratio >= most,
            )
    engine.close()


def served() -> None:
    """Through a server, checked once."""
    text = np.random.default_rng(1).bytes(MESSAGES * SERVED_LENGTH)
    messages = [text[start : start + SERVED_LENGTH] for start in range(0, len(text), SERVED_LENGTH)]

    def with_hashlib() -> list[bytes]:
        return [hashlib.sha256(message).digest() for message in messages]

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalServer(Path(folder)) as server,
        server.client() as client,
    ):
        words = client.upload(np.frombuffer(text, np.uint32))
        offsets = client.upload(np.arange(MESSAGES + 1, dtype=np.uint32) * np.uint32(SERVED_LENGTH))

        def hashed() -> Tensor:
            return client.op("hash.sha256", words, offsets, max_bytes=SERVED_LENGTH)

        def on_device() -> None:
            client.delete_tensor(hashed())

        assert client.download(hashed()).astype(">u4").tobytes() == b"".join(with_hashlib())
        times = timing.interleave({"device": on_device, "hashlib": with_hashlib}, ROUNDS)

    device, host = timing.median(times["device"]), timing.median(times["hashlib"])
    figure = f"{MESSAGES / device / 1e6:.1f} M/s, {host / device:.1f} times hashlib ({MESSAGES / host / 1e6:.1f} M/s)"
    what = f"SHA-256 of 1 M messages of {SERVED_LENGTH} bytes through the server"
    timing.row(what, figure, ">= 10 times", host / device >= 10)


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    timing.header()
    inside(argv[0] if argv else None)
    served()


if __name__ == "__main__":
    main(sys.argv[1:])
