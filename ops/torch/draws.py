"""Random numbers as a script sees them: generators, and PyTorch's functions that draw from one.

Owns which part of the stream `philox` each draw takes: what a seed gives is the same on every device. It is not
PyTorch's sequence. Must not know engines.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

from ops.errors import AttributeValueError
from ops.infer import check_shape
from ops.torch.creation import shape_of
from ops.torch.operands import Operand
from ops.torch.tensor import Tensor, apply
from ops.torch.typenames import Device, DTypeLike, Sizes, dtype_of, sizes
from ops.torch.writing import become

_WORD = (1 << 32) - 1
_WORDS_A_STEP = 4


class Generator:
    """A source of random numbers: a seed, and how far its stream was used."""

    __slots__ = ("_seed", "_used")

    def __init__(self, device: Device = None) -> None:
        self._seed = secrets.randbits(64)
        self._used = 0

    def manual_seed(self, seed: int) -> Generator:
        """Begin the stream of `seed`."""
        self._seed = int(seed) & ((1 << 64) - 1)
        self._used = 0
        return self

    def seed(self) -> int:
        """Begin the stream of a seed that nobody knows, and tell it."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self) -> int:
        """The seed."""
        return self._seed

    def _take(self, words: int) -> dict[str, list[int]]:
        """The attributes that name the next words of the stream, which are used then."""
        first = self._used
        self._used += -(-words // _WORDS_A_STEP)
        return {
            "key": [self._seed & _WORD, self._seed >> 32],
            "counter": [first & _WORD, first >> 32, 0, 0],
        }


_default = Generator()
if hasattr(os, "register_at_fork"):  # workers forked from one process draw different numbers
    os.register_at_fork(after_in_child=_default.seed)


def manual_seed(seed: int) -> Generator:
    """Begin the sequence of random numbers anew."""
    return _default.manual_seed(seed)


def initial_seed() -> int:
    """The seed of what is drawn without a generator."""
    return _default.initial_seed()


def uniform(shape: Sequence[int], low: float, high: float, generator: Generator | None = None) -> Tensor:
    """Random f32 numbers from `low` to below `high`."""
    return _drawn("random_uniform", shape, 1, generator, low=float(low), high=float(high))


def normals(shape: Sequence[int], mean: float, std: float, generator: Generator | None = None) -> Tensor:
    """Random f32 numbers of the normal distribution."""
    return _drawn("random_normal", shape, 2, generator, mean=float(mean), std=float(std))


def _drawn(
    op: str, shape: Sequence[int], words: int, generator: Generator | None, **attributes: object
) -> Tensor:
    check_shape(tuple(shape))
    taken = (generator or _default)._take(words * prod(shape))
    return apply(op, [], shape=list(shape), **attributes, **taken)


def _typed(tensor: Tensor, dtype: DTypeLike | None) -> Tensor:
    return tensor if dtype is None else tensor.type(dtype_of(dtype))


def rand(
    *shape: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Random numbers from 0 to below 1."""
    return _typed(uniform(shape_of(shape, size), 0.0, 1.0, generator), dtype)


def randn(
    *shape: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Random numbers of the standard normal distribution."""
    return _typed(normals(shape_of(shape, size), 0.0, 1.0, generator), dtype)


def randint(
    low: int = 0,
    high: Sizes | None = None,
    size: Sizes | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Random whole numbers, i32 by default, from `low` to below `high`; from 0 when one bound is given."""
    if size is None:
        low, high, size = 0, low, high
    return _typed(_drawn("random_integers", sizes([size]), 1, generator, low=low, high=high), dtype)


def rand_like(input: Tensor, *, dtype: DTypeLike | None = None) -> Tensor:
    """`rand` of the shape, and without `dtype` of the dtype, of `input`."""
    return _typed(rand(*input.shape), input.dtype if dtype is None else dtype)


def randn_like(input: Tensor, *, dtype: DTypeLike | None = None) -> Tensor:
    """`randn`, likewise."""
    return _typed(randn(*input.shape), input.dtype if dtype is None else dtype)


def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: DTypeLike | None = None
) -> Tensor:
    """`randint`, likewise."""
    bounds = (0, low) if high is None else (low, high)
    return _typed(randint(*bounds, input.shape), input.dtype if dtype is None else dtype)


def randperm(
    n: int, *, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """The numbers from 0 to below `n` in random order."""
    keys = apply("philox", [], count=n, **(generator or _default)._take(n))
    return _typed(apply("argsort", [keys], axis=0).type("i32"), dtype)


def normal(
    mean: Operand = 0.0,
    std: Operand = 1.0,
    size: Sizes | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Tensor:
    """Random numbers of normal distributions, whose means and deviations are numbers or tensors."""
    given = [each for each in (mean, std) if isinstance(each, Tensor)]
    shape: Sequence[int] = sizes([size]) if size is not None else ()
    for each in given:
        shape = apply("add", [apply("full", [], shape=list(shape), value=0.0), each]).shape
    drawn: Any = normals(shape, 0.0, 1.0, generator)
    result: Tensor = drawn * std + mean
    return _typed(result, dtype)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that each element is, or with `p`; else 0."""
    drawn: Any = uniform(input.shape, 0.0, 1.0, generator)
    result: Tensor = (drawn < (input if p is None else p)).type(input.dtype)
    return result


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Positions (i32) along the last axis, each with the weight of its element; without `replacement`, no one twice."""
    if input.ndim not in (1, 2):
        raise AttributeValueError(f"multinomial takes 1 or 2 axes, not {input.ndim}")
    count = input.shape[-1]
    if num_samples < 1 or (not replacement and num_samples > count):
        raise AttributeValueError(f"multinomial: {num_samples} of {count} cannot be drawn")
    weights: Any = input.float()
    drawn: Any
    if replacement:
        shares = apply("cumsum", [weights], axis=-1) / weights.sum(-1, keepdim=True)
        drawn = uniform([*input.shape[:-1], num_samples], 0.0, 1.0, generator)
        below: Any = apply("le", [shares.unsqueeze(-2), drawn.unsqueeze(-1)])
        possible: Any = apply("count_nonzero", [weights.flip(-1).cumsum(-1).flip(-1)], axes=[-1])
        found: Tensor = below.int().sum(-1).minimum(possible.unsqueeze(-1) - 1)
        return found
    drawn = uniform(input.shape, 0.0, 1.0, generator)
    waits: Any = -(1.0 - drawn).log() / weights
    ordered: Tensor = apply("topk_indices", [waits.nan_to_num(inf)], k=num_samples, axis=-1, largest=False)
    return ordered


def uniform_(self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """The tensor with random numbers from `a` to below `b` in it."""
    return become(self, uniform(self.shape, a, b, generator))


def normal_(
    self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """The tensor with random numbers of the normal distribution in it."""
    return become(self, normals(self.shape, mean, std, generator))


def bernoulli_(self: Tensor, p: Operand = 0.5, *, generator: Generator | None = None) -> Tensor:
    """The tensor with 1 in it with the probability `p`, else 0."""
    drawn: Any = uniform(self.shape, 0.0, 1.0, generator)
    return become(self, (drawn < p).type(self.dtype))


def random_(
    self: Tensor, low: int = 0, high: int | None = None, *, generator: Generator | None = None
) -> Tensor:
    """The tensor with random whole numbers in it: from `low`, or 0, to below `high`, or 2^24 in a float."""
    first, last = (0, low or 1 << 24) if high is None else (low, high)
    return become(self, randint(first, last, self.shape, generator=generator).type(self.dtype))


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, axes: int | None = None
) -> Tensor:
    """0 in place of each element with the probability `p`, else `x / (1 - p)`; all stays where not `training`.

    With `axes` whole slices are dropped: one draw for each position along so many first axes.
    """
    if not 0 <= p <= 1:
        raise AttributeValueError(f"dropout: p is {p:g}, but must be from 0 to 1")
    if not training or p == 0:
        return input
    count = input.ndim if axes is None else min(axes, input.ndim)
    if count == input.ndim:
        result = apply("dropout", [input], p=p, **_default._take(input.numel()))
    else:
        shape = [*input.shape[:count], *[1] * (input.ndim - count)]
        ones = apply("full", [], shape=shape, value=1.0)
        scale = apply("dropout", [ones], p=p, **_default._take(prod(shape)))
        result = apply("mul", [input, scale.type(input.dtype)])
    return become(input, result) if inplace else result


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        manual_seed,
        initial_seed,
        rand,
        randn,
        randint,
        rand_like,
        randn_like,
        randint_like,
        randperm,
        normal,
        bernoulli,
        multinomial,
    )
}
METHODS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (bernoulli, multinomial, uniform_, normal_, bernoulli_, random_)
}
