"""What an invocation of a stranger's kernel may use, and the two errors of one that would use more.

Owns the choice among the bounds of a dispatch. What things cost is in `shaders/guard/budget.py`. Must not know devices:
it is told in which kind one counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from host.errors import DriverLoopLimit, FuelExhausted
from host.kernels import guard_of
from ops.wire import FrameError
from shaders.errors import KernelgateError, caret
from shaders.guard.budget import MOST_FUEL, Kind, fuel_budget, turns_budget
from shaders.reflection import EntryPoint, Guard, Reflection


@dataclass(frozen=True, slots=True)
class Budget:
    """What an invocation may use, and whose bound that is; `driver`: it is the driver's.

    `left` is what each of its counters starts with: what stands outside counted loops is paid before.
    """

    value: int
    whose: str
    driver: bool = False
    left: int = 0


def budget(
    reflection: Reflection,
    entry: EntryPoint,
    kind: Kind,
    own: int,
    asked: int | None,
    most: Mapping[str, int],
) -> Budget:
    """The least of what is asked (None: the device's `own`, if it counts fuel), what `most` allows by whose bound it
    is, and what the driver can do.

    Raises `DriverLoopLimit` or `FuelExhausted` if what is outside counted loops takes all of it.
    """
    guard = guard_of(reflection)
    bounds = [Budget(value, whose) for whose, value in most.items()]
    if asked is not None:
        bounds.append(Budget(asked, "what the request asks for"))
    if kind == "turns":
        bounds.insert(0, _of_driver(guard, entry))
    elif asked is None:
        bounds.insert(0, Budget(own, "the device's own budget"))
    least = min([*bounds, Budget(MOST_FUEL, "the most there is")], key=lambda bound: bound.value)
    left = least.value if kind == "turns" else fuel_budget(guard, entry.name, least.value)
    if left <= 0:
        raise FuelExhausted(
            f"{entry.name!r} takes {least.value - left:,} fuel before any loop is counted, and has"
            f" {least.value:,}, {least.whose}",
            hint="Do less in each invocation, or ask for more fuel.",
        )
    return replace(least, left=left)


def ran_out(reflection: Reflection, loop: int, budget: Budget) -> KernelgateError:
    """The error for a kernel whose loop number `loop`, from 1 on, drew the last of `budget`.

    Raises `FrameError` if there is no such loop.
    """
    loops = guard_of(reflection).loops
    if not 0 < loop <= len(loops):
        raise FrameError(f"a kernel reports loop {loop} of {len(loops)}")
    line, column = loops[loop - 1].line, loops[loop - 1].column
    snippet = caret(reflection.source, line, column)
    if budget.driver:
        return _driver_limit(f"the loop at line {line} turns too often", line, column, snippet)
    return FuelExhausted(
        f"the loop at line {line} drew the last of the kernel's fuel: {budget.value:,}, {budget.whose}",
        hint="Check that the loop ends; else do less in each invocation, or ask for more fuel. No output was kept.",
        line=line,
        column=column,
        snippet=snippet,
    )


def _of_driver(guard: Guard, entry: EntryPoint) -> Budget:
    """The turns that a driver can do which counts them."""
    turns = turns_budget(guard, entry.name)
    if turns <= 0:
        raise _driver_limit(f"the loops of {entry.name!r} turn too often before any is counted")
    return Budget(turns, "the driver's limit", driver=True)


def _driver_limit(
    what: str, line: int | None = None, column: int | None = None, snippet: str | None = None
) -> DriverLoopLimit:
    return DriverLoopLimit(
        f"{what}: this software driver stops all loops of an invocation together after 65,535 turns, "
        "and would go on with wrong numbers",
        hint="Check that the loop ends; else split the work over more invocations or several dispatches. "
        "No output was kept.",
        line=line,
        column=column,
        snippet=snippet,
    )
