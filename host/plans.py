"""`Plan`: what a run of a graph does, as pure data.

Owns the vocabulary between the planner and the runner. A plan names no handle, no constant's value and no device
object, so it serves every graph of the same structure (`host/structure.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple

import msgspec

from ops.graph import TensorType
from ops.lower import HostTask
from shaders.spec import KernelSpec


class Ref(NamedTuple):
    """A buffer of a run: the n-th distinct input, constant, output or temporary, or the only one of parameters."""

    kind: Literal["input", "constant", "output", "temp", "params"]
    number: int


PARAMS = Ref("params", 0)
"""The uniform structs of all steps."""


class Gap(NamedTuple):
    """Where in a step's uniform struct the scalar of a number goes, and as which type."""

    start: int
    scalar: int
    type: str


class Part(msgspec.Struct, frozen=True, gc=False):
    """The `nbytes` bytes of a buffer from `begin` on."""

    ref: Ref
    nbytes: int
    begin: int = 0


class Step(msgspec.Struct, frozen=True, gc=False):
    """A dispatch: the bytes of its uniform struct, and a part of a buffer for each storage binding.

    `work` is about what it costs, as `DeviceClass.work` counts. `ops` are the nodes that it computes, by name.
    """

    spec: KernelSpec
    workgroups: tuple[int, int, int]
    params: bytes
    gaps: tuple[Gap, ...]
    buffers: tuple[Part, ...]
    work: int
    ops: tuple[str, ...]

    @property
    def threads(self) -> int:
        """How many invocations it has."""
        return prod(self.workgroups) * prod(self.spec.workgroup_size)


class HostStep(msgspec.Struct, frozen=True, gc=False):
    """What the host computes, and for each of its operands a part of a buffer."""

    task: HostTask
    buffers: tuple[Part, ...]

    @property
    def ops(self) -> tuple[str, ...]:
        """As a dispatch's."""
        return (self.task.op,)

    @property
    def work(self) -> int:
        """As a dispatch's."""
        return self.task.work

    @property
    def threads(self) -> int:
        """As a dispatch would have: one an element of the result."""
        return self.task.target.layout.count


@dataclass(frozen=True, slots=True)
class Output:
    """An output of `nbytes`: a buffer of its own, or (`same_as`) one that exists anyway."""

    nbytes: int
    same_as: Ref | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """The steps up to number `end`, before which buffers are taken, and after which some are given back."""

    end: int
    takes: tuple[Ref, ...]
    gives: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. `inputs` are the nodes whose handles it takes, `constants` the indices of `Graph.constants`.

    `temps` are sizes in bytes. Each temporary and each output with a buffer of its own is taken in one of `stages`, of
    which there is one at least. `slice_work` bounds the steps that are done between two looks at what else waits.
    """

    inputs: tuple[int, ...]
    constants: tuple[tuple[int, TensorType], ...]
    outputs: tuple[Output, ...]
    temps: tuple[int, ...]
    stages: tuple[Stage, ...]
    steps: tuple[Step | HostStep, ...]
    slice_work: int

    def nbytes(self, ref: Ref) -> int:
        """The size of a temporary, or of an output."""
        return self.temps[ref.number] if ref.kind == "temp" else self.outputs[ref.number].nbytes

    def span(self, stage: int) -> tuple[int, int]:
        """The first step of a stage, and the first after it."""
        return self.stages[stage - 1].end if stage else 0, self.stages[stage].end

    @property
    def peak(self) -> int:
        """The bytes of temporaries and outputs in the stage that has most of them."""
        most = now = 0
        for stage in self.stages:
            now += sum(map(self.nbytes, stage.takes))
            most = max(most, now)
            now -= sum(map(self.nbytes, stage.gives))
        return most
