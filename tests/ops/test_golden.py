"""Kernels of each lowering, compared whole with the files of `golden/`, one for each op and class of devices.

Written anew with `UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/ops/test_golden.py`; read the diff then.
A file without a class in its name holds what all classes get.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ops.dtypes import dtype
from ops.expression import input_term
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, DeviceClass, lower, lower_fused
from ops.samples import Value, flat, is_messages, offsets, sample, words
from ops.spec import OpSpec
from ops.table import find
from ops.terms import term
from shaders.generator import WgslGenerator
from shaders.guard.budget import priced
from shaders.guard.names import REMAINDER
from shaders.reflect import reflect
from shaders.spec import Dispatch, KernelSpec

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
CLASSES = {"cpu": CPU, "gpu": GPU}
"""`MAPPED` gets the kernels of `CPU`, and does large products without one."""
Case = tuple[str, dict[str, Any], list[tuple[str, Layout]]]


def of(dtype: str, *shape: int, turned: bool = False) -> tuple[str, Layout]:
    """An operand, which lies transposed if it is `turned`."""
    layout = Layout.contiguous(shape[::-1] if turned else shape)
    return dtype, layout.permute(range(len(shape) - 1, -1, -1)) if turned else layout


CASES: dict[str, Case] = {
    "elementwise": ("gelu", {}, [of("f32", 1000)]),
    "elementwise_of_halves": ("gelu", {}, [of("f16", 1000)]),
    "pack_halves": ("mul", {}, [of("f16", 3, 5), of("f16", 5)]),
    "elementwise_of_bytes": ("add", {}, [of("u8", 1000), of("i8", 1000)]),
    "pack_bytes": ("mul", {}, [of("u8", 3, 5), of("u8", 5)]),
    "elementwise_strided_of_longs": ("mul", {}, [of("i64", 3, 5), of("i64", 5)]),
    "byte_product": ("matmul", {}, [of("f32", 2, 64), of("i8", 64, 10, turned=True)]),
    "byte_product_of_bytes": ("int_matmul", {}, [of("u8", 1, 64), of("i8", 64, 10, turned=True)]),
    "elementwise_strided": ("add", {"alpha": 2}, [of("f32", 3, 5, turned=True), of("f32", 3, 1)]),
    "elementwise_blocks": ("mul", {}, [of("f32", 64, 64), of("f32", 64)]),
    "elementwise_blocks_of_bytes": ("mul", {}, [of("i8", 64, 64, turned=True), of("f32", 64, 1)]),
    "elementwise_blocks_turned": ("add", {}, [of("f32", 64, 64, turned=True), of("f32", 64, 64)]),
    "elementwise_strided_part": ("concat", {"axis": 1}, [of("bool", 3, 5), of("bool", 3, 2)]),
    "gather": ("gather", {"axis": 1}, [of("f32", 4, 8), of("i32", 4, 3)]),
    "pad_constant": ("pad", {"before": [1, 0], "after": [0, 2], "value": 7}, [of("i32", 3, 4)]),
    "pad_reflect": ("pad", {"before": [1, 0], "after": [0, 2], "mode": "reflect"}, [of("f32", 3, 4)]),
    "scatter": ("scatter", {"axis": 0}, [of("f32", 9, 4), of("i32", 3, 4), of("f32", 3, 4)]),
    "search": ("argmax", {"axis": 1}, [of("f32", 100, 5000)]),
    "reduce_rows": ("sum", {"axes": 1}, [of("f32", 100, 5000)]),
    "reduce_of_bytes": ("sum", {"axes": 1}, [of("i8", 100, 5000)]),
    "reduce_columns": ("max", {"axes": 0}, [of("i32", 5000, 100)]),
    "softmax": ("softmax", {}, [of("f32", 40, 300)]),
    "softmax_of_columns": ("softmax", {"axis": 0}, [of("f32", 3000, 40)]),
    "log_softmax": ("log_softmax", {}, [of("f32", 40, 300)]),
    "log_softmax_of_many_rows": ("log_softmax", {}, [of("f32", 100, 30)]),
    "softmax_of_long_rows": ("softmax", {}, [of("f32", 3, 20_000)]),
    "standardize": ("standardize", {"axes": [-1]}, [of("f32", 40, 300)]),
    "standardize_of_halves": ("standardize", {"axes": [-1]}, [of("f16", 40, 300)]),
    "standardize_of_long_rows": ("standardize", {"axes": [-1]}, [of("f32", 3, 20_000)]),
    "standardize_of_many_rows": ("standardize", {"axes": [-1]}, [of("f32", 100, 30)]),
    "attention": (
        "attention",
        {"is_causal": True},
        [of("f32", 3, 40, 8), of("f32", 3, 48, 8), of("f32", 3, 48, 16)],
    ),
    "matmul": ("matmul", {}, [of("f32", 256, 256), of("f32", 256, 256)]),
    "matmul_tiles_with_bias": ("matmul", {}, [of("f32", 2048, 64), of("f32", 64, 2048), of("f32", 2048)]),
    "matmul_tiles_of_halves": ("matmul", {}, [of("f16", 64, 64), of("i8", 64, 64, turned=True)]),
    "matmul_small": ("matmul", {}, [of("f32", 2, 7, 5), of("f32", 5, 3)]),
    "reduce_of_products": ("matmul", {}, [of("f32", 64, 300), of("f32", 300)]),
    "matmul_of_integers": ("matmul", {}, [of("i32", 16, 16), of("i32", 16, 16, turned=True)]),
    "convolution": (
        "convolution",
        {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1], "groups": 1},
        [of("f32", 1, 64, 56, 56), of("f32", 64, 64, 3, 3)],
    ),
    "convolution_strided": (
        "convolution",
        {"stride": [2], "dilation": [1], "before": [1], "after": [1], "groups": 1},
        [of("f32", 1, 3, 224), of("f32", 64, 3, 7)],
    ),
    "scan": ("cumsum", {"axis": 0}, [of("f32", 5000)]),
    "scan_of_maxima": ("cummax", {"axis": 0}, [of("i32", 40, 30)]),
    "sort": ("sort", {"axis": 0}, [of("f32", 100_000)]),
    "argsort": ("argsort", {"axis": 1}, [of("u32", 40, 30)]),
    "scatter_add": (
        "scatter",
        {"axis": 0, "reduce": "add"},
        [of("f32", 9, 4), of("i32", 3, 4), of("f32", 3, 4)],
    ),
    "sort_windows": ("argsort", {"axis": 0}, [of("f32", 1 << 26)]),
}
SAMPLED = (
    "histogram compact run_starts take find_bytes levenshtein bloom_build bloom_query pack_bits unpack_bits"
    " hex_encode hex_decode base64_encode base64_decode digest_rows md5 crc32 sha3_256 blake2s hmac_sha1 pbkdf2_sha1"
    " hkdf_sha1 merkle find_nonce philox threefry pcg32 chacha20 aes_ctr"
)
"""Rows whose sample is enough of a case; of digests one for each way to pad."""


def sampled(row: OpSpec) -> Case:
    """The case that a row's sample is."""
    given = sample(row)
    return row.name, given.attributes, [operand for value in given.inputs for operand in _operands(value)]


