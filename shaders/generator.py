"""`KernelSpec` to shader text.

Owns the templates and how they are filled in. The only module that imports jinja2: a script's worker must not load
it. Must not know tensors or devices, and never sees a stranger's text: specs are ours.
"""

from __future__ import annotations

import math
import struct
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shaders.spec import KernelSpec, Scalar


class ShaderGenerator(Protocol):
    """Whoever can write a spec down in a shading language."""

    def render(self, spec: KernelSpec) -> str:
        """The source of `spec`: the same text for equal specs, always."""
        ...


class WgslGenerator:
    """Writes WGSL. The entry point is `main`; storage bindings come first, then the uniform `params`.

    The body sees `gid`, `lid`, `wid` and `nwg` (`vec3<u32>` builtins) and `thread` (`u32`), the number of the
    invocation counted over x and y, so that a grid of more than 65 535 workgroups spreads over y.
    """

    def render(self, spec: KernelSpec) -> str:
        """The WGSL of `spec`, deterministic. Raises jinja2's `TemplateNotFound` for a partial that does not exist."""
        return _environment().get_template("kernel.wgsl.j2").render(spec=spec)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters["dedent"] = _dedent
    environment.filters["literal"] = literal
    return environment


def _dedent(text: str) -> str:
    return dedent(text).strip("\n")


def literal(value: Scalar, type: str) -> str:
    """`value` as a WGSL literal of `type` (`u32`, `i32`, `f32`) that reads back as the same bits.

    WGSL has no literal for an infinity or a NaN: those become a `bitcast`, as does the least `i32`.
    """
    if type == "u32":
        return f"{int(value)}u"
    if type == "i32":
        return f"{int(value)}i" if value != -(1 << 31) else "bitcast<i32>(2147483648u)"
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if not math.isfinite(value):
        return f"bitcast<f32>({bits}u)"
    return f"{struct.unpack('<f', struct.pack('<f', value))[0]!r}f"
