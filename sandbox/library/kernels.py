"""`kernels`: stored WGSL kernels, called from a script.

Owns `kernels.run` and `kernels.output`. Must not know how a kernel is found or bound: the server does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ops.dtypes import dtype as dtype_row
from ops.graph import TensorRef
from ops.tensor import Tensor, from_ref, refs
from sandbox import values
from sandbox.frames import DispatchKernel, OutputSpec
from sandbox.link import Link
from sandbox.policy import views

_link: Link | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A tensor for a kernel to write, zero at the start."""

    shape: tuple[int, ...]
    dtype: str


def connect(link: Link) -> None:
    """Ask over `link`."""
    global _link
    _link = link


def output(shape: int | Sequence[int], dtype: Any = "f32") -> Output:
    """A tensor of `shape` for a kernel to write, zero at the start."""
    sizes = (shape,) if isinstance(shape, int) else tuple(int(size) for size in shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"output(): a size of {sizes} is negative")
    return Output(sizes, dtype_row(str(dtype).removeprefix("torch.")).name)


def run(
    name: str,
    /,
    *,
    workgroups: int | Sequence[int] = 1,
    entry_point: str | None = None,
    template_params: Mapping[str, Any] | None = None,
    **bindings: Any,
) -> Any:
    """Dispatch the stored kernel `name` over `workgroups` (x, or x and y, or all three).

    Each binding takes, by its name, a tensor (a written one starts from it), `kernels.output(shape, dtype)`, or the
    values of a uniform: a dict by field, a list, a number. `template_params` are for the kernel's template. Returns
    the tensor that was written, or a dict of them by binding when there are several, or None.
    """
    assert _link is not None, "a worker connects before it runs a script"
    tensors = {key: value for key, value in bindings.items() if isinstance(value, Tensor)}
    handles = [reference.handle for reference in refs(list(tensors.values()))] if tensors else []
    outputs = {key: OutputSpec(v.shape, v.dtype) for key, v in bindings.items() if isinstance(v, Output)}
    answer = _link.ask(
        DispatchKernel,
        kernel=str(name),
        entry_point=None if entry_point is None else str(entry_point),
        workgroups=_grid(workgroups),
        tensors=dict(zip(tensors, handles, strict=True)),
        outputs=outputs,
        uniforms={
            key: values.pack(value, name=key)
            for key, value in bindings.items()
            if key not in tensors and key not in outputs
        },
        template_params=_scalars(template_params or {}),
    )
    written: dict[str, TensorRef] = values.unpack(answer)
    made = {key: from_ref(reference) for key, reference in written.items()}
    return next(iter(made.values()), None) if len(made) <= 1 else made


def _scalars(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for a template, of the kinds that a message carries; the server checks them."""
    values = {str(name): value for name, value in given.items()}
    for name, value in values.items():
        if type(value) not in (bool, int, float, str) or (type(value) is int and value.bit_length() > 63):
            raise TypeError(f"template_params: {name:.60} takes a number, a truth value or a text")
    return values


def _grid(workgroups: int | Sequence[int]) -> tuple[int, int, int]:
    sizes = (workgroups,) if isinstance(workgroups, int) else tuple(workgroups)
    if not 1 <= len(sizes) <= 3 or any(not isinstance(size, int) or size < 0 for size in sizes):
        raise ValueError(f"workgroups must be one to three numbers from 0, not {workgroups!r}")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def install() -> None:
    """Provide `kernels`."""
    views.provide("kernels", lambda: {"run": run, "output": output})
