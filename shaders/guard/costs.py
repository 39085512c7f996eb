"""What each loop of a kernel costs, and from which counter it is paid.

Owns the two prices of a turn. *Fuel* is the number of tokens that a turn goes through, calls and loops of known length
included, and more where it waits: a measure of time. *Turns* counts loops only, for drivers that stop after so many
turns of all loops together. Such a driver goes once through a loop's body to leave it, for nobody, and so through every
loop in it: that is what leaving costs. A short loop of known length is part of what is around it and needs no check.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shaders.constants import Constants
from shaders.guard.counting import Counting, counting
from shaders.guard.flow import Flow, flow_of
from shaders.guard.prepaid import is_prepaid
from shaders.guard.trips import Trips
from shaders.tree import Function, Module

_FREE = 4096
"""A loop of known length whose turns cost no more fuel than this together gets no check of its own."""
_MOST = 0xFFFFFF
"""No price is higher, so that it stays far within a counter of 32 bits."""
_COLLECTIVE = frozenset(["workgroupBarrier", "storageBarrier", "textureBarrier", "workgroupUniformLoad"])
_WAITING = {"storageBarrier": 256, **dict.fromkeys(_COLLECTIVE - {"storageBarrier"}, 16)}
_ATOMIC = 64
"""What a call costs in which an invocation waits for others or for memory, beyond its tokens: on an NVIDIA H200 such
turns took about as many times as long as their tokens say. A function of the kernel's own has its own cost instead."""


@dataclass(slots=True)
class LoopCost:
    """A loop: its price a turn, its number among the checked loops (from 1; 0: not checked), and its counter.

    `leaving` is the turns that go by in leaving it, its own and those of the loops in it.

    `is_shared`: every invocation of the workgroup turns together, so the counter must be one that the compiler can
    see to be the same for all; else it is the invocation's private one. `counting`: its form, where it is plain.
    `is_prepaid`: all its turns are paid for before the first.
    """

    fuel: int
    turns: int
    counting: Counting | None
    leaving: int = 1
    number: int = 0
    is_shared: bool = False
    is_prepaid: bool = False


@dataclass(slots=True)
class FunctionCost:
    """A function: what one call costs outside checked loops, and its loops in the parser's order.

    `leaving` is the turns of its loops in a call that nobody makes.
    `is_collective`: it reaches a barrier. `carries`: it needs the shared counter, for itself or for what it calls.
    """

    flow: Flow
    fuel: int = 0
    turns: int = 0
    leaving: int = 0
    loops: list[LoopCost] = field(default_factory=list)
    is_collective: bool = False
    carries: bool = False
    has_private: bool = False
    """Whether a loop, here or in what it calls, draws on the private counter."""


def costs_of(
    module: Module, sequence: list[str], constants: Constants, rewritten: set[int]
) -> dict[str, FunctionCost]:
    """The cost of every function; `sequence` names each after what it refers to.

    `rewritten` are operators that the guard replaces; what has one cannot be repeated elsewhere.
    """
    known: dict[str, FunctionCost] = {}
    trips = Trips(module, constants)
    numbers = 0
    for name in sequence:
        function = module.functions.get(name)
        if function is not None:
            cost = known[name] = FunctionCost(flow_of(module, function))
            collective = _calls(function, cost, known)
            _price(module, function, cost, known, trips)
            numbers = _choose_counters(function, cost, collective, numbers)
            _choose_prepaid(module, function, cost, rewritten)
    return known


def _calls(function: Function, cost: FunctionCost, known: dict[str, FunctionCost]) -> set[int]:
    """Take over what the called functions need; the loops that reach a barrier."""
    collective: set[int] = set()
    for call in function.calls:
        called = known.get(call.name)
        if called is not None:
            cost.carries |= called.carries
            cost.has_private |= called.has_private
        if call.name in _COLLECTIVE or (called is not None and called.is_collective):
            cost.is_collective = True
            collective |= set(function.around(call.loop))
    return collective


def _price(
    module: Module, function: Function, cost: FunctionCost, known: dict[str, FunctionCost], trips: Trips
) -> None:
    """Prices, innermost loops first: a loop stands before those in it."""
    cost.fuel = cost.flow.outside
    cost.loops = [
        LoopCost(own, 1, counting(module, loop))
        for own, loop in zip(cost.flow.own, function.loops, strict=True)
    ]
    for call in function.calls:
        called = known.get(call.name)
        payer = cost if call.loop is None else cost.loops[call.loop]
        if called is not None:
            payer.fuel += called.fuel
            payer.turns += called.turns
            payer.leaving += called.leaving
        else:
            payer.fuel += _ATOMIC if call.name.startswith("atomic") else _WAITING.get(call.name, 0)
    for index in reversed(range(len(cost.loops))):
        price, loop = cost.loops[index], function.loops[index]
        payer = cost if loop.parent is None else cost.loops[loop.parent]
        count = None if price.counting is None else trips.count(function, price.counting)
        is_free = count is not None and count * price.fuel <= _FREE
        payer.fuel += 1 + (count * price.fuel if is_free and count is not None else 0)
        payer.turns += price.leaving + (count * price.turns if is_free and count is not None else 0)
        payer.leaving += price.leaving
        price.number = 0 if is_free else 1
        price.fuel, price.turns = min(price.fuel, _MOST), min(price.turns, _MOST)


def _choose_counters(function: Function, cost: FunctionCost, collective: set[int], numbers: int) -> int:
    """Number the checked loops after `numbers`, and say which counter each draws on; the last number."""
    for index, price in enumerate(cost.loops):
        if not price.number:
            continue
        numbers += 1
        price.number = numbers
        returns = index in cost.flow.returns and cost.is_collective
        price.is_shared = index in collective or returns
        cost.carries |= price.is_shared
        cost.has_private |= not price.is_shared
    return numbers


def _choose_prepaid(module: Module, function: Function, cost: FunctionCost, rewritten: set[int]) -> None:
    """Say which of the loops with a private counter are paid for beforehand."""
    jumps = [(inner, module.tokens[token].text) for token, inner in cost.flow.jumps]
    left = cost.flow.returns | {inner for inner, word in jumps if word == "break" and inner is not None}
    for index, price in enumerate(cost.loops):
        if price.number and not price.is_shared:
            loop, is_left = function.loops[index], index in left
            is_own = rewritten.isdisjoint(range(loop.keyword, loop.open))
            price.is_prepaid = is_own and is_prepaid(module, function, loop, price.counting, is_left)
