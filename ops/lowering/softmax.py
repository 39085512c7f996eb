"""Softmax and its logarithm: one kernel, of a row an invocation or a row a workgroup; longer rows are folded.

Owns the kernels. An invocation sweeps its row only twice: it scales its sum whenever the largest element grows
(Milakov and Gimelshein, 2018). The lanes of a workgroup keep what they read if that is not much. Must not know op
names: what is read is a term, so that a fused producer is just a larger `load`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from ops import wgsl
from ops.expression import Term, bind, input_term, parse
from ops.layout import Layout
from ops.lowering import elementwise, reduce, sweeps, windows
from ops.lowering.builder import Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import are_rows, arrange, row_params, row_prologue, row_read
from ops.shapes import Shape
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_SWEEPS = 3
_UNROLL = 4
_FEWEST_ROWS = 64
_ELEMENT_WORK = 32
_MAX = Reduction("maximum(a, b)", None)
_SUM = Reduction("a + b", 0)


def emit(
    builder: Builder,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    axis: int,
    target: Target,
    is_log: bool = False,
) -> None:
    """Write the softmax along `axis` of `load` (f32), whose inputs are `sources` broadcast to `shape`, to `target`.

    The target is contiguous from offset 0. With `is_log` it gets the logarithm.
    """
    if target.layout.count == 0:
        return
    layouts = [source.layout.expand(shape) for source in sources]
    cut = windows.cut_axis(builder.device, shape, [*layouts, target.layout])
    if cut is not None and cut != axis:
        _by_halves(builder, load, sources, shape, axis, target, is_log, cut)
        return
    columns = target.layout.shape[axis]
    if not are_rows(sources, shape, [axis]):
        sources, load = [_loaded(builder, load, sources, shape)], input_term(0, "f32")
    kernel = None if cut == axis else _kernel(builder.device, target.layout.count // columns, columns)
    if kernel is None:
        source = sources[0] if load.function == "input" else _loaded(builder, load, sources, shape)
        _long(builder, Source(source.operand, source.layout.expand(shape), "f32"), axis, target, is_log)
        return
    rows = arrange(builder, sources, shape, [axis])
    inner = Layout.contiguous(target.layout.shape).strides[axis]
    width = 4 if inner == 1 and rows.quads() else 1
    function = wgsl.function("load", load, [(f"x{n}", dtype) for n, dtype in enumerate(rows.dtypes)])
    params: Params = rows.params(width) | {
        "rows": rows.count,
        "columns": rows.columns // width,
        **function.values,
    }
    if width == 1:
        params["inner"] = inner
    lanes = builder.device.row_lanes(columns // width)
    types = tuple(map(wgsl.storage, rows.dtypes))
    bare = load.function == "input"
    operands = [*rows.operands, target.operand]
    if kernel is _by_invocation:
        spec = kernel(function.text, function.params, types, bare, rows.rank, lanes, width, is_log)
        builder.spread(spec, rows.count, operands, params, _ELEMENT_WORK * columns)
    else:
        kept = builder.device.kept_units(rows.columns // width, lanes)
        form = partial(_by_keepers, kept, kept * lanes == rows.columns // width) if kept else kernel
        spec = form(function.text, function.params, types, bare, rows.rank, lanes, width, is_log)
        each = _ELEMENT_WORK * -(-columns // lanes)
        builder.spread(spec, rows.count * lanes, operands, params, each)


def _by_halves(
    builder: Builder,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    axis: int,
    target: Target,
    is_log: bool,
    cut: int,
) -> None:
    """The same in two parts along the axis `cut`, since an operand is larger than a binding."""
    sources = [Source(source.operand, source.layout.expand(shape), source.dtype) for source in sources]

    def write(part: range, there: Target) -> None:
        seen = [windows.halved(source, cut, part) for source in sources]
        emit(builder, load, seen, there.layout.shape, axis, there, is_log)

    elementwise.by_halves(builder, target, cut, write)


def _kernel(device: DeviceClass, rows: int, columns: int) -> Callable[..., KernelSpec] | None:
    """Which kernel takes rows of so many columns; None where its loops would be too long."""
    by_row = device.kind == "cpu" and rows >= _FEWEST_ROWS
    if by_row and _SWEEPS * columns <= device.loop_turns:
        return _by_invocation
    lanes = device.row_lanes(columns)
    return _by_group if _SWEEPS * (columns // lanes + lanes) <= device.loop_turns else None


def _loaded(builder: Builder, load: Term, sources: Sequence[Source], shape: Shape) -> Source:
    target = builder.temp(shape, "f32")
    elementwise.emit(builder, load, sources, target)
    return target.source()


def _long(builder: Builder, source: Source, axis: int, target: Target, is_log: bool) -> None:
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
    if is_log:
        logs = bind(parse("x - y - log(z)"), {"x": x, "y": y, "z": input_term(2, "f32")})
        elementwise.emit(builder, logs, [source, peak.source(), total.source()], target)
    else:
        share = bind(parse("x / y"), {"x": x, "y": y})
        elementwise.emit(builder, share, [raised.source(), total.source()], target)


@lru_cache(maxsize=256)
def _by_invocation(
    load: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    bare: bool,
    rank: int,
    lanes: int,
    width: int,
    is_log: bool,
) -> KernelSpec:
    """A row an invocation, in runs of `_UNROLL` units of `width` elements.

    A run is read before it is written: rows of whole pages, read and written in turn, drive each other out of caches.
    """
    type, parts = sweeps.unit_type(width)

    def grow(units: int) -> list[str]:
        values = [f"x{number}" for number in range(units)]
        return [
            *(line for number in range(units) for line in _value(number, types, bare, width)),
            f"let most = {sweeps.nested('max({}, {})', values)};",
            f"let next = max(peak, {sweeps.folded('max({}, {})', parts, 'most')});",
            f"total = total * shrink(peak - next){''.join(f' + power({value} - next)' for value in values)};",
            "peak = next;",
        ]

    def spread(units: int) -> list[str]:
        numbers = [sweeps.unit(number) for number in range(units)]
        made = "x{} - peak - sum_log" if is_log else "finite_power(x{} - peak) * scale"
        return [
            *(
                f"let x{n} = {row_read(0, i, width) if bare else _out(i, width)};"
                for n, i in enumerate(numbers)
            ),
            *(f"{_out(i, width)} = {made.format(n)};" for n, i in enumerate(numbers)),
        ]

    body = [
        "if (thread >= params.rows) {\n    return;\n}",
        "let row = thread;",
        *_begin(len(types), rank, width),
        f"var peak = {_LEAST}f;",
        f"var total = {type}();",
        *sweeps.sweep(_UNROLL, grow),
        _end(f"({sweeps.folded('{} + {}', parts, 'total')})", is_log),
        *sweeps.sweep(_UNROLL, spread),
    ]
    return _spec(f"{_name(is_log)}_rows", body, load, params, types, rank, (lanes, 1, 1), width, "")


@lru_cache(maxsize=256)
def _by_group(
    load: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    bare: bool,
    rank: int,
    lanes: int,
    width: int,
    is_log: bool,
) -> KernelSpec:
    """A row a workgroup, whose lanes take turns."""
    type, parts = sweeps.unit_type(width)
    again, mine = row_read(0, "i", width) if bare else _out("i", width), _out("i", width)
    kept, last = (
        ([], f"{mine} = {again} - all_peak - sum_log;") if is_log else ([f"{mine} = e;"], f"{mine} *= scale;")
    )
    body = [
        f"let row = wid.x + wid.y * nwg.x + params.first_thread / {lanes}u;",
        "if (row >= params.rows) {\n    return;\n}",
        "let lane = lid.x;",
        *_begin(len(types), rank, width),
        f"var peak = {type}(-infinity());",
        *sweeps.stride(lanes, [*_value(0, types, bare, width), "peak = max(peak, x0);"]),
        *_all("peak", "max({}, {})", parts, lanes),
        f"var total = {type}();",
        *sweeps.stride(lanes, [f"let e = power({again} - all_peak);", "total += e;", *kept]),
        *_all("total", "{} + {}", parts, lanes),
        _end("all_total", is_log),
        *sweeps.stride(lanes, [last]),
    ]
    shared = sweeps.shared(("peak", "total"), lanes)
    return _spec(_name(is_log), body, load, params, types, rank, (lanes, 1, 1), width, shared)


@lru_cache(maxsize=256)
def _by_keepers(
    kept: int,
    whole: bool,
    load: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    bare: bool,
    rank: int,
    lanes: int,
    width: int,
    is_log: bool,
) -> KernelSpec:
    """A row a workgroup, each of whose lanes keeps `kept` units: they are read and written once."""
    (type, parts), units = sweeps.unit_type(width), range(kept)
    least = f"{type}(-infinity())"
    shifted = [f"x{number} - all_peak" for number in units]
    results = [f"{each} - sum_log" if is_log else f"e{n} * scale" for n, each in enumerate(shifted)]
    body = [
        f"let row = wid.x + wid.y * nwg.x + params.first_thread / {lanes}u;",
        "if (row >= params.rows) {\n    return;\n}",
        "let lane = lid.x;",
        *_begin(len(types), rank, width),
        *sweeps.kept(kept, lanes, whole),
        *(line for number in units for line in _read("read", number, f"i{number}", types, bare, width)),
        *(f"let x{number} = select({least}, read{number}, has{number});" for number in units),
        f"let peak = {sweeps.nested('max({}, {})', [f'x{number}' for number in units])};",
        *_all("peak", "max({}, {})", parts, lanes),
        *(f"let e{number} = power({each});" for number, each in enumerate(shifted)),
        f"let total = {sweeps.nested('{} + {}', [f'e{number}' for number in units])};",
        *_all("total", "{} + {}", parts, lanes),
        _end("all_total", is_log),
        *(
            f"if (has{number}) {{\n    {_out(f'i{number}', width)} = {result};\n}}"
            for number, result in enumerate(results)
        ),
    ]
    shared = sweeps.shared(("peak", "total"), lanes)
    size = (lanes, 1, 1)
    return _spec(_name(is_log), body, load, params, types, rank, size, width, shared, _DRIVERS_POWER)


def _all(name: str, combine: str, parts: Sequence[str], lanes: int) -> list[str]:
    """Statements that fold what the lanes have as `name`."""
    mine = f"row_{name}[lane] = {sweeps.folded(combine, parts, name)};"
    return [mine, *sweeps.tree(name, combine, lanes)]


def _name(is_log: bool) -> str:
    return "log_softmax" if is_log else "softmax"


def _end(total: str, is_log: bool) -> str:
    """The statement that says what each element needs of the row's sum."""
    return f"let sum_log = log_f32({total});" if is_log else f"let scale = 1.0f / {total};"


