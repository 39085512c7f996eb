"""Modules that hold others by number or by name, and those that only change a shape.

Owns how what is held becomes attributes, which is where `Module` looks for it. Must not know ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, overload

from ops.errors import AttributeValueError
from ops.torch.functions.shape import unflatten
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor

T = TypeVar("T")


class _List(Module, Generic[T]):
    """What is held, as the attributes `0`, `1` …"""

    def __init__(self, values: Iterable[T] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def append(self, value: T) -> Self:
        """Hold one more."""
        vars(self)[str(len(self))] = value
        return self

    def extend(self, values: Iterable[T]) -> Self:
        """Hold more."""
        for value in values:
            self.append(value)
        return self

    def insert(self, index: int, value: T) -> None:
        """Hold one more, before the one at `index`."""
        held = list(self)
        held.insert(index, value)
        vars(self).update({str(number): each for number, each in enumerate(held)})

    def __len__(self) -> int:
        return sum(name.isdigit() for name in vars(self))

    def __iter__(self) -> Iterator[T]:
        return iter([vars(self)[str(number)] for number in range(len(self))])

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> T | Self:
        held = list(self)
        return type(self)(held[index]) if isinstance(index, slice) else held[index]

    def __setitem__(self, index: int, value: T) -> None:
        vars(self)[str(range(len(self))[index])] = value


class ModuleList(_List[Module]):
    """Modules in a list, which are found among the children."""


class ParameterList(_List[Tensor]):
    """Tensors in a list, which are found among the parameters."""


class _Dict(Module, Generic[T]):
    """What is held, as attributes by its names."""

    def __init__(self, values: Mapping[str, T] | Iterable[tuple[str, T]] | None = None) -> None:
        super().__init__()
        self._names: list[str] = []
        self.update(values or {})

    def update(self, values: Mapping[str, T] | Iterable[tuple[str, T]]) -> None:
        """Hold more."""
        for name, value in dict(values).items():
            self[name] = value

    def keys(self) -> list[str]:
        """The names, in order."""
        return list(self._names)

    def values(self) -> list[T]:
        """What is held, in order."""
        return [vars(self)[name] for name in self._names]

    def items(self) -> list[tuple[str, T]]:
        """The names and what is held by them."""
        return list(zip(self._names, self.values(), strict=True))

    def pop(self, name: str) -> T:
        """What is held by a name, no longer."""
        self._names.remove(name)
        held: T = vars(self).pop(name)
        return held

    def __setitem__(self, name: str, value: T) -> None:
        if name not in self._names:
            if hasattr(self, name) or not name:
                raise AttributeValueError(
                    f"a {type(self).__name__} has something by the name {name[:32]!r} of its own"
                )
            self._names.append(name)
        vars(self)[name] = value

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        held: T = vars(self)[name]
        return held

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._names)


class ModuleDict(_Dict[Module]):
    """Modules by name, which are found among the children."""


class ParameterDict(_Dict[Tensor]):
    """Tensors by name, which are found among the parameters."""


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` as one: by default all but that of the batch."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """An axis as several, of these sizes."""

    def __init__(self, dim: int, unflattened_size: Iterable[int]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size: tuple[int, ...] = tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        return unflatten(input, self.dim, self.unflattened_size)


LAYERS = (ModuleList, ParameterList, ModuleDict, ParameterDict, Flatten, Unflatten)
FUNCTIONAL: dict[str, Callable[..., Any]] = {}
