"""`Builder`: collects the steps of one op.

Owns how invocations are spread over dispatches and workgroups, so that no dispatch is long. Must not know any op.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import msgspec

from ops.dtypes import BY_NAME
from ops.errors import GraphError
from ops.layout import Layout
from ops.lowering.device import DeviceClass
from ops.lowering.host_tasks import HostTask
from ops.lowering.operands import Target
from shaders.spec import FIRST_THREAD, Dispatch, Hole, KernelSpec, Operand, Scalar

MAX_DISPATCHES = 1 << 16
"""Of all steps of a request together."""
MAX_GROUPS = 65_535
"""Workgroups along one axis of a dispatch, on every adapter (WebGPU's `maxComputeWorkgroupsPerDimension`)."""
GROUP = 64
"""The workgroup size of kernels whose invocations work alone."""
INVOCATION_WORK = 64
"""What an invocation costs where nothing else is said, in multiply-adds."""
_FEWEST_TURNS = 64
"""Turns of a dispatch at least: with fewer the device would mostly begin and end dispatches."""
BOUNDS_CHECK = "if (thread >= params.count) {\n    return;\n}"
"""How a kernel begins that `Builder.spread` launches: the last workgroup may reach beyond `count`."""
Params = dict[str, Scalar | Hole | tuple[Scalar | Hole, ...]]
Given = Mapping[str, Scalar | Hole | tuple[Scalar | Hole, ...]]
"""`Params` that are only read."""


class Lowering(msgspec.Struct, frozen=True, gc=False):
    """The steps of one op in order, and the sizes in bytes of the temporaries that they share."""

    dispatches: tuple[Dispatch | HostTask, ...]
    temps: tuple[int, ...] = ()


@dataclass(slots=True)
class Builder:
    """Collects the steps and temporaries of one op for an adapter of class `device`.

    `fewer` is the hint of the error for too many steps.
    """

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
        """Add launches that are at least `threads` invocations together, numbered without gaps as `thread`.

        Each invocation costs `each`, as in `dispatch`; there are as many launches as keep each within `device.work`.
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
