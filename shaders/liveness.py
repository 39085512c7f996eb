"""Which tokens of a kernel matter: all but declarations that no entry point leads to, locals that nothing reads, and
statements that only compute.

Owns what has no effect, and rather keeps than drops: assignments stay, even to what is never read, and so does all
control flow. Must not know why it is asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from shaders import callgraph
from shaders.tokens import Token
from shaders.tree import Function, Local, Module, Span, aliased

_EFFECTS = ("atomic", "quad", "storage", "subgroup", "texture", "workgroup")
"""What the names of built-in functions begin with that do more than give a value."""
_BEFORE_STATEMENT = frozenset([";", "{", "}", ":"])
_COMPLETE = frozenset([";", "{", "}"])


def living(module: Module, sequence: list[str]) -> list[Token]:
    """The tokens of `module` that matter, in their order; `sequence` is what `callgraph.order` gave."""
    idle = _idle_functions(module, sequence)
    dead = [False] * len(module.tokens)
    for function in module.functions.values():
        for begin, end in _dead_statements(module, function, idle):
            dead[begin:end] = [True] * (end - begin)
    for begin, end in _unreached(module, dead):
        dead[begin:end] = [True] * (end - begin)
    return _without_blanks(token for index, token in enumerate(module.tokens) if not dead[index])


# ---------------------------------------------------------------------- statements
def _idle_functions(module: Module, sequence: list[str]) -> set[str]:
    """The functions whose calls do nothing but give a value, soon: no loops, no variables but their own."""
    idle: set[str] = set()
    variables = {name for name, each in module.declarations.items() if each.keyword == "var"}
    for name in sequence:
        function = module.functions.get(name)
        if (
            function is not None
            and not function.loops
            and variables.isdisjoint(function.references)
            and all(aliased(module, parameter.type) != "ptr" for parameter in function.parameters)
            and all(_is_idle_call(module, call.name, idle) for call in function.calls)
        ):
            idle.add(name)
    return idle


def _is_idle_call(module: Module, name: str, idle: set[str]) -> bool:
    return name in idle if name in module.functions else not name.startswith(_EFFECTS)


def _dead_statements(module: Module, function: Function, idle: set[str]) -> list[Span]:
    """The statements that only compute: those to `_`, and of locals that nothing but such statements names."""
    locals_ = {begin: local for local in function.locals for begin in [_begin(module, local)]}
    candidates = {
        begin: end
        for begin, end in _statements(module, function, locals_)
        if _only_computes(module, (begin, end), idle)
    }
    begins = sorted(candidates)

    def inside(index: int) -> int | None:
        """The candidate that holds the token at `index`."""
        place = bisect_right(begins, index) - 1
        return begins[place] if place >= 0 and index < candidates[begins[place]] else None

    named_in: dict[int, list[int]] = {}
    waiting = []
    for begin in begins:
        for use in locals_[begin].uses if begin in locals_ else ():
            user = inside(use)
            if user is None:
                waiting.append(begin)
            else:
                named_in.setdefault(user, []).append(begin)
    while waiting:  # what is alive keeps what it names
        begin = waiting.pop()
        if candidates.pop(begin, None) is not None:
            waiting.extend(named_in.get(begin, ()))
    return list(candidates.items())


def _begin(module: Module, local: Local) -> int:
    """The keyword of a local's declaration."""
    index = local.token - 1
    while module.tokens[index].text != local.keyword:
        index -= 1
    return index


def _statements(module: Module, function: Function, locals_: dict[int, Local]) -> Iterator[Span]:
    """The declarations of locals and the statements to `_`, but for those in the header of a `for`."""
    for begin, local in locals_.items():
        if module.tokens[begin - 1].text in _BEFORE_STATEMENT:
            yield begin, local.visible[0] + 1
    opener, close = function.braces
    for begin in range(opener + 1, close):
        if module.tokens[begin].text == "_" and module.tokens[begin - 1].text in _BEFORE_STATEMENT:
            end = next(index for index in range(begin, close + 1) if module.tokens[index].text in _COMPLETE)
            if module.tokens[end].text == ";":
                yield begin, end + 1


def _only_computes(module: Module, span: Span, idle: set[str]) -> bool:
    tokens = module.tokens[span[0] : span[1]]
    return all(
        _is_idle_call(module, token.text, idle)
        for token, after in pairwise(tokens)
        if token.kind == "name" and after.text in ("(", "<")
    )


# ---------------------------------------------------------------------- module scope
def _unreached(module: Module, dead: list[bool]) -> Iterator[Span]:
    """The declarations that no entry point leads to by tokens that matter, and the assertions."""
    reached = {name for name, each in module.functions.items() if each.attribute("workgroup_size")}
    waiting = list(reached)
    while waiting:
        fresh = _mentions(module, waiting.pop(), dead) - reached
        reached |= fresh
        waiting.extend(fresh)
    names = {
        each.token: name
        for kind in (module.structs, module.declarations, module.functions)
        for name, each in kind.items()
    }
    for begin, end in _declarations(module):
        name = next((names[index] for index in range(begin, end) if index in names), None)
        is_assertion = module.tokens[begin].text == "const_assert"
        if is_assertion or (name is not None and name not in reached):
            yield begin, end


def _mentions(module: Module, name: str, dead: list[bool]) -> set[str]:
    """The module-scope names that a declaration mentions in tokens that matter."""
    found = set(callgraph.outside_body(module, name))
    function = module.functions.get(name)
    declaration = function or module.declarations.get(name)
    for attribute in declaration.attributes if declaration else ():
        for index in range(*(attribute.arguments or (0, 0))):
            found.add(module.tokens[index].text)
    for target, uses in function.references.items() if function else ():
        if not all(dead[use] for use in uses):
            found.add(target)
    return {target for target in found if module.declares(target)}


def _declarations(module: Module) -> Iterator[Span]:
    """All that stands at module scope, one after the other, each with its semicolon or its braces."""
    begin = index = 0
    while module.tokens[index].kind != "end":
        ends = module.tokens[index].text in (";", "{")
        index = max(index, module.partner[index]) + 1
        if ends:
            yield begin, index
            begin = index


def _without_blanks(tokens: Iterator[Token]) -> list[Token]:
    """`tokens` without empty statements and blocks, which dropping may have left, and without the end."""
    kept: list[Token] = []
    for token in tokens:
        before = [each.text for each in kept[-2:]]
        if token.kind == "end" or (token.text == ";" and _COMPLETE.issuperset(before[-1:])):
            continue
        if token.text == "}" and before[1:] == ["{"] and before[0] in _COMPLETE:
            kept.pop()
        else:
            kept.append(token)
    return kept
