"""Layers that put more around tensors, one for each mode and number of axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ops.errors import AttributeValueError
from ops.nn.module import Module
from ops.shape_functions import pad
from ops.tensor import Tensor

_MODES = {
    "ZeroPad": "constant",
    "ConstantPad": "constant",
    "ReflectionPad": "reflect",
    "ReplicationPad": "replicate",
    "CircularPad": "circular",
}


class _Padding(Module):
    """Base of these: `padding` is one number for all ends, or pairs, the first for the last axis."""

    rank: ClassVar = 0
    mode: ClassVar = ""

    def __init__(self, padding: int | Sequence[int], value: float = 0.0) -> None:
        super().__init__()
        ends = [padding] * (2 * self.rank) if isinstance(padding, int) else list(padding)
        if len(ends) != 2 * self.rank:
            raise AttributeValueError(
                f"{type(self).__name__} takes one number or {2 * self.rank}, not {len(ends)}"
            )
        self.padding, self.value = tuple(ends), value

    def forward(self, input: Tensor) -> Tensor:
        return pad(input, self.padding, self.mode, self.value)


LAYERS: tuple[type[Module], ...] = tuple(
    type(f"{name}{rank}d", (_Padding,), {"__doc__": f"`pad` over {rank} axes as a layer.", "rank": rank, "mode": mode})
    for name, mode in _MODES.items()
    for rank in (1, 2, 3)
)  # fmt: skip
FUNCTIONAL: dict[str, Callable[..., Any]] = {}
