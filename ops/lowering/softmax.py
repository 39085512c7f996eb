"""Softmax: one workgroup a row; rows too long for that are folded and spread by the kernels of other modules.

Owns the kernel. Must not know op names.
"""

from __future__ import annotations

from functools import lru_cache

from ops.expression import bind, input_term, parse
from ops.layout import Layout
from ops.lowering import elementwise, reduce
from ops.lowering.base import Builder, Params, Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import arrange, row_params, row_prologue
from ops.numerics import helpers
from ops.shapes import Shape
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_SWEEPS = 3
_ELEMENT_WORK = 64
_MAX = Reduction("maximum(a, b)", None)
_SUM = Reduction("a + b", 0)


def emit(builder: Builder, source: Source, axis: int, target: Target) -> None:
    """Write the softmax of `source` (f32) along `axis` to `target`, contiguous from offset 0."""
    if target.layout.count == 0:
        return
    lanes = builder.device.lanes
    if _SWEEPS * (target.layout.shape[axis] // lanes + lanes) > builder.device.loop_turns:
        _long(builder, source, axis, target)
        return
    rows = arrange(builder, [source], source.layout.shape, [axis])
    inner = Layout.contiguous(target.layout.shape).strides[axis]
    width = 4 if inner == 1 and rows.quads() else 1
    params: Params = rows.params(width) | {
        "rows": rows.count,
        "columns": rows.columns // width,
        "inner": inner,
    }
    spec = _spec(rows.rank, lanes, width)
    each = _ELEMENT_WORK * -(-target.layout.shape[axis] // lanes)
    builder.spread(spec, rows.count * lanes, [*rows.operands, target.operand], params, each)


def _long(builder: Builder, source: Source, axis: int, target: Target) -> None:
    """The same in five or more kernels, of any length."""
    shape = source.layout.shape
    folded: Shape = tuple(1 if number == axis else size for number, size in enumerate(shape))
    x, y = input_term(0, "f32"), input_term(1, "f32")
    peak, total = builder.temp(folded, "f32"), builder.temp(folded, "f32")
    raised = builder.temp(shape, "f32")
    reduce.emit(builder, Fold(_MAX, x, "f32"), [source], shape, [axis], peak)
    grown = bind(parse("exp(x - y)"), {"x": x, "y": y})
    elementwise.emit(builder, grown, [source, peak.source()], raised)
    reduce.emit(builder, Fold(_SUM, x, "f32"), [raised.source()], shape, [axis], total)
    elementwise.emit(
        builder, bind(parse("x / y"), {"x": x, "y": y}), [raised.source(), total.source()], target
    )


@lru_cache(maxsize=16)
def _spec(rank: int, lanes: int, width: int) -> KernelSpec:
    """The kernel for rows that are read by `width` elements. `max` may drop a NaN: `exp` finds it again."""
    type = "vec4<f32>" if width == 4 else "f32"
    parts = ["{}.x", "{}.y", "{}.z", "{}.w"] if width == 4 else ["{}"]
    exponentials = ", ".join(f"exp_f32({part.format('shifted')})" for part in parts)
    sweep = f"for (var i = lane; i < params.columns; i += {lanes}u) {{"
    value = "in0[at_in0 + i * params.step_in0]"
    result = "out[at_out + i * params.inner]"
    body = [
        f"let row = wid.x + wid.y * nwg.x + params.first_thread / {lanes}u;",
        "if (row >= params.rows) {\n    return;\n}",
        "let lane = lid.x;",
        row_prologue(1, rank),
        "let at_out = row / params.inner * params.inner * params.columns + row % params.inner;",
        f"var peak = {type}(-infinity());",
        f"{sweep}\n    peak = max(peak, {value});\n}}",
        f"row_peak[lane] = {_fold('max({}, {})', parts, 'peak')};",
        *_tree("peak", "max(row_peak[lane], row_peak[lane + {}u])", lanes),
        f"var total = {type}();",
        sweep,
        f"    let shifted = {value} - row_peak[0];",
        f"    let raised = {type}({exponentials});",
        f"    {result} = raised;\n    total += raised;\n}}",
        f"row_total[lane] = {_fold('{} + {}', parts, 'total')};",
        *_tree("total", "row_total[lane] + row_total[lane + {}u]", lanes),
        "let scale = 1.0f / row_total[0];",
        f"{sweep}\n    {result} *= scale;\n}}",
    ]
    text = "\n".join(body)
    shared = "\n".join(f"var<workgroup> row_{name}: array<f32, {lanes}>;" for name in ("peak", "total"))
    return KernelSpec(
        "softmax",
        (Binding("in0", type),),
        (Binding("out", type, "read_write"),),
        text,
        (*(Param(name) for name in ("rows", "columns", "inner")), *row_params(1, rank)),
        (lanes, 1, 1),
        functions=f"{shared}\n{helpers(text)}",
    )


def _fold(combine: str, parts: list[str], name: str) -> str:
    """The components of `name` combined."""
    text = parts[0].format(name)
    for part in parts[1:]:
        text = combine.format(text, part.format(name))
    return text


def _tree(name: str, combine: str, lanes: int) -> list[str]:
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
