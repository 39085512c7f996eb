"""A GPU's figures against CUDA on the same device: SHA-256 against a kernel built by `nvcc`, sorting against CuPy,
products of matrices against cuBLAS; and what it costs to bring elements there and back, and to replay a plan.

Run as `python bench/gpu.py [adapter]` on a machine with an NVIDIA GPU, `nvcc`, CuPy and PyTorch. The guarded kernel is
examples/sha256.wgsl as a stranger would register it; sorting is the operation as graphs use it, its submission and the
wait for its end included.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cupy
import numpy as np
import timing
import torch
from guard import EXAMPLES, Contest
from plans import network

from host import adapters, frames, native
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.shared import Source, memory_file
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node, TensorType

MESSAGES, ROUNDS, REPEAT = 1 << 22, 15, 16
ELEMENTS = 1 << 24
MOVED = 256 << 20
LAYERS, WIDTH = 77, 64
CHAINED, MOST_CHAINED = 16, 1 << 34
"""How many products are made one after the other, of up to how many multiply-adds each."""
SIZES = [
    *((size, size, size) for size in (1024, 2048, 4096, 8192)),
    (4096, 1024, 512),
    (512, 4096, 1024),
    (8192, 512, 2048),
]


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    adapter = argv[0] if argv else "discrete"
    timing.header()
    products(adapter)
    replay(adapter)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "sha256")
        source = Path(__file__).with_name("sha256.cu")
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, source], check=True)
        for length in (64, 55):
            hashing(adapter, program, length)
    sorting(adapter)
    asyncio.run(transfers(adapter))  # last: a process that is gone keeps the driver busy for a second


async def transfers(adapter: str) -> None:
    """256 MiB from a memory file to the device and back, through its supervisor."""
    device = Device(DeviceSettings(adapter=adapter))
    await device.start()
    data = np.random.default_rng(0).integers(0, 1 << 32, MOVED // 4, np.uint32)
    fd = memory_file(memoryview(data).cast("B"))
    times: dict[str, list[float]] = {"upload": [], "download": []}
    for turn in range(ROUNDS):
        handle, began = device.new_handle(), time.perf_counter()
        await device.upload(handle, "me", "u32", data.shape, fd, 0, data.nbytes)
        there = time.perf_counter()
        with await device.download(handle) as shared:
            back = time.perf_counter()
            if not turn:
                np.testing.assert_array_equal(np.frombuffer(shared.view, np.uint32), data)
        await device.free([handle])
        times["upload"].append(there - began)
        times["download"].append(back - there)
    os.close(fd)
    await device.close()
    for what, target in (("upload", 8.5), ("download", 7.5)):
        rate = MOVED / timing.median(times[what]) / 1e9
        timing.row(f"{what} of 256 MiB", f"{rate:.1f} GB/s", f">= {target} GB/s", rate >= target)


def replay(adapter: str) -> None:
    """A plan of hundreds of small dispatches that is known: what one costs from the request to its end."""
    engine = WgpuEngine(EngineSettings(adapter=adapter))
    graph = network(LAYERS, 0.1, WIDTH)
    places = {
        node.attributes["handle"]: tuple(node.attributes["shape"])
        for node in graph.nodes
        if node.op == "input"
    }
    for handle, shape in places.items():
        array = np.random.default_rng(handle).normal(0, 0.1, shape).astype(np.float32)
        engine.upload(handle, "me", TensorType(shape, "f32"), Source(array.nbytes, array.tobytes()))
    handles = itertools.count(3)

    def ours() -> int:
        made = [next(handles) for _ in graph.outputs]
        usage = finish(engine.run_graph(frames.RunGraph(1, 1, "me", graph, made), lambda: None))
        engine.free(made)
        return usage.dispatches

    count = ours()
    each = warm_median(ours) / count * 1e6
    engine.close()
    timing.row(f"a replayed plan of {count} dispatches", f"{each:.1f} µs each", "<= 7 µs", each <= 7)


def hashing(adapter: str, program: Path, length: int) -> None:
    """Messages of `length` bytes on the device, a thread each: ours, guarded, against CUDA's."""
    words = np.empty(MESSAGES * length // 4 + 1, np.uint32)
    words[:] = lcg(len(words))
    offsets = np.arange(MESSAGES + 1, dtype=np.uint32) * np.uint32(length)
    gpu = adapters.choose(native.adapters(), adapter).open()
    data = {"messages": words.tobytes(), "offsets": offsets.tobytes(), "digests": bytes(32 * MESSAGES)}
    contest = Contest(
        gpu, (EXAMPLES / "sha256.wgsl").read_text(), data, (MESSAGES // 64 // 64, 64, 1), REPEAT
    )
    times = timing.interleave(
        {"guarded": contest.ways["guarded"], "unguarded": contest.ways["unguarded"]}, ROUNDS
    )
    ours = {name: timing.median(all_) / REPEAT for name, all_ in times.items()}
    gpu.close()
    cuda = min(cuda_hashing(program, length, words, threads) for threads in (64, 128, 256))
    blocks = (length + 8) // 64 + 1
    figure = (
        f"{MESSAGES * blocks / ours['guarded'] / 1e9:.2f} against {MESSAGES * blocks / cuda / 1e9:.2f} G blocks/s: "
        f"{cuda / ours['guarded']:.2f} (without the guard {cuda / ours['unguarded']:.2f})"
    )
    timing.row(
        f"SHA-256 of 4 M messages of {length} bytes, of CUDA's rate",
        figure,
        ">= 0.80",
        cuda / ours["guarded"] >= 0.8,
    )


def cuda_hashing(program: Path, length: int, words: np.ndarray, threads: int) -> float:
    """Seconds of a launch, its first digest checked."""
    command = [program, str(MESSAGES), str(length), str(threads), str(ROUNDS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    ms, digest = done.stdout.split()
    assert digest == hashlib.sha256(words.tobytes()[:length]).hexdigest()
    return float(ms) / 1e3


def lcg(count: int) -> np.ndarray:
    """The numbers that the CUDA program makes: x' = 1664525 x + 1013904223 mod 2**32, from 1."""
    steps = np.arange(1, count + 1, dtype=np.uint32)
    a, c, x, total = (
        np.uint32(1664525),
        np.uint32(1013904223),
        np.ones(count, np.uint32),
        np.zeros(count, np.uint32),
    )
    with np.errstate(over="ignore"):
        while steps.any():
            odd = (steps & 1).astype(bool)
            x[odd] *= a
            total[odd] = total[odd] * a + c
            c = c * (a + np.uint32(1))
            a = a * a
            steps >>= np.uint32(1)
    return x + total


def sorting(adapter: str) -> None:
    """16 M random u32: the sorted elements, and the sorting order."""
    keys = np.random.default_rng(0).integers(0, 1 << 32, ELEMENTS, np.uint32)
    engine = WgpuEngine(EngineSettings(adapter=adapter))
    engine.upload(1, "me", TensorType((ELEMENTS,), "u32"), Source(keys.nbytes, keys.tobytes()))
    on_gpu = cupy.asarray(keys)
    peers: dict[str, Callable[[], object]] = {
        "sort": lambda: cupy.sort(on_gpu),
        "argsort": lambda: cupy.argsort(on_gpu),
    }
    handles = itertools.count(2)
    place = {"handle": 1, "shape": [ELEMENTS], "dtype": "u32"}
    for op, peer in peers.items():

        def ours(op: str = op, peer: Callable[[], object] = peer, check: bool = False) -> None:
            handle = next(handles)
            graph = Graph([Node("input", attributes=place), Node(op, (0,))], [1])
            finish(engine.run_graph(frames.RunGraph(1, 1, "me", graph, [handle]), lambda: None))
            if check:
                found = bytearray()
                engine.download(handle, found.extend)
                np.testing.assert_array_equal(np.frombuffer(found, np.uint32), cupy.asnumpy(peer()))
            engine.free([handle])

        def theirs(peer: Callable[[], object] = peer) -> None:
            peer()
            cupy.cuda.Device().synchronize()

        ours(check=True)
        times = timing.interleave({"ours": ours, "theirs": theirs}, ROUNDS)
        a, b = timing.median(times["ours"]), timing.median(times["theirs"])
        figure = f"{a * 1e3:.2f} ms against {b * 1e3:.2f} ms: {a / b:.2f} times"
        timing.row(f"{op} of 16 M u32, of CuPy's time", figure, "<= 3 times", a / b <= 3)
    engine.close()


def warm_median(contender: Callable[[], object]) -> float:
    """Seconds of a run among runs of its own, the median: to change between CUDA and Vulkan takes a GPU 0.2 ms."""
    for _ in range(ROUNDS):
        contender()
    times = []
    for _ in range(4 * ROUNDS):
        began = time.perf_counter()
        contender()
        times.append(time.perf_counter() - began)
    return timing.median(times)


def products(adapter: str) -> None:
    """Matrix products in f32, against cuBLAS through PyTorch without TF32, checked against f64 in places."""
    torch.backends.cuda.matmul.allow_tf32 = False
    engine = WgpuEngine(EngineSettings(adapter=adapter))
    handles = itertools.count(1)
    for rows, inner, columns in SIZES:
        random = np.random.default_rng(rows)
        arrays = [
            random.normal(0, 1, shape).astype(np.float32)
            for shape in ((rows, inner), (inner, columns), (columns, inner))
        ]
        nodes, on_gpu = [], []
        for array in arrays:
            handle = next(handles)
            engine.upload(handle, "me", TensorType(array.shape, "f32"), Source(array.nbytes, array.tobytes()))
            place = {"handle": handle, "shape": list(array.shape), "dtype": "f32"}
            nodes.append(Node("input", attributes=place))
            on_gpu.append(torch.from_numpy(array).cuda())
        one = Graph([*nodes, Node("matmul", (0, 1))], [3])

        def ours(graph: Graph = one, check: list[np.ndarray] | None = None) -> None:
            handle = next(handles)
            finish(engine.run_graph(frames.RunGraph(1, 1, "me", graph, [handle]), lambda: None))
            if check:
                found = bytearray()
                engine.download(handle, found.extend)
                a, b = (array.astype(np.float64) for array in check[:2])
                first = np.frombuffer(found, np.float32).reshape(len(a), -1)[:64]
                np.testing.assert_allclose(first, a[:64] @ b, atol=1e-5 * a.shape[1])
            engine.free([handle])

        def theirs(count: int = 1, on_gpu: list[torch.Tensor] = on_gpu) -> None:
            made = on_gpu[0]
            for number in range(count):
                made = torch.matmul(made, on_gpu[1 + number % 2])
            torch.cuda.synchronize()

        ours(check=arrays)
        size = f"{rows}x{inner}x{columns}"
        compare(f"matmul {size}, of cuBLAS's rate", 2 * rows * inner * columns, ours, theirs)
        if rows * inner * columns <= MOST_CHAINED:
            more = [Node("matmul", (2 + number, 1 + number % 2)) for number in range(1, CHAINED)]
            chain = Graph([*one.nodes, *more], [CHAINED + 2])
            what = f"{CHAINED} of {size} and back, one after the other in one graph, likewise"
            flops = CHAINED * 2 * rows * inner * columns
            compare(what, flops, partial(ours, chain), partial(theirs, CHAINED))
    engine.close()


def compare(what: str, flops: int, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print a row of rates."""
    a, b = warm_median(ours), warm_median(theirs)
    figure = f"{b / a:.2f}: {flops / a / 1e12:.1f} against {flops / b / 1e12:.1f} TFLOP/s"
    timing.row(what, figure, ">= 0.6", b / a >= 0.6)


if __name__ == "__main__":
    main(sys.argv[1:])
