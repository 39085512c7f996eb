"""Random numbers of tensors: from their seed on every device alike, and as they should be distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.errors import AttributeValueError

KEY, COUNTER = [7, 9], [5, 0, 0, 0]


def words(count: int) -> np.ndarray:
    """The stream itself, which Random123's known answers prove (`test_streams.py`)."""
    return reference.apply("philox", {"count": count, "key": KEY, "counter": COUNTER}, []).astype(np.float64)


def drawn(check: Any, op: str, inputs: list[np.ndarray] | None = None, **attributes: Any) -> np.ndarray:
    given = {"key": KEY, "counter": COUNTER, **attributes}
    result: np.ndarray = check(op, given, inputs or [], scale=np.full((), 16.0))
    return result


@pytest.mark.parametrize("shape", [[3, 5], [], [0, 4], [1001]])
def test_uniform_numbers_are_the_high_bits_of_the_words(check: Any, shape: list[int]) -> None:
    count = int(np.prod(shape))
    parts = np.floor(words(count) / 256) / 2**24
    actual = drawn(check, "random_uniform", shape=shape, low=-2.0, high=3.0)
    np.testing.assert_allclose(actual, (parts * 5 - 2).reshape(shape), rtol=1e-6, atol=1e-6)


def test_normal_numbers_are_those_of_box_and_muller(check: Any) -> None:
    far, way = np.floor(words(2000) / 256).reshape(2, 1000) / 2**24
    expected = np.sqrt(-2 * np.log(far + 2**-24)) * np.cos(2 * np.pi * way) * 3 + 10
    actual = drawn(check, "random_normal", shape=[1000], mean=10.0, std=3.0)
    np.testing.assert_allclose(actual, expected, rtol=1e-5)


def test_whole_numbers_are_words_modulo_their_range(check: Any) -> None:
    actual = drawn(check, "random_integers", shape=[500], low=-3, high=4)
    np.testing.assert_array_equal(actual, words(500) % 7 - 3)
    wide = drawn(check, "random_integers", shape=[500], low=-(1 << 31), high=1 << 31)
    np.testing.assert_array_equal(wide, (words(500).astype(np.int64) - (1 << 31)).astype(np.int32))


def test_dropout_drops_where_the_stream_says_and_scales_the_rest(check: Any) -> None:
    x = np.random.default_rng(0).normal(size=(20, 50)).astype(np.float32)
    parts = (np.floor(words(1000) / 256) / 2**24).reshape(20, 50)
    actual = drawn(check, "dropout", [x], p=0.3)
    np.testing.assert_allclose(actual, np.where(parts < 0.3, 0, x / 0.7), rtol=1e-6)
    assert not drawn(check, "dropout", [x], p=1.0).any()
    np.testing.assert_array_equal(drawn(check, "dropout", [x], p=0.0), x)


@pytest.mark.parametrize(
    ("op", "attributes", "inputs"),
    [
        ("dropout", {"p": 1.5}, [np.ones(3, np.float32)]),
        ("random_integers", {"shape": [2], "low": 3, "high": 3}, []),
        ("random_integers", {"shape": [2], "high": 1 << 40}, []),
        ("random_uniform", {"shape": [2], "key": [1, 2, 3]}, []),
    ],
)
def test_what_cannot_be_drawn_is_refused(op: str, attributes: dict[str, Any], inputs: list[Any]) -> None:
    with pytest.raises(AttributeValueError):
        reference.apply(op, attributes, inputs)


def test_a_generator_goes_on_where_it_was_and_begins_anew_with_its_seed(torch: Any) -> None:
    source = torch.Generator().manual_seed(11)
    assert source.initial_seed() == 11
    first, second = (torch.rand(5, generator=source).tolist() for _ in range(2))
    assert first != second
    again = torch.Generator().manual_seed(11)
    assert torch.rand(10, generator=again).tolist()[:5] == first
    assert source.seed() == source.initial_seed() != 11


