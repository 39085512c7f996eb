"""`Module`, and the modules that only hold others.

Owns what every layer has: a module's parameters and children are its attributes. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ops.tensor import Tensor


class Module:
    """Base of layers and models: define `forward` and call the object."""

    training = True

    def __init__(self) -> None:
        pass

    def forward(self, *args: Any, **named: Any) -> Any:
        """What calling the module computes."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward")

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.forward(*args, **named)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are attributes, by name."""
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))

    def children(self) -> Iterator[Module]:
        """The modules that are attributes."""
        return (child for _, child in self.named_children())

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        """The tensors that are attributes, of children too, by dotted name."""
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                yield prefix + name, value
        for name, child in self.named_children():
            yield from child.named_parameters(f"{prefix}{name}.")

    def parameters(self) -> Iterator[Tensor]:
        """The tensors that are attributes, of children too."""
        return (value for _, value in self.named_parameters())

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters by dotted name."""
        return dict(self.named_parameters())

    def train(self, mode: bool = True) -> Module:
        """Set `training`, of children too."""
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Module:
        """`train(False)`."""
        return self.train(False)


class Sequential(Module):
    """Modules called one after the other."""

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for number, module in enumerate(modules):
            setattr(self, str(number), module)

    def forward(self, input: Any) -> Any:
        for module in self.children():
            input = module(input)
        return input

    def __len__(self) -> int:
        return len(list(self.children()))

    def __getitem__(self, index: int) -> Module:
        return list(self.children())[index]


class Identity(Module):
    """What goes in comes out."""

    def forward(self, input: Any) -> Any:
        return input


def Parameter(data: Tensor, requires_grad: bool = False) -> Tensor:  # noqa: N802
    """`data`: every tensor that is a module's attribute is a parameter."""
    return data


LAYERS = (Module, Sequential, Identity)
