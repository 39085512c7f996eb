"""A plan as text, for people: its steps, what they move, and their kernels if asked for.

Owns the wording. Must not know devices.
"""

from __future__ import annotations

from collections.abc import Iterator

from host.plans import HostStep, Plan, Ref, Step
from shaders.generator import WgslGenerator
from shaders.spec import KernelSpec

MOST_LINES = 1000
"""Steps that are told of."""
MOST_TEXT = 1 << 18
"""Characters of a text."""
_NAMED_OPS = 8
"""Ops of a step that are named."""


def explain(plan: Plan, wgsl: bool) -> str:
    """The text of `plan`; `wgsl`: and the source of each of its kernels once. Long ones are cut, and say so."""
    kernels: dict[KernelSpec, int] = {}
    lines = [_summary(plan), _memory(plan)]
    for number, step in enumerate(plan.steps[:MOST_LINES], 1):
        lines.append(f"{number:4}  {_step(step, kernels)}")
    if len(plan.steps) > MOST_LINES:
        lines.append(f"      … and {len(plan.steps) - MOST_LINES:,} more")
    text = "\n".join([*lines, *(_sources(kernels) if wgsl else ())])
    return (
        text
        if len(text) <= MOST_TEXT
        else f"{text[:MOST_TEXT]}\n… and {len(text) - MOST_TEXT:,} characters more"
    )


def _summary(plan: Plan) -> str:
    kernels = {step.spec for step in plan.steps if isinstance(step, Step)}
    on_host = sum(isinstance(step, HostStep) for step in plan.steps)
    read, written = (sum(sizes) for sizes in zip((0, 0), *map(_moved, plan.steps), strict=True))
    host = f", {on_host:,} of them by the host" if on_host else ""
    return (
        f"{_count(len(plan.steps), 'step')}{host}, with {_count(len(kernels), 'kernel')}: "
        f"{_bytes(read)} read, {_bytes(written)} written"
    )


def _memory(plan: Plan) -> str:
    outputs = sum(output.nbytes for output in plan.outputs if output.same_as is None)
    text = f"{_count(len(plan.temps), 'temporary buffer')} of {_bytes(sum(plan.temps))}, outputs of {_bytes(outputs)}"
    count = len(plan.stages)
    return (
        text
        if count == 1
        else f"{text}; in {count} stages, of which none takes more than {_bytes(plan.peak)}"
    )


def _step(step: Step | HostStep, kernels: dict[KernelSpec, int]) -> str:
    more = len(step.ops) - _NAMED_OPS
    ops = ", ".join(step.ops[:_NAMED_OPS]) + f" and {more} more" * (more > 0)
    *sources, target = (f"{_name(part.ref)} ({_bytes(part.nbytes)})" for part in step.buffers)
    where = f"{', '.join(sources)} -> {target}" if sources else target
    if isinstance(step, HostStep):
        return f"{ops}: by the host, {where}"
    number = kernels.setdefault(step.spec, len(kernels) + 1)
    size = " x ".join(str(count) for count in step.workgroups if count != 1) or "1"
    return f"{ops}: kernel {number} ({step.spec.name}), {size} workgroups, {where}"


def _sources(kernels: dict[KernelSpec, int]) -> Iterator[str]:
    for spec, number in kernels.items():
        yield f"\nkernel {number} ({spec.name}):\n{WgslGenerator().render(spec)}"


def _moved(step: Step | HostStep) -> tuple[int, int]:
    """Bytes that a step reads and writes, each buffer once."""
    written = 1 if isinstance(step, HostStep) else len(step.spec.outputs)
    sizes = [part.nbytes for part in step.buffers]
    return sum(sizes[:-written]), sum(sizes[-written:])


def _name(ref: Ref) -> str:
    return f"{ref.kind} {ref.number}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
