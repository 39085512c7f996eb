"""Calls of ops over axes of space, and what they must give: by loops over every place, in f64.

Of each row some triples: attributes, inputs, the result. `tests/ops/test_composites.py` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray
Case = tuple[dict[str, Any], list[Array], Array]
DRAW = np.random.default_rng(21)


def normal(*shape: int) -> Array:
    return DRAW.normal(size=shape).astype(np.float32)


def convolved(
    x: Array,
    weight: Array,
    stride: Sequence[int],
    dilation: Sequence[int],
    ends: Sequence[tuple[int, int]],
    groups: int = 1,
) -> Array:
    """Every element of a convolution as the sum that it is."""
    wide = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *ends])
    outputs, channels, *taps = weight.shape
    sizes = [
        (size - apart * (k - 1) - 1) // step + 1
        for size, k, step, apart in zip(wide.shape[2:], taps, stride, dilation, strict=True)
    ]
    result = np.zeros((x.shape[0], outputs, *sizes))
    for output, *place in np.ndindex(outputs, *sizes):
        group = output // (outputs // groups)
        seen = [
            slice(at * step, at * step + apart * (k - 1) + 1, apart)
            for at, step, apart, k in zip(place, stride, dilation, taps, strict=True)
        ]
        part = wide[(slice(None), slice(group * channels, (group + 1) * channels), *seen)]
        result[(slice(None), output, *place)] = (part * weight[output]).reshape(len(x), -1).sum(1)
    return result


def spread(
    x: Array,
    weight: Array,
    stride: Sequence[int],
    dilation: Sequence[int],
    ends: Sequence[tuple[int, int]],
    groups: int = 1,
    longer: Sequence[int] | None = None,
) -> Array:
    """Every element of `x` times the weight, added where it belongs, and what padding says cut off."""
    outputs, taps = weight.shape[1], weight.shape[2:]
    longer = longer or [0] * len(taps)
    sizes = [
        (n - 1) * step + apart * (k - 1) + 1 + more
        for n, step, apart, k, more in zip(x.shape[2:], stride, dilation, taps, longer, strict=True)
    ]
    result = np.zeros((x.shape[0], outputs * groups, *sizes))
    for image, channel, *place in np.ndindex(*x.shape):
        group = channel // (x.shape[1] // groups)
        seen = [
            slice(at * step, at * step + apart * (k - 1) + 1, apart)
            for at, step, apart, k in zip(place, stride, dilation, taps, strict=True)
        ]
        where = (image, slice(group * outputs, (group + 1) * outputs), *seen)
        result[where] += float(x[(image, channel, *place)]) * weight[channel].astype(np.float64)
    cut = (slice(low, size - high) for (low, high), size in zip(ends, sizes, strict=True))
    return result[(slice(None), slice(None), *cut)]


def primitive(
    shape: Sequence[int],
    weight: Sequence[int],
    stride: list[int],
    dilation: list[int],
    ends: list[tuple[int, int]],
    groups: int = 1,
) -> Case:
    x, w = normal(*shape), normal(*weight)
    attributes = {"stride": stride, "dilation": dilation, "groups": groups}
    attributes |= {"before": [low for low, _ in ends], "after": [high for _, high in ends]}
    return attributes, [x, w], convolved(x, w, stride, dilation, ends, groups)


PLAIN = normal(2, 4, 9, 8)
BY_3 = normal(6, 4, 3, 3)
HALVES = normal(6, 2, 3, 2)
LINE, LINE_WEIGHT = normal(2, 3, 10), normal(5, 3, 4)
ROOM, ROOM_WEIGHT = normal(1, 2, 5, 6, 4), normal(3, 2, 2, 3, 3)
BACK, BY_4, ROOM_BACK = normal(4, 3, 3, 2), normal(3, 2, 4), normal(2, 2, 2, 3, 1)
BIAS = normal(6)
ONE = [(1, 1), (1, 1)]


def last(x: Array) -> Array:
    """Channels last."""
    return np.moveaxis(x, 1, -1)


SPATIAL: dict[str, list[Case]] = {
    "convolution": [
        primitive((1, 3, 9), (4, 3, 3), [1], [1], [(1, 1)]),
        primitive((2, 4, 9, 8), (6, 2, 3, 2), [2, 1], [1, 2], [(1, 2), (0, 1)], 2),
        primitive((1, 2, 5, 6, 7), (3, 2, 2, 3, 3), [1, 2, 1], [2, 1, 1], [(1, 1), (1, 1), (1, 0)]),
        primitive((3, 8, 5, 5), (8, 1, 3, 3), [1, 1], [1, 1], ONE, 8),
        primitive((3, 8, 5, 4), (6, 4, 1, 1), [1, 1], [1, 1], [(0, 0), (0, 0)], 2),
        primitive((1, 5, 19, 18), (17, 5, 3, 3), [1, 1], [1, 1], ONE),
        primitive((1, 2, 4), (3, 2, 9), [1], [1], [(3, 4)]),
        ({"stride": [1], "dilation": [1], "before": [-2], "after": [-1], "groups": 1}, [LINE, LINE_WEIGHT],
         convolved(LINE[..., 2:-1], LINE_WEIGHT, [1], [1], [(0, 0)])),
        ({"stride": [1], "dilation": [1], "before": [0], "after": [0], "groups": 1}, [LINE[:, :0], LINE_WEIGHT[:, :0]],
         np.zeros((2, 5, 7))),
        ({"stride": [1], "dilation": [1], "before": [0], "after": [0], "groups": 1}, [LINE[:0], LINE_WEIGHT],
         np.zeros((0, 5, 7))),
    ],
    "conv": [
        ({}, [PLAIN, BY_3], convolved(PLAIN, BY_3, [1, 1], [1, 1], [(0, 0), (0, 0)])),
        ({"padding": 1}, [PLAIN, BY_3, BIAS], convolved(PLAIN, BY_3, [1, 1], [1, 1], ONE) + BIAS[:, None, None]),
        ({"padding": "same", "dilation": 2}, [PLAIN, BY_3], convolved(PLAIN, BY_3, [1, 1], [2, 2], [(2, 2), (2, 2)])),
        ({"padding": "same"}, [LINE, LINE_WEIGHT], convolved(LINE, LINE_WEIGHT, [1], [1], [(1, 2)])),
        ({"padding": "same", "stride": 2}, [LINE, LINE_WEIGHT], convolved(LINE, LINE_WEIGHT, [2], [1], [(1, 1)])),
        ({"padding": "valid"}, [LINE, LINE_WEIGHT], convolved(LINE, LINE_WEIGHT, [1], [1], [(0, 0)])),
        ({"stride": [2, 1], "padding": [2, 0], "groups": 2}, [PLAIN, HALVES],
         convolved(PLAIN, HALVES, [2, 1], [1, 1], [(2, 2), (0, 0)], 2)),
        ({"strides": [2, 3], "pads": [0, 1, 2, 3], "dilations": [1, 2], "group": 2}, [PLAIN, HALVES],
         convolved(PLAIN, HALVES, [2, 3], [1, 2], [(0, 2), (1, 3)], 2)),
        ({"padding": 1}, [ROOM, ROOM_WEIGHT], convolved(ROOM, ROOM_WEIGHT, [1] * 3, [1] * 3, [(1, 1)] * 3)),
        ({"channels_last": True, "padding": 1}, [last(PLAIN), BY_3, BIAS],
         last(convolved(PLAIN, BY_3, [1, 1], [1, 1], ONE) + BIAS[:, None, None])),
        ({}, [PLAIN[0], BY_3], convolved(PLAIN[:1], BY_3, [1, 1], [1, 1], [(0, 0), (0, 0)])[0]),
        ({"channels_last": True}, [last(PLAIN)[0], BY_3],
         last(convolved(PLAIN[:1], BY_3, [1, 1], [1, 1], [(0, 0), (0, 0)]))[0]),
    ],
    "conv_transpose": [
        ({}, [PLAIN, BACK], spread(PLAIN, BACK, [1, 1], [1, 1], [(0, 0), (0, 0)])),
        ({"stride": 2, "padding": 1, "output_padding": 1}, [PLAIN, BACK, BIAS[:3]],
         spread(PLAIN, BACK, [2, 2], [1, 1], ONE, longer=[1, 1]) + BIAS[:3, None, None]),
        ({"stride": [3, 1], "dilation": [1, 2], "groups": 2, "padding": [0, 1]}, [PLAIN, BACK],
         spread(PLAIN, BACK, [3, 1], [1, 2], [(0, 0), (1, 1)], 2)),
        ({"stride": 2, "padding": [1, 2]}, [LINE, BY_4], spread(LINE, BY_4, [2], [1], [(1, 2)])),
        ({"padding": 5}, [LINE, BY_4], spread(LINE, BY_4, [1], [1], [(5, 5)])),
        ({"stride": 2}, [ROOM, ROOM_BACK], spread(ROOM, ROOM_BACK, [2] * 3, [1] * 3, [(0, 0)] * 3)),
        ({"channels_last": True}, [last(PLAIN)[0], BACK],
         last(spread(PLAIN[:1], BACK, [1, 1], [1, 1], [(0, 0), (0, 0)]))[0]),
    ],
    "windows": [
        ({"axis": axis, "size": size, "step": step, "dilation": apart}, [LINE],
         np.lib.stride_tricks.sliding_window_view(LINE, apart * (size - 1) + 1, axis)[
             tuple(slice(None, None, step) if n == axis else slice(None) for n in range(3))][..., ::apart])
        for axis, size, step, apart in ((2, 3, 1, 1), (2, 4, 3, 2), (1, 2, 1, 1), (0, 1, 2, 1))
    ] + [({"axis": -1, "size": 11}, [LINE], np.zeros((2, 3, 0, 11)))],
}  # fmt: skip
