"""`kernels`: stored WGSL kernels, called from a script.

Owns `kernels.run` and `kernels.output`. Must not know how a kernel is found or bound: the server does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ops.graph import TensorRef
from ops.loose import Value
from ops.torch.handles import from_ref, refs
from ops.torch.tensor import Tensor
from ops.torch.typenames import DTypeLike, dtype_of
from sandbox import values
from sandbox.frames import DispatchKernel
from sandbox.link import Link
from sandbox.policy import views

_link: Link | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A tensor for a kernel to write, zero at the start; a `temporary` one does not come back."""

    shape: tuple[int, ...]
    dtype: str
    temporary: bool = False


def connect(link: Link) -> None:
    """Ask over `link`."""
    global _link
    _link = link


def output(shape: int | Sequence[int], dtype: DTypeLike = "f32", *, temporary: bool = False) -> Output:
    """A tensor of `shape` for a kernel to write, zero at the start; `temporary`: for its steps only."""
    sizes = (shape,) if isinstance(shape, int) else tuple(int(size) for size in shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"output(): a size of {sizes} is negative")
    return Output(sizes, dtype_of(dtype), bool(temporary))


def run(
    name: str,
    /,
    *,
    workgroups: int | Sequence[int] | None = None,
    threads: int | Sequence[int] | None = None,
    over: str | None = None,
    entry_point: str | None = None,
    overrides: dict[str, float] | None = None,
    steps: Sequence[dict[str, Value]] | None = None,
    outputs: Sequence[str] | None = None,
    fuel: int | None = None,
    inputs: dict[str, Value] | None = None,
    template_params: Mapping[str, Value] | None = None,
    **bindings: Value,
) -> Value:
    """Dispatch the stored kernel `name`, once or in `steps`; all words mean what they do over HTTP.

    The size is `workgroups` or `threads` (x, or x and y, or all three), or a thread an element of the binding `over`,
    or of the largest that is written. Each binding takes, by its name, a tensor (a written one starts from it),
    `kernels.output(shape, dtype)`, the values of a uniform (a dict by field, a list, a number), or a list of bytes or
    text. A uniform that is called like a word of this function goes into `inputs`. `template_params` are what HTTP
    calls `params`, which many a uniform is called. Returns the tensor that was written, or a dict of them by name when
    there are several, or None.
    """
    assert _link is not None, "a worker connects before it runs a script"
    words = {
        "inputs": inputs,
        "workgroups": workgroups,
        "threads": threads,
        "over": over,
        "entry_point": entry_point,
        "overrides": overrides,
        "steps": steps,
        "outputs": outputs,
        "fuel": fuel,
        "params": None if template_params is None else dict(template_params),
    }
    request = values.pack(_request(words, bindings), name="the dispatch")
    answer = _link.ask(DispatchKernel, kernel=str(name), request=request)
    written: dict[str, TensorRef] = values.unpack(answer)
    made = {key: from_ref(reference) for key, reference in written.items()}
    return next(iter(made.values()), None) if len(made) <= 1 else made


def _request(words: dict[str, Any], bindings: dict[str, Any]) -> dict[str, Any]:
    """The body of a dispatch. A word that has a tensor or an output, which no word takes, is a binding's name."""
    named = {word: value for word, value in words.items() if isinstance(value, Tensor | Output)}
    given = {word: value for word, value in words.items() if value is not None and word not in named}
    inputs = given.pop("inputs", {})
    if not isinstance(inputs, dict):
        raise TypeError("inputs is a dict of bindings by name")
    if "steps" in given:
        given["steps"] = [_call(step) for step in given["steps"]]
    return {**_call(given), "inputs": _wire({**inputs, **named, **bindings})}


def _wire(bindings: dict[str, Any]) -> dict[str, Any]:
    """Bindings as they are sent: tensors, which are computed together, and outputs in their forms."""
    tensors = {key: value for key, value in bindings.items() if isinstance(value, Tensor)}
    references = dict(zip(tensors, refs(list(tensors.values())), strict=True)) if tensors else {}
    outputs = {
        key: {"shape": list(value.shape), "dtype": value.dtype, "temporary": value.temporary}
        for key, value in bindings.items()
        if isinstance(value, Output)
    }
    return {**bindings, **references, **outputs}


def _call(words: dict[str, Any]) -> dict[str, Any]:
    """A dispatch or a step, in which a size of one number is a list too."""
    if not isinstance(words, dict):
        raise TypeError(f"a step is a dict, not {type(words).__name__}")
    return {
        word: [value] if word in ("workgroups", "threads") and isinstance(value, int) else value
        for word, value in words.items()
    }


def install() -> None:
    """Provide `kernels`."""
    views.provide("kernels", lambda: {"run": run, "output": output})
