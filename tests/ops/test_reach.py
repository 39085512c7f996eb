"""What kernels are given of tensors of hundreds of megabytes: never more than a device binds, which needs no device."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest

from host.tensors import device_bytes
from ops.dtypes import dtype
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, DeviceClass, lower
from shaders.spec import Dispatch

MANY = (1 << 27) + 4099
SPACE = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1]}
CALLS: list[tuple[str, dict[str, Any], list[tuple[tuple[int, ...], str]]]] = [
    ("add", {}, [((MANY,), "f32"), ((MANY,), "i8")]),
    ("sum", {"axes": [0]}, [((MANY // 5, 5), "f16")]),
    ("softmax", {"axis": 1}, [((3, MANY // 3), "f32")]),
    ("standardize", {"axes": [1]}, [((MANY // 700, 700), "f32")]),
    ("cumsum", {"axis": 0}, [((MANY,), "f32")]),
    ("sort", {}, [((MANY,), "f32")]),
    ("argsort", {"axis": 0}, [((MANY // 900, 900), "i32")]),
    ("gather", {"axis": 1}, [((5, MANY // 5), "f32"), ((5, 70), "i32")]),
    ("scatter", {"axis": 0, "reduce": "add"}, [((MANY // 9, 9), "f32"), *[((99, 9), "i32"), ((99, 9), "f32")]]),
    ("pad", {"before": [3], "after": [MANY // 2], "mode": "circular"}, [((MANY,), "f32")]),
    ("matmul", {}, [((3, MANY // 3), "f32"), ((MANY // 3, 2), "f32")]),
    ("matmul", {}, [((12_000, 12_000), "f32"), ((12_000, 12_000), "i8")]),
    ("matmul", {}, [((1 << 24, 1), "f32"), ((1, 7), "f32")]),
    ("attention", {}, [((2, 2, 3, 349_565, 8), "f16"), ((2, 2, 1, 7, 8), "f16"), ((2, 2, 1, 7, 4), "f16")]),
    ("convolution", SPACE | {"groups": 1}, [((2, 3000, 9, 9), "f32"), ((5000, 3000, 3, 3), "i8")]),
    ("convolution", SPACE | {"groups": 1}, [((1, 1, 12_000, 12_000), "f32"), ((1, 1, 12_000, 12_000), "f32")]),
    ("convolution", SPACE | {"groups": 1 << 21}, [((1, 1 << 21, 3, 3), "f32"), ((1 << 21, 1, 4, 4), "f32")]),
    ("sha512", {"max_bytes": 40}, [((MANY,), "u32"), ((MANY // 10,), "u32")]),
    ("digest_rows", {"bytes": 99}, [((3, MANY // 3), "u32")]),
    ("digest_rows", {"algorithm": "sha3_512"}, [((70, MANY // 70), "u32")]),
    ("levenshtein", {"max_bytes": 9}, [((MANY // 3,), "u32"), ((MANY // 2,), "u32")] * 2),
    ("bloom_build", {"bits": MANY, "max_bytes": 9}, [((MANY,), "u32"), ((MANY // 3,), "u32")]),
    ("base64_decode", {"size": MANY}, [((MANY,), "u32")]),
]  # fmt: skip


@pytest.mark.parametrize("device", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize(("op", "attributes", "inputs"), CALLS)
def test_no_kernel_is_given_more_than_can_be_bound(
    op: str, attributes: dict[str, Any], inputs: list[tuple[tuple[int, ...], str]], device: DeviceClass
) -> None:
    types = [TensorType(shape, name) for shape, name in inputs]
    (output,) = infer(op, attributes, types)
    layouts = [(Layout.contiguous(type.shape), dtype(type.dtype)) for type in types]
    lowering = lower(op, attributes, layouts, output, device)
    sizes = {
        "input": [device_bytes(type) for type in types],
        "output": [device_bytes(output)],
        "temp": lowering.temps,
    }
    assert lowering.dispatches
    for dispatch in lowering.dispatches:
        assert isinstance(dispatch, Dispatch)
        for seen in dispatch.operands:
            rest = sizes[seen.kind][seen.index] - seen.begin
            assert min(seen.nbytes or rest, rest) <= device.binding, dispatch.spec.name


def test_a_dispatch_of_small_products_pays_for_more_than_their_sums() -> None:
    small = (1 << 22, 2, 2)
    operand = (Layout.contiguous(small), dtype("f32"))
    lowering = lower("matmul", {}, [operand, operand], TensorType(small, "f32"), CPU)
    products = [
        step for step in lowering.dispatches if isinstance(step, Dispatch) and "row_tiles" in step.params
    ]
    threads = [prod(step.workgroups) * prod(step.spec.workgroup_size) for step in products]
    assert sum(threads) >= small[0]
    assert max(threads) <= 1 << 20
