"""Matrix products on GPUs: a workgroup makes a square tile in workgroup memory, double-buffered.

Owns the choice of the tile's size, how a product is cut into dispatches, and the splitting of long sums where there are
few tiles. Operands' rows or columns must be readable by fours: a transposed matrix is read as it lies, and so are
packed elements. Must not know op names. `matmul.py` has the form for CPU adapters, small products and integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from ops import wgsl
from ops.dtypes import is_packed
from ops.expression import Term, bind, input_term, parse, substituted
from ops.layout import Layout, collapse
from ops.lowering import elementwise, packing
from ops.lowering.addressing import QUAD, address, bucket, coordinates, padded, stride_params, wrapped
from ops.lowering.after import After, Finish
from ops.lowering.before import Before, Prepare
from ops.lowering.builder import MAX_GROUPS, Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.lowering.register_tile import is_by_quads, packed
from shaders.spec import Binding, KernelSpec, Param

LEAST = 32
"""Rows, columns and inner positions below which a tile is mostly empty."""
_LANES = 256
"""The workgroup size, which every adapter has."""
_DEEP = 16
"""Inner positions of a deep step; a shallow one has half."""
_WANTED = 128
"""Workgroups that keep a large GPU busy if each goes through its operands in deep steps, else twice as many."""
_SPANS = ((4, 64), (8, 256))
"""In how many parts a sum may be split, if each has so many inner positions at least."""
_LONG_SPAN = 512
"""From where on twice as many parts that are made in shallow steps are better than fewer in deep ones."""
_MOST_READ = 6
"""Operands that a kernel reads: with the result 7 storage buffers, of the 8 that every WebGPU device has."""
_MOST_TEXT = 1 << 10
"""Characters of what is done with sums where they are: drivers see them 64 times. What is longer is done in a loop."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Tiles of `64 * quads` rows and columns, which take `depth` inner positions a step, and `splits` parts of sums."""

    quads: int
    depth: int
    splits: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a kernel reads its two operands, of `dtypes`: along inner positions or along a side, as each `lies`.

    `prepare` is what is done with the elements of the second.
    """

    dtypes: tuple[str, str]
    lies: tuple[str, ...]
    prepare: Prepare

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The declarations of the operands."""
        kinds = zip("ab", self.dtypes, strict=True)
        return tuple(Binding(name, packing.binding(packing.kind(dtype), QUAD)) for name, dtype in kinds)

    @property
    def calls(self) -> list[str]:
        """The functions that read four elements of each; none where they are in memory as they are multiplied."""
        return [f"read_{name}" * is_packed(dtype) for name, dtype in zip("ab", self.dtypes, strict=True)]

    @property
    def texts(self) -> list[str]:
        """These functions, of a place and of the first row or column that is read there, and what they call."""
        reads = [
            f"fn {call}(place: u32, line: u32) -> vec4<f32> {{\n{self._read(name, dtype, lies)}}}"
            for name, call, dtype, lies in zip("ab", self.calls, self.dtypes, self.lies, strict=True)
            if call
        ]
        return [text for text in (self.prepare.text, *reads) if text]

    def _read(self, name: str, dtype: str, lies: str) -> str:
        quad = packing.quad(dtype, f"{name}[place]")
        if name == "a" or not self.prepare.text:
            return f"    return vec4<f32>({quad});\n"
        columns = [f"min(line + {number}u, params.columns - 1u)" for number in range(QUAD)]
        made = [
            self.prepare.call(f"quad.{part}", columns[0 if lies == "inner" else number])
            for number, part in enumerate("xyzw")
        ]
        return f"    let quad = {quad};\n    return vec4<f32>({', '.join(made)});\n"


def suits(builder: Builder, dtype: str, domain: tuple[int, ...]) -> bool:
    """Whether the product of `domain` (batch, rows, columns, inner) is better made by tiles."""
    rows, columns, inner = domain[-3:]
    is_short = 128 * columns * inner <= 4 * builder.device.work
    return builder.device.kind == "gpu" and dtype == "f32" and min(rows, columns, inner) >= LEAST and is_short


def arranged(builder: Builder, right: Source, domain: Sequence[int]) -> Source:
    """The right operand of a product of `domain` as it is read: itself, or a copy whose rows can be read by fours.

    Deep steps read a transposed one as it lies; in shallow ones that costs more than a copy.
    """
    if reads(builder.device, right, domain):
        return right
    return _by_rows(builder, right)


def reads(device: DeviceClass, right: Source, domain: Sequence[int]) -> bool:
    """Whether the right operand of a product of `domain` is read as it lies."""
    is_deep = _choice(device, domain).depth == _DEEP
    return is_by_quads(right.layout) or (is_deep and is_by_quads(right.layout.transposed()))


