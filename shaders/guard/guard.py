"""From a parsed kernel to one that ends, yields and stays inside.

Owns the order of the rewriting and where each piece goes. Lines keep their numbers: checks go to the head and the
braces of a loop, and what is new stands at the end of the text.
"""

from __future__ import annotations

from collections.abc import Mapping

from shaders import callgraph
from shaders.guard import names, remainders
from shaders.guard.costs import FunctionCost, LoopCost, costs_of
from shaders.guard.counting import Counting
from shaders.guard.edits import Edits
from shaders.guard.evenness import even_entries
from shaders.guard.expressions import signed_remainders
from shaders.guard.flow import condition_of
from shaders.guard.wrapper import HEADER, wrapper
from shaders.guard.zeroing import Zeroing, zeroing
from shaders.reflection import EntryPoint, Guard, GuardedEntry, GuardedLoop
from shaders.resolve import Resolver
from shaders.source import KernelSyntaxError
from shaders.tree import Function, Loop, Module

VERSION = 8
"""Grows with every change of what the guard writes, or of what it refuses: kernels of another version are not run, but
parsed again."""


def guard(
    module: Module,
    resolver: Resolver,
    edges: callgraph.Edges,
    sequence: list[str],
    entries: tuple[EntryPoint, ...],
) -> Guard:
    """The guarded text of `module`, and what the host must know to run it.

    `sequence` names each declaration after what it refers to. Raises `KernelSyntaxError` on an entry point that has
    parameters or a result that none can have, or that is called.
    """
    signed = signed_remainders(module, resolver, sequence)
    costs = costs_of(module, sequence, resolver.constants, {each.operator for each in signed})
    even = even_entries(module, sequence, costs)
    edits = Edits(module.source, module.lexed.text)
    remainders.write(module, signed, edits)
    for function in module.functions.values():
        _rewrite(module, function, costs, edits)
    wrappers, guarded = [HEADER, remainders.functions(signed)], dict[str, GuardedEntry]()
    for entry in entries:
        function, cost = module.functions[entry.name], costs[entry.name]
        _check_entry(module, function, {each.name for each in entries})
        _rename(module, function, edits)
        cleared = _zeroing(module, resolver, edges, entry)
        wrappers.append(wrapper(module, resolver, function, cost, entry.workgroup_size, cleared))
        counters = int(cost.has_private) + int(cost.carries)
        turns = cost.turns + cleared.turns
        guarded[entry.name] = GuardedEntry(turns, counters, even[entry.name], cost.fuel)
    text, shifts = edits.apply()
    return Guard(text + "".join(wrappers), _loops(module, costs), guarded, shifts, VERSION)


def _rewrite(module: Module, function: Function, costs: Mapping[str, FunctionCost], edits: Edits) -> None:
    """Checks in the loops, the shared counter through parameters and calls, and an end for every path."""
    tokens, cost = module.tokens, costs[function.name]
    for loop, price in zip(function.loops, cost.loops, strict=True):
        if price.is_prepaid and price.counting is not None:
            _prepay(module, loop, price, price.counting, edits)
        elif price.number:
            _check(module, loop, price, edits)
    if cost.carries:
        opener, close = function.parentheses
        comma = ", " if close > opener + 1 else ""
        edits.insert(tokens[opener].end, f"{names.SHARED_FUEL}: ptr<function, u32>{comma}")
    for call in function.calls:
        if call.name in costs and costs[call.name].carries:
            opener = call.token + 1
            comma = ", " if module.partner[opener] > opener + 1 else ""
            edits.insert(tokens[opener].end, f"{names.SHARED_FUEL}{comma}")
    close = function.braces[1]
    if function.result is not None and function.loops and tokens[close - 1].text == "}":
        edits.insert(tokens[close].start, f" return {module.text(function.result)}(); ")


