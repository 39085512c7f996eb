"""Calls of pooling, interpolation and their kin, and what they must give: by loops over every place, in f64.

Of each row some triples: attributes, inputs, the result. `tests/ops/test_composites.py` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.spatial_samples import Array, Case, last, normal


def pooled(
    fold: Any,
    x: Array,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] | None = None,
    ceil: bool = False,
) -> Array:
    """Each window folded by `fold`, which gets its elements inside of `x`, where they are in the flattened image, and
    how many there are with padding."""
    apart = dilation or [1] * len(size)
    places = []
    for n, k, step, pad, far in zip(x.shape[2:], size, stride, padding, apart, strict=True):
        reach = far * (k - 1) + 1
        exact = (n + 2 * pad - reach) / step
        number = int(np.ceil(exact) if ceil else np.floor(exact)) + 1
        places.append(number - 1 if (number - 1) * step >= n + pad else number)
    results = []
    for image in x.reshape(-1, *x.shape[2:]):
        for place in np.ndindex(*places):
            lines, padded = [], 1
            for at, n, k, step, pad, far in zip(
                place, image.shape, size, stride, padding, apart, strict=True
            ):
                begin = at * step - pad
                seen = range(begin, begin + far * (k - 1) + 1, far)
                lines.append([position for position in seen if 0 <= position < n])
                padded *= len([position for position in seen if position < n + pad])
            where = np.ravel_multi_index(np.ix_(*lines), image.shape)
            results.append(fold(image[np.ix_(*lines)].astype(np.float64), where, padded))
    return np.array(results).reshape(*x.shape[:2], *places)


def largest(part: Array, where: Array, padded: int) -> float:
    return float(part.max())


def place_of_largest(part: Array, where: Array, padded: int) -> int:
    return int(where.reshape(-1)[part.argmax()])


def mean(part: Array, where: Array, padded: int) -> float:
    return float(part.mean())


def mean_with_padding(part: Array, where: Array, padded: int) -> float:
    return float(part.sum() / padded)


def adapted(fold: Any, x: Array, counts: Sequence[int]) -> Array:
    """Parts of nearly equal size, each folded."""
    results = []
    for image in x.reshape(-1, *x.shape[2:]):
        for place in np.ndindex(*counts):
            lines = [
                range(int(np.floor(at * n / number)), int(np.ceil((at + 1) * n / number)))
                for at, n, number in zip(place, image.shape, counts, strict=True)
            ]
            where = np.ravel_multi_index(np.ix_(*lines), image.shape)
            results.append(fold(image[np.ix_(*lines)].astype(np.float64), where, 0))
    return np.array(results).reshape(*x.shape[:2], *counts)


def resized(
    x: Array, count: int, axis: int, mode: str, scale: float | None = None, aligned: bool = False
) -> Array:
    """Each result along an axis from the elements around it, as PyTorch's documentation and ONNX's `Resize` say."""
    size = x.shape[axis]
    ratio = (size - 1) / max(count - 1, 1) if aligned else size / count if scale is None else 1 / scale
    wide, lines = np.moveaxis(x.astype(np.float64), axis, 0), []
    for number in range(count):
        middle = number * ratio if aligned else (number + 0.5) * ratio - 0.5
        if mode == "nearest":
            weights = {int(np.floor(number * ratio + 1e-9)): 1.0}
        elif mode == "nearest-exact":
            weights = {int(np.floor((number + 0.5) * ratio + 1e-9)): 1.0}
        elif mode == "linear":
            middle = max(middle, 0.0)
            low = int(np.floor(middle + 1e-9))
            weights = {low: 1 - (middle - low), low + 1: middle - low}
        else:
            low = int(np.floor(middle + 1e-9))
            weights = {low + step: cubic(abs(middle - low - step)) for step in (-1, 0, 1, 2)}
        lines.append(sum(weight * wide[min(max(place, 0), size - 1)] for place, weight in weights.items()))
    return np.moveaxis(np.array(lines), 0, axis)


def cubic(distance: float) -> float:
    """The kernel of Keys (1981) with a = -0.75."""
    if distance <= 1:
        return 1.25 * distance**3 - 2.25 * distance**2 + 1
    return -0.75 * distance**3 + 3.75 * distance**2 - 6 * distance + 3


def plane(x: Array, counts: Sequence[int], mode: str, scales: Any = None, aligned: bool = False) -> Array:
    for axis, count in enumerate(counts, 2):
        x = resized(x, count, axis, mode, None if scales is None else scales[axis - 2], aligned)
    return x


def columns(x: Array, size: int, stride: int, padding: int, dilation: int) -> Array:
    wide = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    seen = np.lib.stride_tricks.sliding_window_view(wide, [dilation * (size - 1) + 1] * 2, (2, 3))
    seen = seen[:, :, ::stride, ::stride, ::dilation, ::dilation]
    return seen.transpose(0, 1, 4, 5, 2, 3).reshape(x.shape[0], x.shape[1] * size * size, -1)


def summed(
    given: Array, sizes: tuple[int, int], size: int, stride: int, padding: int, dilation: int
) -> Array:
    """Each element of columns added where it came from."""
    channels = given.shape[1] // size**2
    count = channels * sizes[0] * sizes[1]
    numbers = columns(np.arange(1, count + 1).reshape(1, channels, *sizes), size, stride, padding, dilation)
    result = np.zeros((len(given), count + 1))
    for image in range(len(given)):
        np.add.at(result[image], numbers[0].reshape(-1), given[image].reshape(-1))
    return result[:, 1:].reshape(-1, channels, *sizes)


def unpooled(x: Array, places: Array, sizes: Sequence[int]) -> Array:
    """Each element back where it was in its image."""
    result = np.zeros((*x.shape[:2], int(np.prod(sizes))), x.dtype)
    for at in np.ndindex(x.shape):
        result[(*at[:2], places[at])] = x[at]
    return result.reshape(*x.shape[:2], *sizes)


def mirrored(place: float, size: int, aligned: bool) -> float:
    """A place outside of an image as the one in it that a mirror at its end shows."""
    low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
    while high > low and not low <= place <= high:
        place = 2 * low - place if place < low else 2 * high - place
    return place if high > low else 0.0


def sampled(x: Array, grid: Array, mode: str, padding: str, aligned: bool) -> Array:
    """Place by place, as PyTorch's documentation says."""
    result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    reach = {"nearest": lambda d: float(d <= 0.5), "bilinear": lambda d: max(1 - d, 0.0), "bicubic": cubic}[
        mode
    ]
    for at in np.ndindex(grid.shape[:-1]):
        lines = []
        for size, number in zip(x.shape[2:], grid[at][::-1], strict=True):
            place = (number + 1) / 2 * (size - 1) if aligned else ((number + 1) * size - 1) / 2
            moved = mode == "bicubic" or padding == "zeros"
            place = (
                place
                if moved
                else np.clip(mirrored(place, size, aligned) if padding[0] == "r" else place, 0, size - 1)
            )
            line = np.zeros(size)
            for tap in range(int(np.floor(place)) - 1, int(np.floor(place)) + 3):
                inside = mirrored(tap, size, aligned) if padding[0] == "r" else tap
                inside = tap if padding == "zeros" else int(np.clip(inside, 0, size - 1))
                if 0 <= inside < size:
                    line[int(inside)] += reach(abs(place - tap)) if abs(place - tap) < 2 else 0.0
            lines.append(line)
        weights = lines[0]
        for line in lines[1:]:
            weights = weights[..., None] * line
        result[(at[0], slice(None), *at[1:])] = (x[at[0]] * weights).reshape(x.shape[1], -1).sum(1)
    return result


