"""The arguments of a kernel's dispatch, checked against what the kernel says of itself.

Owns every rule that is the same on all engines: names, element types, sizes, who may write, how many workgroups.
Must not know buffers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from host.errors import BindingMismatch, DispatchSizeError, UnknownKernel
from host.frames import Argument, Bound, Uniform
from host.tensors import device_bytes
from ops.dtypes import dtype
from ops.graph import TensorType
from shaders.reflection import BindingInfo, EntryPoint, Reflection

MAX_WORKGROUPS = 1 << 31
"""In all dimensions together. Drivers silently do part of the work of far larger grids."""

MAX_THREADS = 1 << 31
"""In one dimension."""

_CASTS = {"f32": "x.float()", "f16": "x.half()", "i32": "x.to(torch.int32)", "u32": "x.to(torch.uint32)"}
"""How a script makes a tensor of an element of WGSL."""

Pairs = list[tuple[BindingInfo, Argument]]
TypeOf = Callable[[int], TensorType]


def entry_of(reflection: Reflection, name: str) -> EntryPoint:
    """The entry point called `name`. Raises `UnknownKernel` with those that exist."""
    for entry in reflection.entry_points:
        if entry.name == name:
            return entry
    raise UnknownKernel(
        f"the kernel has no entry point {name!r}",
        hint=f"It has {', '.join(entry.name for entry in reflection.entry_points) or 'none'}.",
    )


def check_workgroups(workgroups: Sequence[int], size: Sequence[int]) -> None:
    """Raise `DispatchSizeError` unless the invocations of each dimension and the workgroups of all are bounded.

    `size` is the entry point's workgroup size. What a driver takes at once is of no account: grids are cut into slices.
    """
    for axis, count, invocations in zip("xyz", workgroups, size, strict=True):
        most = MAX_THREADS // invocations
        if not 0 <= count <= most:
            raise DispatchSizeError(
                f"workgroups.{axis} is {count}; workgroups of {invocations} along {axis} may be 0 to {most}",
                hint="Spread a large grid over two dimensions, or let each invocation do more.",
            )
    if math.prod(workgroups) > MAX_WORKGROUPS:
        raise DispatchSizeError(
            f"{math.prod(workgroups):,} workgroups are over the limit of {MAX_WORKGROUPS:,} a dispatch",
            hint="Let each invocation do more, or dispatch several times.",
        )


def check_arguments(
    reflection: Reflection,
    entry: EntryPoint,
    arguments: Sequence[Argument],
    type_of: TypeOf,
    fresh: Collection[int],
    limits: Mapping[str, int],
) -> Pairs:
    """Each argument with its binding. Raises `BindingMismatch`, `UnknownHandle` or `DTypeError`.

    A binding that the entry point does not reach may be left out. `type_of` gives the type of a tensor by its handle;
    only `fresh` ones may be written, and what one binding writes no other may have.
    """
    infos = {info.name: info for info in reflection.bindings}
    pairs: Pairs = []
    for argument in arguments:
        info = infos.pop(argument.name, None)
        if info is None:
            raise BindingMismatch(
                f"{argument.name!r} is given twice, or is no binding of the kernel",
                hint=f"Its bindings are {', '.join(info.name for info in reflection.bindings) or 'none'}.",
            )
        _check_argument(info, argument, type_of, fresh, limits)
        pairs.append((info, argument))
    missing = [name for name in entry.bindings if name in infos]
    if missing:
        raise BindingMismatch(
            f"binding {missing[0]!r} has no argument ({len(missing)} missing: {', '.join(missing)})",
            hint=f"Entry point {entry.name!r} reads or writes {', '.join(entry.bindings)}.",
        )
    _check_aliases(pairs)
    return pairs


def _check_aliases(pairs: Pairs) -> None:
    """Raise `BindingMismatch` where a binding has the tensor that another one writes."""
    users: dict[int, BindingInfo] = {}
    for info, argument in pairs:
        if isinstance(argument, Bound):
            other = users.setdefault(argument.handle, info)
            if other is not info and "read_write" in (info.access, other.access):
                written = info if info.access == "read_write" else other
                raise BindingMismatch(
                    f"bindings {other.name!r} and {info.name!r} have the same array, and {written.name!r} is written",
                    hint="Give one of them an array of its own.",
                )


def _check_argument(
    info: BindingInfo,
    argument: Argument,
    type_of: TypeOf,
    fresh: Collection[int],
    limits: Mapping[str, int],
) -> None:
    if isinstance(argument, Uniform):
        _check_uniform(info, argument, limits)
    elif info.kind == "uniform":
        raise BindingMismatch(
            f"binding {info.name!r} is a uniform of type {info.type}: it takes values, not a tensor"
        )
    else:
        _check_tensor(info, type_of(argument.handle), limits)
        if info.access == "read_write" and argument.handle not in fresh:
            raise BindingMismatch(
                f"binding {info.name!r} is written by the kernel, so it takes an output, not a tensor as it is",
                hint="Give a shape and a dtype; the tensor may be its initial value.",
            )


def _check_uniform(info: BindingInfo, argument: Uniform, limits: Mapping[str, int]) -> None:
    if info.kind != "uniform":
        raise BindingMismatch(f"binding {info.name!r} is {info.kind} memory ({info.type}): it takes a tensor")
    most = limits["max_uniform_buffer_binding_size"]
    if not info.min_size <= len(argument.data) <= most:
        raise BindingMismatch(
            f"binding {info.name!r} ({info.type}) takes {info.min_size} to {most} bytes, and {len(argument.data)} came"
        )


def _check_tensor(info: BindingInfo, type: TensorType, limits: Mapping[str, int]) -> None:
    element = dtype(type.dtype).wgsl
    if info.element is not None and info.element != element:
        raise BindingMismatch(
            f"binding {info.name!r} ({info.type}) holds {info.element}, and its tensor is {type.dtype}",
            hint="A bool tensor is u32 in a kernel, 0 or 1."
            if type.dtype == "bool"
            else f"Give a tensor of {info.element}, in a script {_CASTS[info.element]}.",
        )
    size = device_bytes(type)
    if size < max(info.min_size, 1):
        raise BindingMismatch(
            f"binding {info.name!r} ({info.type}) needs at least {info.min_size} bytes, and its tensor has {size}"
        )
    most = limits["max_storage_buffer_binding_size"]
    if size > most:
        raise BindingMismatch(
            f"the tensor of binding {info.name!r} has {size:,} bytes, and this device binds at most {most:,}",
            hint="Work in smaller pieces.",
        )
