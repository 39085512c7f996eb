"""Ops on a CPU adapter against other WebGPU libraries on the same adapter, from 10^3 elements to 10^8.

Run as `python bench/peers.py PYTHON [item…]`, PYTHON being an interpreter with `tinygrad`, `dawn-python`, `wonnx`,
`onnx` and NumPy. All take turns; each is measured by its process's processor time, whose threads the driver's are, and
by the clock. Ours computes once as it would and once by kernels alone. tinygrad has its tensors on the device, as ours;
wonnx goes from arrays to lists, so ours is measured from bytes to bytes beside it. Every result is checked.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in a device process; before NumPy is loaded

import json
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import timing
from items import ITEMS, Arrays
from tensors import Device

from host.engine import finish
from host.frames import RunGraph
from host.shared import Source
from ops.graph import Graph, Node, TensorType

_LONGEST_S = 60.0
_BUDGET_S = 2.0
_WRONG = 1e-4
_FEWEST, _MOST = 3, 40
_IN_A_ROW, _LONG_S = 3, 0.5
"""So often each computes in its turn, the best counting, since after a peer's turn caches are cold."""
_LISTS = 10**6
"""Up to how many elements wonnx is asked: it makes each a Python object."""
_HANDLE = 1 << 40

Cost = tuple[float, float]
"""Seconds of processors and of the clock."""
Contender = Callable[[], Cost]

_PLACES = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1], "groups": 1}
STEPS: Mapping[str, list[Node]] = {
    "relu(a * b + c)": [Node("mul", (0, 1)), Node("add", (3, 2)), Node("relu", (4,))],
    "sum": [Node("mean", (0,), {})],
    "softmax": [Node("softmax", (0,), {"axis": 1})],
    "layer_norm": [Node("standardize", (0,), {"axes": [1]}), Node("mul", (3, 1)), Node("add", (4, 2))],
    "matmul": [Node("matmul", (0, 1))],
    "conv2d": [Node("convolution", (0, 1), _PLACES)],
    "attention": [Node("attention", (0, 1, 2), {})],
}


