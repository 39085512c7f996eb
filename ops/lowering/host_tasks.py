"""What the host computes itself, in the device's memory, instead of a dispatch.

Owns what such a step is told. Must not know NumPy: `host/hands.py` does the steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ops.lowering.operands import Source, Target
from shaders.spec import Operand


class _Task(ABC):
    """A step that the host computes. `work` counts its multiply-adds."""

    __slots__ = ()

    @property
    @abstractmethod
    def values(self) -> tuple[Source | Target, ...]:
        """Its operands; it writes the last one."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Their buffers."""
        return tuple(value.operand for value in self.values)


@dataclass(frozen=True, slots=True)
class HostProduct(_Task):
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
class HostConvolution(_Task):
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
class HostAttention(_Task):
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
