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
from ops.expression import Term
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
    _terms: dict[object, Term] = field(default_factory=dict)

    def formula(self, formula: Formula) -> Value:
        """The elements of a formula. Raises `GraphError` for too many dispatches."""
        if formula.pending is not None:
            return self.op(formula.pending, formula)
        values = _values(formula.sources)
        whole = self._term(formula, values)
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
        read = [] if before is None else _values(before.sources)
        values = [*pending.sources, *read]
        extras = [] if after is None else _values(each for each in after.sources if each is not pending)
        first = None if before is None else (self._term(before, read), before.type.shape)
        last = None if after is None else self._term(after, [pending, *extras])
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

    def _term(self, formula: Formula, sources: Sequence[Source]) -> Term:
        """A formula's term, the same one for formulas that are written alike over sources of the same dtypes."""
        key = formula.written(self.kinds, sources), *(source.dtype for source in sources)
        made = self._terms.get(key)
        if made is None:
            made = self._terms[key] = formula.term(sources, self._of_node)
        return made

    def _of_node(self, index: int, args: Sequence[Term]) -> Term:
        """The term of a node over those of its inputs."""
        node = self.graph.nodes[index]
        return term(node.op, node.attributes, args, self.types[index].dtype, self.structure.holes(index))


def _values(sources: Iterable[Source]) -> list[Value]:
    return [source for source in sources if isinstance(source, Value)]
