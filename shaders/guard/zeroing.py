"""The statements that set workgroup memory to zero before a kernel begins.

Owns that text. Drivers leave there what the last kernel wrote, which may be a stranger's. The work is spread over the
invocations of the workgroup: of an array each clears every n-th element, and what is no array all write alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaders.guard import names
from shaders.layout import Type


@dataclass(frozen=True, slots=True)
class Zeroing:
    """The statements, how many turns their loops take in one invocation, and how many in leaving them alone."""

    text: str = ""
    turns: int = 0
    leaving: int = 0


def zeroing(variables: list[tuple[str, Type]], invocations: int) -> Zeroing:
    """Statements that clear `variables`, with the barrier after them; none when there is nothing to clear."""
    parts = [_variable(name, type_, invocations) for name, type_ in variables]
    if not parts:
        return Zeroing()
    every = _together(parts)
    return Zeroing(f"{every.text} workgroupBarrier();", every.turns, every.leaving)


def _together(parts: list[Zeroing]) -> Zeroing:
    return Zeroing(
        " ".join(part.text for part in parts),
        sum(part.turns for part in parts),
        sum(part.leaving for part in parts),
    )


def _variable(name: str, type_: Type, invocations: int) -> Zeroing:
    if type_.kind != "array":
        return _clear(name, type_, 0)
    return _loop(name, type_, 0, names.INDEX, invocations)


def _clear(place: str, type_: Type, depth: int) -> Zeroing:
    """Clear what `place` names."""
    if not _has_atomics(type_):
        return Zeroing(f"{place} = {type_.text}();")
    if type_.kind == "atomic":
        return Zeroing(f"atomicStore(&{place}, 0{'i' if type_.scalar == 'i32' else 'u'});")
    if type_.kind == "array":
        return _loop(place, type_, depth, "0u", 1)
    return _together([_clear(f"{place}.{member.name}", member.type, depth) for member in type_.members])


def _loop(place: str, type_: Type, depth: int, first: str, step: int) -> Zeroing:
    """A loop over the innermost elements of arrays of arrays, from `first` on in steps of `step`."""
    counter = f"{names.ZERO}{depth}"
    element, sizes = type_, list[int]()
    while element.kind == "array" and element.element is not None:
        sizes.append(element.count)
        element = element.element
    total, index = 1, ""
    for size in reversed(sizes):
        place_in = counter if total == 1 else f"{counter} / {total}u"
        index = f"[{place_in} % {size}u]{index}"
        total *= size
    index = index.replace(f" % {sizes[0]}u]", "]", 1)
    inner = _clear(f"{place}{index}", element, depth + 1)
    turns, leaving = -(-total // step), 1 + inner.leaving
    return Zeroing(
        f"for (var {counter} = {first}; {counter} < {total}u; {counter} += {step}u) {{ {inner.text} }}",
        turns * (1 + inner.turns) + leaving,
        leaving,
    )


def _has_atomics(type_: Type) -> bool:
    if type_.element is not None:
        return _has_atomics(type_.element)
    return type_.kind == "atomic" or any(_has_atomics(member.type) for member in type_.members)
