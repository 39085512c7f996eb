"""The kernel that standardises rows: a row an invocation, or a row a workgroup.

Owns its text. What is done before and after is in it; the lanes of a workgroup keep what they read if that is not much.
Must not know devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """What the text of a kernel depends on, and its statements.

    Operands lie as `kinds` (`packing.kind`): those before number `extra` are loaded by the function `load`, those from
    there on met by the function `after`, the last one is the target. A function without text does nothing. An
    invocation goes through a row alone, or `lanes` of them together, by units of `width` elements; each lane keeps
    `kept` units, which are read once; a `whole` row has as many as the lanes.
    """

    load: str
    after: str
    params: tuple[Param, ...]
    kinds: tuple[str, ...]
    extra: int
    is_centred: bool
    is_alone: bool
    rank: int
    lanes: int
    width: int
    kept: int
    whole: bool

    @property
    def last(self) -> int:
        """The number of the target."""
        return len(self.kinds) - 1

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
            f"let x{number} = {self._out(index) if self.load else self._at(0, index)};"
            for number, index in enumerate(indices)
        ]

    def _values(self, indices: Sequence[str], name: str) -> list[str]:
        """The values of units as `name` and their numbers, from the sources."""
        lines = []
        for number, index in enumerate(indices):
            lines += [f"let v{n}_{number} = {self._at(n, index)};" for n in range(self.extra)]
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
        lines = [f"let e{n}_{number} = {self._at(n, index)};" for n in sources]
        lines.append(f"let r{number} = (x{number} - mean) * scale;")
        given = [f"r{number}", *(f"e{n}_{number}" for n in sources)]
        return lines, self._by_part("after", given) if self.after else given[0]

    def _out(self, index: str) -> str:
        return self._at(self.last, index).replace(f"in{self.last}[", "out[", 1)

    def _at(self, number: int, index: str) -> str:
        return row_read(number, self.kinds[number], index, self.width)

    def _by_part(self, function: str, arguments: Sequence[str]) -> str:
        """A function of units, component by component."""
        parts = sweeps.unit_type(self.width)[1]
        calls = [f"{function}({', '.join(part.format(each) for each in arguments)})" for part in parts]
        return f"vec4<f32>({', '.join(calls)})" if self.width == 4 else calls[0]


@lru_cache(maxsize=256)
def kernel(form: Form) -> KernelSpec:
    """The kernel: a row is swept for its mean, for its variance about that, and to be written."""
    row = "thread" if form.is_alone else f"wid.x + wid.y * nwg.x + params.first_thread / {form.lanes}u"
    body = [
        f"let row = {row};",
        "if (row >= params.rows) {\n    return;\n}",
        *["let lane = lid.x;"] * (not form.is_alone),
        row_prologue(len(form.kinds), form.rank),
        *form.read(),
        *(form.folded("total", "{}", form.first) if form.is_centred else []),
        f"let mean = {form.type}({'total / params.size' if form.is_centred else ''});",
        *form.folded("square", "({0} - mean) * ({0} - mean)", form.again if form.is_centred else form.first),
        f"let scale = {form.type}(1.0f / sqrt(square / params.size + params.eps));",
        *form.finish(),
    ]
    shared = [] if form.is_alone else [sweeps.shared(("total", "square"), form.lanes)]
    text = "\n".join(body)
    return KernelSpec(
        "standardize_rows" if form.is_alone else "standardize",
        row_bindings(form.kinds[:-1], form.width),
        (Binding("out", form.type, "read_write"),),
        text,
        (
            *(Param(name) for name in ("rows", "columns")),
            *(Param(name, "f32") for name in ("size", "eps")),
            *row_params(len(form.kinds), form.rank, form.width),
            *form.params,
        ),
        (form.lanes, 1, 1),
        functions="\n".join([*shared, wgsl.with_helpers(*filter(None, (form.load, form.after)), body=text)]),
    )
