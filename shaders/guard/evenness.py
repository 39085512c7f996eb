"""Whether a group's turns are bounded by what one of its invocations pays.

Owns one proof, for drivers that count the turns of a whole group of invocations. What all run equally often is no
trouble: the group takes as many turns as each of them. Nor is one part that they do not, where all that is behind it is
run by whoever ran that: the group takes as many turns there as the one that takes most. Two such parts may be long for
different invocations, and the group takes the turns of both.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaders.guard.costs import FunctionCost
from shaders.guard.divergence import Divergence, divergence_of
from shaders.tree import Function, Module

_TOGETHER, _ALONE, _APART = 0, 1, 2
"""How the invocations that call a function go through its checked loops: all equally often; unequally, but no more
often together than one of them; or neither is seen."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """What a call of a function comes to: whether it has checked loops, and how they are gone through."""

    any: bool = False
    kind: int = _TOGETHER


@dataclass(frozen=True, slots=True)
class _Part:
    """A checked loop of a function, or a call that has some: its tokens, and how it is gone through."""

    begin: int
    end: int
    kind: int


def even_entries(module: Module, sequence: list[str], costs: dict[str, FunctionCost]) -> dict[str, bool]:
    """Of each function, whether a group's turns in it are bounded so; `sequence` has what it calls before it."""
    turns: dict[str, _Turns] = {}
    for name in sequence:
        if name in module.functions:
            function, cost = module.functions[name], costs[name]
            facts = divergence_of(module, function, cost.flow)
            parts = _parts(function, cost, facts, turns)
            gone = [
                token
                for token, _ in cost.flow.jumps
                if module.tokens[token].text == "return" and facts.splits(token)
            ]
            turns[name] = _Turns(bool(parts), _kind(parts, gone))
    return {name: each.kind != _APART for name, each in turns.items()}


def _parts(
    function: Function, cost: FunctionCost, facts: Divergence, turns: dict[str, _Turns]
) -> list[_Part]:
    found = []
    for index, (loop, price) in enumerate(zip(function.loops, cost.loops, strict=True)):
        if price.number:
            kind = _ALONE if index in facts.loops else _TOGETHER
            found.append(_Part(loop.keyword, loop.close, _repeated(kind, loop.parent)))
    for call in function.calls:
        called = turns.get(call.name, _Turns())
        if called.any:
            kind = max(called.kind, _ALONE) if facts.splits(call.token) else called.kind
            found.append(_Part(call.token, call.token, _repeated(kind, call.loop)))
    return found


def _repeated(kind: int, loop: int | None) -> int:
    """What a part is that stands in a loop: one that takes other turns each time may do so for others each time."""
    return kind if kind == _TOGETHER or loop is None else _APART


def _kind(parts: list[_Part], gone: list[int]) -> int:
    """How a function's `parts` are gone through together; at the tokens `gone` some invocations leave it.

    What is behind the first of these is not run by all who call. Where those that leave have been in the uneven part,
    it may be long for them, and what is behind it for the others.
    """
    uneven = [part for part in parts if part.kind != _TOGETHER]
    if not uneven:
        return _ALONE if gone and any(part.begin > gone[0] for part in parts) else _TOGETHER
    alone = uneven[0]
    later = [token for token in gone if token > alone.begin]
    is_split = bool(later) and any(part.begin > max(alone.end, later[0]) for part in parts)
    return _APART if len(uneven) > 1 or alone.kind == _APART or is_split else _ALONE
