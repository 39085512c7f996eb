"""The peers of `peers.py`, in a process of their own with a Python of their own: WebGPU libraries on the same adapter.

Reads a JSON list a line, answers with a JSON value a line. `["make", peer, item, count]`: the error of the result;
`["run"]`: the processor's and the clock's seconds of one run. What a peer cannot do is `{"failed": why}`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from items import ITEMS, Arrays

Run = Callable[[], Callable[[], np.ndarray]]
"""Computes, and gives what fetches the result."""


def tinygrad(name: str, arrays: Arrays) -> Run:
    """Tensors on the device, a captured graph that is replayed."""
    from tinygrad import Device, Tensor, TinyJit

    given = [Tensor(array).realize() for array in arrays]
    ways: dict[str, Callable[..., Any]] = {
        "relu(a * b + c)": lambda a, b, c: (a * b + c).relu(),
        "sum": lambda x: x.sum() / x.numel(),
        "softmax": lambda x: x.softmax(-1),
        "layer_norm": lambda x, weight, bias: x.layernorm(eps=1e-5) * weight + bias,
        "matmul": lambda a, b: a @ b,
        "conv2d": lambda x, weight: x.conv2d(weight, padding=1),
        "attention": lambda q, k, v: q.scaled_dot_product_attention(k, v),
    }
    replayed = TinyJit(lambda *tensors: ways[name](*tensors).realize())
    device = Device["WEBGPU"]

    def run() -> Callable[[], np.ndarray]:
        made = replayed(*given)
        device.synchronize()
        return made.numpy

    run()
    run()
    return run


def wonnx(name: str, arrays: Arrays) -> Run:
    """A session, from arrays to lists."""
    import wonnx as peer
    from onnx import TensorProto, helper, shape_inference

    steps: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
        "relu(a * b + c)": [("Mul", "ab", {}), ("Add", "dc", {}), ("Relu", "e", {})],
        "sum": [("ReduceMean", "a", {"axes": [0], "keepdims": 1})],
        "softmax": [("Softmax", "a", {"axis": 1})],
        "matmul": [("MatMul", "ab", {})],
        "conv2d": [("Conv", "ab", {"pads": [1] * 4, "kernel_shape": [3, 3]})],
    }
    if name not in steps:
        raise LookupError("it has no such op")
    expected = ITEMS[name].result(*arrays)
    names = "abcdefg"
    nodes, end = [], len(arrays)
    for number, (op, inputs, attributes) in enumerate(steps[name], end):
        nodes.append(helper.make_node(op, list(inputs), [names[number]], **attributes))
        end = number
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info(each, TensorProto.FLOAT, array.shape)
            for each, array in zip(names, arrays, strict=False)
        ],
        [helper.make_tensor_value_info(names[end], TensorProto.FLOAT, expected.shape or (1,))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    inferred = shape_inference.infer_shapes(model)
    session = peer.Session.from_bytes(inferred.SerializeToString())
    given = {each: array.reshape(-1) for each, array in zip(names, arrays, strict=False)}

    def run() -> Callable[[], np.ndarray]:
        found = session.run(given)[names[end]]
        return lambda: np.array(found, np.float32)

    return run


PEERS = {"tinygrad": tinygrad, "wonnx": wonnx}


def _error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found.reshape(-1) - expected.reshape(-1)).max() / max(np.abs(expected).max(), 1e-3))


def main() -> None:
    """Answer until there is nothing to read."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what peers print is no answer
    run: Run | None = None
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            if what == "make":
                peer, name, count = arguments
                run = None  # before the next one takes memory
                arrays = ITEMS[name].inputs(count)
                run = PEERS[peer](name, arrays)
                answer: Any = _error(run()(), ITEMS[name].result(*arrays))
            else:
                assert run is not None
                used, began = time.process_time(), time.perf_counter()
                run()
                answer = [time.process_time() - used, time.perf_counter() - began]
        except BaseException as error:
            answer = {"failed": f"{type(error).__name__}: {error}"[:80]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
