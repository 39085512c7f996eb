"""Reading along a kernel's tokens: the steps that both halves of the parser take.

Owns small moves only, each from one token index to another. Must not know declarations or statements.
"""

from __future__ import annotations

from shaders.brackets import OPENERS
from shaders.errors import KernelgateError
from shaders.source import KernelSyntaxError
from shaders.tokens import KEYWORDS, STATEMENT_WORDS
from shaders.tree import Module, Span


class Cursor:
    """A view of a module's tokens. Every method raises `KernelSyntaxError` where the text is not what it must be."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.tokens = module.tokens
        self.partner = module.partner

    def text(self, index: int) -> str:
        """The text of the token at `index`."""
        return self.tokens[index].text

    def found(self, index: int) -> str:
        """How a message names the token at `index`."""
        return f"'{self.text(index)}'" if self.tokens[index].kind != "end" else "the end of the source"

    def missing(self, index: int, *wanted: str, hint: str | None = None) -> KernelgateError:
        """The error that none of the tokens `wanted` is at `index`: it points to where they were to stand."""
        listed = " or ".join(f"'{text}'" for text in wanted)
        message = f"expected {listed}, found {self.found(index)}"
        place = self.module.source.gap(self.tokens[index - 1].end, self.tokens[index].start)
        return self.module.source.error(KernelSyntaxError, place, message, hint)

    def expect(self, index: int, text: str, hint: str | None = None) -> int:
        """The index after the token `text`, which must be at `index`."""
        if self.text(index) != text:
            raise self.missing(index, text, hint=hint)
        return index + 1

    def name(self, index: int) -> str:
        """The name at `index`; keywords are none."""
        token = self.tokens[index]
        if token.kind != "name" or token.text in KEYWORDS:
            raise self.module.error(KernelSyntaxError, index, f"expected a name, found {self.found(index)}")
        return token.text

    def skip(self, index: int) -> int:
        """The index after the token at `index`, or after its partner when it opens a bracket."""
        return self.partner[index] + 1 if self.text(index) in OPENERS else index + 1

    def until(self, index: int, *stops: str) -> int:
        """The index of the first of `stops` from `index` on, outside brackets."""
        while self.text(index) not in stops:
            if self.tokens[index].kind == "end" or self.text(index) in (")", "]", "}"):
                raise self.missing(index, *stops)
            index = self.skip(index)
        return index

    def value_end(self, index: int) -> int:
        """The index of the semicolon after the expression at `index`."""
        end = index
        while self.tokens[end].kind != "end" and self.text(end) not in (";", ")", "]", "}"):
            end = self.skip(end)
        for place in range(index, end):
            if self.text(place) == "@" or self.text(place) in STATEMENT_WORDS:
                raise self.missing(place, ";", hint="The statement before it ends with `;`.")
        return self.expect(end, ";") - 1

    def template_end(self, index: int) -> int:
        """The index after the `>` that closes the `<` at `index`."""
        opener, depth = index, 0
        while True:
            text = self.text(index)
            depth += (text == "<") - (text == ">")
            if text in (";", "{", ")", "]", "}", "") or (text == "=" and depth == 1):
                raise self.module.error(KernelSyntaxError, opener, "this '<' is never closed")
            index = self.skip(index)
            if depth == 0:
                return index

    def type_end(self, index: int) -> int:
        """The index after the type that begins at `index`."""
        self.name(index)
        return self.template_end(index + 1) if self.text(index + 1) == "<" else index + 1

    def parts(self, span: Span) -> list[Span]:
        """The spans between the commas of `span` that are outside brackets and templates; a last comma adds none."""
        found: list[Span] = []
        begin, index = span[0], span[0]
        while index < span[1]:
            if self.text(index) == ",":
                found.append((begin, index))
                begin = index + 1
            is_template = self.text(index + 1) == "<" and self.text(index) in TEMPLATED
            index = self.template_end(index + 1) if is_template else self.skip(index)
        return [*found, (begin, span[1])] if begin < span[1] else found


TEMPLATED = frozenset(
    ["array", "atomic", "bitcast", "ptr", "vec2", "vec3", "vec4"]
    + [f"mat{columns}x{rows}" for columns in (2, 3, 4) for rows in (2, 3, 4)]
)
"""The predeclared names that are followed by a template; a kernel may not declare them anew."""
