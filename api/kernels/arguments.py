"""A dispatch's arguments: from what a caller gave by name to what the device takes.

Owns which entry point is meant, how many workgroups there are, and which form each array and binding takes. The device
checks sizes and element types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from api.errors import InvalidRequest
from api.kernels.asked import Asked, Given, Step
from host import frames
from host.arguments import MAX_THREADS
from host.errors import BindingMismatch, UnknownKernel
from host.steps import in_step
from ops.dtypes import ROWS, dtype
from ops.graph import TensorRef, TensorType
from shaders.constant_values import constants
from shaders.pack import pack_fields
from shaders.reflection import BindingInfo, EntryPoint, Reflection

Size = tuple[int, int, int]
MAX_UNIFORM_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Resolved:
    """A step with its entry point, its size, and the constants of its pipeline by override."""

    step: Step
    entry: EntryPoint
    workgroups: Size
    constants: dict[str, float]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the device is told, and the tensors that it leaves, by array."""

    steps: list[frames.Step]
    fresh: list[frames.Fresh]
    outputs: dict[str, TensorRef]


class _Uniforms:
    """The bytes of the uniforms of one dispatch: those of a value that steps share are made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], bytes] = {}
        self._nbytes = 0

    def packed(self, info: BindingInfo, value: object) -> bytes:
        """The bytes of `value`. Raises `UniformError`, or `InvalidRequest` when all have too many."""
        key = (info.name, id(value))
        if key not in self._known:
            self._known[key] = pack_fields(info, value)
        self._nbytes += len(self._known[key])
        if self._nbytes > MAX_UNIFORM_BYTES:
            raise InvalidRequest(
                f"the uniforms of all steps have more than {MAX_UNIFORM_BYTES} bytes",
                hint="Give what is large in an array.",
            )
        return self._known[key]


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


def resolve(reflection: Reflection, asked: Asked, given: Mapping[str, Given]) -> list[Resolved]:
    """The steps of a dispatch over the arrays `given`. Raises `UnknownKernel`, `BindingMismatch`, `OverrideError`."""
    resolved = []
    for number, step in enumerate(asked.steps):
        with in_step(number, len(asked.steps)):
            entry = choose_entry(reflection, step.entry_point)
            arrays = {name: given.get(step.bind.get(name, name)) for name in entry.bindings}
            values = constants(reflection, entry, step.overrides)
            resolved.append(Resolved(step, entry, _size(reflection, entry, step, arrays), values))
    return resolved


def _size(reflection: Reflection, entry: EntryPoint, step: Step, arrays: Mapping[str, Given]) -> Size:
    if step.workgroups is not None:
        return step.workgroups
    if step.threads is not None:
        x, y, z = (-(-count // size) for count, size in zip(step.threads, entry.workgroup_size, strict=True))
        return x, y, z
    if step.over is not None:
        return _along(_elements_of(reflection, entry, step.over, arrays), entry)
    return spread(reflection, entry, arrays)


def spread(reflection: Reflection, entry: EntryPoint, arrays: Mapping[str, Given]) -> Size:
    """Workgroups for a thread an element along x, when a dispatch does not say how many.

    The elements are those of the largest runtime-sized array that the entry point writes, or else reads; without one
    a single workgroup is dispatched. `arrays` are by binding.
    """
    sizes: dict[str, list[int]] = {"read": [], "read_write": []}
    for info in reflection.bindings:
        value = arrays.get(info.name)
        if info.stride and info.name in entry.bindings and isinstance(value, TensorRef | TensorType):
            sizes[info.access].append(_count(info, value))
    return _along(max(1, *(sizes["read_write"] or sizes["read"] or [1])), entry)


def _along(threads: int, entry: EntryPoint) -> Size:
    """Workgroups for `threads` along x, and beyond what x can have along y, which the kernel must count in then."""
    groups = -(-threads // entry.workgroup_size[0])
    most = MAX_THREADS // entry.workgroup_size[0]
    return min(groups, most), max(1, -(-groups // most)), 1


def _elements_of(reflection: Reflection, entry: EntryPoint, over: str, arrays: Mapping[str, Given]) -> int:
    info = next((info for info in reflection.bindings if info.name == over), None)
    if info is None or over not in entry.bindings or info.kind == "uniform":
        names = [info.name for info in reflection.bindings if info.kind == "storage"]
        reached = [name for name in names if name in entry.bindings]
        raise BindingMismatch(
            f"over names {over!r:.80}, which is no array of entry point {entry.name!r}",
            hint=f"Its arrays are {', '.join(reached) or 'none'}.",
        )
    value = arrays[over]
    if not isinstance(value, TensorRef | TensorType):
        value = _default(info)
    return _count(info, value)


def _count(info: BindingInfo, value: TensorRef | TensorType) -> int:
    """How many elements of its binding a tensor has."""
    elements = math.prod(value.shape)
    return elements * dtype(value.dtype).device_bytes // info.stride if info.stride else elements


def plan(
    reflection: Reflection,
    asked: Asked,
    resolved: Sequence[Resolved],
    given: Mapping[str, Given],
    new_handle: Callable[[], int],
) -> Plan:
    """The device's form of a dispatch; tensors in `given` are its own.

    Arrays that a step writes are made anew, from a tensor's elements where one is given. What is given for a binding
    that no step reaches is not used. Runs on any thread. Raises `BindingMismatch` that names the binding or array, and
    what packing a uniform raises.
    """
    infos = {info.name: info for info in reflection.bindings}
    _check_names(infos, asked, resolved)
    written = _written(infos, resolved)
    kept = _kept(asked, written)
    handles = {name: new_handle() for name in written}
    uniforms = _Uniforms()
    steps = []
    for number, each in enumerate(resolved):
        with in_step(number, len(resolved)):
            arguments = [
                _argument(infos[name], each.step, given, handles, uniforms) for name in each.entry.bindings
            ]
            steps.append(frames.Step(each.entry.name, each.workgroups, arguments, each.constants))
    fresh = {
        name: _fresh(info, given.get(name), handles[name], name not in kept) for name, info in written.items()
    }
    outputs = {name: TensorRef(handles[name], fresh[name].shape, fresh[name].dtype) for name in kept}
    return Plan(steps, list(fresh.values()), outputs)


def _check_names(infos: Mapping[str, BindingInfo], asked: Asked, resolved: Sequence[Resolved]) -> None:
    """Raise `BindingMismatch` on the name of an input or in a step that nothing is called by."""
    arrays = set(infos).union(*(each.step.bind.values() for each in resolved))
    unknown = [name for name in asked.given if name not in arrays]
    for each in resolved:
        unknown += [name for name in (*each.step.bind, *each.step.values) if name not in infos]
    if unknown:
        raise BindingMismatch(
            f"the kernel has no binding {unknown[0]!r:.80}",
            hint=f"Its bindings are {', '.join(infos) or 'none'}.",
        )


def _written(infos: Mapping[str, BindingInfo], resolved: Sequence[Resolved]) -> dict[str, BindingInfo]:
    """The arrays that a step writes, each with the first binding that does."""
    found: dict[str, BindingInfo] = {}
    for each in resolved:
        for name in each.entry.bindings:
            if infos[name].access == "read_write":
                found.setdefault(each.step.bind.get(name, name), infos[name])
    return found


def _kept(asked: Asked, written: Mapping[str, BindingInfo]) -> list[str]:
    """The arrays that come back."""
    named = [*(asked.outputs or []), *sorted(asked.temporaries)]
    if idle := [name for name in named if name not in written]:
        raise BindingMismatch(
            f"the array {idle[0]!r:.80} is to be an output or temporary, and nothing writes it",
            hint=f"What is written is {', '.join(written) or 'nothing'}.",
        )
    wanted = written if asked.outputs is None else dict.fromkeys(asked.outputs)
    return [name for name in wanted if asked.outputs is not None or name not in asked.temporaries]


def _fresh(info: BindingInfo, value: Given, handle: int, temporary: bool) -> frames.Fresh:
    if value is None:
        value = _default(info)
    if isinstance(value, TensorRef):
        return frames.Fresh(handle, value.dtype, value.shape, value.handle, temporary)
    if isinstance(value, TensorType):
        return frames.Fresh(handle, value.dtype, value.shape, None, temporary)
    raise _mismatch(info, value)


def _argument(
    info: BindingInfo,
    step: Step,
    given: Mapping[str, Given],
    handles: Mapping[str, int],
    uniforms: _Uniforms,
) -> frames.Argument:
    """What a binding has in `step`; `handles` are those of the arrays that are written."""
    array = step.bind.get(info.name, info.name)
    value = step.values.get(info.name, given.get(array))
    if info.kind == "uniform":
        if value is None or isinstance(value, TensorRef | TensorType):
            raise _mismatch(info, value)
        return frames.Uniform(info.name, uniforms.packed(info, value))
    if info.name in step.values:
        raise BindingMismatch(
            f"the inputs of a step give values to uniforms, and {info.name!r} is an array",
            hint="Give the array in the inputs of the request, and name it in bind.",
        )
    if array in handles:
        if value is None and info.access == "read_write":
            _default(info)  # or refuse, in the order of the bindings
        return frames.Bound(info.name, handles[array])
    if isinstance(value, TensorRef):
        return frames.Bound(info.name, value.handle)
    raise _mismatch(info, value)


def _default(info: BindingInfo) -> TensorType:
    """A written binding of fixed size may be left out: it starts at zero."""
    if info.kind == "storage" and info.access == "read_write" and info.stride == 0:
        row = next((row for row in ROWS if row.wgsl == info.element and row.kind != "bool"), None)
        if row is not None:
            return TensorType((info.min_size // row.device_bytes,), row.name)
    raise _mismatch(info, None)


def _mismatch(info: BindingInfo, value: Given) -> BindingMismatch:
    what = "plain values"
    if value is None:
        what = "nothing"
    elif isinstance(value, TensorRef | TensorType):
        what = (
            "a tensor" if info.kind == "uniform" or isinstance(value, TensorRef) else "the shape of an output"
        )
    return BindingMismatch(
        f"binding {info.name!r} was given {what}: it takes {_expected(info)}",
        hint=_output(info.element or "u32") if info.access == "read_write" else None,
    )


def _output(dtype: str) -> str:
    return (
        f'As {{"shape": [3], "dtype": "{dtype}"}}, in a script kernels.output(3, "{dtype}"), '
        f"on the command line {dtype}:3."
    )


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
