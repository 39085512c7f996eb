"""Layers: `torch.nn` as far as its parts are ops of the table.

Owns `Module` and the layers. A module's parameters and children are its attributes. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ops import shape_functions
from ops.creation import uniform
from ops.methods import FUNCTIONS, softmax
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


class Linear(Module):
    """`x @ weight.T + bias`; weights start uniform within 1 / sqrt(in_features)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        bound = in_features**-0.5 if in_features > 0 else 0.0
        self.in_features = in_features
        self.out_features = out_features
        self.weight = uniform([out_features, in_features], -bound, bound)
        self.bias = uniform([out_features], -bound, bound) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


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


class ReLU(Module):
    """`relu` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["relu"](input)


class Sigmoid(Module):
    """`sigmoid` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["sigmoid"](input)


class Tanh(Module):
    """`tanh` as a layer."""

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["tanh"](input)


class GELU(Module):
    """`gelu` as a layer."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Any:
        return FUNCTIONS["gelu"](input, approximate=self.approximate)


class Softmax(Module):
    """`softmax` as a layer."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return softmax(input, self.dim)


class Identity(Module):
    """What goes in comes out."""

    def forward(self, input: Any) -> Any:
        return input


def Parameter(data: Tensor, requires_grad: bool = False) -> Tensor:  # noqa: N802
    """`data`: every tensor that is a module's attribute is a parameter."""
    return data


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`."""
    result: Tensor = (
        FUNCTIONS["matmul"](input, weight.T) if bias is None else FUNCTIONS["linear"](input, weight, bias)
    )
    return result


_FUNCTIONAL = (
    "celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish prelu relu relu6 selu sigmoid"
    " silu softmax softplus softshrink softsign tanh tanhshrink threshold"
)
LAYERS = (Module, Linear, Sequential, ReLU, Sigmoid, Tanh, GELU, Softmax, Identity)
FUNCTIONAL = (
    {"pad": shape_functions.pad, "one_hot": shape_functions.one_hot}
    | {name: FUNCTIONS[name] for name in _FUNCTIONAL.split()}
    | {"linear": linear}
)
