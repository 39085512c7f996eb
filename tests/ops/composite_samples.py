"""Calls of each row that is no elementwise one, and what they must give by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.margin_samples import MARGINS
from tests.ops.neural_samples import NEURAL_SAMPLES
from tests.ops.pooling_samples import POOLS
from tests.ops.sample import Sample
from tests.ops.sequence_samples import SEQUENCES
from tests.ops.spatial_samples import SPATIAL

Array = np.ndarray
X: Array = np.random.default_rng(0).normal(0.3, 1, (4, 6, 5)).astype(np.float32)
M: Array = np.random.default_rng(1).normal(size=(5, 7)).astype(np.float32)
N: Array = np.random.default_rng(2).normal(size=(7, 4)).astype(np.float32)
V: Array = np.arange(1, 6, dtype=np.float32)
PLACES: Array = np.array([2, 0, -1, 3, 3], np.int32)
NAN: Array = np.where(X > 1, np.float32(np.nan), X)


def sums(function: Callable[..., Any], x: Array = X, **more: Any) -> list[Sample]:
    """A fold over several axes, with and without them; `function` is NumPy's."""
    made = []
    for axes in (None, 0, -1, (0, 2), (0, 1, 2)):
        for keep in (False, True):
            given = list(axes) if isinstance(axes, tuple) else axes
            expected = function(x.astype(np.float64), axis=axes, keepdims=keep)
            made.append(Sample({"axes": given, "keepdim": keep, **more}, [x], np.asarray(expected)))
    return made


def along(function: Callable[..., Any], x: Array = X, **more: Any) -> list[Sample]:
    """A function of one axis, or of the flattened tensor."""
    made = []
    for axis in (None, 0, 1, -1):
        for keep in (False, True):
            expected = function(x.astype(np.float64), axis=axis, keepdims=keep)
            made.append(Sample({"axis": axis, "keepdim": keep, **more}, [x], np.asarray(expected)))
    return made


def lower_median(x: Array, axis: int | None, keepdims: bool) -> Array:
    return np.quantile(x, 0.5, axis=axis, keepdims=keepdims, method="lower")


def log_sum(x: Array, axis: Any, keepdims: bool) -> Array:
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def norms(p: float, named: bool = False) -> list[Sample]:
    def norm(x: Array, axis: Any, keepdims: bool) -> Array:
        size = np.abs(x)
        if p == np.inf:
            return np.max(size, axis=axis, keepdims=keepdims)
        if p == -np.inf:
            return np.min(size, axis=axis, keepdims=keepdims)
        if p == 0:
            return np.count_nonzero(x, axis=axis, keepdims=keepdims)
        return np.sum(size**p, axis=axis, keepdims=keepdims) ** (1 / p)

    return sums(norm, p=p) if named else sums(norm)


def top(k: int, axis: int, largest: bool, places: bool) -> Sample:
    order = np.argsort(-X if largest else X, axis=axis, kind="stable")
    cut = np.take(order, range(k), axis=axis)
    expected = cut.astype(np.int32) if places else np.take_along_axis(X, cut, axis)
    return Sample({"k": k, "axis": axis, "largest": largest}, [X], expected)


def ordered(axis: int, descending: bool) -> Array:
    return np.argsort(-X if descending else X, axis=axis, kind="stable")


def running(function: Callable[..., Any]) -> list[Sample]:
    return [
        Sample({"axis": axis}, [x], function(x.astype(np.float64), axis=axis))
        for x in (X, X.transpose(2, 0, 1), X[:, ::-1])
        for axis in (0, 1, -1)
    ]


def scattered(reduce: str, axis: int) -> Sample:
    draw = np.random.default_rng(axis)
    index = draw.integers(-4, 4, (3, 5, 4)).astype(np.int32)
    value = draw.normal(size=(3, 5, 4)).astype(np.float32)
    expected = X.astype(np.float64)
    for at in np.ndindex(index.shape):
        place = list(at)
        place[axis] = index[at]
        old = expected[tuple(place)]
        expected[tuple(place)] = {
            "none": value[at],
            "add": old + value[at],
            "mul": old * value[at],
            "max": max(old, value[at]),
            "min": min(old, value[at]),
        }[reduce]
    return Sample({"axis": axis, "reduce": reduce}, [X, index, value], expected)


def pads(mode: str, name: str, ends: list[tuple[int, int]], **more: Any) -> Sample:
    attributes = {"before": [end[0] for end in ends], "after": [end[1] for end in ends], "mode": mode, **more}
    options = {"constant_values": more["value"]} if more else {}
    return Sample(attributes, [X], np.pad(X, ends, mode=name, **options))  # type: ignore[call-overload]


