"""What one owner leaves in the device's memory, which no other may see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.engine import finish
from host.engines.wgpu import WgpuEngine
from host.frames import Bound, Fresh, RunGraph
from host.shared import Source
from ops.graph import Graph, Node, TensorType
from ops.wire import FrameError
from tests.host.engines import dispatch, get, go, put

pytestmark = pytest.mark.usefixtures("everything_is_given_back")


def test_a_kernel_of_another_tenant_never_sees_old_words(gpu: WgpuEngine, kernels: Any) -> None:
    """The thief reads past its input through the largest index and takes all fresh memory that there is."""
    text = (
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  if (id.x < arrayLength(&b)) { b[id.x] = max(b[id.x], a[id.x]); }\n}\n"
    )
    gpu.add_kernel("thief", kernels.reflection(text, *kernels.double.bindings), False)
    secret = np.full(1000, 0xDEADBEEF, np.uint32)
    for handle in range(1, 9):
        put(gpu, handle, secret, owner="victim")
    gpu.free(list(range(1, 9)))
    put(gpu, 20, np.zeros(600, np.uint32), owner="thief")
    for handle in range(21, 29):
        fresh = Fresh(handle, "u32", (1000,))
        dispatch(gpu, Bound("a", 20), fresh=fresh, workgroups=(16, 1, 1), owner="thief", kernel="thief")
        assert not get(gpu, handle).any()
    for handle in range(30, 34):
        put(gpu, handle, np.zeros(600, np.uint32), owner="thief")
    gpu.free(list(range(20, 40)))
    for handle in range(40, 56):
        nodes = [Node("full", (), {"shape": [1000], "value": 0, "dtype": "u32"})]
        finish(gpu.run_graph(RunGraph(1, 1, "thief", Graph(nodes, [0]), [handle]), go))
        assert not get(gpu, handle).any()


def test_an_upload_over_anothers_block_clears_what_it_does_not_fill(gpu: WgpuEngine, kernels: Any) -> None:
    put(gpu, 1, np.full(1000, 0xDEADBEEF, np.uint32), owner="victim")
    gpu.free([1])
    put(gpu, 2, np.ones(600, np.uint32), owner="thief")
    block = gpu._table.get(2).storage
    data = bytearray()
    gpu._transfers.download(block, "u32", block.size, data.extend)
    words = np.frombuffer(data, np.uint32)
    assert words[:600].tolist() == [1] * 600
    assert not words[600:].any()


def test_an_upload_that_fails_leaves_its_owner_nothing_of_another_s(gpu: WgpuEngine, tmp_path: Path) -> None:
    others = np.full(1 << 16, 7, np.uint32)
    put(gpu, 1, others, owner="other")
    gpu.free([1])
    path = tmp_path / "elements"
    path.write_bytes(bytes(others.nbytes))
    with path.open("r+b") as file:
        source = Source(others.nbytes, fd=file.fileno())
        file.truncate(100)
        with pytest.raises(FrameError, match="cut short"):
            gpu.upload(2, "me", TensorType(others.shape, "u32"), source)
    block = gpu._pool.take("me", others.nbytes)
    gpu._pool.flush()
    seen = bytearray()
    gpu._transfers.download(block, "u32", others.nbytes, seen.extend)
    gpu._pool.give([block])
    assert len(seen) == others.nbytes
    assert not any(seen)
