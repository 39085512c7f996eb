"""Ops on a CPU adapter against NumPy and against kernels written by hand.

Run as `python bench/tensors.py [adapter]`. All contenders take turns. On a shared machine wall clocks lie, so kernels
are compared by the processor's time of this process, whose threads the driver's are; NumPy, with threads of its own,
is measured in a process beside (`beside.py`), by the best round. Every result is checked.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in a device process; before NumPy is loaded

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import handwritten_ops as by_hand
import numpy as np
import timing
from beside import NumPy

from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.frames import RunGraph
from host.native import Buffer, Program, Run, Slot
from host.planner import make_plan
from host.shared import Source
from ops import reference
from ops.graph import Graph, Node, TensorType
from ops.reference import dtype_name
from ops.validate import validate

ROUNDS, PRODUCTS, _OF_RATES = 15, (512, 1024, 2048), 1024
_handles = itertools.count(1)


class Device:
    """An engine, and what is measured on its adapter."""

    def __init__(self, adapter: str, host_steps: bool) -> None:
        self.engine = WgpuEngine(EngineSettings(adapter, host_steps=host_steps))
        self.gpu = self.engine._gpu

    def put(self, array: np.ndarray) -> Node:
        """Upload an array; the node that reads it."""
        handle, type = next(_handles), TensorType(array.shape, dtype_name(array.dtype))
        self.engine.upload(handle, "me", type, Source(array.nbytes, array.tobytes()))
        return Node("input", (), {"handle": handle, "shape": list(type.shape), "dtype": type.dtype})

    def op(self, expected: np.ndarray, *nodes: Node) -> Callable[[], object]:
        """The last of `nodes`, computed by a plan."""
        graph = Graph(list(nodes), [len(nodes) - 1])

        def run() -> int:
            handle = next(_handles)
            finish(self.engine.run_graph(RunGraph(1, 1, "me", graph, [handle]), lambda: None))
            self.engine.free([handle])
            return handle

        handle, found = next(_handles), bytearray()
        finish(self.engine.run_graph(RunGraph(1, 1, "me", graph, [handle]), lambda: None))
        self.engine.download(handle, found.extend)
        self.engine.free([handle])
        check(np.frombuffer(found, np.float32), expected)
        return run

    def buffer(self, array: np.ndarray | int) -> Buffer:
        """A buffer of an array, or of bytes to be written."""
        size = array if isinstance(array, int) else array.nbytes
        made = self.gpu.create_buffer(size, "storage")
        if not isinstance(array, int):
            with self.gpu.map(made, size) as view:
                view[:] = array.tobytes()
        return made

    def kernels(
        self, expected: np.ndarray, *steps: tuple[by_hand.Kernel, list[Buffer]]
    ) -> Callable[[], object]:
        """Kernels written by hand, one after the other over buffers."""
        runs = [self._run(*step) for step in steps]

        def run() -> None:
            self.gpu.submit(runs)
            self.gpu.wait()

        run()
        with self.gpu.map(steps[-1][1][-1], 4 * expected.size) as view:
            check(np.frombuffer(view, np.float32), expected)
        return run

    def _run(self, kernel: by_hand.Kernel, buffers: list[Buffer]) -> Run:
        source, workgroups = kernel
        last = len(buffers) - 1
        slots = tuple(Slot(n, "read_write" if n == last else "read") for n in range(last + 1))
        pipeline = self.gpu.compile(Program(source, "main", (slots,), trusted=True))
        return self.gpu.run(pipeline, [[(buffer, 0, buffer.size) for buffer in buffers]], workgroups)


def check(found: np.ndarray, expected: np.ndarray) -> None:
    """Raise unless a result is right to single precision."""
    error = np.abs(found - expected.reshape(-1)).max() / np.abs(expected).max()
    assert error < 1e-5, error


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    adapter = argv[0] if argv else "cpu"
    timing.header()
    kernels = Device(adapter, host_steps=False)
    elementwise(kernels)
    reduction(kernels)
    softmax(kernels)
    layer_norm(kernels)
    transposition(kernels)
    flatness(kernels)
    for size in PRODUCTS[:2]:
        product(kernels, size)
    convolution(kernels)
    attention_by_kernels(kernels)
    weights_of_bytes(kernels, "kernels alone")
    kernels.engine.close()
    host = Device(adapter, host_steps=True)
    weights_of_bytes(host, "host steps")
    with NumPy() as peer:
        products_of_the_host(host, peer)
        for count in (1, 16):
            convolution_of_the_host(host, peer, count)
    attention(host)
    host.engine.close()


def numbers(*shape: int) -> np.ndarray:
    """Random elements, always the same."""
    return np.random.default_rng(len(shape)).standard_normal(shape, dtype=np.float32)


def elementwise(device: Device) -> None:
    """relu(a * b + c) of 4 M elements."""
    arrays = [numbers(1 << 22) for _ in range(3)]
    expected = np.maximum(arrays[0] * arrays[1] + arrays[2], 0)
    steps = [Node("mul", (0, 1)), Node("add", (3, 2)), Node("relu", (4,))]
    buffers = [*map(device.buffer, arrays), device.buffer(expected.nbytes)]
    contest(
        "relu(a * b + c) of 4 M",
        device.op(expected, *map(device.put, arrays), *steps),
        [device.kernels(expected, (by_hand.relu_of_product(expected.size), buffers))],
    )


def reduction(device: Device) -> None:
    """The sum of 16 M elements."""
    array = np.random.default_rng(0).random(1 << 24, dtype=np.float32)
    expected = np.array([array.sum(dtype=np.float64)], np.float32)
    given, partial, result = device.buffer(array), device.buffer(1024), device.buffer(16)
    chunks, rest = by_hand.sum_in_chunks(array.size), by_hand.sum_of_few()
    contest(
        "sum of 16 M",
        device.op(expected, device.put(array), Node("sum", (0,), {})),
        [device.kernels(expected, (chunks, [given, partial]), (rest, [partial, result]))],
    )


def softmax(device: Device) -> None:
    """Softmax of 4096 rows of 1024."""
    array = numbers(4096, 1024)
    raised = np.exp(array - array.max(-1, keepdims=True))
    expected = raised / raised.sum(-1, keepdims=True)
    buffers = [device.buffer(array), device.buffer(array.nbytes)]
    peers = [by_hand.softmax_by_group(*array.shape), by_hand.softmax_by_thread(*array.shape)]
    contest(
        "softmax of 4096 x 1024",
        device.op(expected, device.put(array), Node("softmax", (0,), {"axis": 1})),
        [device.kernels(expected, (peer, buffers)) for peer in peers],
    )


def layer_norm(device: Device) -> None:
    """A norm of 4096 rows of 1024, with weight and bias."""
    array, weight, bias = numbers(4096, 1024), numbers(1024), numbers(1024)[::-1].copy()
    distance = array - array.mean(-1, keepdims=True)
    scaled = distance / np.sqrt((distance * distance).mean(-1, keepdims=True) + 1e-5)
    expected = scaled * weight + bias
    nodes = [Node("standardize", (0,), {"axes": [1]}), Node("mul", (3, 1)), Node("add", (4, 2))]
    buffers = [*map(device.buffer, (array, weight, bias)), device.buffer(array.nbytes)]
    peers = [by_hand.layer_norm_by_group(*array.shape), by_hand.layer_norm_by_thread(*array.shape)]
    contest(
        "layer_norm of 4096 x 1024",
        device.op(expected, *map(device.put, (array, weight, bias)), *nodes),
        [device.kernels(expected, (peer, buffers)) for peer in peers],
    )


def convolution(device: Device) -> None:
    """A convolution of 64 channels of 56 x 56 by 3 x 3 taps, by kernels alone; the peers' weights are laid before."""
    image, weight = numbers(1, 64, 56, 56), numbers(64, 64, 3, 3)
    lists: dict[str, Any] = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1]}
    attributes = {**lists, "groups": 1}
    expected = reference.apply("convolution", attributes, [image, weight])
    given, laid = device.buffer(image), device.buffer(np.ascontiguousarray(weight.transpose(1, 2, 3, 0)))
    padded, made = device.buffer(64 * 58 * 60 * 4), device.buffer(expected.nbytes)
    before = by_hand.surround(64, 56, 60), [given, padded]
    peers = [
        device.kernels(expected, before, (by_hand.convolution(64, 64, 56, 60, *owned), [padded, laid, made]))
        for owned in ((8, 1), (8, 2), (4, 4))
    ]
    node = Node("convolution", (0, 1), attributes)
    contest(
        "convolution 1x64x56x56, 3x3, 64 to 64, kernels alone",
        device.op(expected, device.put(image), device.put(weight), node),
        peers,
    )


