"""Recurrent layers: each a cell, time by time, through layers and in one or both directions.

Owns the cells' formulas, with PyTorch's order of gates, and the names of their weights. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ops.errors import AttributeValueError, ShapeError
from ops.loose import Hidden
from ops.torch.creation import zeros
from ops.torch.draws import uniform
from ops.torch.methods import FUNCTIONS
from ops.torch.nn.dropout import dropout
from ops.torch.nn.linear import linear
from ops.torch.nn.module import Module
from ops.torch.tensor import Tensor

State = tuple[Any, ...]
Step = Callable[[Any, Any, State], State]
"""A cell: of what the input and what the state give by its weights, and the state before, the next state, whose first
tensor is the result."""


def _plain(nonlinearity: str) -> Step:
    if nonlinearity not in ("tanh", "relu"):
        raise AttributeValueError(f"nonlinearity is {str(nonlinearity)[:32]!r}, but must be tanh or relu")
    function = FUNCTIONS[nonlinearity]
    return lambda x, h, state: (function(x + h),)


def _long(x: Any, h: Any, state: State) -> State:
    """Hochreiter and Schmidhuber (1997), with the gates input, forget, cell and output."""
    into, forget, cell, out = (x + h).chunk(4, -1)
    memory = forget.sigmoid() * state[1] + into.sigmoid() * cell.tanh()
    return out.sigmoid() * memory.tanh(), memory


def _gated(x: Any, h: Any, state: State) -> State:
    """Cho et al. (2014), with the gates reset, update and new."""
    x_reset, x_update, x_new = x.chunk(3, -1)
    h_reset, h_update, h_new = h.chunk(3, -1)
    update = (x_update + h_update).sigmoid()
    new = (x_new + (x_reset + h_reset).sigmoid() * h_new).tanh()
    return (new + update * (state[0] - new),)


class _Weighted(Module):
    """Base of what has the weights of cells, which start uniform within 1 / sqrt(hidden_size)."""

    _gates: ClassVar = 1
    _states: ClassVar = 1

    def _weights(self, suffix: str, inputs: int, hidden: int, bias: bool) -> None:
        bound = hidden**-0.5 if hidden > 0 else 0.0
        for name, shape in (("ih", [inputs]), ("hh", [hidden])):
            setattr(self, f"weight_{name}{suffix}", uniform([self._gates * hidden, *shape], -bound, bound))
            made = uniform([self._gates * hidden], -bound, bound) if bias else None
            setattr(self, f"bias_{name}{suffix}", made)

    def _through(self, name: str, suffix: str, x: Any) -> Any:
        """What an input, or a state, gives by its weight."""
        return linear(x, getattr(self, f"weight_{name}{suffix}"), getattr(self, f"bias_{name}{suffix}"))

    def _step(self) -> Step:
        raise NotImplementedError


class _Tanh(_Weighted):
    nonlinearity: str

    def _step(self) -> Step:
        return _plain(self.nonlinearity)


class _Lstm(_Weighted):
    _gates = 4
    _states = 2

    def _step(self) -> Step:
        return _long


class _Gru(_Weighted):
    _gates = 3

    def _step(self) -> Step:
        return _gated


class _Cell(_Weighted):
    """Base of single cells: [batch, input] or [input] and a state to the next one."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self._weights("", input_size, hidden_size, bias)

    def forward(self, input: Tensor, state: Hidden | None = None) -> Hidden:
        if state is None:
            state = (zeros(*input.shape[:-1], self.hidden_size),) * self._states
        given = tuple(state) if self._states > 1 else state if isinstance(state, tuple) else (state,)
        made = self._step()(self._through("ih", "", input), self._through("hh", "", given[0]), given)
        return made if self._states > 1 else made[0]


