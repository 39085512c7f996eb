"""Elements of a plan that are there, those that wait, and formulas over both.

Owns what a formula is, and how it is written: the same formula over other values is written alike, so that what was
made of it once serves again. Must not know devices or dispatches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import structs

from host.placement import Storage
from host.tensors import device_bytes
from ops.dtypes import BY_NAME
from ops.expression import Term, input_term
from ops.graph import TensorType
from ops.layout import Layout


class Value(msgspec.Struct, frozen=True, gc=False):
    """Elements that lie in a storage."""

    storage: Storage
    layout: Layout
    dtype: str

    @property
    def is_whole(self) -> bool:
        """Whether the value is its storage, element for element."""
        whole = device_bytes(TensorType(self.layout.shape, self.dtype)) == self.storage.nbytes
        return whole and self.layout.offset == 0 and self.layout.is_contiguous


class Pending(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An op that waits for what is done with its result: node `index`, of `type`.

    `before` is a formula that it reads behind `sources`. `ops` are the nodes that are computed, by name.
    """

    index: int
    type: TensorType
    sources: tuple[Value, ...]
    before: Formula | None
    ops: tuple[str, ...]

    @property
    def dtype(self) -> str:
        """That of its elements."""
        return self.type.dtype

    @property
    def width(self) -> int:
        """How many values it reads."""
        return len(self.sources) + (0 if self.before is None else self.before.width)


class Call(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The elementwise op of node `index` over its arguments; one that is used twice is computed once."""

    index: int
    args: tuple[Argument, ...]


Source = Value | Pending
Argument = Call | Source
Written = tuple[int, tuple[tuple[int, ...], ...]]
"""A formula as numbers: which is the result of its sources and calls, and the calls, each a kind and its arguments."""


class Formula(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Elements of `type` that are not computed yet: `root` over `sources`.

    Of the sources one at most is pending, and has the formula's shape. `ops` are the nodes that are fused, by name,
    `text` is the length of their WGSL, `indexed` says whether an element depends on its position.
    """

    root: Argument
    sources: tuple[Source, ...]
    type: TensorType
    ops: tuple[str, ...]
    text: int
    indexed: bool

    @property
    def is_constant(self) -> bool:
        """Whether all elements are the same, whatever the inputs."""
        return not self.sources and not self.indexed

    @property
    def is_number(self) -> bool:
        """Whether it is a constant of which nothing is computed."""
        return self.is_constant and len(self.ops) == 1

    @property
    def pending(self) -> Pending | None:
        """The op that it waits for."""
        return next((source for source in self.sources if isinstance(source, Pending)), None)

    @property
    def is_bare(self) -> bool:
        """Whether it is just one of its sources."""
        return not isinstance(self.root, Call)

    @property
    def is_of_bytes(self) -> bool:
        """Whether it is of floats that are made of as many bytes, and else of fewer elements."""
        spread = [
            source.layout.expand(self.type.shape) for source in self.sources if isinstance(source, Value)
        ]
        whole = [source for source, layout in zip(self.sources, spread, strict=False) if all(layout.strides)]
        return (
            self.type.dtype == "f32"
            and len(spread) == len(self.sources)
            and not self.indexed
            and [BY_NAME[source.dtype].device_bytes for source in whole] == [1]
        )

    @property
    def width(self) -> int:
        """How many values it reads."""
        return sum(source.width if isinstance(source, Pending) else 1 for source in self.sources)

    def over(self, other: Mapping[Source, Value]) -> Formula:
        """The formula with `other` values in place of some of its sources."""
        made: dict[Argument, Argument] = {source: other.get(source, source) for source in self.sources}
        for call in _calls(self.root):
            made[call] = Call(call.index, tuple(made[arg] for arg in call.args))
        sources = dict.fromkeys(other.get(source, source) for source in self.sources)
        return structs.replace(self, root=made[self.root], sources=tuple(sources))

    def written(self, kinds: Sequence[int], sources: Sequence[Source]) -> Written:
        """The formula with its inputs numbered as `sources` are; `kinds` are equal where nodes do the same."""
        places: dict[Argument, int] = {source: place for place, source in enumerate(sources)}
        calls = []
        for call in _calls(self.root):
            places[call] = len(places)
            calls.append((kinds[call.index], *(places[arg] for arg in call.args)))
        return places[self.root], tuple(calls)

    def term(self, sources: Sequence[Source], made: Callable[[int, Sequence[Term]], Term]) -> Term:
        """The formula as a term with its inputs numbered as `sources` are; `made` gives that of node n over others."""
        terms: dict[Argument, Term] = {
            source: input_term(place, source.dtype) for place, source in enumerate(sources)
        }
        for call in _calls(self.root):
            terms[call] = made(call.index, [terms[arg] for arg in call.args])
        return terms[self.root]


def _calls(root: Argument) -> list[Call]:
    """Each distinct call under `root` after its arguments, without recursion."""
    found: dict[Call, None] = {}
    stack = [(root, False)]
    while stack:
        part, is_ready = stack.pop()
        if not isinstance(part, Call) or part in found:
            continue
        if is_ready:
            found[part] = None
        else:
            stack.append((part, True))
            stack.extend((arg, False) for arg in part.args)
    return list(found)
