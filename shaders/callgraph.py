"""Who refers to whom in a kernel.

Owns cycles, reach and the size of functions with their calls expanded. Never recurses, linear in the references.
"""

from __future__ import annotations

from collections.abc import Iterator

from shaders.errors import KernelgateError
from shaders.limits import Limits
from shaders.source import KernelLimitError, KernelSyntaxError
from shaders.tokens import KEYWORDS
from shaders.tree import Module, Span

Edges = dict[str, dict[str, int]]
"""Of each module-scope name, the ones that its declaration mentions, each with the first token that does."""


def references(module: Module) -> Edges:
    """Who refers to whom; local names that hide a module-scope one are told apart."""
    return {name: _references(module, name) for name in _names(module)}


def order(module: Module, edges: Edges) -> list[str]:
    """All module-scope names, each after the names that it refers to.

    Raises `KernelSyntaxError` where a declaration leads back to itself.
    """
    done: list[str] = []
    open_: set[str] = set()
    finished: set[str] = set()
    for root in edges:
        stack = [] if root in finished else [(root, iter(edges[root].items()))]
        open_.update([root] if stack else [])
        while stack:
            name, rest = stack[-1]
            for target, token in rest:
                if target in open_:
                    raise _cycle(module, name, target, token)
                if target not in finished:
                    open_.add(target)
                    stack.append((target, iter(edges[target].items())))
                    break
            else:
                stack.pop()
                open_.discard(name)
                finished.add(name)
                done.append(name)
    return done


def reached(edges: Edges, entry: str) -> set[str]:
    """The module-scope names that the function `entry` leads to."""
    found: set[str] = set()
    waiting = [entry]
    while waiting:
        fresh = edges[waiting.pop()].keys() - found
        found |= fresh
        waiting.extend(fresh)
    return found


def check_sizes(module: Module, sequence: list[str], limits: Limits) -> None:
    """Raise `KernelLimitError` on a function that, with every call expanded, has too many tokens.

    `sequence` is what `order` gave.
    """
    sizes: dict[str, int] = {}
    for name in sequence:
        function = module.functions.get(name)
        if function is None:
            continue
        opener, close = function.braces
        called = sum(sizes.get(call.name, 0) for call in function.calls)
        sizes[name] = close - opener + called
        if sizes[name] > limits.inlined_tokens:
            raise module.error(
                KernelLimitError,
                function.token,
                f"'{name}' has {sizes[name]} tokens with its calls expanded; the limit is {limits.inlined_tokens}",
                "Compilers expand every call in place: turn repeated calls into a loop.",
            )


def _names(module: Module) -> Iterator[str]:
    yield from module.structs
    yield from module.declarations
    yield from module.functions


def outside_body(module: Module, name: str) -> dict[str, int]:
    """The module-scope names that the declaration of `name` mentions, but for a function's body, with their tokens."""
    found: dict[str, int] = {}
    for begin, end in _spans(module, name):
        for index in range(begin, end):
            token = module.tokens[index]
            if token.kind == "name" and token.text not in KEYWORDS and module.tokens[index - 1].text != ".":
                found.setdefault(token.text, index)
    return {target: token for target, token in found.items() if module.declares(target)}


def _references(module: Module, name: str) -> dict[str, int]:
    found = outside_body(module, name)
    if name in module.functions:
        body = module.functions[name].references
        found = {target: uses[0] for target, uses in body.items() if module.declares(target)} | found
    return found


def _spans(module: Module, name: str) -> list[Span]:
    """The parts of a declaration, outside a body, that may refer to others."""
    if name in module.structs:
        members = module.structs[name].members
        return [member.type for member in members] + [
            attribute.arguments
            for member in members
            for attribute in member.attributes
            if attribute.arguments
        ]
    if name in module.functions:
        function = module.functions[name]
        types = [parameter.type for parameter in function.parameters] + [function.result]
        return [span for span in types if span]
    declaration = module.declarations[name]
    return [span for span in (declaration.type, declaration.value) if span]


def _cycle(module: Module, name: str, target: str, token: int) -> KernelgateError:
    if name in module.functions and target in module.functions:
        message = (
            f"'{name}' calls itself"
            if name == target
            else f"'{name}' calls '{target}', which leads back to '{name}'"
        )
        return module.error(
            KernelSyntaxError, token, f"{message}; WGSL has no recursion", "Use a loop instead."
        )
    return module.error(KernelSyntaxError, token, f"'{target}' is declared in terms of itself")
