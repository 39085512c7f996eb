"""The parser of module scope: directives and declarations.

Owns the outline of a kernel; `shaders/bodies.py` reads inside the braces of functions. Never recurses, and takes
time linear in the number of tokens. It accepts more than WGSL: the compiler that follows has the last word, and
gets exactly the tokens that were seen here.
"""

from __future__ import annotations

from shaders.bodies import read_body
from shaders.cursor import Cursor
from shaders.lexer import scan
from shaders.limits import Limits
from shaders.source import KernelLimitError, KernelSyntaxError, Source
from shaders.tree import Attribute, Declaration, Directive, Field, Function, Module, Span, Struct


def parse(text: str, limits: Limits) -> Module:
    """The outline of the kernel `text`.

    Raises `KernelSyntaxError`, `KernelLimitError` and `KernelUnsupportedError`.
    """
    module = Module(scan(Source(text, limits), limits))
    _Parser(module, limits).run()
    return module


_DECLARES = "A declaration begins with fn, var, const, override, struct or alias, and attributes before them."
_DECLARED = {"let": "Outside of functions write const."} | dict.fromkeys(
    ("def", "function", "func", "kernel", "void", "float", "int"),
    "A function is fn name(x: f32) -> f32 { … }, a constant const n = 3;",
)
"""What WGSL writes for words that begin a declaration elsewhere."""


class _Parser(Cursor):
    def __init__(self, module: Module, limits: Limits) -> None:
        super().__init__(module)
        self.limits = limits

    def run(self) -> None:
        index = 0
        while self.tokens[index].kind != "end":
            index = self.directive(index) if self.text(index) in DIRECTIVES else self.declaration(index)

    def directive(self, index: int) -> int:
        end = self.value_end(index + 1)
        words = [token.text for token in self.tokens[index + 1 : end] if token.kind == "name"]
        self.module.directives.append(Directive(self.text(index), index, words))
        return end + 1

    def declaration(self, index: int) -> int:
        if self.text(index) == ";":
            return index + 1
        attributes, index = self.attributes(index)
        keyword = self.text(index)
        if keyword == "fn":
            return self.function(index, attributes)
        if keyword == "struct":
            return self.struct(index, attributes)
        if keyword == "const_assert":
            return self.value_end(index + 1) + 1
        if keyword == "var":
            return self.variable(index, attributes)
        if keyword in ("const", "override", "alias"):
            return self.constant(index, attributes)
        message = f"expected a declaration, found {self.found(index)}"
        raise self.module.error(KernelSyntaxError, index, message, _DECLARED.get(keyword, _DECLARES))

    def attributes(self, index: int) -> tuple[list[Attribute], int]:
        """The attributes from `index` on, and the index after them."""
        found: list[Attribute] = []
        while self.text(index) == "@":
            if len(found) == self.limits.attributes:
                message = f"a declaration has more than {self.limits.attributes} attributes"
                raise self.module.error(KernelLimitError, index, message)
            token = self.tokens[index + 1]
            if token.kind != "name":
                raise self.module.error(
                    KernelSyntaxError, index + 1, f"expected a name, found {self.found(index + 1)}"
                )
            end, arguments = index + 2, None
            if self.text(end) == "(":
                arguments = (end + 1, self.partner[end])
                end = self.partner[end] + 1
            found.append(Attribute(token.text, index, arguments, end))
            index = end
        return found, index

    def declared(self, index: int) -> str:
        """The name at `index`, which must be new to the module."""
        name = self.name(index)
        if self.module.declares(name):
            raise self.module.error(KernelSyntaxError, index, f"'{name}' is declared twice")
        return name

    def constant(self, index: int, attributes: list[Attribute]) -> int:
        """A `const`, `override` or `alias` up to its semicolon."""
        token = index + 1
        name = self.declared(token)
        type_, value, end = self.type_and_value(token + 1)
        keyword = self.text(index)
        if value is None and keyword != "override":
            raise self.missing(end, "=")
        self.module.declarations[name] = Declaration(
            keyword,  # type: ignore[arg-type]  # one of the three
            name,
            token,
            type_,
            value,
            attributes,
        )
        return end + 1

    def variable(self, index: int, attributes: list[Attribute]) -> int:
        """A `var` up to its semicolon."""
        token, template = index + 1, (0, 0)
        if self.text(token) == "<":
            template = (token + 1, self.template_end(token) - 1)
            token = template[1] + 1
        name = self.declared(token)
        type_, value, end = self.type_and_value(token + 1)
        words = [self.module.text(part) for part in self.parts(template)]
        self.module.declarations[name] = Declaration(
            "var", name, token, type_, value, attributes, *[*words, "", ""][:2]
        )
        return end + 1

    def type_and_value(self, index: int) -> tuple[Span | None, Span | None, int]:
        """`: type = value;` from `index` on, each part optional, and the index of the semicolon."""
        type_, value = None, None
        if self.text(index) == ":":
            type_ = (index + 1, self.type_end(index + 1))
            index = type_[1]
        if self.text(index) == "=":
            value = (index + 1, self.value_end(index + 1))
            index = value[1]
        self.expect(index, ";")
        return type_, value, index

    def struct(self, index: int, attributes: list[Attribute]) -> int:
        if attributes:
            raise self.module.error(KernelSyntaxError, attributes[0].token, "a struct takes no attribute")
        name = self.declared(index + 1)
        opener = index + 2
        self.expect(opener, "{")
        self.module.structs[name] = Struct(name, index + 1, self.fields(opener))
        return self.partner[opener] + 1

    def fields(self, opener: int) -> list[Field]:
        """The parameters or members between the bracket at `opener` and its partner."""
        found: list[Field] = []
        index, close = opener + 1, self.partner[opener]
        while index < close:
            attributes, index = self.attributes(index)
            name = self.name(index)
            end = self.type_end(self.expect(index + 1, ":", f"Its type stands behind it, as {name}: f32."))
            found.append(Field(name, index, (index + 2, end), attributes))
            index = (
                end
                if end == close
                else self.expect(end, ",", "Members and parameters have commas between them.")
            )
        return found

    def function(self, index: int, attributes: list[Attribute]) -> int:
        name = self.declared(index + 1)
        if len(self.module.functions) == self.limits.functions:
            message = f"the kernel has more than {self.limits.functions} functions"
            raise self.module.error(KernelLimitError, index, message)
        opener = index + 2
        self.expect(opener, "(")
        parameters = self.fields(opener)
        parentheses = (opener, self.partner[opener])
        result, brace = self.result(parentheses[1] + 1)
        if result is None and self.tokens[brace].kind == "name":
            raise self.missing(brace, "->", "{")
        self.expect(brace, "{")
        function = Function(
            name,
            index + 1,
            index,
            attributes,
            parentheses,
            parameters,
            result,
            (brace, self.partner[brace]),
        )
        self.module.functions[name] = function
        read_body(self.module, function, self.limits)
        return function.braces[1] + 1

    def result(self, index: int) -> tuple[Span | None, int]:
        """The result's type after the parameters, if there is one, and the index of what must be the body."""
        if self.text(index) != "->":
            return None, self.attributes(index)[1]
        _, begin = self.attributes(index + 1)
        end = self.type_end(begin)
        return (begin, end), self.attributes(end)[1]


DIRECTIVES = frozenset(["enable", "requires", "diagnostic"])