def attention_by_kernels(device: Device) -> None:
    """Attention of 8 heads of 512 queries and keys of 64 numbers, by kernels alone."""
    arrays = query, key, value = [numbers(1, 8, 512, 64)[:, ::step].copy() for step in (1, -1, 1)]
    shares = query @ np.swapaxes(key, -1, -2) * np.float32(0.125)
    shares = np.exp(shares - shares.max(-1, keepdims=True))
    expected = shares / shares.sum(-1, keepdims=True) @ value
    given, keys, values = map(device.buffer, arrays)
    scores, shared = device.buffer(shares.nbytes), device.buffer(shares.nbytes)
    made = device.buffer(expected.nbytes)
    peers = [
        device.kernels(
            expected,
            (by_hand.scores(8, 512, rows, columns), [given, keys, scores]),
            (by_hand.softmax_by_group(4096, 512), [scores, shared]),
            (by_hand.of_values(8, 512), [shared, values, made]),
        )
        for rows, columns in ((8, 2), (8, 4), (16, 4))
    ]
    contest(
        "attention of (1, 8, 512, 64), kernels alone",
        device.op(expected, *map(device.put, arrays), Node("attention", (0, 1, 2), {})),
        peers,
    )


def attention(device: Device) -> None:
    """Attention of 8 heads of 512 queries and keys of 64 numbers, against NumPy's own form."""
    query, key, value = (numbers(1, 8, 512, 64)[:, ::step].copy() for step in (1, -1, 1))

    def by_numpy() -> np.ndarray:
        scores = query @ np.swapaxes(key, -1, -2) * np.float32(0.125)
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        return scores @ value

    node = Node("attention", (0, 1, 2), {})
    contest(
        "attention of (1, 8, 512, 64), NumPy's form the peer",
        device.op(by_numpy(), *map(device.put, (query, key, value)), node),
        [by_numpy],
    )