def _operands(value: Value) -> Iterator[tuple[str, Layout]]:
    if isinstance(value, bytes):
        yield of("u32", len(words(value)))
    elif is_messages(value):
        messages = [each for each in value if isinstance(each, bytes)]
        yield of("u32", max(len(words(b"".join(messages))), 1))
        yield of("u32", len(offsets(messages)))
    else:
        shape, data = flat(value)
        yield of("bool" if isinstance(data[0], bool) else "u32", *shape)


ALL_CASES = CASES | {name: sampled(find(name)) for name in SAMPLED.split()}


def kernels(case: Case, device: DeviceClass) -> list[KernelSpec]:
    """The kernels of a case, each once; what is added to a product is the third operand of its case."""
    op, attributes, operands = case
    types = [TensorType(layout.shape, name) for name, layout in operands]
    inputs = [(layout, dtype(name)) for name, layout in operands]
    if op == "matmul" and len(operands) == 3:
        (output,) = infer(op, attributes, types[:2])
        after = term("add", {}, [input_term(0, output.dtype), input_term(1, operands[2][0])], output.dtype)
        more = inputs.pop()
        dispatches = lower_fused(
            op, attributes, None, inputs, after, [more], output, output, device
        ).dispatches
    else:
        (output,) = infer(op, attributes, types)
        dispatches = lower(op, attributes, inputs, output, device).dispatches
    return list(dict.fromkeys(step.spec for step in dispatches if isinstance(step, Dispatch)))


def texts(device: DeviceClass) -> dict[str, str]:
    """What each case's file says: its kernels, without those of earlier cases unless it is named after them."""
    found, seen = {}, set[str]()
    for name, case in ALL_CASES.items():
        own = [spec for spec in kernels(case, device) if spec.name not in seen or name.startswith(spec.name)]
        found[name] = "\n".join(f"// kernel {spec.name}\n{WgslGenerator().render(spec)}" for spec in own)
        seen |= {spec.name for spec in own}
    return found


def files() -> dict[str, str]:
    """The golden files by name."""
    by_class = {name: texts(device) for name, device in CLASSES.items()}
    found = {}
    for case in ALL_CASES:
        given = {name: by_class[name][case] for name in CLASSES}
        alike = len(set(given.values())) == 1
        found |= {case if alike else f"{case}.{name}": text for name, text in given.items()}
    return {f"{name}.wgsl": text for name, text in found.items()}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The files as they should be; written if asked for."""
    texts = files()
    if os.environ.get("UPDATE_GOLDEN"):
        for path in GOLDEN.glob("*.wgsl"):
            path.unlink()
        for name, text in texts.items():
            (GOLDEN / name).write_text(text)
    return texts


def test_each_lowering_renders_to_its_golden_text(made: dict[str, str]) -> None:
    assert {path.name for path in GOLDEN.iterdir()} == made.keys()
    for name, text in made.items():
        assert text == (GOLDEN / name).read_text(), name


def test_every_case_has_a_kernel_of_its_own(made: dict[str, str]) -> None:
    assert [name for name, text in made.items() if not text] == []


def test_no_kernel_has_a_signed_remainder_of_which_drivers_make_what_they_like(made: dict[str, str]) -> None:
    """The guard finds those of strangers (`shaders/guard/remainders.py`); ours go by helpers for every sign."""
    for name, text in made.items():
        for kernel in re.split(r"^// kernel .*$", text, flags=re.MULTILINE):
            guard = reflect(kernel).guard if kernel.strip() else None
            assert guard is None or REMAINDER not in priced(guard, "fuel"), name


def test_every_module_of_lowerings_that_writes_a_kernel_is_in_a_case(made: dict[str, str]) -> None:
    """By the names that stand first in each `KernelSpec(…)`."""
    named = set()
    for path in (ROOT / "ops" / "lowering").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "KernelSpec" and node.args:
                first = node.args[0]
                named |= {first.value} if isinstance(first, ast.Constant) else set()
    assert len(named) > 10
    kernels = {
        line.removeprefix("// kernel ")
        for text in made.values()
        for line in text.splitlines()
        if "//" in line
    }
    assert named <= kernels
