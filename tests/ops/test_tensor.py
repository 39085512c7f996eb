"""Tensors as scripts see them: laziness, values, indices, text, and nothing that leads inside."""

from __future__ import annotations

import gc
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops import engine, handles, lazy
from ops.dtypes import DTypeError
from ops.engine import EngineError
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.graph import TensorRef
from ops.indexing import IndexRangeError, select
from ops.shapes import Shape
from ops.tensor import Tensor, ValueCountError
from ops.torchlike import namespace
from ops.typenames import TypeName
from shaders.errors import KernelgateError


def test_nothing_is_computed_until_a_value_is_asked_for(torch: Any, numpy_engine: Any) -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = torch.relu(x @ x.T - 5).sum(dim=0)
    assert numpy_engine.graphs == []
    assert y.tolist() == [6.0, 26.0]
    assert len(numpy_engine.graphs) == 1


def test_an_evaluated_tensor_is_not_computed_again(torch: Any, numpy_engine: Any) -> None:
    y = torch.arange(5).sum()
    assert (y.item(), y.item(), (y + 1).item()) == (10, 10, 11)
    assert [len(graph.nodes) for graph in numpy_engine.graphs] == [2, 3]


def test_many_tensors_are_computed_in_one_graph(torch: Any, numpy_engine: Any) -> None:
    x = torch.arange(4.0)
    refs = handles.refs([x + 1, x * 2, x])
    assert len(numpy_engine.graphs) == 1
    assert [numpy_engine.live[ref.handle].tolist() for ref in refs] == [
        [1, 2, 3, 4],
        [0, 2, 4, 6],
        [0, 1, 2, 3],
    ]


def test_a_loop_computes_each_costly_step_once(torch: Any, numpy_engine: Any) -> None:
    x = torch.ones(3, 3)
    for _ in range(10):
        x = x @ x / 3
        x.sum().item()
    products = [node.op for graph in numpy_engine.graphs for node in graph.nodes].count("matmul")
    assert products <= 20
    assert len(numpy_engine.graphs) == 10


def test_a_costly_value_that_the_script_holds_is_kept(torch: Any, numpy_engine: Any) -> None:
    hidden = torch.ones(3, 3) @ torch.ones(3, 3)
    (hidden + 1).sum().item()
    (hidden + 2).sum().item()
    assert [node.op for graph in numpy_engine.graphs for node in graph.nodes].count("matmul") == 1


def test_a_value_that_was_written_over_is_not_kept(torch: Any, numpy_engine: Any) -> None:
    y = torch.ones(3, 3) @ torch.ones(3, 3)
    y.add_(1)
    assert y.tolist() == [[4] * 3] * 3
    assert [len(graph.outputs) for graph in numpy_engine.graphs] == [1]


def test_a_program_of_any_length_is_computed_in_parts(torch: Any, numpy_engine: Any) -> None:
    x = torch.tensor(0.0)
    for _ in range(20_000):
        x = x + 1
    assert x.item() == 20_000
    assert len(numpy_engine.graphs) > 2
    assert torch.stack([torch.tensor(float(i)) for i in range(2_000)]).sum().item() == 1_999_000


def test_explaining_computes_nothing_and_tells_what_would_be(torch: Any, numpy_engine: Any) -> None:
    x = torch.ones(3) * 2
    assert torch.explain(x, x + 1, wgsl=True).endswith(" True")
    assert "'mul'" in x.explain()
    assert numpy_engine.graphs == []
    x.tolist()
    assert x.explain() == "nothing: it is computed already"
    for _ in range(lazy.MAX_BLOCK):
        x = x + 1
    with pytest.raises(GraphError, match="cannot be explained at once"):
        x.explain()


def test_handles_are_freed_when_their_tensors_are_gone(torch: Any, numpy_engine: Any) -> None:
    x = torch.arange(10.0)
    kept = x.exp()
    kept.sum().item()
    for _ in range(5):
        (x + 1).sum().item()
    y = x.view(2, 5).T
    y.tolist()
    del x, y, kept
    gc.collect()
    torch.tensor(1.0).sum().item()
    gc.collect()
    torch.tensor(2.0).exp().item()
    assert len(numpy_engine.live) <= 4


def test_handles_of_an_engine_that_is_gone_are_not_freed_with_the_next(numpy_engine: Any) -> None:
    old = handles.from_ref(numpy_engine.put(np.zeros(3, np.float32)))
    engine.use(type(numpy_engine)())
    del old
    gc.collect()
    assert handles.from_ref(TensorRef(1, (1,), "f32"))._node.handle is not None


def test_without_an_engine_a_value_is_an_error(torch: Any) -> None:
    engine.use(None)
    with pytest.raises(EngineError, match="no engine"):
        torch.arange(3).sum().item()