def emit(
    builder: Builder,
    left: Source,
    right: Source,
    domain: tuple[int, ...],
    target: Target,
    after: After | None = None,
    before: Before | None = None,
) -> None:
    """Write the product of two operands of floats or bytes, whose batch axes are broadcast, to `target`, contiguous
    from offset 0 and of f32.

    With `after`, which keeps the dtype, the target gets what is done with the product; with `before`, which wants a
    right operand that it `reads`, it is one by what is made of that.
    """
    after = after or After.nothing("f32")
    a, b = _readable(builder, left), arranged(builder, right, domain)
    form = _choice(builder.device, domain)
    if form.splits == 1:
        _multiply(builder, a, b, domain, target, form, after, before)
        return
    parts = builder.temp((form.splits, *target.layout.shape), "f32")
    _multiply(builder, a, b, domain, parts, form, After.nothing("f32"), before)
    _add_up(builder, parts, after, target)


def _choice(device: DeviceClass, domain: Sequence[int]) -> _Form:
    """The form that is best for a product: large tiles if, with sums split, there are enough.

    Deep steps hide more of the memory's latency, but fewer workgroups have room for them at a time.
    """
    *batch, rows, columns, inner = domain
    has_room = device.workgroup_bytes >= 4 * 128 * 4 * _DEEP  # two operands, each twice
    wanted = {1: 2 * _WANTED, 2: _WANTED if has_room else 2 * _WANTED}
    tiles = {quads: -(-rows // (64 * quads)) * -(-columns // (64 * quads)) * prod(batch) for quads in wanted}
    most = max(1, *(min(splits, inner // span) for splits, span in _SPANS))
    quads = 2 if min(rows, columns) > 64 and tiles[2] * most >= wanted[2] else 1
    splits = 1
    while splits * 2 <= most and splits * tiles[quads] < wanted[quads]:
        splits *= 2
    if 1 < splits < most and splits * tiles[quads] < 2 * _WANTED and inner >= 2 * splits * _LONG_SPAN:
        splits *= 2
    is_deep = quads == 1 or (has_room and splits * tiles[2] < 2 * _WANTED)
    return _Form(quads, _DEEP if is_deep else _DEEP // 2, splits)


def _readable(builder: Builder, source: Source) -> Source:
    """An operand whose rows or columns can be read by fours: itself, or a copy whose rows can."""
    return source if is_by_quads(source.layout.transposed()) else _by_rows(builder, source)


def _by_rows(builder: Builder, source: Source) -> Source:
    """An operand whose rows can be read by fours: itself, or a copy."""
    return packed(builder, source if is_by_quads(source.layout) else elementwise.widened(builder, source))


def _add_up(builder: Builder, parts: Target, after: After, target: Target) -> None:
    """Write what is done with the sum of `parts`, over their first axis, to `target`."""
    splits, *shape = parts.layout.shape
    layouts = [Layout.contiguous(tuple(shape), part * prod(shape)) for part in range(splits)]
    sources = [Source(parts.operand, layout, "f32") for layout in layouts]
    while len(sources) > 1 and len(sources) + len(after.sources) > _MOST_READ:
        some, rest = sources[:_MOST_READ], sources[_MOST_READ:]
        made = builder.temp(shape, "f32")
        elementwise.emit(builder, _sum(len(some)), some, made)
        sources = [made.source(), *rest]
    count = len(sources)
    others = {n + 1: input_term(n + count, source.dtype) for n, source in enumerate(after.sources)}
    term = substituted(after.term, {0: _sum(count), **others})
    elementwise.emit(builder, term, [*sources, *after.sources], target)


def _sum(count: int) -> Term:
    """The sum of so many inputs."""
    names = {f"x{number}": input_term(number, "f32") for number in range(count)}
    return bind(parse(" + ".join(names)), names)


def _multiply(
    builder: Builder,
    a: Source,
    b: Source,
    domain: Sequence[int],
    target: Target,
    form: _Form,
    after: After,
    before: Before | None,
) -> None:
    """Write what is done with the products, the parts of their sums one after the other."""
    *batch, rows, columns, inner = domain
    side, matrices = 64 * form.quads, prod(batch)
    layouts = [
        *(each.layout.expand((*batch, *each.layout.shape[-2:])) for each in (a, b)),
        *(source.layout.expand((*batch, rows, columns)) for source in after.sources),
    ]
    shape, steps = collapse(tuple(batch), *(layout.strides[:-2] for layout in layouts))
    row_tiles, column_tiles = -(-rows // side), -(-columns // side)
    span = -(-inner // (form.splits * _DEEP)) * _DEEP
    sizes: Params = {
        "rows": rows,
        "columns": columns,
        "inner": inner,
        "row_tiles": row_tiles,
        "matrices": matrices,
        "span": span,
    }
    params = sizes | after.values | _places(after.finish, shape, layouts, steps)
    lies = tuple(
        "inner" if is_by_quads(layout) == along_rows else "side"
        for layout, along_rows in zip(layouts[:2], (True, False), strict=True)
    )
    reading = _Reading((a.dtype, b.dtype), lies, Prepare() if before is None else before.prepare)
    spec = _spec(form.quads, form.depth, reading, columns % QUAD == 0, bucket(len(shape)), after.finish)
    operands = [a.operand, b.operand, *(source.operand for source in after.sources), target.operand]
    if before is not None:
        params |= before.values
        operands[2:2] = before.operands
    each = side * side * span // _LANES
    lines = row_tiles * matrices
    height = max(1, min(builder.device.work // (each * _LANES * column_tiles * form.splits), MAX_GROUPS))
    for first in range(0, lines, height):
        workgroups = (column_tiles, min(height, lines - first), form.splits)
        builder.dispatch(spec, workgroups, operands, {**params, "first": first}, each)


def _places(
    finish: Finish, shape: Sequence[int], layouts: Sequence[Layout], steps: Sequence[Sequence[int]]
) -> Params:
    """Where the operands lie: the two of the product in fours, along rows or else along columns."""
    rank = bucket(len(shape))
    params: Params = {"shape": padded(shape, rank, 1)}
    for name, layout, strides in zip(("a", "b", *finish.extras), layouts, steps, strict=True):
        down, across = layout.strides[-2:]
        unit = QUAD if name in "ab" else 1
        params |= {
            f"offset_{name}": layout.offset // unit,
            f"strides_{name}": padded([stride // unit for stride in strides], rank, 0),
        }
        if name in "ab":
            params[f"step_{name}"] = wrapped((down if is_by_quads(layout) else across) // QUAD)
        else:
            params |= {f"row_{name}": wrapped(down), f"column_{name}": wrapped(across)}
    return params


@cache
def _spec(quads: int, depth: int, reading: _Reading, whole: bool, rank: int, finish: Finish) -> KernelSpec:
    side, extras, prepare = 64 * quads, finish.extras, reading.prepare
    body = "\n".join(
        [
            "let line = params.first + wid.y;",
            coordinates("line / params.row_tiles", rank),
            f"let base_a = {address('a', rank)};",
            f"let base_b = {address('b', rank)};",
            *(f"base_{name} = {address(name, rank)};" for name in extras),
            "let matrix = wid.z * params.matrices + line / params.row_tiles;",
            f"let row = line % params.row_tiles * {side}u;",
            "let begin = wid.z * params.span;",
            "let end = min(begin + params.span, params.inner);",
            f"run(base_a, base_b, matrix, row, wid.x * {side}u, begin, end, lid.x);",
        ]
    )
    names = ["offset_a", "offset_b", "step_a", "step_b", "rows", "columns", "inner", "row_tiles", "matrices"]
    names += [f"{kind}_{name}" for name in extras for kind in ("offset", "row", "column")]
    strides = ["shape", *(f"strides_{name}" for name in ("a", "b", *extras))]
    return KernelSpec(
        "matmul_tiles",
        (*reading.bindings, *prepare.bindings, *map(Binding, extras, finish.types)),
        (Binding("c", "vec4<f32>" if whole else "f32", "read_write"),),
        body,
        (
            *map(Param, (*names, "span", "first")),
            *prepare.places,
            *stride_params(strides, rank),
            *prepare.params,
            *finish.params,
        ),
        (_LANES, 1, 1),
        functions=_functions(reading, finish),
        partials=("tiles/matmul",),
        settings=(
            ("quads", quads),
            ("depth", depth),
            *zip("ab", reading.lies, strict=True),
            *zip(("reads_a", "reads_b"), reading.calls, strict=True),
            ("whole", int(whole)),
            ("finished", _where(finish)),
        ),
    )


def _where(finish: Finish) -> str:
    """Where a kernel finishes its sums, if it does."""
    if not finish.text:
        return "never"
    return "in place" if len(wgsl.with_helpers(finish.text)) <= _MOST_TEXT else "in a loop"


def _functions(reading: _Reading, finish: Finish) -> str:
    """What reads the operands, and the function `finished` of the sums in a row at a column and the three after it."""
    if not finish.text:
        return wgsl.with_helpers(*reading.texts)
    bases = [f"var<private> base_{name}: u32;" for name in finish.extras]
    values = []
    for number, part in enumerate("xyzw"):
        column = f"min(column + {number}u, params.columns - 1u)" if number else "column"
        reads = [
            f", {name}[base_{name} + row * params.row_{name} + {column} * params.column_{name}]"
            for name in finish.extras
        ]
        values.append(f"finish(value.{part}{''.join(reads)})")
    text = (
        "fn finished(row: u32, column: u32, value: vec4<f32>) -> vec4<f32> {\n"
        f"    return vec4<f32>({', '.join(values)});\n}}"
    )
    return "\n".join([*bases, wgsl.with_helpers(*reading.texts, finish.text), text])