def test_no_words_are_used_twice(torch: Any) -> None:
    torch.manual_seed(5)
    assert torch.initial_seed() == 5
    parts = [torch.rand(3), torch.rand(4), torch.randn(3), torch.rand(1)]
    flat = [number for part in parts for number in part.tolist()]
    assert len(set(flat)) == len(flat)


def test_numbers_are_distributed_as_they_should_be(torch: Any) -> None:
    torch.manual_seed(1)
    uniform, normal = np.array(torch.rand(40_000).tolist()), np.array(torch.randn(40_000).tolist())
    assert np.all((uniform >= 0) & (uniform < 1))
    counts, _ = np.histogram(uniform, 20, (0, 1))
    assert ((counts - 2000) ** 2 / 2000).sum() < 60  # chi squared of 19 degrees is above it once in 4 million
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.03
    assert abs((normal**4).mean() - 3) < 0.3


def test_a_permutation_has_every_number_once(torch: Any) -> None:
    found = torch.randperm(1000).tolist()
    assert sorted(found) == list(range(1000))
    assert found != list(range(1000))
    assert torch.randperm(0).tolist() == []


def test_bernoulli_draws_by_each_elements_own_probability(torch: Any) -> None:
    shares = torch.tensor([[0.0], [0.25], [1.0]]).expand(3, 4000)
    means = torch.bernoulli(shares).mean(1).tolist()
    assert means[0] == 0
    assert means[1] == pytest.approx(0.25, abs=0.04)
    assert means[2] == 1
    assert torch.zeros(1000).bernoulli_(0.5).mean().item() == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_draws_by_weight_and_never_what_has_none(torch: Any, replacement: bool) -> None:
    weights = torch.tensor([0.0, 1.0, 3.0, 0.0]).expand(4000, 4)
    found = np.array(torch.multinomial(weights, 2, replacement).tolist())
    assert set(found.reshape(-1).tolist()) == {1, 2}
    assert (found[:, 0] == 2).mean() == pytest.approx(0.75, abs=0.04)
    assert (found[:, 0] != found[:, 1]).all() != replacement
    assert torch.multinomial(torch.tensor([1.0, 1.0]), 2).ndim == 1


def test_multinomial_refuses_more_than_there_are(torch: Any) -> None:
    with pytest.raises(AttributeValueError, match="3 of 2 cannot be drawn"):
        torch.multinomial(torch.ones(2), 3)
    with pytest.raises(AttributeValueError, match="1 or 2 axes"):
        torch.multinomial(torch.ones(2, 2, 2), 1)


def test_tensors_are_filled_in_place(torch: Any) -> None:
    x = torch.zeros(3000)
    assert x.uniform_(2, 4) is x
    assert 2 <= x.amin().item() < 2.1 < 3.9 < x.amax().item() < 4
    assert x.normal_(5, 0.5).mean().item() == pytest.approx(5, abs=0.1)
    whole = torch.zeros(3000, dtype=torch.int32).random_(3, 6)
    assert sorted(set(whole.tolist())) == [3, 4, 5]
    assert whole.dtype == torch.int32


def test_tensors_like_another_have_its_shape_and_dtype(torch: Any) -> None:
    like = torch.ones(2, 3, dtype=torch.float16)
    for made in (torch.rand_like(like), torch.randn_like(like), torch.randint_like(like, 5)):
        assert made.shape == (2, 3)
        assert made.dtype == torch.float16
    assert torch.normal(torch.tensor([100.0, -100.0]), 1.0).sign().tolist() == [1, -1]
    assert torch.normal(0.0, torch.zeros(3)).tolist() == [0, 0, 0]


def test_random_numbers_repeat_from_their_seed(torch: Any) -> None:
    torch.manual_seed(3)
    first = torch.rand(4, 5).tolist(), torch.randn(7).tolist(), torch.randint(10, (6,)).tolist()
    torch.manual_seed(3)
    assert (torch.rand(4, 5).tolist(), torch.randn(7).tolist(), torch.randint(0, 10, (6,)).tolist()) == first
    assert all(0 <= value < 1 for row in first[0] for value in row)
