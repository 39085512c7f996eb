"""The sums of a convolution by tiles in registers: what an invocation reads, and what it multiplies.

Owns which outputs and places an invocation has, and the loops over channels and taps. The weights are laid so that they
are the same for all lanes, and read by fours; an element of `x` is at the sum of where its window begins and of how far
its tap is into it. Must not know where sums are put.
"""

from __future__ import annotations

from dataclasses import dataclass

from ops.lowering.addressing import QUAD
from ops.lowering.after import Finish
from ops.lowering.convolution_weights import up_to_quads

RANK = 4
"""Of how many axes coordinates are: images, and places along up to three."""


@dataclass(frozen=True, slots=True)
class Tile:
    """What the text of a kernel depends on: `rows` outputs and `width` places an invocation, `axes` of space, and
    what comes after. `adds`: to what is there.

    `taps` are those of the last axis where places are taken by fours, else 0. `stack` rows of places lie above each
    other; where these are several, `lines` are the taps of the last axis but one.
    """

    rows: int
    width: int
    stack: int
    lines: int
    taps: int
    lanes: int
    axes: int
    finish: Finish
    adds: bool = False

    @property
    def quads(self) -> range:
        """The numbers of the accumulators of a place."""
        return range(self.rows // QUAD)

    @property
    def unit(self) -> int:
        """How many places lie side by side in a column of places."""
        return QUAD if self.taps else 1

    @property
    def across(self) -> int:
        """How many places lie side by side."""
        return self.width // self.stack

    @property
    def columns(self) -> range:
        """The numbers of the columns of places."""
        return range(self.across // self.unit)


def summed(tile: Tile) -> list[str]:
    """Statements that add up the products of the part's channels and taps, in order."""
    axes = range(RANK - tile.axes, RANK)
    first = axes[0]
    looped = axes[: -(1 + (tile.stack > 1))] if tile.taps else axes
    begins = dict.fromkeys(looped, "0u") | {first: "params.tap_begin"}
    ends = {axis: f"taps_at({axis}u)" for axis in looped} | {first: "params.tap_end"}
    reach = [f"t{axis} * reach_at({axis}u)" for axis in looped]
    lines = [
        f"let inner = {' * '.join(f'taps_at({axis}u)' for axis in axes)};",
        f"let later = inner / taps_at({first}u);",
        *(f"let {side} = min(row / 4u{plus}, params.quads - 1u);" for side, plus in sides(tile)),
        "for (var channel = params.begin; channel < params.end; channel++) {",
        "let of_channel = channel * params.row_x;",
        "var k = ((group * params.channels + channel) * inner + params.tap_begin * later) * params.quads;",
        *(f"for (var t{axis} = {begins[axis]}; t{axis} < {ends[axis]}; t{axis}++) {{" for axis in looped),
        f"var at = {' + '.join(['of_channel', *reach])};",
        *(_quads(tile) if tile.taps else _single(tile)),
    ]
    return [*lines, *["}"] * (len(looped) + 1)]


def sides(tile: Tile) -> list[tuple[str, str]]:
    """The names of the quads of outputs, and where they are."""
    return [("low", ""), ("high", " + 1u")][: len(tile.quads)]


def _single(tile: Tile) -> list[str]:
    """Statements that add the products of one tap, whose elements of `x` lie anywhere."""
    lines = ["let w0 = w[k + low];", "let w1 = w[k + high];", "k += params.quads;"]
    for place in range(tile.width):
        lines.append(f"let x{place} = vec4<f32>(x[p{place} + at]);")
        lines += [f"c{quad}_{place} = fma(w{quad}, x{place}, c{quad}_{place});" for quad in (0, 1)]
    return lines


def _quads(tile: Tile) -> list[str]:
    """Statements that add the products of all taps of the last axis or the last two, which see parts of equal quads.

    `q` of a column and a line are the quads that its places see there. `at` and `k` go on by strides from read to
    read: on llvmpipe a product in each address took 4 % of the kernel.
    """
    count, stack = up_to_quads(tile.taps + QUAD - 1) // QUAD, tile.stack
    columns, seen = tile.width // QUAD // stack, stack + tile.lines - 1
    lines: list[str] = []
    for line in range(seen):
        lines += ["at += params.line_x;"] * (line > 0)
        lines += [
            f"let {_seen(column, line, quad)} = x[p{column} + at + {quad}u];"
            for column in range(columns)
            for quad in range(count)
        ]
    for tap in range(tile.lines * tile.taps):
        lines += [f"let w{tap}_{quad} = w[k + {side}];" for quad, (side, _) in enumerate(sides(tile))]
        lines.append("k += params.quads;")
        for place in range(tile.width):
            column, row = divmod(place // QUAD, stack)
            quad, lane = divmod(place % QUAD + tap % tile.taps, QUAD)
            value = f"vec4<f32>({_seen(column, row + tap // tile.taps, quad)}.{'xyzw'[lane]})"
            lines += [f"c{q}_{place} = fma(w{tap}_{q}, {value}, c{q}_{place});" for q in tile.quads]
    return lines


def _seen(column: int, line: int, quad: int) -> str:
    return f"q{column}_{quad}" + (f"_{line}" if line else "")
