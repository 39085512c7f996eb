"""Text of kernels that sweep rows: by the units of one element or four that `rows.py` reads.

Owns loops over a row, by one invocation or by the lanes of a workgroup, and how partial results are put together. Must
not know what is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def unit_type(width: int) -> tuple[str, list[str]]:
    """The WGSL type of a unit, and its components as templates of its name."""
    return ("vec4<f32>", ["{}.x", "{}.y", "{}.z", "{}.w"]) if width == 4 else ("f32", ["{}"])


def sweep(units: int, turn: Callable[[int], list[str]]) -> list[str]:
    """Statements that do `turn` to `units` units from `i` on, as long as there are so many, and then to one."""
    return [
        "{",
        "var i = 0u;",
        f"for (; i + {units}u <= params.columns; i += {units}u) {{",
        *turn(units),
        "}",
        "for (; i < params.columns; i++) {",
        *turn(1),
        "}",
        "}",
    ]


def stride(lanes: int, turn: Sequence[str]) -> list[str]:
    """Statements that do `turn` to the units `i` of a lane."""
    return [f"for (var i = lane; i < params.columns; i += {lanes}u) {{", *turn, "}"]


def unit(number: int) -> str:
    """The index of the unit that comes `number` after `i`."""
    return f"(i + {number}u)" if number else "i"


def folded(combine: str, parts: Sequence[str], name: str) -> str:
    """The components of `name` combined."""
    return nested(combine, [part.format(name) for part in parts])


def nested(combine: str, values: Sequence[str]) -> str:
    """Values combined one after the other."""
    text = values[0]
    for value in values[1:]:
        text = combine.format(text, value)
    return text


def tree(name: str, combine: str, lanes: int) -> list[str]:
    """Statements that fold what each lane stored for `name` into element 0 of the workgroup's array."""
    lines = ["workgroupBarrier();"]
    step = lanes // 2
    while step:
        lines += [
            f"if (lane < {step}u) {{\n    row_{name}[lane] = {combine.format(step)};\n}}",
            "workgroupBarrier();",
        ]
        step //= 2
    return lines
