"""What differs between the invocations of a workgroup: names, the tokens that only some run, and loops.

Owns one conservative analysis of a function. It goes by names and not by places: a name is uneven from its first uneven
value on, and what cannot be seen to be equal counts as uneven. Must not know prices.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shaders.guard.counting import ASSIGNMENTS
from shaders.guard.flow import Flow
from shaders.tokens import KEYWORDS
from shaders.tree import Function, Module, Span

_PASSES = 16
"""So often a function is gone through for names that turn out uneven; if there are more still, all are."""
_SAME_FOR_ALL = frozenset(["workgroup_id", "num_workgroups"])
_UNEVEN_SPACES = frozenset(["private", "workgroup"])
_STATEMENT_ENDS = frozenset([";", "{", "}"])


@dataclass(slots=True)
class Divergence:
    """What is known of a function, or while it is found out."""

    begin: int
    uneven: set[str]
    """Names that may have other values for other invocations."""
    loops: set[int] = field(default_factory=set)
    """Loops that may turn more often for some of the invocations that are in them, or that only some reach."""
    marks: list[bool] = field(default_factory=list)
    """Of each token from the one at `begin` on, whether only some invocations may run it."""

    def splits(self, token: int) -> bool:
        """Whether only some invocations may run `token` (those that have left the function not counted)."""
        return self.marks[token - self.begin]


def divergence_of(module: Module, function: Function, flow: Flow) -> Divergence:
    """Sort out the names of `function` until nothing changes; when that takes long, everything is uneven."""
    return _Analysis(module, function, flow).run()


@dataclass(slots=True)
class _Statement:
    target: str
    names: set[str]
    begin: int


class _Analysis:
    def __init__(self, module: Module, function: Function, flow: Flow) -> None:
        self.module = module
        self.tokens = module.tokens
        self.function = function
        self.flow = flow
        self.begin, self.end = function.braces
        self.statements = self._statements()

    def run(self) -> Divergence:
        facts = Divergence(self.begin, self._first_names())
        for _ in range(_PASSES):
            self._mark(facts)
            found = {
                statement.target
                for statement in self.statements
                if facts.splits(statement.begin) or statement.names & facts.uneven
            }
            if found <= facts.uneven:
                return facts
            facts.uneven |= found
        everything = set(range(len(self.function.loops)))
        return Divergence(self.begin, facts.uneven, everything, [True] * len(facts.marks))

    def _first_names(self) -> set[str]:
        """What is uneven by its kind: memory that others write, parameters, results, what pointers lead to."""
        names = set(self.module.functions)
        for declaration in self.module.declarations.values():
            is_written = declaration.space == "storage" and declaration.access == "read_write"
            if is_written or declaration.space in _UNEVEN_SPACES:
                names.add(declaration.name)
        for parameter in self.function.parameters:
            builtins = [self.module.text(each.arguments) for each in parameter.attributes if each.arguments]
            if not set(builtins) & _SAME_FOR_ALL:
                names.add(parameter.name)
        for index in range(self.begin, self.end):
            if self.tokens[index].text == "&" and self._is_address(index):
                names.add(self._first_name(index))
        return names

    def _first_name(self, index: int) -> str:
        while self.tokens[index].kind not in ("name", "end"):
            index += 1
        return self.tokens[index].text

    def _is_address(self, index: int) -> bool:
        before = self.tokens[index - 1]
        is_operator = before.kind in ("name", "number") or before.text in (")", "]")
        return not is_operator and self.tokens[index - 2].text != "arrayLength"

    def _statements(self) -> list[_Statement]:
        """Every statement that gives a name a value; an address that is passed on counts where it is taken."""
        found = []
        start = self.begin + 1
        for index in range(self.begin + 1, self.end + 1):
            if self.tokens[index].text in _STATEMENT_ENDS:
                span = (start, index)
                target = self._target(span)
                if target is not None:
                    found.append(_Statement(target, self._names(span), start))
                start = index + 1
        return found

    def _target(self, span: Span) -> str | None:
        texts = [token.text for token in self.tokens[span[0] : span[1]]]
        is_shift = any(texts[place : place + 3] == [">", ">", "="] for place in range(len(texts)))
        if not is_shift and not ASSIGNMENTS.intersection(texts):
            return None
        names = (
            self.tokens[index].text
            for index in range(*span)
            if self.tokens[index].kind == "name"
            and self.tokens[index].text not in KEYWORDS
            and self.tokens[index - 2].text != "var"  # the space in `var<function>`
        )
        return next(names, None)

    def _names(self, span: Span) -> set[str]:
        return {
            self.tokens[index].text
            for index in range(*span)
            if self.tokens[index].kind == "name"
            and self.tokens[index - 1].text != "."
            and not (self.tokens[index - 1].text == "&" and self.tokens[index - 3].text == "arrayLength")
        }

    def _mark(self, facts: Divergence) -> None:
        """Mark the tokens that only some invocations run, and find the uneven loops, until both agree."""
        uneven = [branch.body for branch in self.flow.branches if self._depends(branch.condition, facts)]
        for index, loop in enumerate(self.function.loops):
            if self._depends((loop.keyword, loop.open), facts):
                facts.loops.add(index)
        while True:
            before = len(facts.loops)
            facts.marks = [False] * (self.end - self.begin + 1)
            loops = [self.function.loops[index] for index in facts.loops]
            for begin, end in [*uneven, *((loop.keyword, loop.close) for loop in loops)]:
                facts.marks[begin - self.begin : end - self.begin] = [True] * (end - begin)
            self._add_loops(facts)
            if len(facts.loops) == before:
                return

    def _add_loops(self, facts: Divergence) -> None:
        """The loops that only some invocations reach, or that only some leave or begin anew."""
        for index, loop in enumerate(self.function.loops):
            if facts.splits(loop.keyword):
                facts.loops.add(index)
        for token, inner in self.flow.jumps:
            if facts.splits(token) and inner is not None:
                is_return = self.tokens[token].text == "return"
                facts.loops.update(self.function.around(inner) if is_return else [inner])

    def _depends(self, span: Span, facts: Divergence) -> bool:
        return bool(self._names(span) & facts.uneven)
