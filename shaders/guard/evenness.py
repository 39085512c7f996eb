"""Whether the invocations of a workgroup turn their loops together.

Owns one proof, for drivers that count the turns of a whole group of invocations: if each invocation pays for at most
n turns, the group takes at most n turns too, provided that every checked loop turns equally often for all that are
in it, or that only one does not and stands alone. What cannot be seen to be equal counts as uneven: the analysis goes
by names and not by places, so a name is uneven from its first uneven value on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shaders.guard.costs import FunctionCost, around
from shaders.tokens import KEYWORDS
from shaders.tree import Function, Module, Span

_PASSES = 16
_SAME_FOR_ALL = frozenset(["workgroup_id", "num_workgroups"])
_UNEVEN_SPACES = frozenset(["private", "workgroup"])
_ASSIGNS = frozenset(["=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="])
_STATEMENT_ENDS = frozenset([";", "{", "}"])


@dataclass(slots=True)
class _Count:
    """Checked loops that a call of a function runs, and uneven ones among them; two stands for more."""

    checked: int = 0
    uneven: int = 0


@dataclass(slots=True)
class _Statement:
    target: str
    names: set[str]
    begin: int


@dataclass(slots=True)
class _Facts:
    """What is known of a function while its names are sorted out."""

    uneven: set[str]
    marks: list[bool]
    """Of each token from the body's first on, whether only some of the invocations may run it."""
    loops: set[int] = field(default_factory=set)


def even_entries(module: Module, sequence: list[str], costs: dict[str, FunctionCost]) -> dict[str, bool]:
    """Of each function, whether a group's turns are bounded by what one of its invocations pays."""
    counts: dict[str, _Count] = {}
    for name in sequence:
        if name in module.functions:
            function = module.functions[name]
            facts = _Analysis(module, function, costs[name]).run()
            counts[name] = _count(function, costs[name], facts, counts)
    return {name: count.uneven < 2 for name, count in counts.items()}


def _count(function: Function, cost: FunctionCost, facts: _Facts, counts: dict[str, _Count]) -> _Count:
    total = _Count()
    for index, price in enumerate(cost.loops):
        if price.number:
            total.checked += 1
            is_nested = function.loops[index].parent is not None
            total.uneven += (2 if is_nested else 1) if index in facts.loops else 0
    for call in function.calls:
        called = counts.get(call.name, _Count())
        is_apart = facts.marks[call.token - function.braces[0]]
        uneven = called.checked if is_apart else called.uneven
        total.checked += called.checked
        total.uneven += uneven * (2 if call.loop is not None else 1)
    return _Count(min(total.checked, 2), min(total.uneven, 2))


class _Analysis:
    def __init__(self, module: Module, function: Function, cost: FunctionCost) -> None:
        self.module = module
        self.tokens = module.tokens
        self.function = function
        self.flow = cost.flow
        self.begin, self.end = function.braces
        self.statements = self._statements()

    def run(self) -> _Facts:
        """Sort out names until nothing changes."""
        facts = _Facts(self._first_names(), [])
        for _ in range(_PASSES):
            self._mark(facts)
            found = {
                statement.target
                for statement in self.statements
                if facts.marks[statement.begin - self.begin] or statement.names & facts.uneven
            }
            if found <= facts.uneven:
                return facts
            facts.uneven |= found
        everything = set(range(len(self.function.loops)))
        return _Facts(facts.uneven, [True] * len(facts.marks), everything)

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
        if not is_shift and not _ASSIGNS.intersection(texts):
            return None
        names = (
            token.text
            for token in self.tokens[span[0] : span[1]]
            if token.kind == "name" and token.text not in KEYWORDS and token.text != "function"
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

    def _mark(self, facts: _Facts) -> None:
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

    def _add_loops(self, facts: _Facts) -> None:
        """The loops that only some invocations reach, or that only some leave or begin anew."""
        for index, loop in enumerate(self.function.loops):
            if facts.marks[loop.keyword - self.begin]:
                facts.loops.add(index)
        for token, inner in self.flow.jumps:
            if facts.marks[token - self.begin] and inner is not None:
                is_return = self.tokens[token].text == "return"
                facts.loops.update(around(self.function, inner) if is_return else [inner])

    def _depends(self, span: Span, facts: _Facts) -> bool:
        return bool(self._names(span) & facts.uneven)
