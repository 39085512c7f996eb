"""Products of few rows with a matrix of bytes, which is read as it lies: four elements a word.

Owns the kernel: on GPUs some invocations fold a column together, on CPUs one folds several columns, which share what it
reads of the rows. All prepare what they read and finish what they sum up. A column lies in words, as that of a
transposed weight does.
Where many rows share the matrix, it pays to unpack it first: `emit` says so. Must not know op names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from ops import wgsl
from ops.dtypes import is_packed, register
from ops.layout import collapse
from ops.lowering import elementwise, packing, windows
from ops.lowering.addressing import QUAD, wrapped
from ops.lowering.after import After
from ops.lowering.before import Before, Prepare
from ops.lowering.builder import GROUP, Builder, Params
from ops.lowering.operands import Source, Target
from ops.lowering.packing import BYTES
from shaders.spec import Binding, KernelSpec, Operand, Param

_MOST_ROWS = 8
"""Rows of the left operand at most."""
_CHUNK = 64
"""Words that a lane sums up before it adds them to the rest, so that sums err like pairwise ones."""
_SPAN = 8
"""Columns of an invocation on CPUs."""
_WORD_WORK = 8
"""Multiply-adds that a word costs, unpacked."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """An operand over rows and columns: where it begins, and its steps from row to row and column to column."""

    operand: Operand
    dtype: str
    offset: int
    down: int
    across: int


@dataclass(frozen=True, slots=True)
class _Form:
    """What the text of a kernel depends on, beside what is done after.

    `left` and `right` are the dtypes of the operands, of which the second is prepared; `sums` and `result` are types of
    WGSL, `types` those of the extra operands. An invocation has `rows` sums of each of `span` columns; `lanes` of them
    share a column.
    """

    left: str
    right: str
    sums: str
    result: str
    rows: int
    lanes: int
    span: int
    types: tuple[str, ...]
    prepare: Prepare

    @property
    def names(self) -> list[str]:
        """The operands' names."""
        return ["x", "y", *(f"extra{number}" for number in range(len(self.types)))]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The rows and columns of an invocation's sums."""
        return list(product(range(self.rows), range(self.span)))


