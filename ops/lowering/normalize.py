"""Standardising rows: one kernel, of a row an invocation or a row a workgroup; else folds and an elementwise kernel.

Owns the kernels. A row is swept for its mean, for its variance about that, and to be written, with what is done
before and after it; the lanes of a workgroup keep what they read if that is not much. Must not know op names: what is
read is a term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ops import wgsl
from ops.expression import Term, bind, cast, input_term, parse, scalar_term
from ops.layout import Layout
from ops.lowering import elementwise, reduce, sweeps, windows
from ops.lowering.after import After
from ops.lowering.builder import Builder, Params
from ops.lowering.device import DeviceClass
from ops.lowering.operands import Source, Target
from ops.lowering.reduce import Fold
from ops.lowering.rows import Rows, are_rows, arrange, row_params, row_prologue, row_read
from ops.shapes import Shape, reduced
from ops.spec import Reduction
from shaders.spec import Binding, KernelSpec, Param

_SWEEPS = 3
_UNROLL = 4
_FEWEST_ROWS = 64
_ELEMENT_WORK = 16
_MEAN = Reduction("a + b", 0, finish="a / n")
_MEAN_SQUARE = Reduction("a + b", 0, load="x * x", finish="a / n")


@dataclass(frozen=True, slots=True)
class Kind:
    """Over which axes, what is added to the variance, and whether about the mean or about 0."""

    axes: Shape
    eps: float
    centred: bool


def emit(
    builder: Builder,
    kind: Kind,
    load: Term,
    sources: Sequence[Source],
    shape: Shape,
    target: Target,
    after: After | None = None,
) -> None:
    """Write `load` (f32), whose inputs are `sources` broadcast to `shape`, standardised, to `target`.

    The target is contiguous from offset 0. With `after` it gets what is done with the result.
    """
    if target.layout.count == 0:
        return
    if after is not None and not _fits(builder, [*sources, *after.sources], shape, kind.axes, target):
        made = builder.temp(shape, "f32")
        emit(builder, kind, load, sources, shape, made)
        elementwise.emit_after(builder, after, made.source(), target)
        return
    written = Source(target.operand, Layout.contiguous(shape), target.dtype)
    if not are_rows([*sources, written], shape, kind.axes) and are_rows([written], shape, kind.axes):
        loaded = builder.temp(shape, "f32")
        elementwise.emit(builder, load, sources, loaded)
        load, sources = input_term(0, "f32"), [loaded.source()]
    if not _fits(builder, sources, shape, kind.axes, target):
        _by_folds(builder, kind, load, sources, shape, target)
        return
    extras = () if after is None else after.sources
    _by_rows(builder, kind, load, after, arrange(builder, [*sources, *extras, written], shape, kind.axes))


def _fits(builder: Builder, sources: Sequence[Source], shape: Shape, axes: Shape, target: Target) -> bool:
    """Whether one kernel does it: all are rows, which are not too long for its loops, and no operand is too large."""
    written = Source(target.operand, Layout.contiguous(shape), target.dtype)
    layouts = [source.layout.expand(shape) for source in [*sources, written]]
    return (
        target.dtype == "f32"
        and are_rows([*sources, written], shape, axes)
        and _is_short(builder.device, prod(shape), prod(shape[axis] for axis in axes))
        and windows.cut_axis(builder.device, shape, layouts) is None
    )


def _is_short(device: DeviceClass, count: int, columns: int) -> bool:
    is_alone = _is_by_invocation(device, count // columns)
    lanes = device.row_lanes(columns)
    turns = columns if is_alone else columns // lanes + lanes
    return _SWEEPS * turns <= device.loop_turns


def _is_by_invocation(device: DeviceClass, rows: int) -> bool:
    return device.kind == "cpu" and rows >= _FEWEST_ROWS


def _by_folds(
    builder: Builder, kind: Kind, load: Term, sources: Sequence[Source], shape: Shape, target: Target
) -> None:
    """The same in three or more kernels, of rows of any length that lie in any way."""
    seen = [Source(source.operand, source.layout.expand(shape), source.dtype) for source in sources]
    if load.function != "input":
        made = builder.temp(shape, "f32")
        elementwise.emit(builder, load, seen, made)
        seen = [made.source()]
    folded = reduced(shape, kind.axes, keepdim=True)
    x, mean, square = (input_term(number, "f32") for number in range(3))
    distance, centre = x, seen
    if kind.centred:
        found = builder.temp(folded, "f32")
        reduce.emit(builder, Fold(_MEAN, x, "f32"), seen, shape, kind.axes, found)
        distance, centre = bind(parse("x - m"), {"x": x, "m": mean}), [*seen, found.source()]
    variance = builder.temp(folded, "f32")
    squared = bind(parse("d * d"), {"d": distance})
    reduce.emit(builder, Fold(_MEAN, squared, "f32"), centre, shape, kind.axes, variance)
    names = {"d": distance, "v": square if kind.centred else mean, "eps": scalar_term(kind.eps)}
    elementwise.emit(builder, bind(parse("d / sqrt(v + eps)"), names), [*centre, variance.source()], target)


def _by_rows(builder: Builder, kind: Kind, load: Term, after: After | None, rows: Rows) -> None:
    """One kernel over `rows`: of what is loaded, of what is met afterwards, and of the target, which is last."""
    width = 4 if rows.quads() else 1
    types = tuple(map(wgsl.storage, rows.dtypes))
    extra = len(types) - 1 - (0 if after is None else len(after.sources))
    loaded = wgsl.function("load", load, [(f"x{n}", rows.dtypes[n]) for n in range(extra)], "l")
    result = input_term(0, "f32") if after is None else cast(after.term, "f32")
    met = [("r", "f32"), *((f"e{n}", rows.dtypes[n]) for n in range(extra, len(types) - 1))]
    done = wgsl.function("after", result, met, "a")
    lanes = builder.device.row_lanes(rows.columns // width)
    is_alone = _is_by_invocation(builder.device, rows.count)
    spec = _spec(
        loaded.text if load.function != "input" else "",
        done.text if after is not None else "",
        (*loaded.params, *done.params),
        types,
        extra,
        kind.centred,
        is_alone,
        rows.rank,
        lanes,
        width,
        kept := 0 if is_alone else builder.device.kept_units(rows.columns // width, lanes),
        kept * lanes == rows.columns // width,
    )
    params: Params = rows.params(width) | {
        "rows": rows.count,
        "columns": rows.columns // width,
        "size": float(rows.columns),
        "eps": float(kind.eps),
        **loaded.values,
        **done.values,
    }
    threads, columns = (
        (rows.count, rows.columns) if is_alone else (rows.count * lanes, -(-rows.columns // lanes))
    )
    builder.spread(spec, threads, rows.operands, params, _ELEMENT_WORK * columns)


@lru_cache(maxsize=256)
def _spec(
    load: str,
    after: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    extra: int,
    is_centred: bool,
    is_alone: bool,
    rank: int,
    lanes: int,
    width: int,
    kept: int,
    whole: bool,
) -> KernelSpec:
    """The kernel: sources before `extra` are loaded, those from there on met; no text of a function does nothing."""
    text = _Text(load, after, len(types) - 1, extra, is_alone, lanes, width, kept, whole)
    body = [
        "let row = thread;"
        if is_alone
        else f"let row = wid.x + wid.y * nwg.x + params.first_thread / {lanes}u;",
        "if (row >= params.rows) {\n    return;\n}",
        *["let lane = lid.x;"] * (not is_alone),
        row_prologue(len(types), rank),
        *text.read(),
        *(text.folded("total", "{}", text.first) if is_centred else []),
        f"let mean = {text.type}({'total / params.size' if is_centred else ''});",
        *text.folded("square", "({0} - mean) * ({0} - mean)", text.again if is_centred else text.first),
        f"let scale = {text.type}(1.0f / sqrt(square / params.size + params.eps));",
        *text.finish(),
    ]
    shared = [] if is_alone else [sweeps.shared(("total", "square"), lanes)]
    kinds = [f"vec4<{type}>" if width == 4 else type for type in types]
    return KernelSpec(
        "standardize_rows" if is_alone else "standardize",
        tuple(Binding(f"in{number}", kind) for number, kind in enumerate(kinds[:-1])),
        (Binding("out", kinds[-1], "read_write"),),
        "\n".join(body),
        (
            *(Param(name) for name in ("rows", "columns")),
            *(Param(name, "f32") for name in ("size", "eps")),
            *row_params(len(types), rank, width),
            *params,
        ),
        (lanes, 1, 1),
        functions="\n".join([*shared, wgsl.with_helpers(*filter(None, (load, after)))]),
    )


@dataclass(frozen=True, slots=True)
class _Text:
    """Statements of the kernel. `last` is the number of the target among its operands; `kept` units are read once."""

    load: str
    after: str
    last: int
    extra: int
    is_alone: bool
    lanes: int
    width: int
    kept: int
    whole: bool

    @property
    def type(self) -> str:
        """The WGSL type of a unit."""
        return sweeps.unit_type(self.width)[0]

    def read(self) -> list[str]:
        """What a lane keeps, read before all else."""
        if not self.kept:
            return []
        return [
            *sweeps.kept(self.kept, self.lanes, self.whole),
            *self._values([f"i{number}" for number in range(self.kept)], "kept"),
        ]

    def swept(self, turn: Callable[[Sequence[str]], list[str]]) -> list[str]:
        """`turn` done to all units of a row, by their indices."""
        if self.kept:
            return [
                line
                for number in range(self.kept)
                for line in (f"if (has{number}) {{", *turn([f"i{number}"]), "}")
            ]
        if not self.is_alone:
            return sweeps.stride(self.lanes, turn(["i"]))
        return sweeps.sweep(_UNROLL, lambda units: turn([sweeps.unit(number) for number in range(units)]))

    def folded(self, name: str, term: str, values: Callable[[Sequence[str]], list[str]]) -> list[str]:
        """The sum `name` of a term of the values x0, x1 … of all units, which the statements `values` find."""
        units, parts = sweeps.unit_type(self.width)

        def add(indices: Sequence[str]) -> list[str]:
            terms = [term.format(f"x{number}") for number in range(len(indices))]
            return [*values(indices), f"mine += {sweeps.nested('({} + {})', terms)};"]

        total = sweeps.folded("{} + {}", parts, "mine")
        begin = [f"var {name} = 0.0f;", "{", f"var mine = {units}();", *self.swept(add)]
        if self.is_alone:
            return [*begin, f"{name} = {total};", "}"]
        tree = sweeps.tree(name, "{} + {}", self.lanes)
        return [*begin, f"row_{name}[lane] = {total};", "}", *tree, f"{name} = all_{name};"]

    def first(self, indices: Sequence[str]) -> list[str]:
        """The values x0, x1 … of units, read for the first time: what is computed is kept in the target."""
        if self.kept or not self.load:
            return self.again(indices)
        stored = [f"{self._out(index)} = x{number};" for number, index in enumerate(indices)]
        return [*self._values(indices, "x"), *stored]

    def again(self, indices: Sequence[str]) -> list[str]:
        """The same values, read again."""
        if self.kept:
            return [f"let x{number} = kept{index[1:]};" for number, index in enumerate(indices)]
        return [
            f"let x{number} = {self._out(index) if self.load else row_read(0, index, self.width)};"
            for number, index in enumerate(indices)
        ]

    def _values(self, indices: Sequence[str], name: str) -> list[str]:
        """The values of units as `name` and their numbers, from the sources."""
        lines = []
        for number, index in enumerate(indices):
            lines += [f"let v{n}_{number} = {row_read(n, index, self.width)};" for n in range(self.extra)]
            given = [f"v{n}_{number}" for n in range(self.extra)]
            lines.append(f"let {name}{number} = {self._by_part('load', given) if self.load else given[0]};")
        return lines

    def finish(self) -> list[str]:
        """The results of all units; those that are kept are all found before the first is written."""
        if not self.kept:
            return self.swept(self._written)
        units = range(self.kept)
        found = [self._result(number, f"i{number}") for number in units]
        return [
            *self.again([f"i{number}" for number in units]),
            *(line for lines, _ in found for line in lines),
            *(f"let y{number} = {result};" for number, (_, result) in enumerate(found)),
            *(f"if (has{number}) {{\n    {self._out(f'i{number}')} = y{number};\n}}" for number in units),
        ]

    def _written(self, indices: Sequence[str]) -> list[str]:
        lines = self.again(indices)
        for number, index in enumerate(indices):
            found, result = self._result(number, index)
            lines += [*found, f"{self._out(index)} = {result};"]
        return lines

    def _result(self, number: int, index: str) -> tuple[list[str], str]:
        """Statements that find what the result of a unit depends on, and that."""
        sources = range(self.extra, self.last)
        lines = [f"let e{n}_{number} = {row_read(n, index, self.width)};" for n in sources]
        lines.append(f"let r{number} = (x{number} - mean) * scale;")
        given = [f"r{number}", *(f"e{n}_{number}" for n in sources)]
        return lines, self._by_part("after", given) if self.after else given[0]

    def _out(self, index: str) -> str:
        return row_read(self.last, index, self.width).replace(f"in{self.last}[", "out[", 1)

    def _by_part(self, function: str, arguments: Sequence[str]) -> str:
        """A function of units, component by component."""
        parts = sweeps.unit_type(self.width)[1]
        calls = [f"{function}({', '.join(part.format(each) for each in arguments)})" for part in parts]
        return f"vec4<f32>({', '.join(calls)})" if self.width == 4 else calls[0]