def _spec(
    name: str,
    body: Sequence[str],
    load: str,
    params: tuple[Param, ...],
    types: Sequence[str],
    rank: int,
    size: tuple[int, int, int],
    width: int,
    shared: str,
    finite: str = "",
) -> KernelSpec:
    float, bits, *kinds = (f"vec4<{type}>" if width == 4 else type for type in ("f32", "u32", *types, "f32"))
    powers = [
        (finite or _FINITE_POWER).format(name="finite_power", type=float, bits=bits),
        _FINITE_POWER.format(name="shrink", type="f32", bits="u32"),
        _POWER.format(type=float, bits=bits),
    ]
    return KernelSpec(
        name,
        tuple(Binding(f"in{number}", kind) for number, kind in enumerate(kinds[:-1])),
        (Binding("out", kinds[-1], "read_write"),),
        "\n".join(body),
        (
            *(Param(field) for field in ("rows", "columns", *["inner"] * (width == 1))),
            *row_params(len(types), rank, width),
            *params,
        ),
        size,
        functions="\n".join(
            [shared, wgsl.with_helpers(load, body="\n".join(["infinity()", *body])), *powers]
        ),
    )


def _begin(count: int, rank: int, width: int) -> list[str]:
    inner = "row / params.inner * params.inner * params.columns + row % params.inner"
    return [row_prologue(count, rank), f"let at_out = {inner if width == 1 else 'row * params.columns'};"]


