"""Softmax: one workgroup a row; rows too long for that are folded and spread by the kernels of other modules.

Owns the kernel. Must not know op names.
"""

from __future__ import annotations

from functools import lru_cache

from ops.expression import bind, input_term, parse
from ops.layout import Layout
from ops.lowering import elementwise, reduce
from ops.lowering.base import Builder, Params, Source, Target, grid
from ops.lowering.reduce import Fold
from ops.lowering.rows import arrange, row_params, row_prologue
from ops.numerics import helpers
from ops.shapes import Shape
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_SWEEPS = 3
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
    params: Params = rows.params() | {"rows": rows.count, "columns": rows.columns, "inner": inner}
    builder.dispatch(_spec(rows.rank, lanes), grid(rows.count), [*rows.operands, target.operand], params)


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
def _spec(rank: int, lanes: int) -> KernelSpec:
    sweep = f"for (var i = lane; i < params.columns; i += {lanes}u) {{"
    value = "in0[at_in0 + i * params.step_in0]"
    result = "out[at_out + i * params.inner]"
    body = [
        "let row = wid.x + wid.y * nwg.x;",
        "if (row >= params.rows) {\n    return;\n}",
        "let lane = lid.x;",
        row_prologue(1, rank),
        "let at_out = row / params.inner * params.inner * params.columns + row % params.inner;",
        "var peak = -infinity();",
        f"{sweep}\n    peak = maximum_f32(peak, {value});\n}}",
        *_tree("peak", "maximum_f32(row_peak[lane], row_peak[lane + {}u])", lanes),
        "var total = 0.0f;",
        f"{sweep}\n    let raised = exp_f32({value} - row_peak[0]);\n    {result} = raised;\n    total += raised;\n}}",
        *_tree("total", "row_total[lane] + row_total[lane + {}u]", lanes),
        "let scale = 1.0f / row_total[0];",
        f"{sweep}\n    {result} *= scale;\n}}",
    ]
    text = "\n".join(body)
    shared = "\n".join(f"var<workgroup> row_{name}: array<f32, {lanes}>;" for name in ("peak", "total"))
    return KernelSpec(
        "softmax",
        (Binding("in0", "f32"),),
        (Binding("out", "f32", "read_write"),),
        text,
        (*(Param(name) for name in ("rows", "columns", "inner")), *row_params(1, rank)),
        (lanes, 1, 1),
        functions=f"{shared}\n{helpers(text)}",
    )


def _tree(name: str, combine: str, lanes: int) -> list[str]:
    """Statements that fold each lane's `name` into element 0 of the workgroup's array."""
    lines = [f"row_{name}[lane] = {name};", "workgroupBarrier();"]
    step = lanes // 2
    while step:
        lines += [
            f"if (lane < {step}u) {{\n    row_{name}[lane] = {combine.format(step)};\n}}",
            "workgroupBarrier();",
        ]
        step //= 2
    return lines
