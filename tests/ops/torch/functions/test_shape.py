"""Functions that index, move, cut and fold as scripts call them, against NumPy; PyTorch's rules where they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.torch import engine
from ops.torch.creation import tensor
from ops.torch.indexing import IndexRangeError
from tests.ops.numpy_engine import NumpyEngine

BASE = np.arange(60, dtype=np.int32).reshape(3, 4, 5)


def array(value: Any) -> np.ndarray:
    """What a tensor holds."""
    return np.array(value.tolist()).reshape(value.shape)


INTEGER = ([0, 1], slice(None), 2)
"""Here PyTorch takes the integer first, and leaves the other axes where they are; NumPy moves them."""
INDICES: list[Any] = [
    [0, 2],
    ([0, 2], [1, -1]),
    (slice(None), [3, 0, 0]),
    (slice(None, None, 2), slice(None), [4, -5]),
    ([[0, 1], [2, 2]],),
    ([[0], [2]], [1, 3]),
    (0, [1, 2]),
    (Ellipsis, [1, 2]),
    (None, [1, 2]),
    ([1, 2], slice(1, 3), [0, 1]),
    INTEGER,
    (BASE[:, :, 0] > 20,),
    (slice(None), BASE[0] > 7),
    (BASE > 30,),
    (BASE[:, 0, 0] > 15, [1, 2]),
    ([],),
]


def tensors(index: Any) -> Any:
    """An index with tensors in place of lists and arrays."""
    if isinstance(index, tuple):
        return tuple(map(tensors, index))
    if isinstance(index, list):
        return tensor(index, dtype=None if index else "i32")
    return tensor(index) if isinstance(index, np.ndarray) else index


def arrays(index: Any) -> Any:
    """An index with arrays in place of lists."""
    if isinstance(index, tuple):
        return tuple(map(arrays, index))
    return np.array(index, np.int64) if isinstance(index, list) else index


def _written(index: Any, value: Any) -> np.ndarray:
    """The base with values at positions; of several for one place the last."""
    result = BASE.copy()
    if index is INTEGER:
        result[:, :, 2][[0, 1]] = value
    else:
        result[arrays(index)] = value
    return result


@pytest.mark.parametrize("index", INDICES, ids=range(len(INDICES)))
def test_positions_and_bools_read_and_write_as_in_numpy(index: Any, torch: Any) -> None:
    x = torch.tensor(BASE)
    taken = BASE[:, :, 2][[0, 1]] if index is INTEGER else BASE[arrays(index)]
    for form in (tensors(index), index):
        assert x[form].shape == taken.shape
        np.testing.assert_array_equal(array(x[form]), taken)
    for value in (-1, -np.arange(taken.size, dtype=np.int32).reshape(taken.shape)):
        target = torch.tensor(BASE)
        expected = _written(index, value)
        target[tensors(index)] = value if isinstance(value, int) else torch.tensor(value) if taken.size else 0
        np.testing.assert_array_equal(array(target), expected)


def test_writing_at_positions_reaches_the_base_of_a_view(torch: Any) -> None:
    x = torch.tensor(BASE)
    x[1].T[[0, 2]] = torch.tensor([100, 200, 300, 400])
    expected = BASE.copy()
    expected[1].T[[0, 2]] = [100, 200, 300, 400]
    np.testing.assert_array_equal(array(x), expected)
    x[:, 1][x[:, 1] > 150] = 0
    expected[:, 1][expected[:, 1] > 150] = 0
    np.testing.assert_array_equal(array(x), expected)
    x[[0, 0], [1, 1], [2, 2]] += 1
    assert int(x[0, 1, 2]) == expected[0, 1, 2] + 1
    x.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor(1), accumulate=True)
    assert int(x[0, 1, 2]) == expected[0, 1, 2] + 3


def test_what_no_index_can_be_is_refused(torch: Any) -> None:
    x = torch.tensor(BASE)
    for index, error, message in (
        (torch.tensor([0.5]), GraphError, "with floats"),
        (([0], [0], [0], [0]), IndexRangeError, "too many"),
        (torch.tensor([True, False]), IndexRangeError, "does not fit"),
        ((slice(None), torch.tensor([True])), IndexRangeError, "does not fit"),
        (([0, 1], [0, 1, 2]), ShapeError, "do not broadcast"),
        ("a", GraphError, "cannot be indexed with str"),
        ((Ellipsis, Ellipsis, [1]), ShapeError, "only one"),
    ):
        with pytest.raises(error, match=message):
            x[index]
    with pytest.raises(ShapeError, match="cannot be expanded"):
        x[[0, 1]] = torch.zeros(3, dtype=torch.int32)
    with pytest.raises(ShapeError):
        x[x > 50] = torch.zeros(3, dtype=torch.int32)


@settings(max_examples=80)
@given(st.data())
def test_any_mixture_of_indices_reads_what_numpy_reads(data: st.DataObject) -> None:
    engine.use(NumpyEngine())
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple))
    base = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    width = data.draw(st.integers(1, 3))
    index: list[Any] = []
    for size in shape[: data.draw(st.integers(1, len(shape)))]:
        positions = st.lists(st.integers(-size, size - 1), min_size=width, max_size=width)
        index.append(data.draw(st.one_of(st.slices(size), positions)))
    at = tuple(each if isinstance(each, slice) else np.array(each) for each in index)
    np.testing.assert_array_equal(array(tensor(base)[tensors(tuple(index))]), base[at])
    target, expected = tensor(base), base.copy()
    expected[at] = 7
    target[tensors(tuple(index))] = 7  # type: ignore[index]
    np.testing.assert_array_equal(array(target), expected)
    engine.use(None)


def test_functions_that_move_and_cut_have_pytorchs_forms(torch: Any) -> None:
    x = torch.tensor(BASE)
    functional = torch.nn.functional
    for value, expected in (
        (x.flip(0, 2), BASE[::-1, :, ::-1]),
        (torch.flip(x, [1]), BASE[:, ::-1]),
        (torch.fliplr(x), BASE[:, ::-1]),
        (torch.flipud(x), BASE[::-1]),
        (torch.roll(x, 1, 0), np.roll(BASE, 1, 0)),
        (x.roll((1, 2), (0, 1)), np.roll(BASE, (1, 2), (0, 1))),
        (torch.tile(x, (2,)), np.tile(BASE, 2)),
        (x.repeat(2, 1, 1, 1), np.tile(BASE, (2, 1, 1, 1))),
        (x.repeat_interleave(2, dim=1), np.repeat(BASE, 2, 1)),
        (x.diagonal(0, 1, 2), np.diagonal(BASE, 0, 1, 2)),
        (torch.diag_embed(x[0, 0]), np.diag(BASE[0, 0])),
        (torch.narrow(x, 1, 1, 2), BASE[:, 1:3]),
        (x.select(1, -1), BASE[:, -1]),
        (x.movedim(0, 2), np.moveaxis(BASE, 0, 2)),
        (torch.moveaxis(x, [0, 1], [1, 0]), np.moveaxis(BASE, [0, 1], [1, 0])),
        (torch.ravel(x), BASE.ravel()),
        (torch.hstack([x[0, 0], x[0, 0]]), np.hstack([BASE[0, 0]] * 2)),
        (torch.vstack([x[0, 0], x[0, 0]]), np.vstack([BASE[0, 0]] * 2)),
        (torch.tril(x[0]), np.tril(BASE[0])),
        (x[0].triu(diagonal=1), np.triu(BASE[0], 1)),
        (torch.diag(x[0, 0]), np.diag(BASE[0, 0])),
        (x.unflatten(1, (2, 2)), BASE.reshape(3, 2, 2, 5)),
        (x.view_as(torch.zeros(60)), BASE.reshape(-1)),
        (torch.stack([x, x], dim=-1), np.stack([BASE, BASE], -1)),
        (x.new_full((2,), 7), [7, 7]),
        (x.new_ones(2, 1), [[1], [1]]),
        (x.new_zeros(2), [0, 0]),
        (functional.pad(x, (1, 2, 0, 1)), np.pad(BASE, ((0, 0), (0, 1), (1, 2)))),
        (functional.pad(x, (2, 2), mode="reflect"), np.pad(BASE, ((0, 0), (0, 0), (2, 2)), "reflect")),
        (functional.one_hot(torch.tensor([2, 0])), np.eye(3)[[2, 0]]),
        (torch.take(x, torch.tensor([59, 0])), [59, 0]),
        (torch.masked_select(x, x % 7 == 0), BASE[BASE % 7 == 0]),
        (torch.nonzero(x[0] > 17), np.argwhere(BASE[0] > 17)),
        (torch.nonzero(x[0] > 17, as_tuple=True)[1], np.nonzero(BASE[0] > 17)[1]),
        (torch.index_select(x, 1, torch.tensor([3, 1])), BASE[:, [3, 1]]),
        (torch.gather(x, 2, torch.tensor([[[4], [3]]])), [[[4], [8]]]),
        (torch.einsum("abc,dbc->ad", x, x), np.einsum("abc,dbc->ad", BASE, BASE)),
        (torch.take_along_dim(x, torch.argsort(x, dim=2, descending=True), dim=2), BASE[:, :, ::-1]),
        (torch.diff(x), np.diff(BASE)),
        (torch.bincount(torch.tensor([1, 3, 1]), minlength=6), [0, 2, 0, 1, 0, 0]),
        (torch.bincount(torch.tensor([1, 3, 1]), weights=torch.tensor([0.5, 1.0, 2.0])), [0, 2.5, 0, 1]),
        (torch.linspace(0, 1, 5), [0, 0.25, 0.5, 0.75, 1]),
    ):
        assert array(value).tolist() == np.asarray(expected).tolist()
    grids = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")
    for mine, numpys in zip(grids, np.meshgrid(range(2), range(3), indexing="xy"), strict=True):
        np.testing.assert_array_equal(array(mine), numpys)


def test_parts_of_an_axis_are_views(torch: Any) -> None:
    x = torch.tensor(BASE)
    assert [part.shape[1] for part in x.split(3, dim=1)] == [3, 1]
    assert [part.shape[2] for part in torch.split(x, [1, 4], 2)] == [1, 4]
    assert [len(part) for part in torch.chunk(torch.arange(10), 4)] == [3, 3, 3, 1]
    assert [int(row[0, 0]) for row in torch.unbind(x)] == [0, 20, 40]
    x.split(3, dim=1)[1].fill_(0)
    assert int(x[:, 3].sum()) == 0
    with pytest.raises(ShapeError, match="not all of an axis"):
        x.split([1, 1], 0)
    with pytest.raises(AttributeValueError, match="from 1"):
        x.split(0)


def test_folds_and_orders_have_pytorchs_forms(torch: Any) -> None:
    x = torch.tensor([[3.0, 1.0, 2.0], [0.5, 4.0, 4.0]])
    wide = np.array(x.tolist())
    np.testing.assert_allclose(array(x.var(1)), wide.var(1, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(array(torch.std(x, dim=0, unbiased=False)), wide.std(0), rtol=1e-6)
    np.testing.assert_allclose(array(x.var(False)), wide.var(), rtol=1e-6)
    variance, mean = torch.var_mean(x, dim=1, keepdim=True)
    assert (variance.shape, mean.shape) == ((2, 1), (2, 1))
    np.testing.assert_allclose(array(torch.std_mean(x, 1)[0]), wide.std(1, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(array(torch.norm(x, dim=1)), np.linalg.norm(wide, axis=1), rtol=1e-6)
    np.testing.assert_allclose(array(x.norm(p=1)), np.abs(wide).sum(), rtol=1e-6)
    np.testing.assert_allclose(array(torch.logsumexp(x, 1)), np.log(np.exp(wide).sum(1)), rtol=1e-6)
    assert [part.item() for part in torch.aminmax(x)] == [0.5, 4]
    assert torch.median(x).item() == 2
    for result, values, indices in (
        (x.median(dim=1), [2, 4], [2, 1]),
        (x.sort(dim=1, descending=True), [[3, 2, 1], [4, 4, 0.5]], [[0, 2, 1], [1, 2, 0]]),
        (torch.topk(x, 2), [[3, 2], [4, 4]], [[0, 2], [1, 2]]),
        (x.topk(1, dim=0, largest=False), [[0.5, 1, 2]], [[1, 0, 0]]),
        (torch.kthvalue(x, 2), [2, 4], [2, 1]),
        (torch.cummax(x, 1), [[3, 3, 3], [0.5, 4, 4]], [[0, 0, 0], [0, 1, 2]]),
        (torch.cummin(x, 0), [[3, 1, 2], [0.5, 1, 2]], [[0, 0, 0], [1, 0, 0]]),
    ):
        assert (result.values.tolist(), result.indices.tolist()) == (values, indices)
    assert torch.tensor([1.0, float("nan"), 0.0]).median(dim=0).indices.item() == 1
    assert torch.cumsum(torch.tensor([True, True]), 0).tolist() == [1, 2]
    assert torch.cumprod(x, dim=1)[0].tolist() == [3, 3, 6]
    assert x.quantile(0.5, dim=1).tolist() == [2, 4]
    assert x.any().item()
    assert ((x > 1).all(dim=1).tolist(), (x > 1).any(1).tolist()) == ([False, False], [True, True])
    assert (x.prod(dim=1).tolist(), torch.count_nonzero(x > 1, dim=1).tolist()) == ([6, 8], [2, 2])
    assert (x.amax(1).tolist(), x.nansum().item(), torch.nanmean(x - 0.5).item()) == (
        [3, 4],
        14.5,
        pytest.approx(14.5 / 6 - 0.5),
    )
    counted = torch.unique(torch.tensor([[3, 1], [3, 2]]), return_inverse=True, return_counts=True)
    assert [part.tolist() for part in counted] == [[1, 2, 3], [[2, 0], [2, 1]], [1, 1, 2]]
    assert torch.unique(torch.tensor([False, True, True])).tolist() == [False, True]
    runs = torch.unique_consecutive(torch.tensor([5, 5, 2, 5]), return_inverse=True, return_counts=True)
    assert [part.tolist() for part in runs] == [[5, 2, 5], [0, 0, 1, 2], [2, 1, 1]]
    assert [part.tolist() for part in torch.unique(x[:0], return_inverse=True)] == [[], []]


def test_products_have_pytorchs_names(torch: Any) -> None:
    a, b, v = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4), torch.tensor([1.0, 2.0, 3.0])
    left, right = np.array(a.tolist()), np.array(b.tolist())
    batch = torch.stack([a, a]), torch.stack([b, b])
    for value, expected in (
        (torch.mm(a, b), left @ right),
        (a.mm(b), left @ right),
        (torch.bmm(*batch), np.stack([left @ right] * 2)),
        (torch.mv(a, v), left @ [1, 2, 3]),
        (torch.dot(v, v), 14),
        (torch.outer(v, v), np.outer([1, 2, 3], [1, 2, 3])),
        (torch.addmm(torch.ones(4), a, b, beta=2, alpha=3), 2 + 3 * (left @ right)),
        (torch.baddbmm(torch.ones(2, 2, 4), *batch), 1 + np.stack([left @ right] * 2)),
        (torch.einsum("ij,jk", [a, b]), left @ right),
        (torch.nn.functional.linear(v, a, torch.ones(2)), left @ [1, 2, 3] + 1),
    ):
        np.testing.assert_allclose(array(value), expected)


def test_functions_take_pytorchs_names_of_arguments(torch: Any) -> None:
    x = torch.tensor(BASE)
    assert torch.flip(x, dims=(0, -1)).tolist() == BASE[::-1, :, ::-1].tolist()
    assert torch.flip(x, dims=()).tolist() == BASE.tolist()
    assert (x.flatten(start_dim=1).shape, torch.flatten(x, 0, end_dim=-2).shape) == ((3, 20), (12, 5))
    assert x.unsqueeze(dim=1).squeeze(dim=1).shape == (3, 4, 5)
    assert torch.narrow(x, 1, torch.tensor(-2), 1).tolist() == BASE[:, 2:3].tolist()
    turned = torch.diag_embed(torch.tensor([[1, 2], [3, 4]]), offset=1, dim1=0, dim2=2)
    assert (turned.shape, turned[0, 0, 1].item(), turned[1, 1, 2].item()) == ((3, 2, 3), 1, 4)


def test_operands_and_sizes_go_by_pytorchs_names(torch: Any) -> None:
    x, y = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[0, 1], [1, 0]])
    assert torch.mm(input=x, mat2=y).tolist() == [[2, 1], [4, 3]]
    assert torch.addmm(input=y, mat1=x, mat2=y, alpha=2).tolist() == [[4, 3], [9, 6]]
    assert torch.mv(x, vec=y[0]).tolist() == [2, 4]
    assert torch.dot(x[0], tensor=y[0]).tolist() == 2
    assert torch.permute(input=x, dims=(1, 0)).tolist() == torch.t(input=x).tolist() == [[1, 3], [2, 4]]
    assert torch.reshape(x, shape=(4,)).shape == torch.flatten(input=x).shape == (4,)
    assert torch.broadcast_to(x[0], size=(2, 2)).tolist() == torch.tile(x[:1], dims=(2, 1)).tolist()
    made = [getattr(torch, name)(size=(2, 3)).shape for name in ("zeros", "ones", "empty", "rand", "randn")]
    assert made == [(2, 3)] * 5
    assert (torch.arange(end=3).tolist(), torch.randint(high=1, size=(2,)).tolist()) == ([0, 1, 2], [0, 0])


def test_each_element_repeats_as_often_as_its_number_says(torch: Any) -> None:
    x, numbers = torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([0, 3, 1])
    expected = np.repeat([[1, 2, 3], [4, 5, 6]], [0, 3, 1], axis=1)
    assert torch.repeat_interleave(x, numbers, dim=1, output_size=4).tolist() == expected.tolist()
    assert x.repeat_interleave(torch.tensor([2])).tolist() == np.repeat([1, 2, 3, 4, 5, 6], 2).tolist()
    assert torch.repeat_interleave(numbers).tolist() == [1, 1, 1, 2]
    assert torch.repeat_interleave(torch.tensor([0, 0])).tolist() == []
    with pytest.raises(AttributeValueError, match="negative"):
        torch.repeat_interleave(torch.tensor([2, -1]))
    with pytest.raises(ShapeError, match="one for each"):
        torch.repeat_interleave(x, numbers, dim=0)


def test_what_is_cut_off_is_no_part_of_a_circle(torch: Any) -> None:
    x = torch.tensor([[[0, 1, 2, 3]]])
    assert torch.nn.functional.pad(x, (-1, 2), "circular").tolist() == [[[1, 2, 3, 1, 2]]]
    assert torch.nn.functional.pad(x, (1, -2), "circular").tolist() == [[[1, 0, 1]]]


def test_nothing_is_cut_into_as_many_parts_of_nothing_as_are_asked_for(torch: Any) -> None:
    assert [part.shape for part in torch.chunk(torch.zeros(0, 3), 2)] == [(0, 3), (0, 3)]
    assert [part.shape for part in torch.split(torch.zeros(2, 0), 0, 1)] == [(2, 0)]
    with pytest.raises(AttributeValueError, match="from 1"):
        torch.split(torch.zeros(2), 0)
    with pytest.raises(AttributeValueError, match="number of classes"):
        torch.nn.functional.one_hot(torch.zeros(0, dtype=torch.int64))
