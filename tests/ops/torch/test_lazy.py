"""When scripts' tensors are computed, by which graphs, and which values and handles are kept."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from ops.errors import GraphError
from ops.graph import TensorRef
from ops.torch import engine, handles, lazy
from ops.torch.engine import EngineError


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


def test_what_is_no_tensor_cannot_be_explained(torch: Any) -> None:
    with pytest.raises(GraphError, match="not list"):
        torch.explain([1.0])
