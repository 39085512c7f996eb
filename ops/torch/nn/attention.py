"""Attention, as a layer and as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.errors import AttributeValueError, ShapeError
from ops.torch.creation import zeros
from ops.torch.draws import uniform
from ops.torch.methods import FUNCTIONS
from ops.torch.nn.dropout import dropout
from ops.torch.nn.linear import Linear, linear
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor, apply


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(query @ key.T * scale + mask) @ value`; a mask of bools says what is seen."""
    if dropout_p:
        if enable_gqa:
            raise AttributeValueError("attention has no dropout where heads are shared")
        if attn_mask is not None:
            attn_mask = (
                attn_mask if attn_mask.is_floating_point() else _added(FUNCTIONS["logical_not"](attn_mask))
            )
        shares: Any = _shares(query, key, attn_mask, is_causal, scale)
        made: Tensor = FUNCTIONS["matmul"](dropout(shares, dropout_p), value)
        return made
    given = [query, key, value] if attn_mask is None else [query, key, value, attn_mask]
    return apply(
        "scaled_dot_product_attention", given, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa
    )


class MultiheadAttention(Module):
    """Attention of several heads over projections of query, key and value; [l, b, e], or [b, l, e] if `batch_first`."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise AttributeValueError(f"{num_heads} heads cannot share {embed_dim} numbers evenly")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.dropout, self.batch_first = dropout, batch_first
        sizes = (embed_dim, embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim)
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        self._is_separate = set(sizes) != {embed_dim}
        if self._is_separate:
            for name, size in zip(names, sizes, strict=True):
                setattr(self, name, _weight(embed_dim, size, embed_dim))
        else:
            self.in_proj_weight = _weight(3 * embed_dim, embed_dim, 3 * embed_dim)
        self.in_proj_bias = zeros(3 * embed_dim) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        if bias:
            self.out_proj.bias = zeros(embed_dim)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, and the weights if they are needed; in masks of bools true is what is not seen."""
        if query.ndim not in (2, 3):
            raise ShapeError(f"attention of several heads takes 2 or 3 axes, not {query.ndim}")
        is_single, turned = query.ndim == 2, query.ndim == 3 and not self.batch_first
        given: list[Any] = [query, key, value]
        if is_single or turned:
            given = [each.unsqueeze(0) if is_single else each.transpose(0, 1) for each in given]
        q, k, v = self._projected(*given)
        mask = self._mask(attn_mask, key_padding_mask)
        weights = None
        if need_weights or (self.dropout and self.training):
            weights = _shares(q, k, mask, is_causal and attn_mask is None)
            made: Any = FUNCTIONS["matmul"](dropout(weights, self.dropout, self.training), v)
        else:
            made = scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal and attn_mask is None)
        joined = made.transpose(1, 2).reshape(*given[0].shape[:2], self.embed_dim)
        result = self.out_proj(joined)
        if is_single or turned:
            result = result.squeeze(0) if is_single else result.transpose(0, 1)
        if not need_weights or weights is None:
            return result, None
        shown: Any = weights.mean(1) if average_attn_weights else weights
        return result, shown.squeeze(0) if is_single else shown

    def _projected(self, *given: Any) -> list[Any]:
        """Query, key and value by heads: [b, h, l, e / h]."""
        names, size = ("q_proj_weight", "k_proj_weight", "v_proj_weight"), self.embed_dim
        projected = []
        for number, (name, each) in enumerate(zip(names, given, strict=True)):
            rows = slice(number * size, (number + 1) * size)
            weight: Any = getattr(self, name) if self._is_separate else self.in_proj_weight[rows]
            bias: Any = None if self.in_proj_bias is None else self.in_proj_bias[rows]
            made: Any = linear(each, weight, bias)
            projected.append(made.reshape(*each.shape[:2], self.num_heads, -1).transpose(1, 2))
        return projected

    def _mask(self, attn_mask: Any, padding: Any) -> Any:
        """What is added to the scores, [b or 1, h or 1, l, s]; None for nothing."""
        if attn_mask is not None:
            attn_mask = _added(attn_mask)
            if attn_mask.ndim == 3:
                attn_mask = attn_mask.reshape(-1, self.num_heads, *attn_mask.shape[1:])
        if padding is None:
            return attn_mask
        hidden = _added(padding if padding.ndim == 2 else padding.unsqueeze(0))
        hidden = hidden.unsqueeze(1).unsqueeze(1)
        return hidden if attn_mask is None else attn_mask + hidden


def _shares(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None = None) -> Any:
    """The softmax of all scores."""
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = FUNCTIONS["matmul"](query, key.transpose(-2, -1)) * factor
    if is_causal:
        ones = apply("full", [], shape=list(scores.shape[-2:]), value=True, dtype="bool")
        scores = scores + _added(apply("triu", [ones], diagonal=1))
    return FUNCTIONS["softmax"](scores if mask is None else scores + mask, -1)


def _weight(rows: int, columns: int, fan_out: int) -> Tensor:
    """Xavier's uniform start (Glorot and Bengio, 2010)."""
    bound = (6 / (columns + fan_out)) ** 0.5
    return uniform([rows, columns], -bound, bound)


def _added(mask: Any) -> Any:
    """A mask to be added: -inf where one of bools is true."""
    if mask.is_floating_point():
        return mask
    numbers = (apply("full", [], shape=[], value=value) for value in (float("-inf"), 0.0))
    return apply("where", [mask, *numbers])


LAYERS = (MultiheadAttention,)
FUNCTIONAL: dict[str, Callable[..., Any]] = {"scaled_dot_product_attention": scaled_dot_product_attention}
