"""`KernelSpec` to shader text.

Owns the templates and how they are filled in. It imports jinja2, which a script's worker must not load. Must not know
tensors or devices, and never sees a stranger's text: specs are ours (`shaders/rendering.py` is for strangers).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import dedent

from jinja2 import DictLoader, Environment, StrictUndefined

from shaders.spec import KernelSpec, Scalar

_FOLDER = Path(__file__).parent / "templates"
TEXTS = {path.relative_to(_FOLDER).as_posix(): path.read_text() for path in _FOLDER.rglob("*.j2")}
"""Our templates by name. They are read at once: a sealed process can open no files later."""


class WgslGenerator:
    """Writes WGSL. The entry point is `main`; storage bindings come first, then the uniform `params`.

    The body sees `gid`, `lid`, `wid` and `nwg` (`vec3<u32>` builtins) and `thread` (`u32`), the number of the
    invocation counted over x and y, so that a grid of more than 65 535 workgroups spreads over y, and from the
    parameter `first_thread` on.
    """

    def render(self, spec: KernelSpec) -> str:
        """The WGSL of `spec`: the same text for equal specs.

        Raises jinja2's `TemplateNotFound` for a partial that does not exist.
        """
        return _environment().get_template("kernel.wgsl.j2").render(spec=spec, settings=dict(spec.settings))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader(TEXTS),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    return environment


def _dedent(text: str) -> str:
    return dedent(text).strip("\n")


def literal(value: Scalar, type: str) -> str:
    """`value` as a WGSL literal of `type` (`u32`, `i32`, `f32`) that reads back as the same bits.

    Raises `ValueError` on a number that the type cannot hold, and on infinities and NaN: WGSL has no way to write
    those as constants.
    """
    first, last = _RANGES.get(type, (-_LARGEST_F32, _LARGEST_F32))
    if not first <= value <= last or (type in _RANGES and value != int(value)):
        raise ValueError(f"{value!r} is not a constant of type {type}")
    if type == "f32":
        return f"{struct.unpack('<f', struct.pack('<f', value))[0]!r}f"
    if value == first and type == "i32":
        return f"i32({value})"  # the literal -2147483648i is a negation of one that is too large
    return f"{int(value)}{type[0]}"


_RANGES = {"u32": (0, (1 << 32) - 1), "i32": (-(1 << 31), (1 << 31) - 1)}
_LARGEST_F32 = float.fromhex("0x1.fffffep127")

FILTERS: dict[str, Callable[..., str]] = {"dedent": _dedent, "literal": literal}
"""What templates have beside jinja2's own filters."""
