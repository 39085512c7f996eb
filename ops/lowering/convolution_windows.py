"""Convolutions on GPUs: products by tiles in workgroup memory, whose right operand is `x` seen through windows.

Owns the choice of the tile's size and how a convolution is cut into dispatches. `x` needs no zeros around it: what is
outside is not read. Must not know op names. `convolution_tile.py` has the form for CPU adapters and for few channels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import prod

from ops import wgsl
from ops.lowering.addressing import QUAD, padded, stride_params, wrapped
from ops.lowering.after import After, Finish
from ops.lowering.builder import MAX_GROUPS, Builder, Params
from ops.lowering.convolution_weights import laid
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.space import Convolution
from shaders.spec import Binding, KernelSpec, Param

_RANK = 4
"""Of how many axes coordinates are: images, and places along up to three."""
_LEAST_CHANNELS, _LEAST_OUTPUTS, _LEAST_PLACES = 8, 16, 32
"""Below which a tile is mostly empty."""
_ARRAYS = ("size", "space", "taps", "stride", "dilation", "before", "places")
_WANTED = 264
"""Workgroups that keep a large GPU busy."""


@dataclass(frozen=True, slots=True)
class _Tile:
    """`tops` by `lefts` lanes, each of which has so many fours of outputs and of places; `depth` channels a step."""

    tops: int
    lefts: int
    row_quads: int
    column_quads: int
    depth: int

    @property
    def tall(self) -> int:
        """Its outputs."""
        return QUAD * self.tops * self.row_quads

    @property
    def wide(self) -> int:
        """Its places."""
        return QUAD * self.lefts * self.column_quads

    @property
    def lanes(self) -> int:
        """The size of its workgroup."""
        return self.tops * self.lefts

    @property
    def workgroup_bytes(self) -> int:
        """The memory of its workgroup: all is there twice."""
        return 8 * self.depth * (self.tall + self.wide)

    def count(self, form: Convolution) -> int:
        """How many a convolution has."""
        return form.groups * -(-form.outputs // self.tall) * -(-_columns(form) // self.wide)


_TILES = (_Tile(8, 16, 2, 2, 8), _Tile(8, 16, 2, 1, 16), _Tile(16, 8, 1, 1, 32), _Tile(16, 8, 1, 1, 16))
_FLAT = (_Tile(8, 16, 1, 1, 16),)
"""Where there are few outputs."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on: its tile, `axes` of space, whether places of an image are `whole` fours,
    and what comes after.
    """

    tile: _Tile
    axes: int
    whole: bool
    finish: Finish


def suits(device: DeviceClass, form: Convolution) -> bool:
    """Whether a convolution is better made so."""
    return (
        device.kind == "gpu"
        and form.channels >= _LEAST_CHANNELS
        and form.outputs >= _LEAST_OUTPUTS
        and _columns(form) >= _LEAST_PLACES
        and _lines(form, _TILES[0]) <= MAX_GROUPS
        and _work(form, _TILES[0]) <= device.work
    )


def emit(
    builder: Builder, x: Source, weight: Source, form: Convolution, target: Target, after: After | None = None
) -> None:
    """Write the convolution to `target`, contiguous from offset 0, or what is done with it, which keeps the dtype."""
    weights = laid(builder, weight, form, taps_first=True)
    after = after or After.nothing("f32")
    tile = _choice(builder.device, form)
    text = _Form(tile, len(form.taps), prod(form.places) % QUAD == 0, after.finish)
    params = _params(form, x, after) | after.values
    operands = [x.operand, weights.operand, *(source.operand for source in after.sources), target.operand]
    each = max(_work(form, tile) // (tile.lanes * _lines(form, tile)), 1)
    for first, tiles in _parts(builder.device, form, tile):
        groups = (tiles, _lines(form, tile), 1)
        builder.dispatch(_spec(text), groups, operands, {**params, "first": first}, each)


def _columns(form: Convolution) -> int:
    return form.batch * prod(form.places)


def _lines(form: Convolution, tile: _Tile) -> int:
    """The tiles of all outputs at the same places."""
    return form.groups * -(-form.outputs // tile.tall)


def _work(form: Convolution, tile: _Tile) -> int:
    """The multiply-adds of these."""
    return _lines(form, tile) * tile.tall * tile.wide * form.channels * prod(form.taps)


def _parts(device: DeviceClass, form: Convolution, tile: _Tile) -> Iterator[tuple[int, int]]:
    """With which places each dispatch begins, in tiles, and how many it takes."""
    tiles = -(-_columns(form) // tile.wide)
    most = max(1, min(device.work // _work(form, tile), MAX_GROUPS))
    for first in range(0, tiles, most):
        yield first, min(most, tiles - first)


def _choice(device: DeviceClass, form: Convolution) -> _Tile:
    """The largest tile of which there are enough, else the smallest, by deep steps where there is room."""
    tiles = _FLAT if form.outputs <= _FLAT[0].tall else _TILES
    fitting = [tile for tile in tiles if tile.workgroup_bytes <= device.workgroup_bytes]
    enough = (tile for tile in fitting if tile.count(form) >= _WANTED)
    return next(enough, min(fitting, key=lambda tile: (tile.wide, -tile.depth)))


def _params(form: Convolution, x: Source, after: After) -> Params:
    """The sizes, and where the elements of `x` and of the extra operands lie."""
    image, channel, *space = x.layout.strides
    params: Params = {
        "offset_x": x.layout.offset,
        "image_x": wrapped(image),
        "channel_x": wrapped(channel),
        "groups": form.groups,
        "channels": form.channels,
        "outputs": form.outputs,
        "quads": -(-form.outputs // QUAD),
        "points": prod(form.places),
        "columns": _columns(form),
    }
    arrays = (form.size, space, form.taps, form.stride, form.dilation, form.before, form.places)
    for name, sizes in zip(_ARRAYS, arrays, strict=True):
        params[name] = padded(sizes, _RANK, 0)
    for number, source in enumerate(after.sources):
        image, channel, *space = source.layout.expand(form.result).strides
        params |= {
            f"offset_e{number}": source.layout.offset,
            f"strides_e{number}": padded((image, *space), _RANK, 0),
            f"row_e{number}": wrapped(channel),
        }
    return params


@cache
def _spec(text: _Form) -> KernelSpec:
    tile, extras = text.tile, text.finish.extras
    body = [
        f"let row_tiles = (params.outputs + {tile.tall - 1}u) / {tile.tall}u;",
        "let group = wid.y / row_tiles;",
        f"let first_row = wid.y % row_tiles * {tile.tall}u;",
        f"let first_column = (params.first + wid.x) * {tile.wide}u;",
        "run(group, first_row, first_column, lid.x);",
        *_finish(text),
    ]
    fields = [
        "offset_x",
        "image_x",
        "channel_x",
        "groups",
        "channels",
        "outputs",
        "quads",
        "points",
        "columns",
    ]
    fields += ["first", *(f"{kind}_{name}" for name in extras for kind in ("offset", "row"))]
    arrays = [*_ARRAYS, *(f"strides_{name}" for name in extras)]
    return KernelSpec(
        "convolution",
        (Binding("x", "f32"), Binding("w", "vec4<f32>"), *map(Binding, extras, text.finish.types)),
        (Binding("out", "vec4<f32>" if text.whole else "f32", "read_write"),),
        "\n".join(body),
        (*map(Param, fields), *stride_params(arrays, _RANK), *text.finish.params),
        (tile.lanes, 1, 1),
        functions=wgsl.with_helpers(text.finish.text),
        partials=("tiles/convolution",),
        settings=(
            ("axes", text.axes),
            ("tops", tile.tops),
            ("lefts", tile.lefts),
            ("row_quads", tile.row_quads),
            ("column_quads", tile.column_quads),
            ("depth", tile.depth),
            ("whole", int(text.whole)),
        ),
    )


def _finish(text: _Form) -> list[str]:
    """Statements that finish what a lane has stored; loops, since drivers choke on long text."""
    if not text.finish.text:
        return []
    tile, axes = text.tile, range(_RANK - text.axes, _RANK)
    where = [f"c{axis} * strides_{{0}}_at({axis}u)" for axis in axes]
    image = f"rest * strides_{{0}}_at({axes[0] - 1}u)"
    at = " + ".join(["params.offset_{0}", "(group * params.outputs + row) * params.row_{0}", image, *where])
    reads = [f", {name}[{at.format(name)}]" for name in text.finish.extras]
    made = "out[at / 4u][at % 4u]" if text.whole else "out[at]"
    return [
        f"for (var n = 0u; n < {QUAD * tile.column_quads}u; n++) {{",
        f"let column = first_column + (lid.x / {tile.tops}u + n / 4u * {tile.lefts}u) * 4u + n % 4u;",
        "if (column < params.columns) {",
        "var rest = column;",
        *(
            line
            for axis in reversed(axes)
            for line in (f"let c{axis} = rest % places_at({axis}u);", f"rest /= places_at({axis}u);")
        ),
        f"for (var r = 0u; r < {QUAD * tile.row_quads}u; r++) {{",
        f"let row = first_row + (lid.x % {tile.tops}u + r / 4u * {tile.tops}u) * 4u + r % 4u;",
        "if (row < params.outputs) {",
        "let at = place_of(group, row, column);",
        f"{made} = finish({made}{''.join(reads)});",
        "}\n}\n}\n}",
    ]
