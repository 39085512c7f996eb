"""From what a plan computes together to its dispatches: formulas, and ops with what is done before and after them.

Owns that what is written alike over values that lie alike is lowered once. Must not know what else a graph has: the
planner decides what is computed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from host.drafts import Drafts
from host.formulas import Formula, Pending, Source, Value
from host.structure import Structure
from ops.expression import Term, input_term, inputs_of, substituted
from ops.graph import Graph, TensorType
from ops.lower import DeviceClass, Lowering, lower, lower_elementwise, lower_fused
from ops.shapes import Shape
from ops.terms import term


@dataclass(slots=True)
class Lowerer:
    """Puts dispatches into `drafts`. `kinds` are equal for nodes of `graph` that do the same with their inputs."""

    graph: Graph
    types: Sequence[TensorType]
    structure: Structure
    kinds: Sequence[int]
    device: DeviceClass
    drafts: Drafts
    _terms: dict[object, tuple[Term, list[int]]] = field(default_factory=dict)

    def formula(self, formula: Formula) -> Value:
        """The elements of a formula. Raises `GraphError` for too many dispatches."""
        if formula.pending is not None:
            return self.op(formula.pending, formula)
        whole, values = self._read(formula, _values(formula.sources))
        return self.drafts.add(
            (whole, *self.drafts.key(values), formula.type),
            lambda: lower_elementwise(whole, self.drafts.operands(values), formula.type, self.device),
            values,
            formula.type,
            formula.ops,
        )

    def op(self, pending: Pending, after: Formula | None = None) -> Value:
        """The result of an op that waited, or of the formula over it. Raises `GraphError` for too many dispatches."""
        if after is not None and after.is_bare:
            after = None
        before = pending.before
        values, extras = list(pending.sources), list[Value]()
        first = last = None
        if before is not None:
            load, read = self._read(before, _values(before.sources))
            first = load, before.type.shape
            values += read
        if after is not None:
            last, extras = self._read(
                after, _values(each for each in after.sources if each is not pending), pending
            )
        kind, keys = self.kinds[pending.index], self.drafts.key([*values, *extras])
        type, ops = (pending.type, pending.ops) if after is None else (after.type, after.ops)
        return self.drafts.add(
            (kind, first, last, len(values), *keys, type),
            lambda: self._lowered(pending, first, values, last, extras, type),
            [*values, *extras],
            type,
            ops,
        )

    def _lowered(
        self,
        pending: Pending,
        before: tuple[Term, Shape] | None,
        values: Sequence[Value],
        after: Term | None,
        extras: Sequence[Value],
        type: TensorType,
    ) -> Lowering:
        node, operands = self.graph.nodes[pending.index], self.drafts.operands(values)
        if before is None and after is None:
            words = self.structure.words(pending.index)
            return lower(node.op, node.attributes, operands, type, self.device, words)
        return lower_fused(
            node.op,
            node.attributes,
            before,
            operands,
            after,
            self.drafts.operands(extras),
            pending.type,
            type,
            self.device,
        )

    def _read(
        self, formula: Formula, values: Sequence[Value], pending: Pending | None = None
    ) -> tuple[Term, list[Value]]:
        """A formula's term, whose first input is what it waits for if that is anything, and the others of `values`.

        It is the same one for formulas that are written alike over sources of the same dtypes. Values that it does not
        read are left out, as ops of two inputs may be the first of them.
        """
        sources: list[Source] = [*([] if pending is None else [pending]), *values]
        waits = pending is not None
        key = waits, formula.written(self.kinds, sources), *(source.dtype for source in sources)
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = _needed(formula.term(sources, self._of_node), sources, waits)
        made, needed = found
        return made, [values[number] for number in needed]

    def _of_node(self, index: int, args: Sequence[Term]) -> Term:
        """The term of a node over those of its inputs."""
        node = self.graph.nodes[index]
        return term(node.op, node.attributes, args, self.types[index].dtype, self.structure.holes(index))


def _needed(term: Term, sources: Sequence[Source], waits: bool) -> tuple[Term, list[int]]:
    """A term without the sources that it does not read, and which of the others are left.

    The first of them stays if the term `waits` for it, or reads none; those that are left are numbered without it.
    """
    read = inputs_of(term) | ({0} if waits else set()) or {0}
    kept = [number for number in range(len(sources)) if number in read]
    if len(kept) < len(sources):
        places = {number: input_term(place, sources[number].dtype) for place, number in enumerate(kept)}
        term = substituted(term, places)
    return term, [number - waits for number in kept if number or not waits]


def _values(sources: Iterable[Source]) -> list[Value]:
    return [source for source in sources if isinstance(source, Value)]
