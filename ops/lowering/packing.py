"""Elements of which a word holds several: how kernels read and write them, and the kernel that packs a whole tensor.

Owns how elements of each dtype lie in a buffer, and the names of what `ops/numerics/packed.py` has for packed ones. An
invocation writes a word or more, so that no two write the same one. Must not know ops.
"""

from __future__ import annotations

from functools import cache

from ops import wgsl
from ops.dtypes import BY_NAME, is_packed
from ops.layout import Layout
from ops.lowering import windows
from ops.lowering.addressing import QUAD
from ops.lowering.builder import Builder
from ops.lowering.operands import Source, Target
from shaders.spec import Binding, KernelSpec, Param

BYTES = ("i8", "u8")
"""Dtypes of which a word holds four."""


def per_word(dtype: str) -> int:
    """How many elements of a packed dtype a word holds."""
    return 4 // BY_NAME[dtype].device_bytes


def quad_type(dtype: str) -> str:
    """The WGSL type of the words of four elements."""
    return "u32" if per_word(dtype) == QUAD else "vec2<u32>"


def kind(dtype: str) -> str:
    """How elements lie in buffers: as their WGSL type or, where a word holds several, as their dtype."""
    return dtype if is_packed(dtype) else wgsl.storage(dtype)


def is_words(kind: str) -> bool:
    """Whether a word holds several elements that lie so."""
    return kind in BY_NAME and is_packed(kind)


def binding(kind: str, width: int) -> str:
    """The element type of a binding that is read by `width` elements, four or one."""
    if is_words(kind):
        return quad_type(kind) if width == QUAD else "u32"
    return f"vec4<{kind}>" if width == QUAD else kind


def read(kind: str, name: str, place: str, width: int) -> str:
    """The `width` elements at `place`, which counts units of so many, of the binding `name`."""
    if not is_words(kind):
        return f"{name}[{place}]"
    return quad(kind, f"{name}[{place}]") if width == QUAD else element(kind, name, place)


def element(dtype: str, name: str, place: str) -> str:
    """The element at `place` of the words `name`."""
    return f"{dtype}_at({name}[({place}) / {per_word(dtype)}u], {place})"


def quad(dtype: str, words: str) -> str:
    """The four elements of `words`."""
    return f"{dtype}_quad({words})"


def words(dtype: str, elements: str) -> str:
    """The words of four elements, separated by commas."""
    return f"{dtype}_words(vec4<{wgsl.storage(dtype)}>({elements}))"


def pack(builder: Builder, source: Source, target: Target) -> None:
    """Write `source`, of the register's dtype, to a packed target; both are contiguous from offset 0.

    The rest of the last word is zero.
    """
    flat, per = Layout.contiguous((target.layout.count,)), per_word(target.dtype)
    whole = Target(target.operand, flat, target.dtype)
    for (seen,), written, _ in windows.boxes(
        builder.device, [Source(source.operand, flat, source.dtype)], whole
    ):
        count = written.layout.count
        params = {
            "count": count,
            "offset_in": seen.layout.offset,
            "offset_out": written.layout.offset // per,
        }
        builder.spread(_spec(target.dtype), -(-count // per), [seen.operand, written.operand], params)


@cache
def _spec(dtype: str) -> KernelSpec:
    per, type = per_word(dtype), wgsl.storage(dtype)
    elements = [
        f"select({type}(), in0[at + min({lane}u, left - 1u)], left > {lane}u)" if lane else "in0[at]"
        for lane in range(per)
    ]
    made = words(dtype, ", ".join(elements + [f"{type}()"] * (QUAD - per)))
    body = f"""\
if (thread * {per}u >= params.count) {{
    return;
}}
let at = params.offset_in + thread * {per}u;
let left = params.count - thread * {per}u;
out[params.offset_out + thread] = {made}{"" if per == QUAD else ".x"};"""
    return KernelSpec(
        "pack",
        (Binding("in0", type),),
        (Binding("out", "u32", "read_write"),),
        body,
        (Param("count"), Param("offset_in"), Param("offset_out")),
        functions=wgsl.with_helpers(body=body),
    )