def transposition(device: Device) -> None:
    """A transposed copy of 4096 x 4096, beside a plain one."""
    array = numbers(4096, 4096)
    given = device.put(array)
    turned = Node("transpose", (0,), {"axis0": 0, "axis1": 1})
    contest(
        "transposed copy of 4096 x 4096, of a plain copy's rate",
        device.op(-array.T, given, turned, Node("neg", (1,))),
        [device.op(-array, given, Node("neg", (0,)))],
        target=0.25,
    )


def flatness(device: Device) -> None:
    """What an element costs in tensors of 2^20 elements, which caches hold, up to what one binding reaches."""
    limit = device.gpu.limits["max_storage_buffer_binding_size"]
    sizes = [1 << power for power in range(20, 27, 2) if 4 << power <= limit]
    arrays = {size: np.abs(numbers(size)) for size in sizes}
    ways = {
        "relu": lambda array: (array, Node("relu", (0,))),
        "sum": lambda array: (np.array([array.sum(dtype=np.float64)], np.float32), Node("sum", (0,), {})),
    }
    for name, way in ways.items():
        runs = {}
        for size, array in arrays.items():
            expected, node = way(array)
            runs[str(size)] = device.op(expected, device.put(array), node)
        times = timing.interleave(runs, ROUNDS, clock=timing.processor)
        each = {int(size): statistics.median(all_) / int(size) * 1e9 for size, all_ in times.items()}
        figure = ", ".join(f"2^{size.bit_length() - 1}: {time:.2f} ns" for size, time in each.items())
        flat = max(each.values()) / each[sizes[0]]
        what = f"{name}: most that an element costs, of what one of 2^20 does"
        timing.row(what, f"{flat:.2f} ({figure})", "<= 1.2", flat <= 1.2)


def product(device: Device, size: int) -> None:
    """A product by kernels alone."""
    left, right = numbers(size, size), numbers(size, size)[::-1].copy()
    expected = left @ right
    buffers = [device.buffer(left), device.buffer(right), device.buffer(expected.nbytes)]
    contest(
        f"product of {size} x {size}, kernels alone",
        device.op(expected, device.put(left), device.put(right), Node("matmul", (0, 1))),
        [device.kernels(expected, (by_hand.matmul(size), buffers))],
    )


def weights_of_bytes(device: Device, how: str) -> None:
    """A linear layer of few rows with weights of a byte and a scale for each output, against the same in f32.

    Its scale is multiplied with the sums, or with the weights: then a product takes in what dequantises them.
    """
    size = 4096
    codes = np.random.default_rng(0).integers(-127, 128, (size, size), np.int8)
    scale = np.abs(numbers(size)) / 127
    weights = [device.put(each) for each in (codes, scale, codes * scale[:, None], scale[:, None].copy())]
    ways = {
        "weights of bytes": [
            weights[0],
            Node("transpose", (1,)),
            Node("matmul", (0, 2)),
            weights[1],
            Node("mul", (3, 4)),
        ],
        "weights that are dequantised": [
            weights[0],
            weights[3],
            Node("mul", (1, 2)),
            Node("transpose", (3,)),
            Node("matmul", (0, 4)),
        ],
    }
    for rows, (name, way) in itertools.product((1, 8), ways.items()):
        x = numbers(rows, size)
        expected = x @ (codes * scale[:, None]).T
        given = device.put(x)
        bytes_ = [given, *way]
        floats = [given, weights[2], Node("transpose", (1,)), Node("matmul", (0, 2))]
        runs = {"bytes": device.op(expected, *bytes_), "floats": device.op(expected, *floats)}
        times = timing.interleave(runs, ROUNDS, clock=timing.processor)
        moved = [moved_by(device, nodes) / 1e6 for nodes in (bytes_, floats)]
        rate = timing.ratio(times, "floats", "bytes")
        mine, other = (timing.median(times[name]) * 500 for name in ("bytes", "floats"))
        figure = (
            f"{moved[0]:.1f} MB moved instead of {moved[1]:.1f}; {rate:.2f} of the rate in f32"
            f" ({mine:.2f} against {other:.2f} ms on two cores)"
        )
        is_met = moved[0] <= 0.3 * moved[1] and rate >= 1
        timing.row(f"{rows} x {size} by {name}, {how}", figure, "<= 0.3 moved, >= 1", is_met)


