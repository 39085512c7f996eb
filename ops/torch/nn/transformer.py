"""The layers of Vaswani et al. (2017): encoders and decoders of attention and two products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.errors import AttributeValueError
from ops.torch.draws import uniform
from ops.torch.methods import FUNCTIONS
from ops.torch.nn.attention import MultiheadAttention
from ops.torch.nn.containers import ModuleList
from ops.torch.nn.dropout import Dropout
from ops.torch.nn.linear import Linear
from ops.torch.nn.module import Module
from ops.torch.nn.norms import LayerNorm
from ops.torch.tensor import Tensor, apply

Activation = str | Callable[[Tensor], Tensor]


def _function(activation: Activation) -> Callable[[Tensor], Tensor]:
    if activation in ("relu", "gelu"):
        return FUNCTIONS[str(activation)]
    if not callable(activation):
        raise AttributeValueError(
            f"activation is {str(activation)[:32]!r}, but must be relu, gelu or a function"
        )
    return activation


class _Block(Module):
    """Base of layers: each part's result, dropped out, is added to what goes in and normalised, or, by `norm_first`,
    what goes in is normalised for the part."""

    _attentions: tuple[str, ...] = ()

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first))
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.dropout = Dropout(dropout)
        for number in range(1, len(self._attentions) + 2):
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, bias=bias))
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.norm_first = norm_first
        self.activation = _function(activation)

    def _with(self, number: int, x: Any, part: Callable[[Any], Any]) -> Any:
        """`x` and what part `number` makes of it."""
        norm, drop = vars(self)[f"norm{number}"], vars(self)[f"dropout{number}"]
        return x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))

    def _attended(self, name: str, keys: Any = None, **masks: Any) -> Callable[[Any], Any]:
        """Attention of what it is given to `keys`, or to itself."""
        attention = vars(self)[name]

        def part(x: Any) -> Any:
            seen = x if keys is None else keys
            return attention(x, seen, seen, need_weights=False, **masks)[0]

        return part

    def _fed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Block):
    """Attention to itself, then two products."""

    _attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
        result: Tensor = self._with(2, self._with(1, src, self._attended("self_attn", **masks)), self._fed)
        return result


class TransformerDecoderLayer(_Block):
    """Attention to itself, then to what an encoder made, then two products."""

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = {"attn_mask": tgt_mask, "key_padding_mask": tgt_key_padding_mask, "is_causal": tgt_is_causal}
        other = {
            "attn_mask": memory_mask, "key_padding_mask": memory_key_padding_mask, "is_causal": memory_is_causal,
        }  # fmt: skip
        x = self._with(1, tgt, self._attended("self_attn", **own))
        x = self._with(2, x, self._attended("multihead_attn", memory, **other))
        result: Tensor = self._with(3, x, self._fed)
        return result


def _copied(value: Any) -> Any:
    """A module with tensors of its own."""
    if isinstance(value, Tensor):
        return value.clone()
    if not isinstance(value, Module):
        return value
    made = object.__new__(type(value))
    vars(made).update({name: _copied(each) for name, each in vars(value).items()})
    return made


class _Stack(Module):
    """Base of stacks of copies of a layer, with a norm at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(_copied(layer) for _ in range(num_layers))
        self.norm = norm

    def _finished(self, x: Any) -> Tensor:
        result: Tensor = x if self.norm is None else self.norm(x)
        return result


class TransformerEncoder(_Stack):
    """Encoder layers one after the other, all with the same masks."""

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        for each in self.layers:
            src = each(src, mask, src_key_padding_mask, is_causal)
        return self._finished(src)


class TransformerDecoder(_Stack):
    """Decoder layers one after the other, all with the same masks."""

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for each in self.layers:
            tgt = each(tgt, memory, *masks, tgt_is_causal, memory_is_causal)
        return self._finished(tgt)


class Transformer(Module):
    """An encoder and a decoder; matrices start as Xavier's uniform ones."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        *,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        told: tuple[Any, ...] = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
        )  # fmt: skip
        ends = [LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(2)]
        self.encoder = TransformerEncoder(TransformerEncoderLayer(*told), num_encoder_layers, ends[0])
        self.decoder = TransformerDecoder(TransformerDecoderLayer(*told), num_decoder_layers, ends[1])
        self._begin(self)

    def _begin(self, module: Module) -> None:
        for name, value in list(vars(module).items()):
            if isinstance(value, Module):
                self._begin(value)
            elif isinstance(value, Tensor) and value.ndim == 2:
                bound = (6 / sum(value.shape)) ** 0.5
                vars(module)[name] = uniform(value.shape, -bound, bound)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool = False,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        result: Tensor = self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
            memory_is_causal,
        )  # fmt: skip
        return result

    @staticmethod
    def generate_square_subsequent_mask(size: int) -> Tensor:
        """What is added so that none sees what comes later."""
        hidden = apply("full", [], shape=[size, size], value=float("-inf"))
        return apply("triu", [hidden], diagonal=1)


LAYERS = (
    TransformerEncoderLayer,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerDecoder,
    Transformer,
)
FUNCTIONAL: dict[str, Callable[..., Any]] = {}
