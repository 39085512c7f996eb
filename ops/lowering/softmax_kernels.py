"""The kernels of softmax and its logarithm: a row an invocation, or a row a workgroup.

Owns their text. An invocation sweeps its row only twice: it scales its sum whenever the largest element grows (Milakov
and Gimelshein, 2018). The lanes of a workgroup keep what they read if that is not much. Must not know devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ops import wgsl
from ops.lowering import sweeps
from ops.lowering.rows import row_bindings, row_params, row_prologue, row_read
from shaders.spec import Binding, KernelSpec, Param

_UNROLL = 4
"""Units that an invocation has in hand at a time."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the text of a kernel depends on.

    `load` is the function of what is read, which is the one source as it is where that is `is_bare`. A row is read by
    units of `width` elements; `kinds` are how those of its sources lie (`packing.kind`).
    """

    load: str
    params: tuple[Param, ...]
    kinds: tuple[str, ...]
    is_bare: bool
    rank: int
    lanes: int
    width: int
    is_log: bool

    @property
    def name(self) -> str:
        """The op's."""
        return "log_softmax" if self.is_log else "softmax"

    @property
    def type(self) -> str:
        """The WGSL type of a unit."""
        return sweeps.unit_type(self.width)[0]

    @property
    def parts(self) -> list[str]:
        """The components of a unit as templates of its name."""
        return sweeps.unit_type(self.width)[1]

    def begin(self) -> list[str]:
        """Statements that find where the row begins in each operand."""
        inner = "row / params.inner * params.inner * params.columns + row % params.inner"
        at = inner if self.width == 1 else "row * params.columns"
        return [row_prologue(len(self.kinds), self.rank), f"let at_out = {at};"]

    def begin_group(self) -> list[str]:
        """The same where a workgroup takes a row."""
        return [
            f"let row = wid.x + wid.y * nwg.x + params.first_thread / {self.lanes}u;",
            "if (row >= params.rows) {\n    return;\n}",
            "let lane = lid.x;",
            *self.begin(),
        ]

    def read(self, name: str, number: int, unit: str) -> list[str]:
        """Statements that find what is loaded at a unit, as `name` and `number`."""
        reads = [row_read(n, kind, unit, self.width) for n, kind in enumerate(self.kinds)]
        if self.is_bare:
            return [f"let {name}{number} = {reads[0]};"]
        values = [
            f"load({', '.join(part.format(f'v{n}_{number}') for n in range(len(self.kinds)))})"
            for part in self.parts
        ]
        value = f"vec4<f32>({', '.join(values)})" if self.width == 4 else values[0]
        return [
            *(f"let v{n}_{number} = {read};" for n, read in enumerate(reads)),
            f"let {name}{number} = {value};",
        ]

    def value(self, number: int) -> list[str]:
        """Statements that find the unit `i + number` as `x` and its number; what is computed is kept in the output."""
        unit = sweeps.unit(number)
        found = self.read("x", number, unit)
        return found if self.is_bare else [*found, f"{self.out(unit)} = x{number};"]

    def again(self, index: str) -> str:
        """What `value` found, read again."""
        return row_read(0, self.kinds[0], index, self.width) if self.is_bare else self.out(index)

    def out(self, index: str) -> str:
        """The unit `index` of the output."""
        return f"out[at_out + {index}{' * params.inner' * (self.width == 1)}]"

    def all(self, name: str, combine: str) -> list[str]:
        """Statements that fold what the lanes have as `name`."""
        mine = f"row_{name}[lane] = {sweeps.folded(combine, self.parts, name)};"
        return [mine, *sweeps.tree(name, combine, self.lanes)]

    def end(self, total: str) -> str:
        """The statement that says what each element needs of the row's sum."""
        return f"let sum_log = log_f32({total});" if self.is_log else f"let scale = 1.0f / {total};"

    def spec(self, name: str, body: Sequence[str], shared: str, finite: str) -> KernelSpec:
        """The kernel of a body; `finite` is the text of `finite_power`."""
        float, bits = (f"vec4<{type}>" if self.width == 4 else type for type in ("f32", "u32"))
        powers = [
            finite.format(name="finite_power", type=float, bits=bits),
            _FINITE_POWER.format(name="shrink", type="f32", bits="u32"),
            _POWER.format(type=float, bits=bits),
        ]
        helped = wgsl.with_helpers(self.load, body="\n".join(["infinity()", *body]))
        return KernelSpec(
            name,
            row_bindings(self.kinds, self.width),
            (Binding("out", float, "read_write"),),
            "\n".join(body),
            (
                *(Param(field) for field in ("rows", "columns", *["inner"] * (self.width == 1))),
                *row_params(len(self.kinds), self.rank, self.width),
                *self.params,
            ),
            (self.lanes, 1, 1),
            functions="\n".join([shared, helped, *powers]),
        )


