"""Elementwise kernels over broadcast and transposed operands, four elements of a row at a time.

Owns the kernel: an invocation computes some quads of a row, or, where an operand lies transposed, four rows of a quad,
which it reads as four columns. Must not know ops; `elementwise.py` has the forms for all other layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from math import prod

from ops import wgsl
from ops.layout import Layout, collapse
from ops.lowering import packing
from ops.lowering.addressing import QUAD, address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.builder import BOUNDS_CHECK, GROUP, Builder, Params
from ops.lowering.device import DeviceClass
from ops.shapes import Shape
from ops.wgsl import Function
from shaders.spec import Binding, KernelSpec, Operand, Param

_SIDE = 8
"""Invocations along a side of a tile: a workgroup is one."""
QUAD_WORK = 64
"""Multiply-adds that a quad costs."""
_SHORT_TEXT = 1024
"""Characters of WGSL up to which an invocation takes several quads: drivers see them once for each element."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """How operands lie, the target last: outer axes, then perhaps `down`, then a row of quads.

    `modes` are, for each operand: `quad` (a row is read by fours), `column` (an axis `down` is), `scalar` (a row is one
    element). `down` is the number of rows, 1 where no operand is transposed, and `row` the length of a row.
    """

    shape: Shape
    down: int
    row: int
    modes: tuple[str, ...]
    offsets: tuple[int, ...]
    strides: tuple[Shape, ...]
    down_steps: Shape
    row_steps: Shape


def fit(layouts: Sequence[Layout]) -> Blocks | None:
    """Operands of equal shape as blocks, the target last; None where strides do not allow that."""
    shape, strides = collapse(layouts[0].shape, *(layout.strides for layout in layouts))
    if not shape or 1 not in strides[-1]:
        return None
    row = strides[-1].index(1)
    lying = {steps.index(1) for steps in strides if steps[row] not in (0, 1) and 1 in steps}
    if len(lying) > 1 or shape[row] % QUAD:
        return None
    down = lying.pop() if lying else None
    if down is not None and shape[down] % QUAD:
        return None
    modes = [_mode(steps, layout.offset, row, down) for steps, layout in zip(strides, layouts, strict=True)]
    if None in modes:
        return None
    outer = [axis for axis in range(len(shape)) if axis not in (row, down)]
    return Blocks(
        tuple(shape[axis] for axis in outer),
        1 if down is None else shape[down],
        shape[row],
        tuple(mode for mode in modes if mode is not None),
        tuple(layout.offset for layout in layouts),
        tuple(tuple(steps[axis] for axis in outer) for steps in strides),
        tuple(0 if down is None else steps[down] for steps in strides),
        tuple(steps[row] for steps in strides),
    )


def _mode(steps: Shape, offset: int, row: int, down: int | None) -> str | None:
    if steps[row] == 0:
        return "scalar"
    unit = row if steps[row] == 1 else down
    if unit is None or steps[unit] != 1 or offset % QUAD:
        return None
    even = all(step % QUAD == 0 for axis, step in enumerate(steps) if axis != unit)
    return ("quad" if unit == row else "column") if even else None


def emit(
    builder: Builder, function: Function, blocks: Blocks, operands: Sequence[Operand], kinds: Sequence[str]
) -> None:
    """Compute `function` of all operands but the last, which it writes; none of its terms is `index`.

    Their elements lie as `kinds` (`packing.kind`).
    """
    is_tall = "column" in blocks.modes
    quads = 1 if is_tall else quads_of(builder.device, function, blocks.row)
    rank, rows = bucket(len(blocks.shape)), QUAD if is_tall else 1
    spec = _spec(function.text, function.params, tuple(kinds), blocks.modes, rank, quads, rows)
    across, down = blocks.row // (QUAD * quads), blocks.down // QUAD if is_tall else 1
    params: Params = {
        "shape": padded(blocks.shape, rank, 1),
        "across": across,
        "down": down,
        **function.values,
    }
    for name, mode, offset, strides, below, beside in zip(
        operand_names(len(kinds)),
        blocks.modes,
        blocks.offsets,
        blocks.strides,
        blocks.down_steps,
        blocks.row_steps,
        strict=True,
    ):
        unit = 1 if mode == "scalar" else QUAD
        params |= {
            f"offset_{name}": offset // unit,
            f"strides_{name}": padded([stride // unit for stride in strides], rank, 0),
            f"step_{name}": wrapped((beside if mode == "column" else below) // unit),
        }
    tiles = -(-across // _SIDE) * -(-down // _SIDE)
    threads = params["count"] = prod(blocks.shape) * (GROUP * tiles if is_tall else across)
    builder.spread(spec, threads, operands, params, QUAD_WORK * quads * rows)


def quads_of(device: DeviceClass, function: Function, count: int) -> int:
    """How many quads of `count` elements in a row an invocation takes: one where each would be much text."""
    is_short = len(wgsl.with_helpers(function.text)) <= _SHORT_TEXT
    return device.quads if is_short and count % (QUAD * device.quads) == 0 else 1


def operand_names(count: int) -> list[str]:
    """The names of so many operands, the target last."""
    return [f"in{number}" for number in range(count - 1)] + ["out"]


@lru_cache(maxsize=4096)
def _spec(
    text: str,
    params: tuple[Param, ...],
    kinds: tuple[str, ...],
    modes: tuple[str, ...],
    rank: int,
    quads: int,
    rows: int,
) -> KernelSpec:
    names = operand_names(len(kinds))
    bindings = [
        Binding(name, packing.binding(kind, _width(mode)), "read_write" if name == "out" else "read")
        for name, kind, mode in zip(names, kinds, modes, strict=True)
    ]
    lines = [
        BOUNDS_CHECK,
        *(_TALL if rows > 1 else _FLAT),
        coordinates("outer", rank),
        *(f"let at_{name} = {address(name, rank)};" for name in names),
        *_loads(kinds[:-1], modes[:-1], quads, rows),
    ]
    below = "(down * 4u + {}u) * params.step_out + " if rows > 1 else ""
    for row, quad in product(range(rows), range(quads)):
        values = []
        for lane in range(QUAD):
            read = [
                _value(name, mode, row, quad, lane) for name, mode in zip(names, modes[:-1], strict=False)
            ]
            values.append(f"element({', '.join(read)})")
        place = f"at_out + {below.format(row)}across * {quads}u + {quad}u"
        row_text = ", ".join(values)
        made = (
            packing.words(kinds[-1], row_text)
            if packing.is_words(kinds[-1])
            else f"vec4<{kinds[-1]}>({row_text})"
        )
        lines.append(f"out[{place}] = {made};")
    body = "\n".join(lines)
    return KernelSpec(
        "elementwise_blocks",
        tuple(bindings[:-1]),
        (bindings[-1],),
        body,
        (
            *map(Param, ("count", "across", "down")),
            *(Param(f"{kind}_{name}") for name in names for kind in ("offset", "step")),
            *stride_params(["shape", *(f"strides_{name}" for name in names)], rank),
            *params,
        ),
        (GROUP, 1, 1),
        functions=wgsl.with_helpers(text, body=body),
    )


def _width(mode: str) -> int:
    """How many elements are read at a time."""
    return 1 if mode == "scalar" else QUAD


_FLAT = ["let across = thread % params.across;", "let outer = thread / params.across;"]
_TALL = [
    f"let lane = thread % {GROUP}u;",
    f"var tile = thread / {GROUP}u;",
    f"let tiles = (params.across + {_SIDE - 1}u) / {_SIDE}u;",
    f"let across = tile % tiles * {_SIDE}u + lane % {_SIDE}u;",
    "tile /= tiles;",
    f"let rows = (params.down + {_SIDE - 1}u) / {_SIDE}u;",
    f"let down = tile % rows * {_SIDE}u + lane / {_SIDE}u;",
    "let outer = tile / rows;",
    "if (across >= params.across || down >= params.down) {\n    return;\n}",
]
"""Which block an invocation has: tiles of 32 rows and columns, so that what a group reads shares cache lines."""


def _loads(kinds: Sequence[str], modes: Sequence[str], quads: int, rows: int) -> list[str]:
    """Statements that read what a block needs of each operand, whose elements lie as `kinds`."""
    lines = []
    for number, (kind, mode) in enumerate(zip(kinds, modes, strict=True)):
        name = f"in{number}"
        read = partial(packing.read, kind, name, width=_width(mode))
        below = f"(down * 4u + {{}}u) * params.step_{name}" if rows > 1 else ""
        if mode == "column":
            lines += [
                f"let {name}_{lane} = {read(f'at_{name} + down + (across * 4u + {lane}u) * params.step_{name}')};"
                for lane in range(QUAD)
            ]
            continue
        for row in range(rows):
            at = f"at_{name}" + (f" + {below.format(row)}" if below else "")
            if mode == "scalar":
                lines.append(f"let {name}_{row} = {read(at)};")
                continue
            lines += [
                f"let {name}_{row}_{quad} = {read(f'{at} + across * {quads}u + {quad}u')};"
                for quad in range(quads)
            ]
    return lines


def _value(name: str, mode: str, row: int, quad: int, lane: int) -> str:
    """An operand's element in a block."""
    if mode == "column":
        return f"{name}_{lane}.{'xyzw'[row]}"
    return f"{name}_{row}" if mode == "scalar" else f"{name}_{row}_{quad}.{'xyzw'[lane]}"
