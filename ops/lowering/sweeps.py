"""Text of kernels that sweep rows: by the units of one element or four that `rows.py` reads.

Owns loops over a row, by one invocation or by the lanes of a workgroup, which units a lane keeps, and how partial
results are put together. Must not know what is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_FEW = 16
"""Lanes that fold what all others have, before each folds what these have."""


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


def kept(units: int, lanes: int, whole: bool) -> list[str]:
    """Statements that say which `units` of a row are a lane's: unit `i0` … if `has0` …, else the row's last.

    A `whole` row has as many as the lanes.
    """
    lines = []
    for number in range(units):
        place = f"lane + {number * lanes}u"
        lines.append(f"let has{number} = {'true' if whole else f'{place} < params.columns'};")
        lines.append(f"let i{number} = {place if whole else f'min({place}, params.columns - 1u)'};")
    return lines


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


def shared(names: Sequence[str], lanes: int) -> str:
    """The arrays that `tree` folds."""
    return "\n".join(f"var<workgroup> row_{name}: array<f32, {lanes}>;" for name in names)


def tree(name: str, combine: str, lanes: int) -> list[str]:
    """Statements that fold what each lane stored for `name` in the workgroup's array into `all_` and the name.

    Many lanes are folded by few at first, and by each for itself at last: barriers cost more than reads.
    """
    few = min(lanes, _FEW)
    lines = ["workgroupBarrier();"]
    if lanes > few:
        parts = [f"row_{name}[lane + {part}u]" for part in range(few, lanes, few)]
        lines += [
            f"if (lane < {few}u) {{\n    row_{name}[lane] = {nested(combine, [f'row_{name}[lane]', *parts])};\n}}",
            "workgroupBarrier();",
        ]
    return [*lines, f"let all_{name} = {nested(combine, [f'row_{name}[{part}]' for part in range(few)])};"]