def _check(module: Module, loop: Loop, price: LoopCost, edits: Edits) -> None:
    """Take a turn's price first in the loop's body, or leave the loop; behind it, report that it ran out.

    Drivers without branches go through all of a body, so the body gets the least. A loop with barriers is left by its
    own condition, since a second way out costs such a driver more than all else.
    """
    counter = f"(*{names.SHARED_FUEL})" if price.is_shared else names.FUEL
    cost, number, tokens = f"{names.COST}{price.number}", price.number, module.tokens
    condition = condition_of(module, loop) if price.is_shared else None
    leave = f"if ({counter} < {cost}) {{ break; }} " if condition is None else ""
    if condition is not None:
        edits.insert(tokens[condition[0]].start, "(")
        edits.insert(tokens[condition[1] - 1].end, f") & ({counter} >= {cost})")
    edits.insert(tokens[loop.open].end, f" {leave}{counter} -= {cost}; ")
    edits.insert(tokens[loop.close].end, f" if ({counter} < {cost}) {{ {_report(number)} {counter} = 0u; }} ")


def _prepay(module: Module, loop: Loop, price: LoopCost, count: Counting, edits: Edits) -> None:
    """Take the price of all turns before the loop, or report and leave the loop out; its body stays as it was."""
    first, turns = f"{names.FIRST}{price.number}", f"{names.TURNS}{price.number}"
    cost, fuel = f"{names.COST}{price.number}", names.FUEL
    type_ = f": {count.type}" if count.type else ""
    last = module.text(count.last)
    before = (
        f"let {first}{type_} = {module.text(count.first)}; "
        f"let {turns} = bitcast<u32>(select({first}, {last}, {first} < {last}) - {first}); "
        f"if ({fuel} / {cost} < {turns}) {{ {_report(price.number)} {fuel} = 0u; }} "
        f"else {{ {fuel} -= {turns} * {cost}; "
    )
    edits.insert(module.tokens[loop.keyword].start, before)
    edits.insert(module.tokens[loop.close].end, " } ")


def _report(number: int) -> str:
    return f"{names.LOOP} = select({names.LOOP}, {number}u, {names.LOOP} == 0u);"


def _check_entry(module: Module, function: Function, entries: set[str]) -> None:
    for call in function.calls:
        if call.name in entries:
            message = f"'{call.name}' is an entry point and cannot be called"
            raise module.error(KernelSyntaxError, call.token, message)
    if function.result is not None:
        message = f"the entry point '{function.name}' cannot return a value"
        raise module.error(KernelSyntaxError, function.result[0], message, "Write to a storage binding.")


def _rename(module: Module, function: Function, edits: Edits) -> None:
    """Make an ordinary function of an entry point."""
    tokens = module.tokens
    name = tokens[function.token]
    edits.replace(name.start, name.end, names.ENTRY + name.text)
    for attribute in function.attributes:
        if attribute.name in ("compute", "workgroup_size"):
            edits.blank(tokens[attribute.token].start, tokens[attribute.end - 1].end)
    for parameter in function.parameters:
        for attribute in parameter.attributes:
            edits.blank(tokens[attribute.token].start, tokens[attribute.end - 1].end)


def _zeroing(module: Module, resolver: Resolver, edges: callgraph.Edges, entry: EntryPoint) -> Zeroing:
    reached = callgraph.reached(edges, entry.name)
    variables = [
        (declaration.name, resolver.type(declaration.type))
        for declaration in module.declarations.values()
        if declaration.space == "workgroup" and declaration.name in reached and declaration.type is not None
    ]
    x, y, z = entry.workgroup_size
    return zeroing(variables, x * y * z)


def _loops(module: Module, costs: Mapping[str, FunctionCost]) -> tuple[GuardedLoop, ...]:
    """The checked loops in the order of their numbers."""
    found: dict[int, GuardedLoop] = {}
    for name, cost in costs.items():
        for loop, price in zip(module.functions[name].loops, cost.loops, strict=True):
            if price.number:
                line, column = module.source.position(module.tokens[loop.keyword].start)
                found[price.number] = GuardedLoop(line, column, price.fuel, price.turns)
    return tuple(found[number] for number in sorted(found))
