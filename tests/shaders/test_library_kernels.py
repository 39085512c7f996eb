"""Every kernel of the library as text: our own parser takes it, and sees the bindings that its spec says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ops.dtypes import dtype
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import CPU, GPU, lower
from ops.spec import REQUIRED, OpSpec
from ops.table import TABLE
from shaders.generator import WgslGenerator
from shaders.limits import Limits
from shaders.reflect import reflect
from shaders.spec import KernelSpec

SHAPES = {
    "digest_rows": [(5, 40)],
    "merkle": [(5, 8)],
    "find_nonce": [(19,), (8,)],
    "chacha20": [(64,), (8,), (3,)],
    "aes_ctr": [(64,), (8,), (4,)],
}
REQUIRED_VALUES = {"length": 400, "bins": 10, "size": 8, "count": 64, "bits": 100, "iterations": 3}


def inputs(row: OpSpec) -> list[TensorType]:
    """Types that a row takes: three messages wherever it takes offsets."""
    shapes = SHAPES.get(row.name) or [(4,) if "offsets" in name else (5000,) for name in row.inputs]
    if row.name == "find_bytes":
        shapes[1] = (10,)
    dtypes = [taken[0] for taken in row.input_dtypes] or ["u32"] * len(shapes)
    return [TensorType(shape, name) for shape, name in zip(shapes, dtypes, strict=True)]


def specs() -> Iterator[tuple[str, KernelSpec]]:
    seen: set[KernelSpec] = set()
    for row in TABLE.values():
        if row.kind not in ("digest", "routine"):
            continue
        attributes = {
            each.name: REQUIRED_VALUES[each.name] for each in row.attributes if each.default == REQUIRED
        }
        types = inputs(row)
        (output,) = infer(row.name, attributes, types)
        operands = [(Layout.contiguous(type.shape), dtype(type.dtype)) for type in types]
        for device in (CPU, GPU):
            for dispatch in lower(row.name, attributes, operands, output, device).dispatches:
                assert math.prod(dispatch.workgroups) > 0
                if dispatch.spec not in seen:
                    seen.add(dispatch.spec)
                    yield row.name, dispatch.spec


@pytest.mark.parametrize(
    ("op", "spec"), [pytest.param(op, spec, id=f"{op}-{spec.name}") for op, spec in specs()]
)
def test_our_parser_takes_the_kernel(op: str, spec: KernelSpec) -> None:
    text = WgslGenerator().render(spec)
    # Ours are longer than a stranger's may be: rounds stand as straight lines.
    limits = replace(Limits(), source_characters=1 << 20, tokens=1 << 17, inlined_tokens=1 << 18)
    reflection = reflect(text, limits)
    named = [(info.name, info.access) for info in reflection.bindings if info.kind == "storage"]
    assert named == [(binding.name, binding.access) for binding in spec.bindings]