def moved(matrices: Array, sizes: Sequence[int], aligned: bool) -> Array:
    """Each element's place times the matrix."""
    made = np.zeros((len(matrices), *sizes, len(sizes)))
    for at in np.ndindex(len(matrices), *sizes):
        ends = [
            (2 * n / max(size - 1, 1) - 1 if size > 1 else 0.0) if aligned else (2 * n + 1) / size - 1
            for n, size in zip(at[1:], sizes, strict=True)
        ]
        made[at] = matrices[at[0]].astype(np.float64) @ [*ends[::-1], 1]
    return made


GRID = normal(2, 3, 9, 7)
ROW = normal(2, 3, 11)
CUBE = normal(1, 2, 5, 4, 6)
FULL = np.full((1, 1, 4, 4), -np.inf, np.float32)
WHOLE = np.round(GRID * 5).astype(np.int32)
COLUMNS = normal(2, 3 * 9, 9)
SPARSE = normal(2, 2 * 4, 12)
SHUFFLED = normal(2, 8, 3, 5)
ODD = {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}

SIZES = np.abs(GRID)
PEAKS = pooled(largest, GRID, [2, 2], [2, 2], [0, 0]).astype(np.float32)
HEIGHTS = pooled(place_of_largest, GRID, [2, 2], [2, 2], [0, 0]).astype(np.int32)
SPOTS, DEEP = (
    ((np.round(normal(*shape) * 25) + 0.5) / 32).astype(np.float32)  # neither at an element nor between two
    for shape in ((2, 3, 4, 2), (1, 2, 2, 3, 3))
)
FLAT, SOLID = normal(2, 2, 3), normal(2, 3, 4)
LINE = np.broadcast_to(np.int64([0, 10, 3, 4, 7, 8]), (2, 3, 6))

