"""Gradients against PyTorch's, by its OpInfo samples: `python -m tests.judges.gradients [NAME…]`.

Owns the walk back through the graph of a result, which a script's tensors do not make themselves, and when a gradient
agrees. `tests/judges/opinfo.py` carries samples over. Needs PyTorch.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from ops.backward import backward
from ops.graph import TensorType
from ops.table import find
from ops.torch import lazy
from ops.torch.lazy import LazyNode
from ops.torch.tensor import Tensor, node_of
from tests.judges import opinfo
from tests.judges.opinfo import Excluded, Tally, mapped

RTOL = 1e-4
"""Of the largest element of a gradient: ours is of f32, and PyTorch's here of f64."""
_OVERLAPS = "places overlap, and PyTorch gives a gradient to what was overwritten: its own tests use the `grad` variant"
_DRAWN = "here mean and deviation have a say in what is drawn, in PyTorch none"
EXCLUDED = {
    **{f"nn_functional_max_unpool{rank}d": _OVERLAPS for rank in (1, 2, 3)},
    **dict.fromkeys(("normal", "normal_number_mean"), _DRAWN),
}
NUMBERS = {"quantile", "nanquantile", "index_fill"}
"""Whose tensors after the first are read as numbers here when the op is called, and so have no gradient."""


def tensors(value: Any) -> Iterator[Any]:
    """The tensors of arguments or of a result, in order, ours or PyTorch's."""
    match value:
        case torch.Tensor() | Tensor():
            yield value
        case tuple() | list():
            for part in value:
                yield from tensors(part)
        case dict():
            yield from tensors(list(value.values()))


def order(results: Sequence[LazyNode]) -> list[LazyNode]:
    """All that `results` are made of, each after what it reads."""
    found: dict[int, LazyNode] = {}
    stack = [(value, False) for value in results]
    while stack:
        value, ready = stack.pop()
        if ready:
            found.setdefault(id(value), value)
        elif id(value) not in found:
            stack.append((value, True))
            stack += [(source, False) for source in value.inputs]
    return list(found.values())


def pulled(results: Sequence[LazyNode], seeds: Sequence[LazyNode]) -> Callable[[LazyNode], LazyNode | None]:
    """What gives each value its gradient, where those of `results` are `seeds`; None to what has no say."""
    found: dict[int, LazyNode] = {}

    def add(value: LazyNode, part: LazyNode) -> None:
        known = found.get(id(value))
        found[id(value)] = part if known is None else lazy.node("add", [known, part])

    for result, seed in zip(results, seeds, strict=True):
        add(result, seed)
    for value in reversed(order(results)):
        if value.inputs and id(value) in found:
            types = [source.type for source in value.inputs]
            nodes, wanted = backward(value.op, value.attributes, types)
            values = [*value.inputs, found[id(value)]]
            for node in nodes:
                values.append(lazy.node(node.op, [values[index] for index in node.inputs], node.attributes))
            for source, number in zip(value.inputs, wanted, strict=True):
                if number is not None:
                    add(source, values[number])
    return lambda value: found.get(id(value))


def leaves(value: Any) -> Any:
    """Arguments in f64 whose gradients PyTorch records where it was asked to."""
    match value:
        case torch.Tensor():
            made = value.detach().clone()
            made = made.double() if made.dtype is torch.float32 else made
            return made.requires_grad_(value.requires_grad)
        case tuple() | list() | dict():
            return mapped(leaves, value)
    return opinfo.wide(value)


def copied(value: Any) -> Any:
    """Arguments that may be written to, of which gradients go back to `value`."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    return mapped(copied, value) if isinstance(value, tuple | list | dict) else value


def differs(info: Any, form: opinfo.Form, given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """How our gradients of a sample differ; empty where they do not. Raises `Excluded`."""
    opinfo.check_excluded(info, given, named)
    if info.formatted_name in EXCLUDED:
        raise Excluded(EXCLUDED[info.formatted_name])
    wanted = 1 if info.name in NUMBERS else None
    wide = leaves(opinfo.settled(info.name, given, named))
    args, keywords = copied(wide)
    results = list(tensors(opinfo.theirs(form)(*args, **keywords)))
    asked = [each for each in tensors(wide) if each.requires_grad][:wanted]
    seeds = [seed(result) for result in results if result.requires_grad]
    made = [result for result in results if result.requires_grad]
    expected = torch.autograd.grad(
        made, asked, [torch.from_numpy(each).double() for each in seeds], allow_unused=True
    )

    mine = opinfo.carried(given), opinfo.carried(named)
    pairs = zip(tensors((given, named)), tensors(mine), strict=True)
    inputs = [node_of(our) for its, our in pairs if its.requires_grad][:wanted]
    found = list(tensors(opinfo.ours(info.name, form, *mine)))
    if len(found) != len(results):
        return f"{len(found)} results, not {len(results)}"
    reached = [node_of(our) for its, our in zip(results, found, strict=True) if its.requires_grad]
    constants = [lazy.constant(each.tobytes(), TensorType(each.shape, "f32")) for each in seeds]
    gradient = pulled(reached, constants)
    reasons = (
        unlike(gradient(leaf), its, leaf.type.shape) for leaf, its in zip(inputs, expected, strict=True)
    )
    return next((f"gradient {number}: {reason}" for number, reason in enumerate(reasons) if reason), "")


def seed(result: torch.Tensor) -> np.ndarray:
    """A gradient of a result: numbers that halves hold exactly."""
    draw = np.random.default_rng(5)
    return np.asarray(draw.integers(-16, 17, tuple(result.shape)) / 8, np.float32)


def unlike(found: LazyNode | None, expected: torch.Tensor | None, shape: tuple[int, ...]) -> str:
    """How a gradient differs from PyTorch's, where none is one of zeros."""
    mine = np.zeros(shape, np.float32)
    if found is not None:
        mine = np.frombuffer(lazy.read(found) if mine.size else b"", np.float32).reshape(found.type.shape)
    its = np.zeros(shape) if expected is None else expected.numpy(force=True)
    if mine.shape != its.shape:
        return f"shape {mine.shape}, not {its.shape}"
    finite = np.abs(its[np.isfinite(its)])
    right = np.isclose(mine, its, RTOL, RTOL * max(finite.max(initial=0), 0.1), equal_nan=True)
    if right.all():
        return ""
    first = tuple(np.argwhere(~right)[0])
    return f"{(~right).sum()} of {right.size} elements, first {mine[first]}, not {its[first]}"


def judge(info: Any) -> Tally:
    """Compare the gradients of all samples of one op."""
    tally = Tally(info.formatted_name)
    form = opinfo.forms(info)[0]
    for sample in info.sample_inputs("cpu", torch.float32, requires_grad=True):
        opinfo.count(tally, sample, partial(differs, info, form))
    return tally


@contextlib.contextmanager
def reached() -> Iterator[set[str]]:
    """The rows whose gradients are asked for within, and the composites that scripts' tensors are made of."""
    found: set[str] = set()
    step, composite = backward, lazy._composite

    def noted(function: Callable[..., Any], op: str, *rest: Any) -> Any:
        found.add(find(op).name)
        return function(op, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "backward", partial(noted, step))
        patch.setattr(lazy, "_composite", partial(noted, composite))
        yield found


def tallies(names: set[str]) -> Iterator[Tally]:
    """Judge every op that shares a name with ours and has a gradient, or those named."""
    with opinfo.device():
        for info in opinfo.shared(torch.float32, names):
            if info.supports_autograd:
                yield judge(info)


if __name__ == "__main__":
    opinfo.report(list(tallies(set(sys.argv[1:]))), "with gradients")
