"""The steps of a dispatch, checked before anything is taken hold of.

Owns what is the same on all engines: which tensors a dispatch makes, that each step fits its entry point, and what the
steps amount to. Must not know buffers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from host.arguments import Pairs, TypeOf, check_arguments, check_workgroups, entry_of
from host.errors import BindingMismatch
from host.frames import Bound, DispatchKernel, Fresh
from host.tensors import checked_type, device_bytes
from ops.graph import TensorType
from shaders.constant_values import keyed
from shaders.errors import KernelgateError
from shaders.reflection import EntryPoint, Reflection

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Checked:
    """A step that fits its entry point."""

    entry: EntryPoint
    workgroups: Size
    pairs: Pairs
    constants: Mapping[str, float]
    nbytes: int
    """Of the tensors that are bound."""

    @property
    def count(self) -> int:
        """How many workgroups it has."""
        return math.prod(self.workgroups)

    @property
    def threads(self) -> int:
        """How many invocations it has."""
        return self.count * math.prod(self.entry.workgroup_size)


def fresh_types(fresh: Sequence[Fresh], type_of: TypeOf) -> dict[int, TensorType]:
    """The types of the tensors that a dispatch makes, by handle.

    Raises `BindingMismatch` on an initial value of another type, `UnknownHandle`, `DTypeError`, or `FrameError`.
    """
    types = {}
    for tensor in fresh:
        type = types[tensor.handle] = checked_type(tensor.dtype, tensor.shape)
        if tensor.initial is not None and type_of(tensor.initial) != type:
            initial = type_of(tensor.initial)
            raise BindingMismatch(
                f"the initial value of an output is {initial.dtype} {list(initial.shape)}, "
                f"and the output is {type.dtype} {list(type.shape)}"
            )
    return types


def check_steps(
    request: DispatchKernel, reflection: Reflection, type_of: TypeOf, limits: Mapping[str, int]
) -> list[Checked]:
    """The steps of `request`. Raises what `host/arguments.py` and the check of constants raise, naming the step."""
    fresh = fresh_types(request.fresh, type_of)

    def known(handle: int) -> TensorType:
        return fresh[handle] if handle in fresh else type_of(handle)

    checked = []
    for number, step in enumerate(request.steps):
        with in_step(number, len(request.steps)):
            entry = entry_of(reflection, step.entry_point)
            check_workgroups(step.workgroups, entry.workgroup_size)
            pairs = check_arguments(reflection, entry, step.arguments, known, fresh, limits)
            constants = keyed(reflection, entry, step.constants)
            nbytes = sum(
                device_bytes(known(each.handle)) for each in step.arguments if isinstance(each, Bound)
            )
            checked.append(Checked(entry, step.workgroups, pairs, constants, nbytes))
    return checked


@contextmanager
def in_step(number: int, count: int) -> Iterator[None]:
    """What is raised inside says which of `count` steps it belongs to, if there are several."""
    try:
        yield
    except KernelgateError as error:
        if count > 1:
            error.message = f"steps[{number}]: {error.message}"
            error.args = (error.message,)
        raise
