"""The parser of function bodies: loops, calls, local names, and what a body refers to.

Owns what a later step must know of the inside of a function. It does not parse expressions: the words that begin
loops are reserved, so that a loop cannot hide from a walk along the tokens. Each token is visited once.
"""

from __future__ import annotations

from shaders.cursor import Cursor
from shaders.limits import Limits
from shaders.source import KernelLimitError, KernelSyntaxError
from shaders.tokens import KEYWORDS
from shaders.tree import Call, Function, Local, Loop, Module, Span

_LOOPS = frozenset(["for", "while", "loop"])
_LOCALS = frozenset(["var", "let", "const"])
_COUNTING = "As for (var i = 0; i < 3; i++) { … }"
_OUTSIDE_ONLY = frozenset(["fn", "struct", "enable", "requires", "override", "alias"])


def read_body(module: Module, function: Function, limits: Limits) -> None:
    """Fill in the loops, calls, locals and references of `function`.

    Raises `KernelSyntaxError` on a statement that cannot be, `KernelLimitError` on too many loops or `else if`s.
    """
    _Body(module, function, limits).run()


class _Body(Cursor):
    def __init__(self, module: Module, function: Function, limits: Limits) -> None:
        super().__init__(module)
        self.function = function
        self.limits = limits
        self.loop: int | None = None
        self.blocks: list[int] = []
        """The closing braces of the blocks around the token at hand, of a `for` also while in its header."""
        self.visible: dict[str, list[tuple[Span, list[int]]]] = {}
        """Of each local name, where its declarations may be named, the innermost last, and the tokens that do."""
        self.declared = -1
        """The token of the name that was declared last: it is no use of that name."""
        self.else_ifs: dict[int, int] = {}
        """Of the closing brace of each `if`, how many `else if` led to it."""

    def run(self) -> None:
        opener, close = self.function.braces
        self.blocks.append(close)
        for parameter in self.function.parameters:
            self.visible[parameter.name] = [((opener, close), [])]
        for index in range(opener + 1, close):
            self.leave(index)
            if self.tokens[index].kind == "name":
                self.word(index)
            elif self.text(index) == "{" and self.blocks[-1] != self.partner[index]:
                self.blocks.append(self.partner[index])

    def leave(self, index: int) -> None:
        """Close the blocks and loops that end before `index`."""
        while index > self.blocks[-1]:
            self.blocks.pop()
        while self.loop is not None and index > self.function.loops[self.loop].close:
            self.loop = self.function.loops[self.loop].parent

    def word(self, index: int) -> None:
        text = self.text(index)
        if text in _LOOPS:
            self.begin_loop(index)
        elif text == "if" and self.text(index - 1) != "break":
            self.begin_if(index)
        elif text in _LOCALS:
            self.declare(index)
        elif text in _OUTSIDE_ONLY:
            raise self.module.error(KernelSyntaxError, index, f"'{text}' cannot stand in a function")
        elif text not in KEYWORDS and self.text(index - 1) not in (".", "@") and index != self.declared:
            self.use(index)

    def body_of(self, index: int) -> int:
        """The brace that opens the body of the statement whose keyword is at `index`."""
        opener = self.until(index + 1, "{", ";")
        self.expect(opener, "{", f"What '{self.text(index)}' does stands in braces.")
        return opener

    def begin_loop(self, index: int) -> None:
        if self.text(index) == "for":
            self.expect(index + 1, "(", _COUNTING)
        opener = self.body_of(index)
        loops = sum(len(function.loops) for function in self.module.functions.values())
        if loops == self.limits.loops:
            message = f"the kernel has more than {self.limits.loops} loops"
            raise self.module.error(KernelLimitError, index, message)
        kind = self.text(index)
        close = self.partner[opener]
        self.function.loops.append(
            Loop(kind, index, opener, close, self.loop)  # type: ignore[arg-type]  # one of the three
        )
        self.loop = len(self.function.loops) - 1
        self.blocks.append(close)

    def begin_if(self, index: int) -> None:
        opener = self.body_of(index)
        count = 0
        if self.text(index - 1) == "else":
            count = self.else_ifs.get(index - 2, 0) + 1
            if count > self.limits.else_ifs:
                message = f"a chain has more than {self.limits.else_ifs} 'else if'"
                raise self.module.error(KernelLimitError, index, message)
        self.else_ifs[self.partner[opener]] = count

    def declare(self, index: int) -> None:
        token = index + 1
        if self.text(index) == "var" and self.text(token) == "<":
            token = self.template_end(token)
        name = self.name(token)
        end, type_, value = token + 1, None, None
        if self.text(end) == ":":
            type_ = (end + 1, self.type_end(end + 1))
            end = type_[1]
        if self.text(end) == "=":
            value = (end + 1, self.value_end(end + 1))
            end = value[1]
        self.expect(end, ";", _COUNTING if self.text(end) == "in" else None)
        visible = (end, self.blocks[-1])
        local = Local(self.text(index), name, token, type_, value, visible)
        self.function.locals.append(local)
        self.visible.setdefault(name, []).append((visible, local.uses))
        self.declared = token

    def use(self, index: int) -> None:
        """Note what the name at `index` calls or refers to."""
        name = self.text(index)
        if self.text(index + 1) == "(":
            self.function.calls.append(Call(name, index, self.loop))
        uses = self.uses_of_local(name, index)
        if uses is None:
            uses = self.function.references.setdefault(name, [])
        uses.append(index)

    def uses_of_local(self, name: str, index: int) -> list[int] | None:
        """What to note a use of the local `name` at `index` in; None if it is none."""
        declared = self.visible.get(name, [])
        while declared and index >= declared[-1][0][1]:
            declared.pop()
        # The innermost may not have begun: in `let x = x;` the second x is the outer one.
        return next((uses for (begin, end), uses in declared[:-3:-1] if begin <= index < end), None)
