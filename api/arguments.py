"""The arguments of a dispatch: from what a caller gave by binding name to what the device takes.

Owns which entry point is meant, how many workgroups when nobody says so, and which form each binding takes. The device
checks sizes and element types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from host.errors import BindingMismatch, UnknownKernel
from host.frames import Argument, Bound, Fresh, Uniform
from ops.dtypes import ROWS, dtype
from ops.graph import TensorRef, TensorType
from shaders.pack import pack_fields
from shaders.reflection import BindingInfo, EntryPoint, Reflection

Given = TensorRef | TensorType | Any
"""A tensor on the device (its handle there), the type of an output to make, or the values of a uniform."""


def choose_entry(reflection: Reflection, name: str | None) -> EntryPoint:
    """The entry point called `name`, or the only one. Raises `UnknownKernel` with those that exist."""
    names = ", ".join(entry.name for entry in reflection.entry_points)
    for entry in reflection.entry_points:
        if name in (None, entry.name):
            if name is None and len(reflection.entry_points) > 1:
                raise UnknownKernel(
                    "the kernel has several entry points", hint=f"Give entry_point, one of {names}."
                )
            return entry
    raise UnknownKernel(f"the kernel has no entry point {name!r:.80}", hint=f"It has {names or 'none'}.")


def bind(
    reflection: Reflection, entry: EntryPoint, given: Mapping[str, Given], new_handle: Callable[[], int]
) -> tuple[list[Argument], dict[str, TensorRef]]:
    """The device's arguments for `entry`, and the tensor that each written binding becomes.

    What is given for a binding that the entry point does not reach is not used. Raises `BindingMismatch` that names
    the binding, and what packing a uniform raises.
    """
    infos = {info.name: info for info in reflection.bindings}
    unknown = [name for name in given if name not in infos]
    if unknown:
        raise BindingMismatch(
            f"the kernel has no binding {unknown[0]!r:.80}",
            hint=f"Its bindings are {', '.join(infos) or 'none'}.",
        )
    arguments: list[Argument] = []
    outputs: dict[str, TensorRef] = {}
    for name in entry.bindings:
        info = infos[name]
        value = given[name] if name in given else _default(info)
        argument = _uniform(info, value) if info.kind == "uniform" else _storage(info, value, new_handle)
        arguments.append(argument)
        if isinstance(argument, Fresh):
            outputs[name] = TensorRef(argument.handle, argument.shape, argument.dtype)
    return arguments, outputs


def spread(reflection: Reflection, entry: EntryPoint, given: Mapping[str, Given]) -> tuple[int, int, int]:
    """Workgroups for a thread an element along x, when a dispatch does not say how many.

    The elements are those of the largest runtime-sized array that the entry point writes, or else reads; without one
    a single workgroup is dispatched.
    """
    sizes: dict[str, list[int]] = {"read": [], "read_write": []}
    for info in reflection.bindings:
        value = given.get(info.name)
        if info.stride and info.name in entry.bindings and isinstance(value, TensorRef | TensorType):
            nbytes = math.prod(value.shape) * dtype(value.dtype).device_bytes
            sizes[info.access].append(nbytes // info.stride)
    elements = max(sizes["read_write"] or sizes["read"], default=1)
    return max(1, math.ceil(elements / entry.workgroup_size[0])), 1, 1


def _default(info: BindingInfo) -> TensorType:
    """A written binding of fixed size may be left out: it starts at zero."""
    if info.kind == "storage" and info.access == "read_write" and info.stride == 0:
        row = next((row for row in ROWS if row.wgsl == info.element and row.kind != "bool"), None)
        if row is not None:
            return TensorType((info.min_size // row.device_bytes,), row.name)
    raise BindingMismatch(f"binding {info.name!r} was given nothing: it takes {_expected(info)}")


def _uniform(info: BindingInfo, value: Given) -> Uniform:
    if isinstance(value, TensorRef | TensorType):
        raise BindingMismatch(f"binding {info.name!r} was given a tensor: it takes {_expected(info)}")
    return Uniform(info.name, pack_fields(info, value))


def _storage(info: BindingInfo, value: Given, new_handle: Callable[[], int]) -> Argument:
    writes = info.access == "read_write"
    if isinstance(value, TensorRef):
        if writes:
            return Fresh(info.name, new_handle(), value.dtype, value.shape, value.handle)
        return Bound(info.name, value.handle)
    if isinstance(value, TensorType) and writes:
        return Fresh(info.name, new_handle(), value.dtype, value.shape)
    what = "the shape of an output" if isinstance(value, TensorType) else "plain values"
    raise BindingMismatch(f"binding {info.name!r} was given {what}: it takes {_expected(info)}")


def _expected(info: BindingInfo) -> str:
    if info.kind == "uniform":
        names = ", ".join(field.name for field in info.fields)
        return f"the values of the uniform {info.type}" + (f" by field: {names}" if names else "")
    size = f"at least {info.min_size} bytes"
    if info.access == "read":
        return f"a tensor of {info.element or info.type}, {size}"
    return (
        f'{{"shape", "dtype"}} of an output of {info.element or info.type}, {size}, or a tensor to start from'
    )