def added(x: Array, values: Array) -> Array:
    result = x.astype(np.float64)
    np.add.at(result, np.s_[:, PLACES], values)
    return result


def copied(values: Any) -> Array:
    result = X.copy()
    result[:, PLACES[:4]] = values
    return result


ROWS = np.array([[0, -1], [1, 1]], np.int32)
PARTS = np.random.default_rng(3).normal(size=(4, 5, 5)).astype(np.float32)
FLAGS = X > 0.5
SQUARE = X[:, :5]

SAMPLES: dict[str, list[Sample]] = {
    "nansum": sums(np.nansum, NAN),
    "nanmean": sums(np.nanmean, NAN),
    "prod": sums(np.prod),
    "any": sums(np.any, np.where(X > 2, X, 0).astype(np.float32)),
    "all": sums(np.all, np.where(X > -2, X, 0).astype(np.float32)),
    "count_nonzero": sums(np.count_nonzero, np.where(X > 0, X, 0).astype(np.float32)),
    "var": [*sums(lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=1)),
            *sums(np.var, correction=0), *sums(np.var, X + 1000, correction=0)],
    "std": sums(lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=1)),
    "norm": [sample for p in (0, 1, 2, 3, 0.5, np.inf, -np.inf) for sample in norms(p, named=True)],
    "reduce_l1": norms(1),
    "reduce_l2": norms(2),
    "reduce_sum_square": sums(lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims)),
    "reduce_log_sum": sums(lambda x, axis, keepdims: np.log(np.sum(x, axis=axis, keepdims=keepdims)), np.abs(X) + 1),
    "logsumexp": [*sums(log_sum), Sample({"axes": 0}, [np.float32([1000, 1000])], np.array(1000 + np.log(2))),
                  Sample({}, [np.float32([-np.inf, -np.inf])], np.array(-np.inf)),
                  Sample({}, [np.float32([np.inf, 0])], np.array(np.inf)),
                  Sample({"axes": 1}, [X[:, :0]], np.full((4, 5), -np.inf))],
    "median": [*along(lower_median), *along(lower_median, X[:, :5]),
               Sample({}, [np.float32([1, np.nan, 2])], np.array(np.nan)),
               Sample({}, [np.int32([7, 1, 3, 5])], np.array(3))],
    "quantile": [*along(lambda x, axis, keepdims: np.quantile(x, 0.3, axis=axis, keepdims=keepdims), q=0.3),
                 *along(lambda x, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims), q=1),
                 *(Sample({"q": 0.3, "interpolation": method}, [V], np.quantile(V, 0.3, method=method))
                   for method in ("lower", "higher", "nearest", "midpoint"))],
    "topk": [top(3, axis, largest, False) for axis in (0, 1, -1) for largest in (True, False)],
    "topk_indices": [top(2, axis, largest, True) for axis in (0, 1, -1) for largest in (True, False)],
    "sort": [Sample({"axis": axis, "descending": down}, [X], np.take_along_axis(X, ordered(axis, down), axis))
             for axis in (0, 1, -1) for down in (False, True)],
    "argsort": [Sample({"axis": axis, "descending": down}, [X], ordered(axis, down).astype(np.uint32))
                for axis in (0, 1, -1) for down in (False, True)],
    "cumsum": running(np.cumsum),
    "cumprod": running(np.cumprod),
    "cummax": running(np.maximum.accumulate),
    "cummin": running(np.minimum.accumulate),
    "gather": [
        Sample({"axis": 1}, [X, np.argsort(X, axis=1).astype(np.int32)], np.sort(X, axis=1)),
        Sample({"axis": 0}, [X, ROWS[:, :, None]], np.take_along_axis(X[:, :2, :1], ROWS[:, :, None], 0)),
        Sample({"axis": -1}, [X.transpose(2, 0, 1), np.full((5, 4, 2), -2, np.int32)],
               np.repeat(X.transpose(2, 0, 1)[:, :, -2:-1], 2, axis=2)),
        Sample({"axis": 0}, [V, np.array([4, 9, -5, -6, 2**31 - 1], np.int32)], np.float32([5, 0, 1, 0, 0])),
        Sample({"axis": 0}, [V, np.array([4, 2**32 - 1], np.uint32)], np.float32([5, 0])),
        Sample({"axis": 0}, [V[:0], PLACES], np.zeros(5)),
    ],
    "scatter": [*(scattered(reduce, axis) for reduce in ("none", "add", "mul", "max", "min") for axis in (0, 1, 2)),
                Sample({"axis": 0}, [V, PLACES, np.float32(9)], np.float32([9, 2, 9, 9, 9])),
                Sample({"axis": 0}, [V, np.int32([7, -6, 1]), np.float32([1, 2, 3])], np.float32([1, 3, 3, 4, 5])),
                Sample({"axis": 0, "reduce": "add"}, [V, PLACES[:0], V[:0]], V),
                Sample({"axis": 0, "reduce": "add"}, [PLACES, PLACES, PLACES], np.array([2, 0, 1, 9, 2]))],
    "scatter_add": [Sample({"axis": 0}, [V, PLACES, V], np.float32([3, 2, 4, 13, 8]) - np.float32([0, 0, 0, 0, 0]))],
    "index_select": [Sample({"axis": 1}, [X, PLACES], np.take(X, PLACES, axis=1)), Sample({}, [X, ROWS], X[ROWS]),
                     Sample({"axis": -1}, [X.T, np.int32(2)], X.T[..., 2]), Sample({}, [X, PLACES[:0]], X[:0])],
    "take_along_dim": [Sample({"axis": 1}, [X, ROWS[:1, :, None]], np.take_along_axis(X, ROWS[:1, :, None], 1)),
                       Sample({}, [X, ROWS], X.reshape(-1)[ROWS.reshape(-1)])],
    "index_add": [Sample({"axis": 1}, [X, PLACES, PARTS], added(X, PARTS)),
                  Sample({"axis": 1, "alpha": -2}, [X, PLACES, PARTS], added(X, -2.0 * PARTS))],
    "index_copy": [Sample({"axis": 1}, [X, PLACES[:4], PARTS[:, :4]], copied(PARTS[:, :4]))],
    "index_fill": [Sample({"axis": 1, "value": 7}, [X, PLACES[:4]], copied(7))],
    "masked_scatter": [Sample({}, [X, FLAGS, X + 10], np.where(FLAGS, (X + 10).reshape(-1)[
        np.cumsum(FLAGS).reshape(X.shape) - 1], X))],
    "one_hot": [Sample({"num_classes": 4}, [np.int32([[0, 3], [4, -1]])],
                       np.concatenate([np.eye(4), np.zeros((2, 4))])[[[0, 3], [4, 4]]].astype(np.int32))],
    "diagonal": [Sample({"offset": k, "axis0": a, "axis1": b}, [X], np.diagonal(X, k, a, b))
                 for k in (0, 2, -1, 9) for a, b in ((0, 1), (1, 2), (2, 0), (-1, -2))],
    "pad": [
        pads("constant", "constant", [(1, 2), (0, 0), (3, 0)], value=1.5),
        pads("reflect", "reflect", [(3, 2), (0, 0), (4, 4)]),
        pads("replicate", "edge", [(7, 2), (0, 1), (0, 0)]), pads("circular", "wrap", [(4, 2), (6, 0), (0, 5)]),
        Sample({"before": [-1, 0, 2], "after": [-1, -2, 0]}, [X], np.pad(X[1:3, :4], [(0, 0), (0, 0), (2, 0)])),
        Sample({"before": [1], "after": [1], "mode": "reflect"}, [X[0, :2, 0]], X[0, [1, 0, 1, 0], 0]),
        Sample({"before": [], "after": []}, [np.float32(3)], np.float32(3)),
        Sample({"before": [2], "after": [1], "value": 4}, [V[:0]], np.full(3, 4.0)),
    ],
    "flip": [Sample({"axes": axes}, [X], np.flip(X, axes)) for axes in (None, 0, [1, 2], [-1])],
    "squeeze": [Sample({}, [X[:, :1, :1]], X[:, 0, 0]), Sample({"axes": 1}, [X[:1, :1]], X[:1, 0])],
    "unsqueeze": [Sample({"axis": axis}, [X], np.expand_dims(X, axis)) for axis in (0, 2, -1)],
    "flatten": [Sample({"start": 1}, [X], X.reshape(4, 30)), Sample({}, [X.T], X.T.reshape(-1)),
                Sample({}, [np.float32(2)], np.float32([2]))],
    "narrow": [Sample({"axis": 1, "start": 2, "length": 3}, [X], X[:, 2:5]),
               Sample({"axis": -1, "start": -2, "length": 2}, [X], X[..., 3:])],
    "roll": [Sample({"shifts": 2}, [X], np.roll(X, 2)), Sample({"shifts": [1, -7], "axes": [0, 1]}, [X],
                                                               np.roll(X, (1, -7), (0, 1)))],
    "tile": [Sample({"repeats": r}, [X[:2, :2]], np.tile(X[:2, :2], r))
             for r in ([2], [2, 1, 3], [2, 1, 1, 2], [0], [2] * 8)],
    "repeat_interleave": [Sample({"repeats": 3, "axis": a}, [X], np.repeat(X, 3, axis=a)) for a in (None, 0, -1)],
    "tril": [Sample({"diagonal": k}, [X], np.tril(X, k)) for k in (-2, 0, 1, 9)],
    "triu": [Sample({"diagonal": k}, [X], np.triu(X, k)) for k in (-2, 0, 1, 9)],
    "diag": [Sample({"diagonal": k}, [x], np.diag(x, k)) for k in (-2, 0, 1) for x in (V, M)],
    "diag_embed": [Sample({"offset": 1}, [X[0]], np.stack([np.diag(row, 1) for row in X[0]])),
                   Sample({}, [V[:0]], np.zeros((0, 0)))],
    "trace": [Sample({}, [M], np.trace(M.astype(np.float64)))],
    "stack": [Sample({"axis": a}, [X, X + 1], np.stack([X, X + 1], a)) for a in (0, 1, -1)],
    "eye": [Sample({"n": 3}, [], np.eye(3)),
            Sample({"n": 2, "m": 4, "dtype": "i32"}, [], np.eye(2, 4, dtype=np.int32))],
    "linspace": [Sample({"count": n, "start": a, "end": b}, [], np.linspace(a, b, n))
                 for n in (0, 1, 2, 7, 1000) for a, b in ((0, 1), (-3.5, 3.5), (2, -1))],
    "mm": [Sample({}, [M, N], M.astype(np.float64) @ N)],
    "bmm": [Sample({}, [SQUARE, X.transpose(0, 2, 1)], SQUARE.astype(np.float64) @ X.transpose(0, 2, 1))],
    "mv": [Sample({}, [N, N[0]], N.astype(np.float64) @ N[0])],
    "dot": [Sample({}, [V, V[::-1]], V.astype(np.float64) @ V[::-1])],
    "outer": [Sample({}, [V, N[0]], np.outer(V, N[0].astype(np.float64)))],
    "addmm": [Sample({}, [N[:5], M, N], N[:5] + M.astype(np.float64) @ N),
              Sample({"beta": 0, "alpha": 2}, [np.full((5, 4), np.nan, np.float32), M, N],
                     2 * (M.astype(np.float64) @ N)),
              Sample({"beta": 0.5}, [V[:4], M, N], 0.5 * V[:4] + M.astype(np.float64) @ N)],
    "addmv": [Sample({}, [V[0:1], N, N[0]], V[0] + N.astype(np.float64) @ N[0])],
    "baddbmm": [Sample({"beta": 2, "alpha": 0.5}, [V, SQUARE, SQUARE],
                       2 * V + 0.5 * (SQUARE.astype(np.float64) @ SQUARE))],
    "gemm": [
        Sample({}, [M, N], M.astype(np.float64) @ N),
        Sample({"transA": True, "alpha": 2}, [M.T, N], 2 * (M.astype(np.float64) @ N)),
        Sample({"trans_b": True, "beta": 0.5}, [M, N.T, V[:4]], 0.5 * V[:4] + M.astype(np.float64) @ N),
        Sample({"beta": 0}, [M, N, np.full((5, 4), np.nan, np.float32)], M.astype(np.float64) @ N),
    ],
    "linear": [Sample({}, [X, M.T, V[:1]], X.astype(np.float64) @ M + V[0]),
               Sample({}, [V, V, V[0]], V.astype(np.float64) @ V + V[0])],
    "einsum": [
        Sample({"equation": equation}, list(arrays),
               np.einsum(equation, *(array.astype(np.float64) for array in arrays)))
        for equation, arrays in (
            ("ij,jk->ik", (M, N)), ("ij,jk", (M, N)), ("ij->ji", (M,)), ("ij->", (M,)), ("ii->i", (SQUARE[0],)),
            ("ii", (SQUARE[0],)), ("bij,bkj->bik", (X, SQUARE)), ("...ij,jk->...ik", (X, M)), ("i,j->ij", (V, V)),
            ("bij,bij->b", (X, X)), ("ij,jk,kl->il", (M, N, N.T)), ("bij,i,j->b", (X, X[0, :, 0], V)),
            ("abc->cab", (X,)), ("...,...", (X, X)), ("i...,i->...", (X, X[:, 0, 0])), ("ij,ij->ij", (M, M)),
        )
    ],
    **NEURAL_SAMPLES,
    **MARGINS,
    **SEQUENCES,
}  # fmt: skip
SAMPLES |= {name: [Sample(*case) for case in cases] for name, cases in {**SPATIAL, **POOLS}.items()}