def test_a_tensor_of_a_tensor_is_written_to_apart_and_as_tensor_is_the_same(
    torch: Any, numpy_engine: Any
) -> None:
    x = torch.tensor([1, 2])
    copy, same = torch.tensor(x), torch.as_tensor(x)
    x.zero_()
    assert (copy.tolist(), same.tolist()) == ([1, 2], [0, 0])
    assert torch.as_tensor([1, 2], dtype=torch.float32).dtype is torch.float32


def test_a_gradient_that_nothing_would_record_is_refused(torch: Any) -> None:
    for data in ([1.0], torch.ones(1)):
        with pytest.raises(GraphError, match="not recorded"):
            torch.tensor(data, requires_grad=True)


def test_data_have_the_dtype_that_pytorch_gives_in_32_bits(torch: Any) -> None:
    for data, dtype in (
        ([1, 2], torch.int32),
        ([1, 2.0], torch.float32),
        ([True, False], torch.bool),
        ([True, 2], torch.int32),
        ([], torch.float32),
        (3, torch.int32),
        ([[1.5], [2.5]], torch.float32),
    ):
        assert torch.tensor(data).dtype is dtype
        assert torch.tensor(data).tolist() == data
    assert torch.tensor([1.7, -1.7], dtype=torch.int32).tolist() == [1, -1]
    assert torch.tensor([0, 3], dtype=torch.bool).tolist() == [False, True]
    assert torch.tensor([1, 2], dtype=torch.uint32).tolist() == [1, 2]
    assert torch.tensor([1e39]).tolist() == [math.inf]
    assert torch.tensor([torch.tensor(1.5), 2]).tolist() == [1.5, 2]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ([[1], [2, 3]], ShapeError),
        ([[1], 2], ShapeError),
        (["a"], AttributeValueError),
        ([None], AttributeValueError),
        ([1 << 31], AttributeValueError),
        ([[[[[[[[[1]]]]]]]]], ShapeError),
        ([1 + 2j], AttributeValueError),
    ],
)
def test_data_that_make_no_tensor_are_refused(data: Any, error: type[KernelgateError], torch: Any) -> None:
    with pytest.raises(error):
        torch.tensor(data)
    with pytest.raises(AttributeValueError, match="do not fit in u32"):
        torch.tensor([-1], dtype=torch.uint32)
    with pytest.raises(AttributeValueError, match="do not fit in i32"):
        torch.tensor([math.nan], dtype=torch.int32)


def test_numbers_take_the_dtype_of_the_tensors_that_they_meet(torch: Any) -> None:
    i, f, b = torch.tensor([1, 2]), torch.tensor([1.5, 2.5]), torch.tensor([True, False])
    u = torch.tensor([1, 2], dtype=torch.uint32)
    for value, dtype, expected in (
        (i + 1, torch.int32, [2, 3]),
        (i + 1.5, torch.float32, [2.5, 3.5]),
        (f + 1, torch.float32, [2.5, 3.5]),
        (b + 1, torch.int32, [2, 1]),
        (b + True, torch.bool, [True, True]),
        (u + 1, torch.uint32, [2, 3]),
        (u - 2, torch.uint32, [(1 << 32) - 1, 0]),
        (2 - i, torch.int32, [1, 0]),
        (1 / i, torch.float32, [1.0, 0.5]),
        (2**i, torch.int32, [2, 4]),
        (i / i, torch.float32, [1.0, 1.0]),
        (i < 1.5, torch.bool, [True, False]),
        (torch.where(b, i, 0.5), torch.float32, [1.0, 0.5]),
        (torch.maximum(i, 2), torch.int32, [2, 2]),
    ):
        assert value.dtype is dtype
        assert value.tolist() == expected
    with pytest.raises(AttributeValueError, match="does not fit"):
        i + (1 << 40)
    with pytest.raises(GraphError, match="not str"):
        torch.add(i, "1")
    with pytest.raises(TypeError):
        i + "1"


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


TEXTS = [
    ([1.0, 2.0], "tensor([1., 2.])"),
    ([1.5, -2.0, 100.25], "tensor([  1.5000,  -2.0000, 100.2500])"),
    ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"),
    ([1e9, 2.0], "tensor([1.0000e+09, 2.0000e+00])"),
    ([math.nan, 1.0, math.inf], "tensor([nan, 1., inf])"),
    ([1.5, -math.inf], "tensor([1.5000,   -inf])"),
    ([0.0, 0.0], "tensor([0., 0.])"),
    ([1, 20], "tensor([ 1, 20], dtype=torch.int32)"),
    ([True, False], "tensor([ True, False])"),
    ([[1.0, 2.0], [3.0, 4.0]], "tensor([[1., 2.],\n        [3., 4.]])"),
    ([[[1]], [[2]]], "tensor([[[1]],\n\n        [[2]]], dtype=torch.int32)"),
    (2.5, "tensor(2.5000)"),
    (3, "tensor(3, dtype=torch.int32)"),
    (True, "tensor(True)"),
    ([], "tensor([])"),
]
"""As PyTorch 2 prints them."""