class _Layers(_Weighted):
    """Base of layers of cells over time: [time, batch, input], if `batch_first` [batch, time, input]; or no batch."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        self._ways = ("", "_reverse") if bidirectional else ("",)
        for number in range(num_layers):
            inputs = hidden_size * len(self._ways) if number else input_size
            for way in self._ways:
                self._weights(f"_l{number}{way}", inputs, hidden_size, bias)

    def forward(self, input: Tensor, hx: Hidden | None = None) -> tuple[Tensor, Hidden]:
        """The results of the last layer at all times, and the last state of each layer and direction."""
        if input.ndim not in (2, 3):
            raise ShapeError(f"a recurrent layer takes 2 or 3 axes, not {input.ndim}")
        is_single, turned = input.ndim == 2, input.ndim == 3 and self.batch_first
        x = input.unsqueeze(1) if is_single else input.transpose(0, 1) if turned else input
        begins = self._begins(x.shape[1], hx, is_single)
        ends: list[State] = []
        for number in range(self.num_layers):
            if number:
                x = dropout(x, self.dropout, self.training)
            made = [
                self._over_time(x, f"_l{number}{way}", begins[len(ends) + place], bool(way))
                for place, way in enumerate(self._ways)
            ]
            x = made[0][0] if len(made) == 1 else FUNCTIONS["cat"]([results for results, _ in made], -1)
            ends += [end for _, end in made]
        result = x.squeeze(1) if is_single else x.transpose(0, 1) if turned else x
        last = [FUNCTIONS["stack"](list(each)) for each in zip(*ends, strict=True)]
        shown = tuple(each.squeeze(1) if is_single else each for each in last)
        return result, shown if self._states > 1 else shown[0]

    def _begins(self, batch: int, hx: Any, is_single: bool) -> list[State]:
        """The state in which each layer and direction begins."""
        count = self.num_layers * len(self._ways)
        if hx is None:
            return [(zeros(batch, self.hidden_size),) * self._states] * count
        given = list(hx) if self._states > 1 else [hx]
        wide = [each.unsqueeze(1) if is_single else each for each in given]
        if any(each.shape != (count, batch, self.hidden_size) for each in wide) or len(wide) != self._states:
            raise ShapeError(
                f"{type(self).__name__} takes {self._states} states of {count} layers and directions, a batch of"
                f" {batch}, and {self.hidden_size} numbers"
            )
        return [tuple(each[number] for each in wide) for number in range(count)]

    def _over_time(self, x: Any, suffix: str, state: State, is_reverse: bool) -> tuple[Tensor, State]:
        """The results at all times, and the state at the end."""
        step, given = self._step(), self._through("ih", suffix, x)
        results: list[Any] = []
        for time in _times(x.shape[0], is_reverse):
            state = step(given[time], self._through("hh", suffix, state[0]), state)
            results.append(state[0])
        if not results:
            raise ShapeError("a recurrent layer takes at least one time")
        return FUNCTIONS["stack"](results[::-1] if is_reverse else results), state


def _times(count: int, is_reverse: bool) -> Sequence[int]:
    return range(count - 1, -1, -1) if is_reverse else range(count)


class RNNCell(_Tanh, _Cell):
    """`tanh(x @ weight_ih.T + h @ weight_hh.T)` with biases; or `relu`, by `nonlinearity`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        _plain(nonlinearity)
        super().__init__(input_size, hidden_size, bias)
        self.nonlinearity = nonlinearity


class LSTMCell(_Lstm, _Cell):
    """A cell with long short-term memory; its state is a result and a memory."""


class GRUCell(_Gru, _Cell):
    """A gated recurrent unit."""


class RNN(_Tanh, _Layers):
    """Layers of `RNNCell`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        _plain(nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)
        self.nonlinearity = nonlinearity


class LSTM(_Lstm, _Layers):
    """Layers of `LSTMCell`."""


class GRU(_Gru, _Layers):
    """Layers of `GRUCell`."""


LAYERS = (RNNCell, LSTMCell, GRUCell, RNN, LSTM, GRU)
FUNCTIONAL: dict[str, Callable[..., Any]] = {}