POOLS: dict[str, list[Case]] = {
    "max_pool": [
        ({"kernel_size": 2}, [GRID], pooled(largest, GRID, [2, 2], [2, 2], [0, 0])),
        ({"kernel_size": [3, 2], "stride": [1, 3], "padding": [1, 0]}, [GRID],
         pooled(largest, GRID, [3, 2], [1, 3], [1, 0])),
        ({"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}, [GRID],
         pooled(largest, GRID, [3, 3], [2, 2], [1, 1], [2, 2])),
        (ODD, [ROW], pooled(largest, ROW, [3], [2], [1], ceil=True)),
        ({"kernel_size": 2, "ceil_mode": True}, [GRID], pooled(largest, GRID, [2, 2], [2, 2], [0, 0], ceil=True)),
        ({"kernel_size": 2, "stride": 1}, [CUBE], pooled(largest, CUBE, [2] * 3, [1] * 3, [0] * 3)),
        ({"kernel_size": 3, "padding": 1}, [WHOLE], pooled(largest, WHOLE, [3, 3], [3, 3], [1, 1])),
        ({"kernel_size": [2, 2]}, [GRID[0]], pooled(largest, GRID[:1], [2, 2], [2, 2], [0, 0])[0]),
        ({"kernel_size": 3, "channels_last": True}, [last(GRID)], last(pooled(largest, GRID, [3, 3], [3, 3], [0, 0]))),
        ({"kernel_shape": [3, 3], "strides": [2, 2], "pads": [0, 0, 1, 1]}, [GRID],
         pooled(largest, np.pad(GRID, [(0, 0), (0, 0), (0, 1), (0, 1)], constant_values=-9), [3, 3], [2, 2], [0, 0])),
    ],
    "max_pool_indices": [
        ({"kernel_size": 2}, [GRID], pooled(place_of_largest, GRID, [2, 2], [2, 2], [0, 0])),
        ({"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}, [GRID],
         pooled(place_of_largest, GRID, [3, 3], [2, 2], [1, 1], [2, 2])),
        (ODD, [ROW], pooled(place_of_largest, ROW, [3], [2], [1], ceil=True)),
        (ODD, [WHOLE], pooled(place_of_largest, WHOLE, [3, 3], [2, 2], [1, 1], ceil=True)),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, [FULL], pooled(place_of_largest, FULL, [3, 3], [2, 2], [1, 1])),
        ({"kernel_size": 2, "stride": 1}, [CUBE], pooled(place_of_largest, CUBE, [2] * 3, [1] * 3, [0] * 3)),
    ],
    "avg_pool": [
        ({"kernel_size": 2}, [GRID], pooled(mean, GRID, [2, 2], [2, 2], [0, 0])),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, [GRID],
         pooled(mean_with_padding, GRID, [3, 3], [2, 2], [1, 1])),
        ({"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}, [GRID],
         pooled(mean, GRID, [3, 3], [2, 2], [1, 1])),
        (ODD, [GRID], pooled(mean_with_padding, GRID, [3, 3], [2, 2], [1, 1], ceil=True)),
        ({**ODD, "count_include_pad": False}, [ROW], pooled(mean, ROW, [3], [2], [1], ceil=True)),
        ({"kernel_size": [4, 3], "stride": 3, "ceil_mode": True}, [GRID],
         pooled(mean, GRID, [4, 3], [3, 3], [0, 0], ceil=True)),
        ({"kernel_size": 2, "divisor_override": 3}, [GRID], pooled(mean, GRID, [2, 2], [2, 2], [0, 0]) * 4 / 3),
        ({"kernel_size": 2, "stride": 1}, [CUBE], pooled(mean, CUBE, [2] * 3, [1] * 3, [0] * 3)),
    ],
    "lp_pool": [
        ({"norm_type": p, "kernel_size": size, "stride": stride}, [SIZES],
         pooled(lambda part, where, padded, p=p: (part**p).sum() ** (1 / p), SIZES, size, stride, [0, 0]))
        for p, size, stride in ((2, [2, 2], [2, 2]), (3, [3, 2], [1, 3]), (1, [2, 1], [3, 1]))
    ] + [({"kernel_size": 3, "ceil_mode": True}, [ROW],
          pooled(lambda part, where, padded: ((part**2).sum() * 3 / padded) ** 0.5, ROW, [3], [3], [0], ceil=True))],
    "max_unpool": [
        ({"output_size": [9, 7]}, [PEAKS, HEIGHTS], unpooled(PEAKS, HEIGHTS, (9, 7))),
        ({"output_size": [10, 8]}, [WHOLE[..., :4, :3], HEIGHTS], unpooled(WHOLE[..., :4, :3], HEIGHTS, (10, 8))),
        ({"output_size": 11}, [ROW[..., ::2], LINE], unpooled(ROW[..., ::2], LINE, (11,))),
    ],
    "adaptive_avg_pool": [
        ({"output_size": counts}, [GRID], adapted(mean, GRID, counts)) for counts in ([3, 7], [1, 1], [4, 3], [11, 2])
    ] + [({"output_size": 4}, [ROW], adapted(mean, ROW, [4])),
         ({"output_size": 3}, [CUBE], adapted(mean, CUBE, [3] * 3))],
    "adaptive_max_pool": [
        ({"output_size": counts}, [GRID], adapted(largest, GRID, counts)) for counts in ([3, 7], [1, 1], [4, 3])
    ] + [({"output_size": [2, 5]}, [WHOLE], adapted(largest, WHOLE, [2, 5]))],
    "adaptive_max_pool_indices": [
        ({"output_size": counts}, [GRID], adapted(place_of_largest, GRID, counts)) for counts in ([3, 7], [4, 3])
    ] + [({"output_size": [4, 5]}, [WHOLE], adapted(place_of_largest, WHOLE, [4, 5]))],
    "global_avg_pool": [({}, [x], adapted(mean, x, [1] * (x.ndim - 2))) for x in (ROW, GRID, CUBE)],
    "global_max_pool": [({}, [GRID], adapted(largest, GRID, [1, 1]))],
    "interpolate": [
        ({"size": [18, 14]}, [GRID], plane(GRID, [18, 14], "nearest")),
        ({"size": [5, 10]}, [GRID], plane(GRID, [5, 10], "nearest")),
        ({"scale_factor": 2}, [ROW], plane(ROW, [22], "nearest")),
        ({"scale_factor": 0.7}, [ROW], plane(ROW, [7], "nearest", [0.7])),
        ({"scale_factor": [1.5, 0.6], "mode": "nearest-exact"}, [GRID],
         plane(GRID, [13, 4], "nearest-exact", [1.5, 0.6])),
        ({"size": 4, "mode": "nearest-exact"}, [ROW], plane(ROW, [4], "nearest-exact")),
        *(({"size": [n, m], "mode": "bilinear", "align_corners": aligned}, [GRID],
           plane(GRID, [n, m], "linear", aligned=aligned))
          for n, m in ((18, 14), (4, 9), (1, 1)) for aligned in (False, True)),
        ({"scale_factor": 1.3, "mode": "bilinear"}, [GRID], plane(GRID, [11, 9], "linear", [1.3, 1.3])),
        ({"scale_factor": 1.3, "mode": "linear", "align_corners": True}, [ROW],
         plane(ROW, [14], "linear", aligned=True)),
        ({"size": 3, "mode": "trilinear"}, [CUBE], plane(CUBE, [3] * 3, "linear")),
        ({"size": [13, 4], "mode": "bicubic"}, [GRID], plane(GRID, [13, 4], "cubic")),
        ({"size": [13, 4], "mode": "bicubic", "align_corners": True}, [GRID],
         plane(GRID, [13, 4], "cubic", aligned=True)),
        ({"scale_factor": 1.3, "mode": "bicubic"}, [GRID], plane(GRID, [11, 9], "cubic", [1.3, 1.3])),
        ({"size": [3, 4], "mode": "area"}, [GRID], adapted(mean, GRID, [3, 4])),
    ],
    "grid_sample": [
        ({"mode": mode, "padding_mode": padding, "align_corners": aligned}, [GRID, SPOTS],
         sampled(GRID, SPOTS, mode, padding, aligned))
        for mode, padding, aligned in (
            ("nearest", "zeros", False), ("nearest", "reflection", True), ("bilinear", "zeros", True),
            ("bilinear", "border", False), ("bilinear", "reflection", False), ("bicubic", "border", False),
            ("bicubic", "reflection", True),
        )
    ] + [({}, [CUBE, DEEP], sampled(CUBE, DEEP, "bilinear", "zeros", False))],
    "affine_grid": [
        ({"size": [2, 3, *sizes], "align_corners": aligned}, [matrices], moved(matrices, sizes, aligned))
        for matrices, sizes in ((FLAT, (4, 5)), (FLAT, (1, 3)), (SOLID, (2, 3, 4))) for aligned in (False, True)
    ],
    "im2col": [
        ({"kernel_size": 3}, [GRID], columns(GRID, 3, 1, 0, 1)),
        ({"kernel_size": 2, "stride": 3, "padding": 1, "dilation": 2}, [GRID], columns(GRID, 2, 3, 1, 2)),
        ({"kernel_size": 3}, [GRID[0]], columns(GRID[:1], 3, 1, 0, 1)[0]),
    ],
    "col2im": [
        ({"output_size": 5, "kernel_size": 3}, [COLUMNS], summed(COLUMNS, (5, 5), 3, 1, 0, 1)),
        ({"output_size": [8, 6], "kernel_size": 2, "stride": 2, "dilation": 3, "padding": 1}, [SPARSE[..., :12]],
         summed(SPARSE, (8, 6), 2, 2, 1, 3)),
    ],
    "pixel_shuffle": [({"upscale_factor": 2}, [SHUFFLED],
                       np.einsum("nchwab->nchawb", np.moveaxis(SHUFFLED.reshape(2, 2, 2, 2, 3, 5), (2, 3), (4, 5)))
                       .reshape(2, 2, 6, 10))],
    "pixel_unshuffle": [({"downscale_factor": 3}, [GRID[..., :6]],
                         np.stack([GRID[:, n // 9, n // 3 % 3 : 9 : 3, n % 3 : 6 : 3] for n in range(27)], 1))],
    "channel_shuffle": [({"groups": 2}, [SHUFFLED], SHUFFLED[:, [0, 4, 1, 5, 2, 6, 3, 7]])],
}  # fmt: skip
