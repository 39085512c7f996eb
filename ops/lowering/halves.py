"""f32 packed as f16, two in a word: an invocation writes a word, so that no two write the same one.

Owns the kernel; `ops/numerics/halves.py` has the conversion. Must not know ops.
"""

from __future__ import annotations

from functools import cache

from ops import wgsl
from ops.layout import Layout
from ops.lowering import windows
from ops.lowering.base import Builder, Source, Target
from shaders.spec import Binding, KernelSpec, Param


def pack(builder: Builder, source: Source, target: Target) -> None:
    """Write f32, contiguous from offset 0, to an f16 target that is so too. The rest of the last word is zero."""
    flat = Layout.contiguous((target.layout.count,))
    whole = Target(target.operand, flat, target.dtype)
    for (seen,), written, _ in windows.boxes(
        builder.device, [Source(source.operand, flat, source.dtype)], whole
    ):
        count = written.layout.count
        params = {
            "count": count,
            "offset_in": seen.layout.offset,
            "offset_out": written.layout.offset // 2,
        }
        builder.spread(_spec(), -(-count // 2), [seen.operand, written.operand], params)


@cache
def _spec() -> KernelSpec:
    body = """\
if (thread >= (params.count + 1u) / 2u) {
    return;
}
let at = params.offset_in + thread * 2u;
let is_pair = thread * 2u + 1u < params.count;
out[params.offset_out + thread] = word_of(in0[at], select(0.0f, in0[at + u32(is_pair)], is_pair));"""
    return KernelSpec(
        "pack_halves",
        (Binding("in0", "f32"),),
        (Binding("out", "u32", "read_write"),),
        body,
        (Param("count"), Param("offset_in"), Param("offset_out")),
        functions=wgsl.with_helpers(body=body),
    )