def emit(
    builder: Builder,
    left: Source,
    right: Source,
    target: Target,
    after: After | None = None,
    before: Before | None = None,
) -> bool:
    """Write the product to `target`, contiguous from offset 0 and of the dtype in which is summed, if that pays.

    Says whether it did. `left` is of floats or bytes, `right` a matrix of bytes. With `after` the target gets what is
    done with the product; with `before` it is one of f32 by what is made of the bytes.
    """
    if not _suits(builder, left, right, target):
        return False
    after = after or After.nothing(target.dtype)
    shape = target.layout.shape if len(left.layout.shape) > 1 else (1, *target.layout.shape)
    is_half = is_packed(left.dtype) and left.dtype not in BYTES
    x, y = None if is_half else _by_quads(left), _columns(right)
    extras = [_rows(source, shape) for source in after.sources]
    is_float = register(left.dtype) == "f32"
    sums = "f32" if is_float else after.dtype
    if y is None or None in extras or sums != after.dtype or (x is None and not is_float):
        return False
    if before is not None and sums != "f32":
        return False
    if x is None:
        left = elementwise.gather(builder, left)  # it is small beside the matrix
        x = _by_quads(left)
    assert x is not None
    rows, columns = prod(shape[:-1]), shape[-1]
    finish = after.function
    lanes, span = (1, _SPAN) if builder.device.kind == "cpu" else (builder.device.lanes, 1)
    form = _Form(
        x.dtype,
        y.dtype,
        wgsl.storage(sums),
        wgsl.storage(target.dtype),
        rows,
        lanes,
        span,
        after.types,
        Prepare() if before is None else before.prepare,
    )
    spec = _spec(form, finish.text, finish.params)
    words = right.layout.shape[0] // QUAD
    params: Params = {"columns": columns, "words": words, **finish.values}
    for name, place in zip(form.names, (x, y, *extras), strict=True):
        unit = QUAD if name in "xy" else 1
        assert place is not None
        params |= {f"offset_{name}": place.offset // unit, f"down_{name}": wrapped(place.down // unit)}
        params |= {} if name in "xy" else {f"across_{name}": wrapped(place.across)}
    operands = [left.operand, right.operand, *(source.operand for source in after.sources), target.operand]
    if before is not None:
        params |= before.values
        operands[2:2] = before.operands
    each = _WORD_WORK * span * rows * -(-words // lanes)
    builder.spread(spec, -(-columns // span) * lanes, operands, params, each)
    return True


def _suits(builder: Builder, left: Source, right: Source, target: Target) -> bool:
    """Whether the operands are of dtypes and sizes that the kernel takes, and rows are few."""
    device, count = builder.device, target.layout.count
    turns = right.layout.shape[0] // QUAD
    return (
        (register(left.dtype) == "f32" or left.dtype in BYTES)
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
    return _by_quads(Source(source.operand, source.layout.transposed(), source.dtype))


def _by_quads(source: Source) -> _Rows | None:
    """An operand as rows that lie in whole quads, as they are read; None for any other."""
    found, inner = _rows(source, source.layout.shape), source.layout.shape[-1]
    if found is None or found.across != 1 or (found.offset | found.down | inner) % QUAD:
        return None
    return found


def _quad(dtype: str, sums: str, words: str) -> str:
    """Four elements of an operand in the type in which is summed."""
    return words if dtype == "f32" else f"vec4<{sums}>({packing.quad(dtype, words)})"


def _column(form: _Form, column: int) -> list[str]:
    """Statements that find the four elements of a column that are multiplied next."""
    words, name = f"y[at_y{column} + i]", f"quad{column}"
    if not form.prepare.text:
        return [f"let {name} = {_quad(form.right, form.sums, words)};"]
    parts = [form.prepare.call(f"bytes{column}.{part}", f"column{column}") for part in "xyzw"]
    return [
        f"let bytes{column} = {packing.quad(form.right, words)};",
        f"let {name} = vec4<f32>({', '.join(parts)});",
    ]


@lru_cache(maxsize=256)
def _spec(form: _Form, finish: str, params: tuple[Param, ...]) -> KernelSpec:
    names, extras, prepare = form.names, form.names[2:], form.prepare
    body = "\n".join([*_begin(form), *_sum(form), *_write(form)])
    operands = ["vec4<f32>" if dtype == "f32" else "u32" for dtype in (form.left, form.right)]
    places = [f"{kind}_{name}" for name in names for kind in ("offset", "down")]
    folded = [_FOLDED.format(type=form.sums, size=GROUP, half=form.lanes // 2)] if form.lanes > 1 else []
    return KernelSpec(
        "byte_product",
        (*map(Binding, names[:2], operands), *prepare.bindings, *map(Binding, extras, form.types)),
        (Binding("out", form.result, "read_write"),),
        body,
        (
            *map(Param, ("columns", "words", *places, *(f"across_{name}" for name in extras))),
            *prepare.places,
            *prepare.params,
            *params,
        ),
        (GROUP, 1, 1),
        functions=wgsl.with_helpers(prepare.text, finish, *folded, body=body),
    )


def _begin(form: _Form) -> list[str]:
    """Which columns an invocation has, and where they lie."""
    lines = [f"let first = thread / {form.lanes}u * {form.span}u;", f"let lane = thread % {form.lanes}u;"]
    for column in range(form.span):
        lines += [
            f"let column{column} = min(first + {column}u, params.columns - 1u);",
            f"let at_y{column} = params.offset_y + column{column} * params.down_y;",
        ]
    return lines


def _sum(form: _Form) -> list[str]:
    """The sums of all pairs of a row and a column, chunk by chunk."""
    chunk = _CHUNK * form.lanes
    lines = [
        *(f"var sum{row}_{column} = {form.sums}();" for row, column in form.pairs),
        f"for (var begin = lane; begin < params.words; begin += {chunk}u) {{",
        f"    let end = min(begin + {chunk}u, params.words);",
        *(f"    var part{row}_{column} = {form.sums}();" for row, column in form.pairs),
        f"    for (var i = begin; i < end; i += {form.lanes}u) {{",
        *(f"        {line}" for column in range(form.span) for line in _column(form, column)),
    ]
    for row in range(form.rows):
        read = _quad(form.left, form.sums, f"x[params.offset_x + {row}u * params.down_x + i]")
        lines += [
            f"        let x{row} = {read};",
            *(f"        part{row}_{column} += dot(x{row}, quad{column});" for column in range(form.span)),
        ]
    added = [f"    sum{row}_{column} += part{row}_{column};" for row, column in form.pairs]
    return [*lines, "    }", *added, "}"]


def _write(form: _Form) -> list[str]:
    """What is done with each sum, once those of its lanes are folded."""
    lines = []
    for row, column in form.pairs:
        total = f"sum{row}_{column}"
        if form.lanes > 1:
            total = f"folded{row}_{column}"
            lines.append(f"let {total} = folded(sum{row}_{column}, lid.x, lane);")
        reads = [
            f"{name}[params.offset_{name} + {row}u * params.down_{name}"
            f" + column{column} * params.across_{name}]"
            for name in form.names[2:]
        ]
        lines.append(
            f"if (lane == 0u && first + {column}u < params.columns) {{\n"
            f"    out[{row}u * params.columns + column{column}] = finish({', '.join([total, *reads])});\n}}"
        )
    return lines


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
