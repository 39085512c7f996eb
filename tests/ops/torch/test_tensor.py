"""Tensors as scripts see them: members, values, indices, and nothing that leads inside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.dtypes import DTypeError
from ops.errors import GraphError, ShapeError
from ops.shapes import Shape
from ops.torch import lazy
from ops.torch.indexing import IndexRangeError, select
from ops.torch.namespace import namespace
from ops.torch.tensor import Tensor, ValueCountError
from ops.torch.typenames import TypeName


def test_operators_and_methods_come_from_the_table(torch: Any) -> None:
    x, y = torch.tensor([1.0, -2.0]), torch.tensor([3.0, -4.0])
    results = [x + y, x - y, x * y, x**2, -x, abs(x), x / 2]
    assert [value.tolist() for value in results] == [
        [4, -6],
        [-2, 2],
        [3, 8],
        [1, 4],
        [-1, 2],
        [1, 2],
        [0.5, -1],
    ]
    assert (x - y).tolist() == [-2, 2]
    assert (x @ y).item() == 11
    assert x.subtract(y).tolist() == torch.sub(x, other=y).tolist() == [-2, 2]
    assert torch.gelu(x, approximate="tanh").shape == (2,)
    assert x.relu().tolist() == [1, 0]
    assert (x == 1).tolist() == [True, False]
    assert ((x > 0) & (y > 0)).tolist() == [True, False]
    assert ((x > 0) | (y < 0)).tolist() == [True, True]
    assert (~(x > 0)).tolist() == [False, True]
    x += 1
    assert x.tolist() == [2, -1]
    with pytest.raises(DTypeError, match="bitwise"):
        x & x
    with pytest.raises(TypeError, match="takes 2 tensors"):
        torch.add(x)
    with pytest.raises(TypeError, match="takes 1 tensors"):
        torch.exp(x, colour=1)


def test_reductions_have_pytorchs_signatures(torch: Any) -> None:
    x = torch.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
    assert x.sum().item() == 21
    assert x.sum(0).tolist() == [5, 7, 9]
    assert x.sum(dim=(0, 1), keepdim=True).shape == (1, 1)
    assert x.mean(dim=-1).tolist() == [3, 4]
    assert x.sum(axis=1).tolist() == [9, 12]
    assert x.max().item() == 6
    values, indices = x.max(dim=1)
    assert (values.tolist(), indices.tolist()) == ([5, 6], [1, 2])
    assert torch.min(x, 1, keepdim=True).indices.tolist() == [[0], [1]]
    assert torch.max(x, torch.tensor(3.0)).tolist() == [[3, 5, 3], [4, 3, 6]]
    assert x.amax(dim=0).tolist() == [4, 5, 6]
    assert (x.argmax().item(), x.argmin(dim=1).tolist()) == (5, [0, 1])
    assert (x > 2).sum().item() == 4
    assert x.softmax(dim=1).sum(dim=1).tolist() == pytest.approx([1, 1])
    with pytest.raises(DTypeError, match="mean does not take i32"):
        torch.arange(3).mean()


def test_views_have_pytorchs_signatures(torch: Any) -> None:
    x = torch.arange(24).reshape(2, 3, 4)
    shapes = {
        (4, 6): (x.view(4, -1), x.reshape((4, 6)), torch.reshape(x, [4, 6])),
        (4, 3, 2): (x.T, x.permute(2, 1, 0), torch.permute(x, (2, 1, 0)), x.transpose(0, 2)),
        (2, 4, 3): (x.mT, x.transpose(-1, -2)),
        (24,): (x.flatten(),),
        (2, 12): (x.flatten(1),),
        (2, 1, 3, 4): (x.unsqueeze(1),),
        (2, 3, 4, 1): (x.unsqueeze(-1), torch.unsqueeze(x, -1)),
        (2, 3, 4): (x.unsqueeze(0).squeeze(), x.unsqueeze(0).squeeze(0), x.squeeze(1), x.contiguous()),
        (5, 2, 3, 4): (x.expand(5, -1, -1, -1), x.broadcast_to((5, 2, 3, 4))),
        (4, 3, 4): (torch.cat([x, x]), torch.cat((x, x), dim=0)),
        (2, 2, 3, 4): (torch.stack([x, x]),),
    }
    for shape, views in shapes.items():
        for view in views:
            assert view.shape == shape
    assert x.T.tolist() == np.arange(24).reshape(2, 3, 4).T.tolist()
    with pytest.raises(ShapeError, match="takes at most 2"):
        x.t()


INDICES = st.one_of(st.integers(-6, 6), st.slices(6), st.none(), st.just(Ellipsis))


@given(st.lists(INDICES, max_size=5).map(tuple), st.lists(st.integers(1, 4), max_size=4).map(tuple))
def test_an_index_takes_what_numpy_takes(index: Any, shape: Shape) -> None:
    array = np.arange(math.prod(shape)).reshape(shape)
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(ShapeError):
            select(index, shape)
        return
    taken = select(index, shape)
    parts = [
        np.arange(size)[slice(start, stop if stop >= 0 else None if step < 0 else stop, step)]
        for size, start, stop, step in zip(shape, taken.starts, taken.stops, taken.steps, strict=True)
    ]
    np.testing.assert_array_equal((array[np.ix_(*parts)] if parts else array).reshape(taken.shape), expected)


def test_tensors_are_indexed_and_iterated(torch: Any) -> None:
    x = torch.arange(12).reshape(3, 4)
    assert x[1].tolist() == [4, 5, 6, 7]
    assert x[-1, -1].item() == 11
    assert x[:, ::-1].tolist() == [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]]
    assert x[..., None].shape == (3, 4, 1)
    assert x[torch.tensor(2)].tolist() == [8, 9, 10, 11]
    assert [row.sum().item() for row in x] == [6, 22, 38]
    assert len(x) == 3
    assert [10, 20, 30][torch.tensor(1)] == 20
    with pytest.raises(IndexError, match="out of range for axis 1"):
        x[0, 4]
    with pytest.raises(IndexRangeError, match="too many"):
        x[0, 0, 0]
    assert x[x > 9].tolist() == [10, 11]
    with pytest.raises(GraphError, match="cannot be indexed with bool"):
        x[True]


def test_one_value_is_a_number_and_several_are_not(torch: Any) -> None:
    x = torch.tensor([[2.5]])
    assert (float(x), int(x), bool(x), x.item(), f"{x.reshape(()):.2f}") == (2.5, 2, True, 2.5, "2.50")
    for use in (bool, float, int):
        with pytest.raises(ValueError, match="2 elements"):
            use(torch.tensor([1, 2]))
    with pytest.raises(ValueCountError):
        torch.zeros(0).item()
    with pytest.raises(TypeError):
        range(torch.tensor(1.5))


def test_lists_of_empty_tensors_keep_their_shape(torch: Any) -> None:
    assert torch.zeros(0).tolist() == []
    assert torch.zeros(2, 0, 3).tolist() == [[], []]
    assert torch.zeros(2, 3, 0).tolist() == [[[], [], []], [[], [], []]]


def public(value: object) -> list[str]:
    """The names that a script can reach."""
    return [name for name in dir(value) if not name.startswith("_")]


PLAIN = (int, float, bool, str, type(None), tuple, dict)


CALLABLE = {
    "method",
    "function",
    "builtin_function_or_method",
    "method_descriptor",
    "property",
    "member_descriptor",
}


def test_what_a_script_can_reach_leads_nowhere_inside(torch: Any) -> None:
    """Every public attribute of every object of the namespace is plain data, a tensor, a dtype or something to call."""
    x = torch.ones(2, 2)
    x.tolist()
    objects = [*_leaves(namespace()), x, torch.nn.Linear(1, 1), torch.no_grad(), x.max(dim=0)]
    reached = [
        (value, name, getattr(value, name))
        for value in objects
        if not isinstance(value, int | float)
        for name in public(value)
    ]
    for value, name, attribute in reached:
        kind = type(attribute)
        known = isinstance(attribute, (*PLAIN, Tensor, TypeName)) or kind.__name__ in CALLABLE
        assert known, (value, name, attribute)
    assert len(reached) > 200
    with pytest.raises(GraphError, match="not made from its class"):
        torch.Tensor([1, 2])


def _leaves(names: dict[str, Any]) -> list[object]:
    return [
        leaf for value in names.values() for leaf in (_leaves(value) if isinstance(value, dict) else [value])
    ]


def test_a_lazy_node_never_becomes_an_attribute(torch: Any) -> None:
    assert not [
        name
        for name in public(torch.ones(1, 1))
        if isinstance(getattr(torch.ones(1, 1), name), lazy.LazyNode)
    ]
    with pytest.raises(AttributeError):
        torch.ones(1).anything = 1
