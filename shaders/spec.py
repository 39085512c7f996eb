"""`KernelSpec`: what a kernel of ours is, as pure data.

Owns the vocabulary between meaning (`ops`) and text (`shaders/generator.py`). A spec says nothing of shapes
or workgroup counts: those come with each `Dispatch`, so that one spec, one source and one pipeline serve
every shape. Must not know GPUs or tensors.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

Access = Literal["read", "read_write"]
Scalar = int | float
Setting = int | str | tuple[int, ...]
FIRST_THREAD = "first_thread"
"""A parameter that every kernel with parameters has beside its own: the number of a dispatch's first invocation."""


class Binding(msgspec.Struct, frozen=True, gc=False):
    """One storage buffer: `var<storage, access> name: array<type>` (`type` is WGSL, as `f32` or `vec4<f32>`)."""

    name: str
    type: str
    access: Access = "read"


class Param(msgspec.Struct, frozen=True, gc=False):
    """One field of the spec's uniform struct, read in the body as `params.name`.

    `type` is `u32`, `i32` or `f32`; `length` > 1 makes a fixed array of `vec4` chunks that the generated
    accessor `name_at(i)` reads. A parameter without a default must be given with each dispatch.
    """

    name: str
    type: Literal["u32", "i32", "f32"] = "u32"
    default: Scalar | None = None
    length: int = 1


class Table(msgspec.Struct, frozen=True, gc=False):
    """A table of constants, read in the body as `name(i)`.

    `form` chooses the text: a module-scope `const` array, or a function around a `switch`, which some
    drivers compile far faster than an array that is indexed at run time.
    """

    name: str
    type: Literal["u32", "i32", "f32"]
    values: tuple[Scalar, ...]
    form: Literal["array", "switch"] = "switch"


class KernelSpec(msgspec.Struct, frozen=True, gc=False):
    """A compute kernel: bindings and parameters in order, workgroup shape, and the body of its entry point.

    Storage bindings are numbered 0, 1, … in group 0 in the order inputs, outputs; the uniform struct
    `params`, when there are parameters, is the binding after them. The body sees the built-in values `gid`
    (global), `lid` (local), `wid` (workgroup) and `nwg` (workgroups) as `vec3<u32>`, and `thread: u32`, the
    number of the invocation counted over the x and y of the dispatch, from `params.first_thread` on, so that work can
    be cut into several dispatches. `functions` is module-scope WGSL;
    `partials` names templates of `shaders/templates/partials/` to include before it, `settings` what those read as
    `settings.name`.
    """

    name: str
    inputs: tuple[Binding, ...]
    outputs: tuple[Binding, ...]
    body: str
    params: tuple[Param, ...] = ()
    workgroup_size: tuple[int, int, int] = (64, 1, 1)
    functions: str = ""
    partials: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    enables: tuple[str, ...] = ()
    settings: tuple[tuple[str, Setting], ...] = ()

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The storage bindings in the order of their numbers."""
        return self.inputs + self.outputs

    @property
    def uniform(self) -> tuple[Param, ...]:
        """The fields of the uniform struct: none without parameters."""
        return (*self.params, Param(FIRST_THREAD, default=0)) if self.params else ()

    def key(self) -> str:
        """A hash of the whole spec: equal specs, and only those, render to equal text."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


class Operand(msgspec.Struct, frozen=True, gc=False):
    """Which buffer a binding of a dispatch takes: the node's n-th input or output, or a temporary.

    All of it, or (with `nbytes`) a window that begins `begin` bytes after its start.
    """

    kind: Literal["input", "output", "temp"]
    index: int
    begin: int = 0
    nbytes: int | None = None


class Hole(msgspec.Struct, frozen=True, gc=False):
    """A parameter that comes later: whoever runs a dispatch fills in the scalar of this number."""

    number: int


class Dispatch(msgspec.Struct, frozen=True, gc=False):
    """One launch of a spec: workgroups, parameter values, and an operand for each storage binding in order.

    `work` is about how many multiply-adds it costs.
    """

    spec: KernelSpec
    workgroups: tuple[int, int, int]
    operands: tuple[Operand, ...]
    params: dict[str, Scalar | Hole | tuple[Scalar | Hole, ...]] = {}
    work: int = 0
