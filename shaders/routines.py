"""Kernels of one partial each, with one thread a unit of work.

Owns how such a kernel is declared. Must not know what any does.
"""

from __future__ import annotations

from functools import cache

from shaders.spec import Access, Binding, KernelSpec, Param, Setting


@cache
def routine_spec(
    name: str,
    inputs: str,
    outputs: str,
    params: str = "",
    partials: tuple[str, ...] = (),
    settings: tuple[tuple[str, Setting], ...] = (),
    tables: tuple[tuple[str, int], ...] = (),
) -> KernelSpec:
    """The kernel of the partial `routines/<name>`, whose function `run(thread)` does unit `thread` of `count`.

    `inputs` and `outputs` list bindings as `name:type`, in order, `params` the names of numbers (u32) beside `count`,
    `tables` parameters that are lists, with their lengths. `partials` come before, `settings` are what it reads.
    """
    return KernelSpec(
        name=name.replace("/", "_"),
        inputs=_bindings(inputs, "read"),
        outputs=_bindings(outputs, "read_write"),
        params=(
            *map(Param, ["count", *params.split()]),
            *(Param(table, length=length) for table, length in tables),
        ),
        body="if thread < params.count {\n    run(thread);\n}",
        partials=(*partials, f"routines/{name}"),
        settings=settings,
    )


def _bindings(texts: str, access: Access) -> tuple[Binding, ...]:
    pairs = (text.partition(":") for text in texts.split())
    return tuple(Binding(name, type, access) for name, _, type in pairs)
