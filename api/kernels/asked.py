"""A dispatch as it is asked for, in the words that REST and scripts share.

Owns the request's form and its parsing. Must not know kernels: `api/kernels/arguments.py` holds a request against one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from api.errors import InvalidRequest, MalformedTensor
from api.http import body
from api.kernels.parameters import MAX_PARAMS
from api.tensors import elements, strings
from api.tensors.values import InlineTensor, TensorId
from ops.graph import TensorRef, TensorType
from shaders.guard.budget import MOST_FUEL

MAX_BINDINGS = 256
MAX_STEPS = 1000
MAX_SIZE = (1 << 32) - 1
MAX_OVERRIDES = 256

Given = TensorRef | InlineTensor | TensorId | TensorType | Any
"""A tensor, the type of an output to make, or the values of a uniform."""
Read = Callable[[Any, str], Any]
"""A value at a path: from JSON, tags and all, or from a script, where it is what it is."""


class Call(body.RequestModel):
    """One entry point and how many threads it gets."""

    entry_point: str | None = Field(default=None, description="needed when the kernel has several")
    workgroups: list[int] | None = Field(
        default=None,
        min_length=1,
        max_length=3,
        description="x, y, z; left out, like threads and over: a thread an element of the largest array written",
    )
    threads: list[int] | None = Field(
        default=None, min_length=1, max_length=3, description="x, y, z, rounded up to whole workgroups"
    )
    over: str | None = Field(default=None, description="a binding: a thread an element of it")
    overrides: dict[str, Any] = Field(
        default={}, max_length=MAX_OVERRIDES, description="values of the kernel's overrides, by name"
    )
    indirect: Any = Field(default=None, description="refused: a size that is on the device is not read")


class StepRequest(Call):
    """One step of a dispatch."""

    inputs: dict[str, Any] = Field(
        default={}, max_length=MAX_BINDINGS, description="values of uniforms for this step alone, by binding"
    )
    bind: dict[str, str] = Field(
        default={}, max_length=MAX_BINDINGS, description="binding to array, where the names differ"
    )


class DispatchRequest(Call):
    """A dispatch of a stored kernel."""

    inputs: dict[str, Any] = Field(
        default={},
        max_length=MAX_BINDINGS,
        description="arrays and uniforms by name: a $tensor, an output's shape and dtype, or values",
    )
    steps: list[StepRequest] | None = Field(
        default=None, min_length=1, max_length=MAX_STEPS, description="dispatches in order over the inputs"
    )
    params: dict[str, Any] = Field(
        default={}, max_length=MAX_PARAMS, description="values for the kernel's template"
    )
    outputs: list[str] | None = Field(
        default=None,
        max_length=MAX_BINDINGS,
        description="the arrays to answer with; left out: all that are written and not temporary",
    )
    fuel: int | None = Field(
        default=None, ge=1, le=MOST_FUEL, description="the budget of each thread; left out: the device's own"
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its size is `workgroups`, or `threads`, or an element each of `over`, or what suits its arrays.

    `values` are uniforms of its own, `bind` the arrays of bindings whose names are others.
    """

    entry_point: str | None = None
    workgroups: tuple[int, int, int] | None = None
    threads: tuple[int, int, int] | None = None
    over: str | None = None
    overrides: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    bind: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A dispatch, parsed. `outputs` None: all arrays that are written, but for `temporaries`."""

    given: dict[str, Given]
    steps: list[Step]
    outputs: list[str] | None = None
    temporaries: frozenset[str] = frozenset()
    fuel: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


def parse(asked: DispatchRequest, read: Read, limit: int) -> Asked:
    """What `asked` gives and wants; outputs of more than `limit` bytes are refused.

    Raises `InvalidRequest`, `MalformedTensor`, and what `read` raises, naming the path.
    """
    alone = ("entry_point", "workgroups", "threads", "over", "overrides")
    both = [name for name in alone if getattr(asked, name)]
    if asked.steps and both:
        raise InvalidRequest(f"{both[0]} is given beside steps", hint=f"Give {both[0]} in each step.")
    if asked.indirect is not None:
        raise _indirect("")
    calls: Sequence[Call] = asked.steps or [asked]
    steps = [_step(call, f"steps[{n}]." if asked.steps else "", read) for n, call in enumerate(calls)]
    given: dict[str, Given] = {}
    for name, value in asked.inputs.items():
        given.update(_given(name, value, read, limit))
    temporaries = frozenset(name for name, value in asked.inputs.items() if _is_temporary(value))
    return Asked(given, steps, asked.outputs, temporaries, asked.fuel, asked.params)


def _step(call: Call, where: str, read: Read) -> Step:
    if call.indirect is not None:
        raise _indirect(where)
    sizes = [name for name in ("workgroups", "threads", "over") if getattr(call, name) is not None]
    if len(sizes) > 1:
        raise InvalidRequest(f"{where}{sizes[0]} and {sizes[1]} both say how large the dispatch is")
    overrides = {name: read(value, f"{where}overrides.{name:.60}") for name, value in call.overrides.items()}
    workgroups, threads = (
        _sizes(getattr(call, name), f"{where}{name}") for name in ("workgroups", "threads")
    )
    own = call if isinstance(call, StepRequest) else StepRequest()
    values = {name: read(value, f"{where}inputs.{name:.60}") for name, value in own.inputs.items()}
    return Step(call.entry_point, workgroups, threads, call.over, overrides, values, own.bind)


def _indirect(where: str) -> InvalidRequest:
    return InvalidRequest(
        f"{where}indirect: a size that lies on the device is not read, as it could not be checked",
        hint="Give workgroups, threads or over.",
    )


def _sizes(sizes: list[int] | None, where: str) -> tuple[int, int, int] | None:
    if sizes is None:
        return None
    if any(not 0 <= size <= MAX_SIZE for size in sizes):
        raise InvalidRequest(f"{where} {sizes!s:.80} are no counts")
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


def _given(name: str, value: Any, read: Read, limit: int) -> Iterator[tuple[str, Given]]:
    """What an input gives by array: itself, or for byte strings the bytes and where each begins."""
    where = f"inputs.{name:.60}"
    if _is_output(value):
        yield name, _output(value, where, limit)
        return
    found = read(value, where)
    texts = strings.texts_in(found)
    if texts is None:
        yield name, found
    else:
        data, offsets = strings.packed(texts)
        yield name, data
        yield f"{name}{strings.OFFSETS}", offsets


def _is_output(value: Any) -> bool:
    return isinstance(value, dict) and {"shape", "dtype"} <= value.keys() <= {"shape", "dtype", "temporary"}


def _is_temporary(value: Any) -> bool:
    return _is_output(value) and value.get("temporary") is True


def _output(value: dict[str, Any], where: str, limit: int) -> TensorType:
    if not isinstance(value.get("temporary", False), bool):
        raise InvalidRequest(f"{where}.temporary is true or false")
    try:
        row = elements.named_dtype(value["dtype"])
        shape = elements.parse_shape(value["shape"])
        elements.size_of(shape, row, limit)
    except MalformedTensor as error:
        raise MalformedTensor(f"{where}: {error.message}") from None
    return TensorType(shape, row.name)
