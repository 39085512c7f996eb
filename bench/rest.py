"""What REST costs: a trivial script, a small dispatch, and 64 MB up and down against a bare handler.

Run as `python bench/rest.py`; it starts its own servers on free ports.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import numpy as np
import timing

from kernelgate import Client, output
from kernelgate.jobs import NPY
from kernelgate.local import LocalServer
from kernelgate.values import to_npy

SCRIPT = "def main(a, b): return a + b"
KERNEL = """
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&numbers)) { doubled[id.x] = numbers[id.x] * 2u; }
}
"""
RUNS, CALLERS, DISPATCHES, TRANSFERS, WARM = 200, 4, 300, 9, 2


def main() -> None:
    """Measure everything and print a table."""
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalServer(Path(folder)) as server,
        server.client() as client,
    ):
        timing.header()
        latency_of_scripts(client)
        throughput_of_scripts(server)
        latency_of_dispatches(client)
        with bare_server() as bare:
            transfers(server, bare)


def latency_of_scripts(client: Client) -> None:
    """One caller, one trivial script after another."""
    times = timing.interleave({"script": lambda: client.run(SCRIPT, {"a": 1, "b": 2})}, RUNS, warm=20)[
        "script"
    ]
    p50, p99 = timing.median(times) * 1e3, timing.percentile(times, 0.99) * 1e3
    timing.row("trivial script, one caller", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms", "p50 < 15 ms", p50 < 15)


def throughput_of_scripts(server: LocalServer) -> None:
    """Several callers at once, each with a connection of its own."""

    def caller(_: int) -> None:
        with server.client() as client:
            for _ in range(RUNS // CALLERS):
                client.run(SCRIPT, {"a": 1, "b": 2})

    start = time.perf_counter()
    with ThreadPoolExecutor(CALLERS) as pool:
        list(pool.map(caller, range(CALLERS)))
    rate = RUNS / (time.perf_counter() - start)
    timing.row(f"trivial scripts, {CALLERS} callers", f"{rate:.0f} a second", ">= 60 a second", rate >= 60)


def latency_of_dispatches(client: Client) -> None:
    """A stored kernel on 1 KiB, given and returned inside JSON."""
    client.add_kernel("double", KERNEL)
    inputs = {"numbers": np.arange(256, dtype=np.uint32), "doubled": output([256], "u32")}
    call = lambda: client.dispatch("double", inputs, [4])  # noqa: E731
    times = timing.interleave({"dispatch": call}, DISPATCHES, warm=20)["dispatch"]
    p50, p99 = timing.median(times) * 1e3, timing.percentile(times, 0.99) * 1e3
    timing.row("dispatch on 1 KiB", f"p50 {p50:.2f} ms, p99 {p99:.1f} ms", "p50 < 5 ms", p50 < 5)


def transfers(server: LocalServer, bare: str) -> None:
    """64 MB up and down as .npy, taking turns with the bare handler; both by the same HTTP client.

    Every upload has elements of its own, since equal ones are stored once.
    """
    array = np.random.default_rng(1).random(16_000_000, dtype=np.float32)
    bodies = [to_npy(array + np.float32(number)) for number in range(TRANSFERS + WARM)]
    size = len(bodies[0])
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": NPY, "Accept": NPY}
    ours = httpx2.Client(base_url=server.url, headers=headers, timeout=60)
    peer = httpx2.Client(base_url=bare, timeout=60)
    ids: list[str] = []

    def upload() -> None:
        ids.append(ours.post("/api/tensors", content=bodies[len(ids)]).raise_for_status().json()["id"])

    def upload_bare() -> None:
        peer.post("/data", content=bodies[len(ids) - 1]).raise_for_status()

    def download() -> None:
        assert len(ours.get(f"/api/tensors/{ids[-1]}/data").raise_for_status().content) == size

    def download_bare() -> None:
        assert len(peer.get("/data").raise_for_status().content) == size

    compare("upload", upload, upload_bare, size)
    compare("download", download, download_bare, size)


def compare(what: str, ours: Callable[[], object], bare: Callable[[], object], size: int) -> None:
    """Print the rate of `ours` and its ratio to `bare`."""
    times = timing.interleave({"ours": ours, "bare": bare}, TRANSFERS, WARM)
    mine, peer = timing.median(times["ours"]), timing.median(times["bare"])
    figure = f"{size / mine / 1e6:.0f} MB/s, {peer / mine:.2f} of bare ({size / peer / 1e6:.0f} MB/s)"
    timing.row(f"{what} of 64 MB .npy", figure, ">= 0.5 of bare", peer / mine >= 0.5)


@contextlib.contextmanager
def bare_server() -> Iterator[str]:
    """The bare handler in a process of its own; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("bare.py")), str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            with contextlib.suppress(httpx2.TransportError):
                httpx2.get(f"{url}/openapi.json")
                break
            time.sleep(0.05)
        else:
            raise TimeoutError(f"the bare handler at {url} does not answer")
        yield url
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