def _out(index: str, width: int) -> str:
    return f"out[at_out + {index}{' * params.inner' * (width == 1)}]"


def _value(number: int, types: Sequence[str], bare: bool, width: int) -> list[str]:
    """Statements that find the unit `i + number` as `x` and its number; what is computed is kept in the output."""
    unit = sweeps.unit(number)
    found = _read("x", number, unit, types, bare, width)
    return found if bare else [*found, f"{_out(unit, width)} = x{number};"]


def _read(name: str, number: int, unit: str, types: Sequence[str], bare: bool, width: int) -> list[str]:
    """Statements that find a unit as `name` and its number."""
    reads = [row_read(n, unit, width) for n in range(len(types))]
    if bare:
        return [f"let {name}{number} = {reads[0]};"]
    parts = [f".{part}" for part in "xyzw"] if width == 4 else [""]
    values = [f"load({', '.join(f'v{n}_{number}{part}' for n in range(len(types)))})" for part in parts]
    value = f"vec4<f32>({', '.join(values)})" if width == 4 else values[0]
    return [
        *(f"let v{n}_{number} = {read};" for n, read in enumerate(reads)),
        f"let {name}{number} = {value};",
    ]


_LEAST = -3.4028234663852886e38
"""Where the largest element begins. It is finite, since a row may begin with infinities, whose difference is NaN."""
_FINITE_POWER = """
fn {name}(x: {type}) -> {type} {{
  let turned = max(fma(x, {type}(1.44269504f), {type}(12583039.0f)), {type}(12582912.0f));
  let n = turned - 12583039.0f;
  let coarse = max(fma(n, {type}(-0.693359375f), x), {type}(-1.0f));
  let r = fma(n, {type}(2.12194440e-4f), coarse);
  var p = fma({type}(8.3125159144e-3f), r, {type}(4.1890200227e-2f));
  p = fma(p, r, {type}(1.6667114198e-1f));
  p = fma(p, r, {type}(4.9999231100e-1f));
  p = fma(p, r, {type}(1.0f));
  p = fma(p, r, {type}(1.0f));
  return p * bitcast<{type}>(bitcast<{bits}>(turned) << {bits}(23u));
}}
"""
"""e to the power of numbers up to 0, within 3 units in the last place (2.41 at most, 2.18 where `fma` rounds once); 0
below -88.

`turned` is how many times ln 2 go into `x`, rounded by adding 1.5 * 2^23, in whose lowest bits it then stands; the bias
of exponents, 127, is in the constant. The polynomial is the one of its degree whose largest error from -ln 2 / 2 to
ln 2 / 2 is least, 1e-7 of the power, where it is 1 + x at 0. On llvmpipe a term more takes 3 % of a softmax.
"""
_DRIVERS_POWER = """
fn {name}(x: {type}) -> {type} {{
  let bounded = max(x, {type}(-104.0f));
  let n = bounded * 1.44269502f;
  let rest = fma(bounded, {type}(1.92596303e-8f), fma(bounded, {type}(1.44269502f), -n));
  return exp2(n) * fma(rest, {type}(0.693147181f), {type}(1.0f));
}}
"""
"""The same by the driver's power of 2, which GPUs have as an instruction; `rest` is what the product was rounded by."""
_POWER = """
fn power(x: {type}) -> {type} {{
  return select(finite_power(x), x, (bitcast<{bits}>(x) & {bits}(0x7fffffffu)) > {bits}(0x7f800000u));
}}
"""
