"""Embeddings, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.draws import normals
from ops.errors import AttributeValueError, ShapeError
from ops.nn.module import Module
from ops.tensor import Tensor, apply


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` at the positions `input`."""
    return apply("embedding", [input, weight], padding_idx=padding_idx)


_SCATTERED = {"sum": "add", "mean": "add", "max": "max"}


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    *,
    mode: str = "mean",
    per_sample_weights: Tensor | None = None,
) -> Tensor:
    """The sum, mean or largest of the rows of `weight` in each bag: a row of `input`, or from each of `offsets` on."""
    if mode not in _SCATTERED:
        raise AttributeValueError(f"embedding_bag: mode is {mode!r}, but must be sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise AttributeValueError("embedding_bag: per_sample_weights go with the mode sum")
    rows: Any = embedding(input, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    if input.ndim == 2:
        return apply(mode, [rows], axes=[1])
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise ShapeError("embedding_bag takes 2 axes, or 1 and flat offsets")
    return _from_offsets(rows, offsets, mode)


def _from_offsets(rows: Any, offsets: Any, mode: str) -> Tensor:
    """The bags of flat rows; one without any gives 0."""
    count, bags = rows.shape[0], offsets.numel()
    places: Any = apply("arange", [], count=count, dtype="i32")
    bag: Any = (offsets.unsqueeze(0) <= places.unsqueeze(1)).int().sum(1) - 1
    empty = float("-inf") if mode == "max" else 0.0
    start = apply("full", [], shape=[bags, rows.shape[1]], value=empty)
    index = bag.unsqueeze(1).expand(rows.shape)
    made: Any = apply("scatter", [start, index, rows], axis=0, reduce=_SCATTERED[mode])
    last = apply("full", [], shape=[1], value=count, dtype="i32")
    sizes: Any = (apply("concat", [offsets.int()[1:], last], axis=0) - offsets).unsqueeze(1)
    if mode == "mean":
        made = made / sizes.clamp(min=1)
    return apply("where", [sizes > 0, made, apply("full", [], shape=[], value=0.0)])


class Embedding(Module):
    """`embedding` as a layer, whose rows begin normal, that of padding as zeros."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        weight: Any = normals([num_embeddings, embedding_dim], 0.0, 1.0)
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight: Tensor = weight

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        """A layer with these rows."""
        made = cls(embeddings.shape[0], embeddings.shape[1], padding_idx)
        made.weight = embeddings
        return made

    def forward(self, input: Tensor) -> Tensor:
        return embedding(input, self.weight, self.padding_idx)


class EmbeddingBag(Module):
    """`embedding_bag` as a layer, whose rows begin normal."""

    def __init__(self, num_embeddings: int, embedding_dim: int, mode: str = "mean") -> None:
        super().__init__()
        self.mode = mode
        self.weight = normals([num_embeddings, embedding_dim], 0.0, 1.0)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return embedding_bag(
            input, self.weight, offsets, mode=self.mode, per_sample_weights=per_sample_weights
        )


LAYERS = (Embedding, EmbeddingBag)
FUNCTIONAL: dict[str, Callable[..., Any]] = {"embedding": embedding, "embedding_bag": embedding_bag}
