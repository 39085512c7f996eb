"""The prices that a guarded kernel is compiled with, and the budgets that they are paid from.

Owns the choice between the two kinds of budget: fuel, which measures time, and turns, for drivers that stop all loops
of an invocation after so many turns without a word.
"""

from __future__ import annotations

from typing import Literal

from shaders.guard import names
from shaders.reflection import Guard

Kind = Literal["fuel", "turns"]

MOST_FUEL = (1 << 32) - 1
EVEN_TURNS = 65_000
"""Such a driver stops a group of invocations after 65 535 turns. Where all turn together, the group's turns are one
invocation's; some are left for loops that the compiler adds."""
UNEVEN_TURNS = 8_191
"""Where they do not, the group's turns are at most the sum over its eight invocations."""


def priced(guard: Guard, kind: Kind) -> str:
    """The text to compile: the guarded source, and what a turn of each loop costs in the given kind."""
    lines = (
        f"const {names.COST}{number} = {loop.fuel if kind == 'fuel' else loop.turns}u;\n"
        for number, loop in enumerate(guard.loops, 1)
    )
    return guard.source + "".join(lines)


def fuel_budget(guard: Guard, entry_point: str, fuel: int) -> int:
    """What of `fuel` each counter of an entry point is given; 0 or less when what is outside counted loops takes all.

    Calls and short loops there can be five million tokens in a kernel that is within the limits.
    """
    return fuel - guard.entries[entry_point].fuel


def turns_budget(guard: Guard, entry_point: str) -> int:
    """How many turns each counter of an entry point may be given; 0 or less when no loop may turn at all."""
    entry = guard.entries[entry_point]
    turns = EVEN_TURNS if entry.even else UNEVEN_TURNS
    return (turns - entry.turns) // max(1, entry.counters)