@lru_cache(maxsize=256)
def by_invocation(form: Form) -> KernelSpec:
    """A row an invocation, in runs of `_UNROLL` units.

    A run is read before it is written: rows of whole pages, read and written in turn, drive each other out of caches.
    """

    def grow(units: int) -> list[str]:
        values = [f"x{number}" for number in range(units)]
        return [
            *(line for number in range(units) for line in form.value(number)),
            f"let most = {sweeps.nested('max({}, {})', values)};",
            f"let next = max(peak, {sweeps.folded('max({}, {})', form.parts, 'most')});",
            f"total = total * shrink(peak - next){''.join(f' + power({value} - next)' for value in values)};",
            "peak = next;",
        ]

    def spread(units: int) -> list[str]:
        indices = [sweeps.unit(number) for number in range(units)]
        made = "x{} - peak - sum_log" if form.is_log else "finite_power(x{} - peak) * scale"
        return [
            *(f"let x{n} = {form.again(index)};" for n, index in enumerate(indices)),
            *(f"{form.out(index)} = {made.format(n)};" for n, index in enumerate(indices)),
        ]

    body = [
        "if (thread >= params.rows) {\n    return;\n}",
        "let row = thread;",
        *form.begin(),
        f"var peak = {_LEAST}f;",
        f"var total = {form.type}();",
        *sweeps.sweep(_UNROLL, grow),
        form.end(f"({sweeps.folded('{} + {}', form.parts, 'total')})"),
        *sweeps.sweep(_UNROLL, spread),
    ]
    return form.spec(f"{form.name}_rows", body, "", _FINITE_POWER)


@lru_cache(maxsize=256)
def by_group(form: Form) -> KernelSpec:
    """A row a workgroup, whose lanes take turns."""
    again, mine = form.again("i"), form.out("i")
    kept = [] if form.is_log else [f"{mine} = e;"]
    last = f"{mine} = {again} - all_peak - sum_log;" if form.is_log else f"{mine} *= scale;"
    body = [
        *form.begin_group(),
        f"var peak = {form.type}(-infinity());",
        *sweeps.stride(form.lanes, [*form.value(0), "peak = max(peak, x0);"]),
        *form.all("peak", "max({}, {})"),
        f"var total = {form.type}();",
        *sweeps.stride(form.lanes, [f"let e = power({again} - all_peak);", "total += e;", *kept]),
        *form.all("total", "{} + {}"),
        form.end("all_total"),
        *sweeps.stride(form.lanes, [last]),
    ]
    return form.spec(form.name, body, sweeps.shared(("peak", "total"), form.lanes), _FINITE_POWER)


@lru_cache(maxsize=256)
def by_keepers(form: Form, kept: int, whole: bool) -> KernelSpec:
    """A row a workgroup, each of whose lanes keeps `kept` units: they are read and written once."""
    units, least = range(kept), f"{form.type}(-infinity())"
    shifted = [f"x{number} - all_peak" for number in units]
    results = [f"{each} - sum_log" if form.is_log else f"e{n} * scale" for n, each in enumerate(shifted)]
    body = [
        *form.begin_group(),
        *sweeps.kept(kept, form.lanes, whole),
        *(line for number in units for line in form.read("read", number, f"i{number}")),
        *(f"let x{number} = select({least}, read{number}, has{number});" for number in units),
        f"let peak = {sweeps.nested('max({}, {})', [f'x{number}' for number in units])};",
        *form.all("peak", "max({}, {})"),
        *(f"let e{number} = power({each});" for number, each in enumerate(shifted)),
        f"let total = {sweeps.nested('{} + {}', [f'e{number}' for number in units])};",
        *form.all("total", "{} + {}"),
        form.end("all_total"),
        *(
            f"if (has{number}) {{\n    {form.out(f'i{number}')} = {result};\n}}"
            for number, result in enumerate(results)
        ),
    ]
    return form.spec(form.name, body, sweeps.shared(("peak", "total"), form.lanes), _DRIVERS_POWER)


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
