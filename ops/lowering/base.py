"""What every lowering shares: the device's class, sources and targets, and the builder of dispatches.

Owns how work is spread over workgroups and which operand is which. Must not know any op.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import ClassVar, Literal

import msgspec

from ops import wgsl
from ops.dtypes import BY_NAME
from ops.errors import GraphError
from ops.expression import Term
from ops.layout import Layout
from ops.wgsl import Function
from shaders.spec import FIRST_THREAD, Dispatch, Hole, KernelSpec, Operand, Param, Scalar

MAX_DISPATCHES = 1 << 16
"""Of all steps of a request together."""
MAX_GROUPS = 65_535
GROUP = 64
INVOCATION_WORK = 64
_LANE_UNITS = 8
_FEWEST_TURNS = 64
RANKS = (2, 4, 8)
_MASK = 0xFFFF_FFFF
Params = dict[str, Scalar | Hole | tuple[Scalar | Hole, ...]]
Given = Mapping[str, Scalar | Hole | tuple[Scalar | Hole, ...]]


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """What a lowering may know of an adapter.

    `lanes` is the workgroup size of kernels in which invocations work together. `loop_turns` is how many turns all
    loops of one invocation may take: llvmpipe stops at 65 535, silently. `work` is about how many multiply-adds one
    dispatch may do, since a device is deaf until a dispatch ends: tens of milliseconds' worth. `host_work` is from how
    many multiply-adds on a product of f32 is the host's own BLAS to do, in the device's memory; 0: never. `quads` are
    how many quads of elements that lie side by side an invocation of an elementwise kernel takes, `chunks` of
    how many columns one of a reduction may fold. `group` is the workgroup size of elementwise kernels. `most_lanes` is
    up to where workgroups grow that take a row each, `kept` how many units of a row, of one element or four, each of
    their lanes may keep in registers. `workgroup_bytes` is the memory that a workgroup may have,
    `binding` how many bytes of a buffer a kernel can be given.
    """

    kind: Literal["cpu", "gpu"]
    lanes: int
    loop_turns: int
    work: int = 1 << 27
    host_work: int = 0
    quads: int = 1
    chunks: int = 1
    group: int = 64
    most_lanes: int = 8
    kept: int = 0
    workgroup_bytes: int = 16 << 10
    binding: int = 1 << 27

    def row_lanes(self, units: int) -> int:
        """The workgroup size of a kernel in which a workgroup takes a row of so many units, of one element or four:
        eight a lane, as far as it may grow.
        """
        lanes = self.lanes
        while lanes < self.most_lanes and lanes * _LANE_UNITS < units:
            lanes *= 2
        return lanes

    def kept_units(self, units: int, lanes: int) -> int:
        """How many units a lane keeps of a row of `units`, a power of two; 0 where rows are read again instead."""
        kept = 1
        while kept * lanes < units:
            kept *= 2
        return kept if kept <= self.kept else 0


CPU = DeviceClass("cpu", 8, 60_000, quads=4, chunks=16)
MAPPED = replace(CPU, host_work=1 << 20)
GPU = DeviceClass("gpu", 32, 1_000_000, 1 << 35, group=128, most_lanes=256, kept=8)


class Source(msgspec.Struct, frozen=True, gc=False):
    """A value that a kernel reads: which operand, how it lies there, its dtype's name."""

    operand: Operand
    layout: Layout
    dtype: str


class Target(msgspec.Struct, frozen=True, gc=False):
    """Where a kernel writes, likewise."""

    operand: Operand
    layout: Layout
    dtype: str

    def source(self) -> Source:
        """What was written, to be read."""
        return Source(self.operand, self.layout, self.dtype)


class After(msgspec.Struct, frozen=True):
    """What is done with each element of an op's result of `dtype`: a term of it (input 0) and of `sources`.

    Input n is the element of `sources[n - 1]`, broadcast to the shape of the result.
    """

    term: Term
    dtype: str
    sources: tuple[Source, ...] = ()

    @property
    def function(self) -> Function:
        """It as `finish(value, x0, …)`, of an element of the result and of those of `sources`."""
        others = [(f"x{number}", source.dtype) for number, source in enumerate(self.sources)]
        return wgsl.function("finish", self.term, [("value", self.dtype), *others])


class _OfHost(ABC):
    """A step of the host's, in the device's memory, without a dispatch. `work` counts multiply-adds."""

    __slots__ = ()

    @property
    @abstractmethod
    def values(self) -> tuple[Source | Target, ...]:
        """What it touches, the one that it writes last."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The buffers of these."""
        return tuple(value.operand for value in self.values)


@dataclass(frozen=True, slots=True)
class HostProduct(_OfHost):
    """`target` = `left` @ `right` on f32 by the host; `right` may be of bytes.

    All have the same batch axes; the last two are a matrix.
    """

    op: ClassVar = "matmul"
    left: Source
    right: Source
    target: Target
    work: int

    @property
    def values(self) -> tuple[Source | Target, ...]:
        return self.left, self.right, self.target


@dataclass(frozen=True, slots=True)
class HostConvolution(_OfHost):
    """`target` [batch, groups, outputs, *places] = the convolution of `x` [batch, groups, channels, *space] with
    `weight` [groups, outputs, channels, *taps] on f32 by the host.

    `before` is how many zeros stand before each axis of space; after it are as many as the places need.
    """

    op: ClassVar = "convolution"
    x: Source
    weight: Source
    target: Target
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    before: tuple[int, ...]
    work: int

    @property
    def values(self) -> tuple[Source | Target, ...]:
        return self.x, self.weight, self.target


