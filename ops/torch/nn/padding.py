"""Layers that put more around tensors, one for each mode and number of axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ops.errors import AttributeValueError
from ops.torch.functions.shape import pad
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor
from ops.torch.typenames import Sizes

_MODES = {
    "ZeroPad": "constant",
    "ConstantPad": "constant",
    "ReflectionPad": "reflect",
    "ReplicationPad": "replicate",
    "CircularPad": "circular",
}


class _Padding(Module):
    """Base of these: `padding` is one number for all ends, or pairs, the first for the last axis."""

    _rank: ClassVar = 0
    _mode: ClassVar = ""

    def __init__(self, padding: Sizes, value: float = 0.0) -> None:
        super().__init__()
        ends = [padding] * (2 * self._rank) if isinstance(padding, int) else list(padding)
        if len(ends) != 2 * self._rank:
            raise AttributeValueError(
                f"{type(self).__name__} takes one number or {2 * self._rank}, not {len(ends)}"
            )
        self.padding: tuple[int, ...] = tuple(ends)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return pad(input, self.padding, self._mode, self.value)


LAYERS: tuple[type[Module], ...] = tuple(
    type(
        f"{name}{rank}d",
        (_Padding,),
        {"__doc__": f"`pad` over {rank} axes as a layer.", "_rank": rank, "_mode": mode},
    )
    for name, mode in _MODES.items()
    for rank in (1, 2, 3)
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {}
