"""Every limit on a stranger's kernel, in one table.

Owns numbers and names only. Real kernels stay far below each number; hostile ones above it stop, crash or starve
some compiler or driver.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a kernel may use at most. Sizes are bytes unless a name says otherwise."""

    source_characters: int = 64 * 1024
    tokens: int = 16_000
    inlined_tokens: int = 32_000
    """Tokens of a function with every call in it replaced by the called body: a SHA-256 that is written out by hand
    over small functions has 25 000."""
    name_characters: int = 128
    nesting: int = 48
    """Brackets within brackets, blocks included."""
    prefix_operators: int = 48
    expression_operators: int = 1_000
    comparisons: int = 256
    """Names followed by `<` in one statement: each may open a template."""
    else_ifs: int = 64
    attributes: int = 8
    """On one declaration."""
    functions: int = 256
    loops: int = 256
    type_depth: int = 32
    """Types within types, and constants within constants."""
    bindings: int = 32
    binding_number: int = 63
    groups: tuple[int, ...] = (0, 1, 2)
    workgroup_invocations: int = 256
    workgroup_depth: int = 64
    """Invocations of a workgroup along z."""
    workgroup_bytes: int = 16 * 1024
    private_bytes: int = 4 * 1024
    """Private variables and the variables of all functions together."""
    type_bytes: int = 64 * 1024
    """Of one array with a stated length, or one struct."""
    array_elements: int = 512
    """In one array constructor."""
    extensions: tuple[str, ...] = ("f16",)


LIMITS = Limits()
"""The limits in force."""

RESERVED_PREFIX = "_wf"
"""Names that begin so are for the code that Kernelgate adds to a kernel."""