@dataclass(frozen=True, slots=True)
class HostAttention(_OfHost):
    """`target` = softmax(`query` @ `key`.T * `scale` + `mask`) @ `value` on f32 by the host.

    All have the same batch axes; the last two are a matrix. With `is_causal` query n sees the keys 0 to n.
    """

    op: ClassVar = "attention"
    query: Source
    key: Source
    value: Source
    mask: Source | None
    target: Target
    scale: float
    is_causal: bool
    work: int

    @property
    def values(self) -> tuple[Source | Target, ...]:
        masks = () if self.mask is None else (self.mask,)
        return self.query, self.key, self.value, *masks, self.target


HostTask = HostProduct | HostConvolution | HostAttention


class Lowering(msgspec.Struct, frozen=True, gc=False):
    """The steps of one op in order, and the sizes in bytes of the temporaries that they share."""

    dispatches: tuple[Dispatch | HostTask, ...]
    temps: tuple[int, ...] = ()


@dataclass(slots=True)
class Builder:
    """Collects the dispatches and temporaries of one op for an adapter of class `device`; `fewer` says how it could do
    with fewer."""

    device: DeviceClass
    fewer: str = "Work in smaller pieces."
    dispatches: list[Dispatch | HostTask] = field(default_factory=list)
    temps: list[int] = field(default_factory=list)

    def temp(self, shape: Sequence[int], dtype: str) -> Target:
        """A fresh contiguous temporary."""
        self.temps.append(max(BY_NAME[dtype].device_bytes, 4) * max(prod(shape), 1))
        return Target(Operand("temp", len(self.temps) - 1), Layout.contiguous(tuple(shape)), dtype)

    def dispatch(
        self,
        spec: KernelSpec,
        workgroups: tuple[int, int, int],
        operands: Sequence[Operand],
        params: Given,
        each: int = INVOCATION_WORK,
    ) -> None:
        """Add a launch of `spec`, each invocation of which costs about as much as `each` multiply-adds.

        Raises `GraphError` beyond `MAX_DISPATCHES`.
        """
        self.check_room(1)
        work = each * prod(workgroups) * prod(spec.workgroup_size)
        self.dispatches.append(Dispatch(spec, workgroups, tuple(operands), dict(params), work))

    def check_room(self, count: int) -> None:
        """Raises `GraphError` unless `count` more steps may be made."""
        if len(self.dispatches) + count > MAX_DISPATCHES:
            raise GraphError(
                f"an op needs more than {MAX_DISPATCHES:,} dispatches, the most of one request",
                hint=self.fewer,
            )

    def spread(
        self,
        spec: KernelSpec,
        threads: int,
        operands: Sequence[Operand],
        params: Given,
        each: int = INVOCATION_WORK,
    ) -> None:
        """Add launches of at least `threads` invocations together, which the body numbers as `thread`; `each` as above.

        They are as many as keep each within the work of a dispatch; no number is given twice.
        """
        size = prod(spec.workgroup_size)
        groups = -(-threads // size)
        most = max(self.device.work // (each * size), 1)
        if most > MAX_GROUPS:
            most -= most % MAX_GROUPS  # such a grid has no workgroup too many
        for first in range(0, groups, most):
            piece = {**params, FIRST_THREAD: first * size}
            self.dispatch(spec, grid(min(most, groups - first)), operands, piece, each)

    def turns(self, count: int, each: int, most: int) -> int:
        """How many turns of `each` multiply-adds `count` invocations may take in one dispatch, at most `most`.

        Many invocations get few turns, but not so few that the device would mostly begin and end dispatches.
        """
        return max(min(most, _FEWEST_TURNS), min(most, self.device.work // (max(count, 1) * each)))

    def lowering(self) -> Lowering:
        """What was collected."""
        return Lowering(tuple(self.dispatches), tuple(self.temps))


def grid(groups: int) -> tuple[int, int, int]:
    """At least `groups` workgroups over x and y, as evenly as the limit of a dimension allows."""
    rows = -(-groups // MAX_GROUPS)
    return (-(-groups // rows), rows, 1) if rows else (0, 0, 0)


def bucket(rank: int) -> int:
    """The rank for which a kernel is written that serves tensors of `rank`: few kernels serve all ranks."""
    return next(size for size in RANKS if rank <= size)


def padded(sizes: Sequence[int], rank: int, fill: int) -> tuple[int, ...]:
    """`sizes` with `fill` in front up to `rank`, as parameters: negative strides wrap, as WGSL's u32 does."""
    return tuple(size & _MASK for size in (*[fill] * (rank - len(sizes)), *sizes))


def stride_params(names: Sequence[str], rank: int) -> tuple[Param, ...]:
    """An array parameter of `rank` numbers for each name."""
    return tuple(Param(name, "u32", length=rank) for name in names)


def coordinates(index: str, rank: int, shape: str = "shape") -> str:
    """Statements that split the number `index` into coordinates `c0` … by the array parameter `shape`."""
    lines = [f"var rest = {index};"]
    for axis in range(rank - 1, 0, -1):
        lines += [f"let c{axis} = rest % {shape}_at({axis}u);", f"rest /= {shape}_at({axis}u);"]
    return "\n".join([*lines, "let c0 = rest;"])


def address(name: str, rank: int) -> str:
    """The position of an operand at coordinates `c0` …, by the parameters `offset_` and `strides_` of `name`."""
    terms = [f"c{axis} * strides_{name}_at({axis}u)" for axis in range(rank)]
    return " + ".join([f"params.offset_{name}", *terms])