def moved_by(device: Device, nodes: Sequence[Node]) -> int:
    """The bytes of all buffers that a plan's steps touch."""
    graph = Graph(list(nodes), [len(nodes) - 1])
    steps = make_plan(graph, validate(graph), device.engine._class).steps
    return sum({part.ref: part.nbytes for step in steps for part in step.buffers}.values())


def contest(
    what: str, ours: Callable[[], object], peers: list[Callable[[], object]], target: float = 0.9
) -> None:
    """Print how ours compares with the best peer, by processor time."""
    contenders = {"ours": ours} | {f"peer {number}": peer for number, peer in enumerate(peers)}
    times = timing.interleave(contenders, ROUNDS, clock=timing.processor)
    peer = min((name for name in contenders if name != "ours"), key=lambda name: timing.median(times[name]))
    rate = timing.ratio(times, peer, "ours")
    mine, other = (timing.median(times[name]) * 500 for name in ("ours", peer))
    figure = f"{rate:.2f} of the peer's rate ({mine:.2f} against {other:.2f} ms on two cores)"
    timing.row(what, figure, f">= {target}", rate >= target)


def products_of_the_host(device: Device, peer: NumPy) -> None:
    """Products by the host in the device's memory, against NumPy with all its threads."""
    for size in PRODUCTS:
        left, right = numbers(size, size), numbers(size, size)[::-1].copy()
        run = device.op(left @ right, device.put(left), device.put(right), Node("matmul", (0, 1)))
        times = _in_turn(peer, size, run)
        mine, other = min(times["ours"]), min(times["numpy"])
        middle = statistics.median(times["numpy"]) / statistics.median(times["ours"])
        rate = 2 * size**3 / 1e9
        figure = (
            f"{other / mine:.2f} of NumPy's best rate ({rate / mine:.0f} against {rate / other:.0f} GFLOP/s; "
            f"{middle:.2f} of its median)"
        )
        timing.row(f"product of {size} x {size}", figure, ">= 0.85", other / mine >= 0.85)


def convolution_of_the_host(device: Device, peer: NumPy, count: int) -> None:
    """Convolutions of 64 channels of 56 x 56 by 3 x 3 taps, `count` in a graph, each of what came of the last, against
    NumPy's rate in products."""
    image, weight = numbers(1, 64, 56, 56), numbers(64, 64, 3, 3) / 24
    lists: dict[str, Any] = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1]}
    attributes = {**lists, "groups": 1}
    expected, nodes = image, [device.put(image), device.put(weight)]
    for number in range(count):
        expected = reference.apply("convolution", attributes, [expected, weight])
        nodes.append(Node("convolution", (number + 1 if number else 0, 1), attributes))
    run = device.op(expected, *nodes)
    times = _in_turn(peer, _OF_RATES, run)
    flops = {"ours": 2 * count * expected.size * weight[0].size, "numpy": 2 * _OF_RATES**3}
    best, middle = (
        {name: flops[name] / fold(taken) / 1e9 for name, taken in times.items()}
        for fold in (min, statistics.median)
    )
    rate = best["ours"] / best["numpy"]
    figure = (
        f"{rate:.2f} of NumPy's best rate in products of {_OF_RATES} ({best['ours']:.0f} against {best['numpy']:.0f}"
        f" GFLOP/s; {middle['ours'] / middle['numpy']:.2f} by medians)"
    )
    how, target = (f"{count} in a graph", ">= 0.65") if count > 1 else ("alone", "")
    timing.row(f"convolution 1x64x56x56, 3x3, 64 to 64, {how}", figure, target, rate >= 0.65)


def _in_turn(peer: NumPy, size: int, run: Callable[[], object]) -> dict[str, list[float]]:
    """Seconds of ours and of a product by the peer, which takes its own time, in turn."""
    times: dict[str, list[float]] = {"ours": [], "numpy": []}
    for _ in range(2 * ROUNDS):
        times["numpy"].append(peer.multiply(size))
        began = time.perf_counter()
        run()
        times["ours"].append(time.perf_counter() - began)
    return times


if __name__ == "__main__":
    main(sys.argv[1:])
