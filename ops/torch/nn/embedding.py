"""Embeddings, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ops.errors import AttributeValueError, ShapeError
from ops.torch.draws import normals
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor, apply
from ops.torch.writing import become


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the positions `input`; with `max_norm` those of a larger norm are cut to it first, in
    `weight` too."""
    _dense(sparse)
    if max_norm is not None:
        become(weight, _cut(input, weight, max_norm, norm_type))
    return apply("embedding", [input, weight], padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)


def _dense(sparse: bool) -> None:
    if sparse:
        raise AttributeValueError(
            "embeddings have no sparse gradients",
            hint="Leave sparse=False: a gradient has the weight's shape.",
        )


def _cut(input: Any, weight: Any, max_norm: float, norm_type: float) -> Tensor:
    """`weight` with the rows at positions `input` cut to a norm."""
    norms: Any = apply("norm", [weight], p=norm_type, axes=[1], keepdim=True)
    places = input.reshape(-1)
    none = apply("full", [], shape=[weight.shape[0]], value=False, dtype="bool")
    taken: Any = apply("index_fill", [none, places], axis=0, value=1)
    scale: Any = apply("full", [], shape=[], value=max_norm) / (norms + _SMALL)
    return apply("where", [(norms > max_norm).logical_and(taken.unsqueeze(1)), weight * scale, weight])


_SMALL = 1e-7
_SCATTERED = {"sum": "add", "mean": "add", "max": "max"}


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or largest of the rows of `weight` in each bag: a row of `input`, or from each of `offsets` on, the
    last of which may be where the last bag ends. The row `padding_idx` is in no bag."""
    if mode not in _SCATTERED:
        raise AttributeValueError(f"embedding_bag: mode is {mode!r}, but must be sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise AttributeValueError("embedding_bag: per_sample_weights go with the mode sum")
    rows: Any = embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    bags, count = _bags(input, offsets, include_last_offset)
    if padding_idx is not None:
        padding = padding_idx % max(weight.shape[0], 1)
        positions: Any = input.reshape(-1)
        bags = apply("where", [positions != padding, bags, _whole(count)])
    return _folded(rows.reshape(-1, weight.shape[1]), bags, count, mode)


def _whole(value: int) -> Tensor:
    return apply("full", [], shape=[], value=value, dtype="i32")


def _bags(input: Any, offsets: Any, include_last: bool) -> tuple[Any, int]:
    """Which bag each position is of (one too large: of none), and how many bags there are."""
    if input.ndim == 2 and offsets is None:
        numbers = apply("arange", [], count=input.shape[0], dtype="i32").unsqueeze(1)
        return numbers.expand(input.shape).reshape(-1), input.shape[0]
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise ShapeError("embedding_bag takes 2 axes, or 1 and flat offsets")
    places: Any = apply("arange", [], count=input.shape[0], dtype="i32")
    bag = (offsets.unsqueeze(0) <= places.unsqueeze(1)).int().sum(1) - 1
    return bag, offsets.numel() - include_last


def _folded(rows: Any, bag: Any, count: int, mode: str) -> Tensor:
    """The rows of each bag together; those of bag `count` are in none, and a bag without any gives 0."""
    start = apply("full", [], shape=[count + 1, rows.shape[1]], value=float("-inf") if mode == "max" else 0.0)
    index = bag.unsqueeze(1).expand(rows.shape)
    made: Any = apply("scatter", [start, index, rows], axis=0, reduce=_SCATTERED[mode])
    none = apply("full", [], shape=[count + 1], value=0.0)
    ones = apply("full", [], shape=[rows.shape[0]], value=1.0)
    sizes: Any = apply("scatter", [none, bag, ones], axis=0, reduce="add").unsqueeze(1)
    if mode == "mean":
        made = made / sizes.clamp(min=1)
    filled: Any = apply("where", [sizes > 0, made, apply("full", [], shape=[], value=0.0)])
    result: Tensor = filled[:count]
    return result


class Embedding(Module):
    """`embedding` as a layer, whose rows begin normal, that of padding as zeros."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        _dense(sparse)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        weight: Any = normals([num_embeddings, embedding_dim], 0.0, 1.0)
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight: Tensor = weight

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """A layer with these rows."""
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        made = cls(embeddings.shape[0], embeddings.shape[1], *options)
        made.weight = embeddings
        return made

    def forward(self, input: Tensor) -> Tensor:
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq
        )


class EmbeddingBag(Module):
    """`embedding_bag` as a layer, whose rows begin normal."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        _dense(sparse)
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.mode, self.include_last_offset, self.padding_idx = mode, include_last_offset, padding_idx
        weight: Any = normals([num_embeddings, embedding_dim], 0.0, 1.0)
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight: Tensor = weight

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )


LAYERS = (Embedding, EmbeddingBag)
FUNCTIONAL: dict[str, Callable[..., Any]] = {"embedding": embedding, "embedding_bag": embedding_bag}
