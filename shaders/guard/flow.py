"""Where the statements of a function go: which loop each token is in, jumps, and blocks that hang on a condition.

Owns what the guard asks of the inside of a body beyond the parser's outline. One pass along the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shaders.cursor import Cursor
from shaders.tree import Function, Loop, Module, Span

_JUMPS = frozenset(["break", "continue", "return"])


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition's tokens, and the tokens that are run or not by what it says (all that an `if` leads to)."""

    condition: Span
    body: Span


@dataclass(slots=True)
class Flow:
    """Of one function: `own` counts the tokens of each loop outside the loops in it, `outside` those in no loop."""

    outside: int = 0
    own: list[int] = field(default_factory=list)
    returns: set[int] = field(default_factory=set)
    """The loops with a `return` in them, at any depth."""
    jumps: list[tuple[int, int | None]] = field(default_factory=list)
    """Each `break`, `continue` and `return`: its token, and the loop that it is in."""
    branches: list[Branch] = field(default_factory=list)


def for_parts(module: Module, loop: Loop) -> tuple[Span, Span, Span] | None:
    """The three parts in the parentheses of a `for`; None where there are not three."""
    tokens, opener = module.tokens, loop.keyword + 1
    close = module.partner[opener]
    breaks = [index for index in range(opener, max(close, opener)) if tokens[index].text == ";"]
    if loop.kind != "for" or len(breaks) != 2:
        return None
    first, second = breaks
    return (opener + 1, first), (first + 1, second), (second + 1, close)


def condition_of(module: Module, loop: Loop) -> Span | None:
    """The condition in the head of a loop; None where there is none."""
    span = (loop.keyword + 1, loop.open)
    if loop.kind == "for":
        parts = for_parts(module, loop)
        span = parts[1] if parts is not None else (0, 0)
    is_plain = all(module.tokens[index].text != "@" for index in range(*span))
    return span if loop.kind != "loop" and span[0] < span[1] and is_plain else None


def flow_of(module: Module, function: Function) -> Flow:
    """Read the body of `function`."""
    return _Reader(module, function).run()


class _Reader(Cursor):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module)
        self.function = function
        self.flow = Flow(own=[0] * len(function.loops))

    def run(self) -> Flow:
        starts = {loop.keyword: number for number, loop in enumerate(self.function.loops)}
        current: int | None = None
        for index in range(self.function.braces[0] + 1, self.function.braces[1]):
            while current is not None and index > self.function.loops[current].close:
                current = self.function.loops[current].parent
            current = starts.get(index, current)
            if current is None:
                self.flow.outside += 1
            else:
                self.flow.own[current] += 1
            if self.tokens[index].kind == "name":
                self.word(index, current)
        return self.flow

    def word(self, index: int, loop: int | None) -> None:
        text = self.text(index)
        if text in _JUMPS:
            self.flow.jumps.append((index, loop))
            if text == "break" and loop is None:
                self.leave_switch(index)
            if text == "return":
                self.flow.returns.update(self.function.around(loop))
        elif text == "if" and self.text(index - 1) == "break":
            end = self.until(index, ";")
            self.flow.branches.append(Branch((index + 1, end), (index - 1, end)))
        elif text in ("if", "switch"):
            opener = self.until(index + 1, "{")
            self.flow.branches.append(Branch((index + 1, opener), (opener, self.chain_end(opener))))

    def leave_switch(self, index: int) -> None:
        """Stretch each branch that decides on the `break` at `index` to the end of the `switch` that it leaves."""
        branches = self.flow.branches
        around = [place for place, each in enumerate(branches) if each.body[0] <= index < each.body[1]]
        switches = [place for place in around if self.text(branches[place].condition[0] - 1) == "switch"]
        for place in around[around.index(switches[-1]) + 1 :] if switches else []:
            body = (branches[place].body[0], branches[switches[-1]].body[1])
            branches[place] = Branch(branches[place].condition, body)

    def chain_end(self, opener: int) -> int:
        """The end of the block at `opener`, and of every `else` that follows it."""
        end = self.partner[opener] + 1
        while self.text(end) == "else":
            end = self.partner[self.until(end, "{")] + 1
        return end
