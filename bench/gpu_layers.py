"""Layers of networks on a GPU against PyTorch's on the same device, in f32, eager and without TF32.

Run as `python bench/gpu_layers.py [adapter]` on a machine with an NVIDIA GPU and PyTorch. Each contender is timed among
runs of its own, its submission and the wait for its end included; every result is checked.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import timing
import torch
from gpu import warm_median
from torch.nn import functional

from host import frames
from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.shared import Source
from ops.composites import expand
from ops.graph import Graph, Node, TensorType

Peer = Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Case:
    """An op of ours over inputs of these shapes, PyTorch's way, and which part of its rate is wanted.

    `repeat`: how many are done one after the other, each on what came of the last; of products by a number, which would
    be one kernel then, each on the first input. An eager peer needs no plan, and one op alone is mostly the way to the
    device and back: that figure is told beside.
    """

    what: str
    op: str
    shapes: tuple[tuple[int, ...], ...]
    peer: Peer
    target: float
    attributes: Mapping[str, object] = field(default_factory=dict)
    repeat: int = 64


def normed(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """PyTorch's layer_norm over the last axis."""
    return functional.layer_norm(x, x.shape[-1:], weight, bias)


def convolved(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """PyTorch's convolution that keeps the size."""
    return functional.conv2d(x, weight, padding=1)


COPIED, COPIES = 1 << 28, 8
POOL = 16 << 30
"""So that the results of a run, of 1 GiB each, are there for the next: PyTorch keeps its own too."""
SAME = {"padding": [1, 1]}
TAPS = (64, 64, 3, 3)
LONG = [
    *(((1, 8, 512, size), 64) for size in (128, 256)),
    *(((4, 8, 2048, size), 4) for size in (96, 128, 256)),
]
"""Shapes of attention by three kernels, with how many are in a graph."""
attended = functional.scaled_dot_product_attention
CASES = [
    Case(
        "x * 1 of 268 M, of a copy's", "mul", ((COPIED,), *((1,) for _ in range(COPIES))),
        lambda x, *_: x.clone(), 0.85, repeat=COPIES,
    ),
    *(
        Case(f"softmax of {rows} x {columns}", "softmax", ((rows, columns),), lambda x: torch.softmax(x, -1), 0.9)
        for rows, columns in ((4096, 1024), (16384, 4096))
    ),
    *(
        Case(
            f"layer_norm of {rows} x {columns}", "layer_norm", ((rows, columns), (columns,), (columns,)), normed, 0.9,
            {"normalized_shape": [columns]},
        )
        for rows, columns in ((4096, 1024), (16384, 4096))
    ),
    *(
        Case(f"conv2d {images}x64x56x56, 3x3, 64 to 64", "conv", ((images, 64, 56, 56), TAPS), convolved, 0.6, SAME)
        for images in (1, 32)
    ),
    *(
        Case(f"attention {shape}", "attention", (shape,) * 3, attended, 0.6, repeat=repeat)
        for shape, repeat in (((1, 8, 512, 64), 64), ((4, 16, 2048, 64), 4), *LONG)
    ),
]  # fmt: skip


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    timing.header()
    engine = WgpuEngine(EngineSettings(adapter=argv[0] if argv else "discrete", pool_bytes=POOL))
    for case in CASES:
        compare(engine, case)
    engine.close()


def compare(engine: WgpuEngine, case: Case) -> None:
    """Print a row of rates."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape, np.float32) for shape in case.shapes]
    if case.op == "mul":
        arrays[1:] = [np.ones(1, np.float32) for _ in arrays[1:]]
    if case.op == "conv":
        arrays[1] /= 24.0
    for handle, array in enumerate(arrays):
        engine.upload(handle, "me", TensorType(array.shape, "f32"), Source(array.nbytes, array.tobytes()))
    on_gpu = [torch.from_numpy(array).cuda() for array in arrays]
    handles = itertools.count(len(arrays))

    def ours(graph: Graph, check: torch.Tensor | None = None) -> None:
        made = [next(handles) for _ in graph.outputs]
        finish(engine.run_graph(frames.RunGraph(1, 1, "me", graph, made), lambda: None))
        if check is not None:
            found = bytearray()
            engine.download(made[-1], found.extend)
            expected = check.cpu().numpy().ravel()
            np.testing.assert_allclose(np.frombuffer(found, np.float32), expected, rtol=2e-3, atol=2e-3)
        engine.free(made)

    def theirs(count: int) -> None:
        made, *others = on_gpu
        for _ in range(count):
            made = case.peer(made, *others)
        torch.cuda.synchronize()

    rates = {}
    with torch.no_grad():
        graph = apart if case.op == "mul" else chain
        ours(graph(case, 1), case.peer(*on_gpu))
        for count in sorted({1, case.repeat}):
            a, b = warm_median(partial(ours, graph(case, count))), warm_median(partial(theirs, count))
            rates[count] = b / a
            figure = f"{b / a:.2f} ({a / count * 1e3:.3f} against {b / count * 1e3:.3f} ms each)"
    figure += f"; one alone {rates[1]:.2f}"
    is_met = rates[case.repeat] >= case.target
    timing.row(f"{case.what}, of PyTorch's rate", figure, f">= {case.target}", is_met)
    engine.free(list(range(len(arrays))))


def apart(case: Case, count: int) -> Graph:
    """`count` products of the first input, each by another of the others."""
    nodes = inputs(case)[: count + 1]
    nodes += [Node(case.op, (0, number)) for number in range(1, count + 1)]
    return Graph(nodes, list(range(count + 1, 2 * count + 1)))


def inputs(case: Case) -> list[Node]:
    """What reads the inputs of a case."""
    return [
        Node("input", (), {"handle": handle, "shape": list(shape), "dtype": "f32"})
        for handle, shape in enumerate(case.shapes)
    ]


def chain(case: Case, count: int) -> Graph:
    """`count` ops, each on what came of the last."""
    nodes = inputs(case)
    parts, result = expand(case.op, case.attributes, [TensorType(shape, "f32") for shape in case.shapes])
    given, last = len(nodes), 0
    for _ in range(count):
        shift = len(nodes) - given

        def place(number: int, last: int = last, shift: int = shift) -> int:
            return last if number == 0 else number if number < given else number + shift

        nodes += [Node(part.op, tuple(map(place, part.inputs)), part.attributes) for part in parts]
        last = result + shift
    return Graph(nodes, [last])


if __name__ == "__main__":
    main(sys.argv[1:])
