"""What the parser makes of a kernel: records over ranges of its tokens.

Owns the shapes only. A `Span` is a range of token indices, the end not included. Everything that a later step may
want to rewrite (function bodies, loops, calls, attributes) says which tokens it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from shaders.errors import KernelgateError
from shaders.lexer import Tokens
from shaders.source import Source
from shaders.tokens import Token

Span = tuple[int, int]


@dataclass(slots=True)
class Attribute:
    """`@name` or `@name(arguments)`: `token` is its `@`, `end` the first token after it."""

    name: str
    token: int
    arguments: Span | None
    end: int


@dataclass(slots=True)
class Field:
    """A function's parameter or a struct's member; `token` is its name."""

    name: str
    token: int
    type: Span
    attributes: list[Attribute]


@dataclass(slots=True)
class Struct:
    """`struct name { members }`."""

    name: str
    token: int
    members: list[Field]


@dataclass(slots=True)
class Declaration:
    """A module-scope `var`, `const`, `override` or `alias`; the type of an alias is its `value`."""

    keyword: Literal["var", "const", "override", "alias"]
    name: str
    token: int
    type: Span | None
    value: Span | None
    attributes: list[Attribute]
    space: str = ""
    access: str = ""


@dataclass(slots=True)
class Local:
    """A `var`, `let` or `const` in a body; it may be named between the tokens `visible`; those that do are `uses`."""

    keyword: str
    name: str
    token: int
    type: Span | None
    value: Span | None
    visible: Span
    uses: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop, whose body is in the braces `open` and `close`; `parent` indexes the function's loops."""

    kind: Literal["for", "while", "loop"]
    keyword: int
    open: int
    close: int
    parent: int | None


@dataclass(slots=True)
class Call:
    """`name(…)`, a function's, a built-in's or a type's; `token` is the name, `loop` indexes the function's loops."""

    name: str
    token: int
    loop: int | None


@dataclass(slots=True)
class Function:
    """A function: `keyword` is its `fn`, `parentheses` and `braces` the brackets of its parameters and body.

    `references` maps each name in its body that is not local to the tokens that name it.
    """

    name: str
    token: int
    keyword: int
    attributes: list[Attribute]
    parentheses: Span
    parameters: list[Field]
    result: Span | None
    braces: Span
    loops: list[Loop] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    references: dict[str, list[int]] = field(default_factory=dict)

    def attribute(self, name: str) -> Attribute | None:
        """The attribute called `name`, if it has one."""
        return next((each for each in self.attributes if each.name == name), None)

    def around(self, loop: int | None) -> list[int]:
        """`loop` and the loops around it, the innermost first."""
        found = []
        while loop is not None:
            found.append(loop)
            loop = self.loops[loop].parent
        return found


@dataclass(slots=True)
class Directive:
    """`enable`, `requires` or `diagnostic` with its words."""

    keyword: str
    token: int
    words: list[str]


@dataclass(slots=True)
class Module:
    """A parsed kernel. Declarations of all kinds are found by name: WGSL has one name space."""

    lexed: Tokens
    directives: list[Directive] = field(default_factory=list)
    structs: dict[str, Struct] = field(default_factory=dict)
    declarations: dict[str, Declaration] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """The text that the tokens came from."""
        return self.lexed.source

    @property
    def tokens(self) -> list[Token]:
        """The tokens that spans index."""
        return self.lexed.items

    @property
    def partner(self) -> list[int]:
        """For each bracket, the index of the one that pairs with it."""
        return self.lexed.partner

    def declares(self, name: str) -> bool:
        """Whether the kernel declares `name` at module scope."""
        return name in self.structs or name in self.declarations or name in self.functions

    def error(
        self, kind: type[KernelgateError], token: int, message: str, hint: str | None = None
    ) -> KernelgateError:
        """An error of `kind` that points at a token."""
        return self.source.error(kind, self.tokens[token].start, message, hint)

    def text(self, span: Span) -> str:
        """The text of a span, its blanks made single spaces."""
        if span[1] <= span[0]:
            return ""
        raw = self.lexed.text[self.tokens[span[0]].start : self.tokens[span[1] - 1].end]
        return " ".join(raw.split())


def aliased(module: Module, type_: Span) -> str:
    """The first word of the type at `type_`, aliases replaced (they have no cycles: `callgraph.order` ran before)."""
    name = module.tokens[type_[0]].text
    alias = module.declarations.get(name)
    while alias is not None and alias.keyword == "alias" and alias.value is not None:
        name = module.tokens[alias.value[0]].text
        alias = module.declarations.get(name)
    return name
