"""`Module`, and the modules that only hold others.

Owns what every layer has: a module's parameters and children are its attributes. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from ops.loose import Passed
from ops.torch.tensor import Tensor


class Module:
    """Base of layers and models: define `forward` and call the object."""

    training: bool = True
    _buffer_names: tuple[str, ...] = ()

    def __init__(self) -> None:
        pass

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Keep a tensor that is no parameter as the attribute `name`."""
        self._buffer_names = (*self._buffer_names, name)
        setattr(self, name, tensor)

    def forward(self, *args: Passed, **named: Passed) -> Passed:
        """What calling the module computes."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward")

    def __call__(self, *args: Passed, **named: Passed) -> Passed:
        return self.forward(*args, **named)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are attributes, by name."""
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))

    def children(self) -> Iterator[Module]:
        """The modules that are attributes."""
        return (child for _, child in self.named_children())

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        """The tensors that are attributes but no buffers, of children too, by dotted name."""
        yield from self._tensors(prefix, of_buffers=False)

    def named_buffers(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        """The buffers, of children too, by dotted name."""
        yield from self._tensors(prefix, of_buffers=True)

    def _tensors(self, prefix: str, of_buffers: bool) -> Iterator[tuple[str, Tensor]]:
        for name, value in vars(self).items():
            if isinstance(value, Tensor) and (name in self._buffer_names) == of_buffers:
                yield prefix + name, value
        for name, child in self.named_children():
            yield from child._tensors(f"{prefix}{name}.", of_buffers)

    def parameters(self) -> Iterator[Tensor]:
        """The tensors that are attributes but no buffers, of children too."""
        return (value for _, value in self.named_parameters())

    def buffers(self) -> Iterator[Tensor]:
        """The buffers, of children too."""
        return (value for _, value in self.named_buffers())

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers by dotted name."""
        return {**dict(self.named_parameters()), **dict(self.named_buffers())}

    def train(self, mode: bool = True) -> Self:
        """Set `training`, of children too."""
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self) -> Self:
        """`train(False)`."""
        return self.train(False)


class Sequential(Module):
    """Modules called one after the other."""

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for number, module in enumerate(modules):
            setattr(self, str(number), module)

    def forward(self, input: Passed) -> Passed:
        for module in self.children():
            input = module(input)
        return input

    def __len__(self) -> int:
        return len(list(self.children()))

    def __getitem__(self, index: int) -> Module:
        return list(self.children())[index]


class Applied(Module):
    """A function as a layer, with what it takes beside tensors; `layer` makes such a class."""

    _function: Callable[..., Any]
    _options: tuple[str, ...]

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()
        given = dict(zip(self._options, args, strict=False)) | named
        if len(args) > len(self._options) or not given.keys() <= set(self._options):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self._options) or 'nothing'}")
        for name, value in given.items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        mine = vars(self)
        options = {name: mine[name] for name in self._options if name in mine}
        return type(self)._function(*inputs, **options, **named)


def layer(
    title: str, function: Callable[..., Any], options: str = "", base: type[Applied] = Applied
) -> type[Module]:
    """The class `title`, whose objects call `function` with the options that they were made with."""
    members = {
        "__doc__": f"`{function.__name__}` as a layer.",
        "_function": staticmethod(function),
        "_options": tuple(options.split()),
    }
    return type(title, (base,), members)


class Identity(Module):
    """What goes in comes out."""

    def forward(self, input: Passed) -> Passed:
        return input


def Parameter(data: Tensor, requires_grad: bool = False) -> Tensor:  # noqa: N802
    """`data`: every tensor that is a module's attribute is a parameter."""
    return data


LAYERS = (Module, Sequential, Identity)
