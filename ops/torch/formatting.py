"""Tensors as text, in PyTorch's form.

Owns digits, widths, line breaks and what is left out. Works on nested lists; must not know tensors or how values are
read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

EDGE = 3
THRESHOLD = 1000
LINE = 80
_DIGITS = 4


def tensor_text(values: Any, shape: tuple[int, ...], edges: bool, suffixes: list[str]) -> str:
    """`tensor(…)` of nested lists (a bare number for rank 0).

    `edges`: `values` holds only the first and last three along each axis that is longer than six; `shape` is the
    whole tensor's.
    """
    if 0 in shape:
        return _with_suffixes("tensor([]", suffixes)
    write = _formatter(_flat(values, len(shape)))
    return _with_suffixes(f"tensor({_nested(values, shape, edges, write, len('tensor('))}", suffixes)


def _with_suffixes(text: str, suffixes: list[str]) -> str:
    width = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        fits = width + len(suffix) + 2 <= LINE
        text += f", {suffix}" if fits else f",\n{' ' * len('tensor(')}{suffix}"
        width = width + len(suffix) + 2 if fits else len("tensor(") + len(suffix)
    return text + ")"


def _flat(values: Any, rank: int) -> list[Any]:
    if not rank:
        return [values]
    for _ in range(rank - 1):
        values = [item for row in values for item in row]
    return list(values)


def _nested(
    values: Any, shape: tuple[int, ...], edges: bool, write: Callable[[Any], str], indent: int
) -> str:
    if not shape:
        return write(values)
    cut = edges and shape[0] > 2 * EDGE
    if len(shape) == 1:
        return _vector([write(value) for value in values], cut, indent)
    rows = [_nested(row, shape[1:], edges, write, indent + 1) for row in values]
    if cut:
        rows.insert(EDGE, "...")
    return f"[{(',' + chr(10) * (len(shape) - 1) + ' ' * (indent + 1)).join(rows)}]"


def _vector(items: list[str], cut: bool, indent: int) -> str:
    per_line = max(1, (LINE - indent) // (len(items[0]) + 2)) if items else 1
    if cut:
        items.insert(EDGE, " ...")
    lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(lines)}]"


def _formatter(values: list[Any]) -> Callable[[Any], str]:
    """How each of `values` is written: all with one width, floats with four digits or as whole numbers."""
    if not isinstance(values[0], float):
        write: Callable[[Any], str] = str
        width = max(len(str(value)) for value in values)
    else:
        sample = [value for value in values if math.isfinite(value) and value]
        write = _float_writer(sample)
        width = max((len(write(value)) for value in sample), default=1)
    return lambda value: write(value).rjust(width)


def _float_writer(sample: list[float]) -> Callable[[float], str]:
    sizes = [abs(value) for value in sample] or [1.0]
    whole = all(value == math.ceil(value) for value in sample)
    wide = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8
    if wide or (not whole and min(sizes) < 1e-4):
        return lambda value: f"{value:.{_DIGITS}e}"
    if whole:
        return lambda value: f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
    return lambda value: f"{value:.{_DIGITS}f}"