class Peer:
    """A peer in a process of its own, which is started again when it died or took too long."""

    def __init__(self, python: str, name: str) -> None:
        self._python, self.name = python, name
        self._process: subprocess.Popen[str] | None = None

    def make(self, item: str, count: int) -> str | None:
        """Get ready; why it cannot take part, if so."""
        answer = self._ask("make", self.name, item, count)
        if isinstance(answer, dict):
            return str(answer["failed"])
        return f"wrong by {answer:.1g}" if not answer < _WRONG else None

    def run(self) -> Cost:
        """What a run costs. Raises `RuntimeError` where it fails, having succeeded before."""
        answer = self._ask("run")
        if isinstance(answer, dict):
            raise RuntimeError(answer["failed"])
        processor, clock = answer
        return processor, clock

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _ask(self, *question: object) -> Any:
        self._process = process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(question), file=process.stdin, flush=True)
        is_there = select.select([process.stdout], [], [], _LONGEST_S)[0]
        if is_there and (line := process.stdout.readline()):
            return json.loads(line)
        self.close()
        return {"failed": "its process died" if is_there else f"over {_LONGEST_S:.0f} s"}

    def _started(self) -> subprocess.Popen[str]:
        where = [self._python, "-c", "import pydawn; print(pydawn.__path__[0])"]
        dawn = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
        environment = {
            "DEV": "WEBGPU",
            "WEBGPU_PATH": f"{dawn}/lib/libwebgpu_dawn_{os.uname().machine}.so",
            "WGPU_BACKEND": "vulkan",
            "NODEVICE_SELECT": "1",
        }
        return subprocess.Popen(
            [self._python, Path(__file__).with_name("peers_beside.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | environment,
        )


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    python, *items = argv
    devices = {"ours": Device("cpu", host_steps=True), "kernels alone": Device("cpu", host_steps=False)}
    peers = [Peer(python, name) for name in ("tinygrad", "wonnx")]
    timing.header()
    for name in items or ITEMS:
        for count in ITEMS[name].sizes:
            for peer in peers:
                if peer.name != "wonnx" or count <= _LISTS:
                    contest(devices, peer, name, count)
    for peer in peers:
        peer.close()
    for device in devices.values():
        device.engine.close()


def contest(devices: Mapping[str, Device], peer: Peer, name: str, count: int) -> None:
    """One item of one size against one peer."""
    what = f"{name} of 10^{len(str(count)) - 1}, of {peer.name}'s rate"
    if failed := peer.make(name, count):
        print(f"| {what} | {failed} | | |", flush=True)
        return
    arrays = ITEMS[name].inputs(count)
    way = on_device if peer.name == "tinygrad" else host_to_host
    contenders = {each: measured(way(device, name, arrays)) for each, device in devices.items()}
    contenders[peer.name] = peer.run
    spent = sum(contender()[1] for contender in contenders.values())
    costs: dict[str, list[Cost]] = {each: [] for each in contenders}
    for _ in range(min(max(int(_BUDGET_S / _IN_A_ROW / spent), _FEWEST), _MOST)):
        for each, contender in contenders.items():
            turns = [contender() for _ in range(_IN_A_ROW if spent < _LONG_S else 1)]
            costs[each].append(min(turns))
    for device in devices.values():
        forget(device)
    report(what, peer.name, costs)


def report(what: str, peer: str, costs: Mapping[str, list[Cost]]) -> None:
    """Print the ratios."""
    processor, clock = (
        {each: statistics.median(cost[clock] for cost in known) for each, known in costs.items()}
        for clock in (0, 1)
    )
    rates = {each: processor[peer] / processor[each] for each in costs if each != peer}
    figure = ", ".join(f"{each} {rate:.1f}" for each, rate in rates.items())
    times = " and ".join(f"{1e3 * clock[each]:.3g}" for each in rates)
    against = f"{1e3 * clock[peer]:.3g} ms by the clock"
    timing.row(what, f"{figure} times ({times} against {against})", "> 1", min(rates.values()) > 1)


def measured(run: Callable[[], object]) -> Contender:
    """`run` with what it costs."""

    def contender() -> Cost:
        used, began = time.process_time(), time.perf_counter()
        run()
        return time.process_time() - used, time.perf_counter() - began

    return contender


_put: dict[Device, list[int]] = {}


def on_device(device: Device, name: str, arrays: Arrays) -> Callable[[], object]:
    """Compute from tensors to a tensor."""
    inputs = [device.put(array) for array in arrays]
    _put[device] = [node.attributes["handle"] for node in inputs]
    return device.op(ITEMS[name].result(*arrays), *inputs, *STEPS[name])


def host_to_host(device: Device, name: str, arrays: Arrays) -> Callable[[], object]:
    """Compute from bytes to bytes."""
    inputs = [
        Node("input", (), {"handle": _HANDLE + number, "shape": list(array.shape), "dtype": "f32"})
        for number, array in enumerate(arrays)
    ]
    _put[device] = []
    nodes = [*inputs, *STEPS[name]]
    graph, result = Graph(nodes, [len(nodes) - 1]), _HANDLE + len(inputs)
    handles = range(_HANDLE, result + 1)

    def run() -> bytearray:
        for handle, array in zip(handles, arrays, strict=False):
            source = Source(array.nbytes, memoryview(array).cast("B"))
            device.engine.upload(handle, "me", TensorType(array.shape, "f32"), source)
        finish(device.engine.run_graph(RunGraph(1, 1, "me", graph, [result]), lambda: None))
        found = bytearray()
        device.engine.download(result, found.extend)
        device.engine.free(list(handles))
        return found

    return run


def forget(device: Device) -> None:
    """Free what was put there for an item."""
    device.engine.free(_put.pop(device))


if __name__ == "__main__":
    main(sys.argv[1:])
