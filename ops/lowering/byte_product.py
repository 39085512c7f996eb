"""Products of few rows with a matrix of bytes, which is read as it lies: four elements a word.

Owns the kernel: some invocations fold a column together, for all rows at once, and finish with what is done after. The
columns lie side by side, as those of a transposed weight do. Where many rows share the matrix, it pays to unpack it
first: `emit` says so. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ops import wgsl
from ops.dtypes import is_packed
from ops.expression import input_term
from ops.layout import Layout, collapse
from ops.lowering import packing, windows
from ops.lowering.base import GROUP, After, Builder, Params, Source, Target
from shaders.spec import Binding, KernelSpec, Operand, Param

BYTES = ("i8", "u8")
"""Dtypes that the kernel reads as they lie."""
_MOST_ROWS = 8
_CHUNK = 64
_WORD_WORK = 8


@dataclass(frozen=True, slots=True)
class _Rows:
    """An operand over rows and columns: where it begins, and its steps from row to row and column to column."""

    operand: Operand
    dtype: str
    offset: int
    down: int
    across: int


def emit(builder: Builder, left: Source, right: Source, target: Target, after: After | None = None) -> bool:
    """Write the product to `target`, contiguous from offset 0 and of the dtype in which is summed, if that pays.

    Says whether it did. `left` is of f32 or bytes, `right` a matrix of bytes. With `after` the target gets what is done
    with the product.
    """
    after = after or After(input_term(0, target.dtype), target.dtype)
    shape = target.layout.shape if len(left.layout.shape) > 1 else (1, *target.layout.shape)
    x, y = _rows(left, left.layout.shape), _columns(right)
    extras = [_rows(source, shape) for source in after.sources]
    sums = "f32" if left.dtype == "f32" else after.dtype
    if (
        x is None
        or y is None
        or None in extras
        or sums != after.dtype
        or not _suits(builder, left, right, target)
    ):
        return False
    rows, columns = prod(shape[:-1]), shape[-1]
    names = [("value", after.dtype), *((f"x{n}", source.dtype) for n, source in enumerate(after.sources))]
    finish = wgsl.function("finish", after.term, names)
    lanes = 1 if builder.device.kind == "cpu" else builder.device.lanes
    types = tuple(wgsl.storage(source.dtype) for source in after.sources)
    spec = _spec(
        x.dtype, y.dtype, wgsl.storage(sums), wgsl.storage(target.dtype), rows, lanes, finish.text, finish.params, types
    )  # fmt: skip
    words = right.layout.shape[0] // packing.QUAD
    params: Params = {"columns": columns, "words": words, **finish.values}
    for name, place in zip(_names(types), (x, y, *extras), strict=True):
        unit = packing.QUAD if name in "xy" else 1
        assert place is not None
        params |= {f"offset_{name}": place.offset // unit, f"down_{name}": place.down // unit}
        params |= {} if name in "xy" else {f"across_{name}": place.across}
    operands = [left.operand, right.operand, *(source.operand for source in after.sources), target.operand]
    builder.spread(spec, columns * lanes, operands, params, _WORD_WORK * rows * -(-words // lanes))
    return True


def _suits(builder: Builder, left: Source, right: Source, target: Target) -> bool:
    """Whether the operands are of dtypes and sizes that the kernel takes, and rows are few."""
    device, count = builder.device, target.layout.count
    turns = right.layout.shape[0] // packing.QUAD
    return (
        left.dtype in ("f32", *BYTES)
        and right.dtype in BYTES
        and not is_packed(target.dtype)
        and 0 < count <= _MOST_ROWS * right.layout.shape[-1]
        and 0 < turns <= device.loop_turns // 2
        and not any(windows.is_wide(device, each.layout) for each in (left, right, target))
    )


def _rows(source: Source, shape: Sequence[int]) -> _Rows | None:
    """`source`, broadcast to `shape`, as rows; None where no two steps say how it lies."""
    layout = source.layout.expand(tuple(shape))
    outer, (steps,) = collapse(layout.shape[:-1], layout.strides[:-1])
    if len(outer) > 1:
        return None
    down = steps[0] if outer else 0
    return _Rows(source.operand, source.dtype, layout.offset, down, layout.strides[-1])


def _columns(source: Source) -> _Rows | None:
    """A matrix whose columns lie in whole words, as rows; None for any other operand."""
    if len(source.layout.shape) != 2:
        return None
    turned: Layout = source.layout.permute((1, 0))
    found = _rows(Source(source.operand, turned, source.dtype), turned.shape)
    return found if found is not None and _is_by_quads(found, turned.shape[-1]) else None


def _is_by_quads(place: _Rows, inner: int) -> bool:
    return place.across == 1 and not (place.offset | place.down | inner) % packing.QUAD


def _names(extras: Sequence[str]) -> list[str]:
    return ["x", "y", *(f"extra{number}" for number in range(len(extras)))]


def _quad(dtype: str, sums: str, words: str) -> str:
    """Four elements of an operand in the type in which is summed."""
    return words if dtype == "f32" else f"vec4<{sums}>({packing.quad(dtype, words)})"


@lru_cache(maxsize=256)
def _spec(
    left: str,
    right: str,
    sums: str,
    result: str,
    rows: int,
    lanes: int,
    finish: str,
    params: tuple[Param, ...],
    extras: tuple[str, ...],
) -> KernelSpec:
    names = _names(extras)
    each = range(rows)
    body = [
        f"let column = min(thread / {lanes}u, params.columns - 1u);",
        f"let lane = thread % {lanes}u;",
        "let at_y = params.offset_y + column * params.down_y;",
        *(f"var sum{row} = {sums}();" for row in each),
        f"for (var begin = lane; begin < params.words; begin += {_CHUNK * lanes}u) {{",
        f"    let end = min(begin + {_CHUNK * lanes}u, params.words);",
        *(f"    var part{row} = vec4<{sums}>();" for row in each),
        f"    for (var i = begin; i < end; i += {lanes}u) {{",
        f"        let quad = {_quad(right, sums, 'y[at_y + i]')};",
        *(
            f"        part{row} += {_quad(left, sums, f'x[params.offset_x + {row}u * params.down_x + i]')} * quad;"
            for row in each
        ),
        "    }",
        *(f"    sum{row} += (part{row}.x + part{row}.y) + (part{row}.z + part{row}.w);" for row in each),
        "}",
    ]
    for row in each:
        reads = [
            f"{name}[params.offset_{name} + {row}u * params.down_{name} + column * params.across_{name}]"
            for name in names[2:]
        ]
        total = f"sum{row}"
        if lanes > 1:
            total = f"folded{row}"
            body.append(f"let {total} = folded(sum{row}, lid.x, lane);")
        body.append(
            f"if (lane == 0u && thread / {lanes}u < params.columns) {{\n"
            f"    out[{row}u * params.columns + column] = finish({', '.join([total, *reads])});\n}}"
        )
    words = {name: "vec4<f32>" if dtype == "f32" else "u32" for name, dtype in (("x", left), ("y", right))}
    places = [f"{kind}_{name}" for name in names for kind in ("offset", "down")]
    return KernelSpec(
        "byte_product",
        (*(Binding(name, type) for name, type in zip(names, [*words.values(), *extras], strict=True)),),
        (Binding("out", result, "read_write"),),
        "\n".join(body),
        (
            *map(Param, ("columns", "words", *places, *(f"across_{name}" for name in names[2:]))),
            *params,
        ),
        (GROUP, 1, 1),
        functions=wgsl.with_helpers(finish, *([_FOLDED.format(type=sums, size=GROUP, half=lanes // 2)] * (lanes > 1)),
                                    body="\n".join(body)),
    )  # fmt: skip


_FOLDED = """var<workgroup> parts: array<{type}, {size}>;
fn folded(sum: {type}, place: u32, lane: u32) -> {type} {{
  workgroupBarrier();
  parts[place] = sum;
  for (var step = {half}u; step > 0u; step >>= 1u) {{
    workgroupBarrier();
    if (lane < step) {{
      parts[place] += parts[place + step];
    }}
  }}
  return parts[place];
}}"""