@pytest.mark.parametrize(("data", "text"), TEXTS)
def test_tensors_print_as_pytorchs_do(data: Any, text: str, torch: Any) -> None:
    assert repr(torch.tensor(data)) == str(torch.tensor(data)) == text


def test_large_tensors_print_their_edges(torch: Any, numpy_engine: Any) -> None:
    assert repr(torch.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], dtype=torch.int32)"
    lines = repr(torch.arange(10_000.0).reshape(100, 100)).splitlines()
    assert lines[0] == "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,"
    assert lines[1] == "         9.9000e+01],"
    assert "        ...," in lines
    assert all(graph.nodes[-1].op == "concat" for graph in numpy_engine.graphs)
    assert repr(torch.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(torch.arange(0)) == "tensor([], dtype=torch.int32)"
    wide = repr(torch.arange(40))
    assert max(map(len, wide.splitlines())) <= 80
    assert wide.endswith("38, 39], dtype=torch.int32)")
    assert repr(torch.arange(34)).endswith("32, 33],\n       dtype=torch.int32)")
    assert repr(torch.zeros(2, 3).shape) == "torch.Size([2, 3])"


def test_tensors_of_a_range_or_one_value(torch: Any) -> None:
    assert torch.arange(2, 11, 3).tolist() == [2, 5, 8]
    assert torch.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert torch.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert torch.arange(3, 1).tolist() == []
    assert torch.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert torch.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert torch.zeros(2, 2).tolist() == torch.zeros((2, 2)).tolist() == [[0, 0], [0, 0]]
    assert torch.ones(2, dtype=torch.int32).tolist() == [1, 1]
    assert torch.full((2,), 7).dtype is torch.int32
    assert torch.full((2,), 0.5).tolist() == [0.5, 0.5]
    assert torch.zeros_like(torch.tensor([1, 2])).dtype is torch.int32
    assert torch.zeros(()).item() == 0
    with pytest.raises(AttributeValueError, match="step that is not 0"):
        torch.arange(1, 2, 0)
    with pytest.raises(ShapeError):
        torch.zeros(-1)


def test_whole_numbers_of_a_range_are_cut_off_as_pytorch_does(torch: Any) -> None:
    assert torch.arange(-0.9, 2.1, 2.0, dtype=torch.int32).tolist() == [0, 2]
    assert torch.linspace(4.3, -3, 8, dtype=torch.int32).tolist() == [4, 3, 2, 1, 0, -1, -2, -3]
    exact = [int(7 * number / 49) for number in range(50)]
    assert torch.linspace(0, 7, 50, dtype=torch.int32).tolist() == exact
    assert torch.linspace(0, 1 << 30, 5, dtype=torch.int32).tolist() == [n << 28 for n in range(5)]
    assert torch.randint(3, (2,), dtype=torch.float32).dtype == torch.float32


def test_random_numbers_repeat_from_their_seed(torch: Any) -> None:
    torch.manual_seed(3)
    first = torch.rand(4, 5).tolist(), torch.randn(7).tolist(), torch.randint(10, (6,)).tolist()
    torch.manual_seed(3)
    assert (torch.rand(4, 5).tolist(), torch.randn(7).tolist(), torch.randint(0, 10, (6,)).tolist()) == first
    assert all(0 <= value < 1 for row in first[0] for value in row)


def test_a_model_of_layers_computes_forward(torch: Any) -> None:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 8)
            self.rest = nn.Sequential(nn.ReLU(), nn.Linear(8, 3, bias=False), nn.Softmax(dim=-1))

        def forward(self, x: Any) -> Any:
            return self.rest(self.first(x))

    model = Net().eval()
    with torch.no_grad():
        assert model(torch.ones(5, 4)).sum(dim=1).tolist() == pytest.approx([1] * 5)
    assert [name for name, _ in model.named_parameters()] == ["first.weight", "first.bias", "rest.1.weight"]
    assert sum(parameter.numel() for parameter in model.parameters()) == 64
    weight, bias = torch.ones(2, 3), torch.tensor([1.0, 2.0])
    assert nn.functional.linear(torch.ones(3), weight, bias).tolist() == [4, 5]
    assert nn.functional.gelu(torch.zeros(1)).tolist() == [0]


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
