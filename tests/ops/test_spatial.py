"""Convolution and its kin beyond their samples: kernels in parts, what is refused, layers, and others' faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.dtypes import DTypeError
from ops.errors import AttributeValueError, GraphError, ShapeError
from ops.lower import CPU, GPU
from ops.lowering import convolution_windows
from tests.ops.pooling_samples import GRID, ROW, largest, place_of_largest, plane, pooled
from tests.ops.spatial_samples import BACK, BIAS, BY_3, HALVES, ONE, PLAIN, convolved, normal, spread


@pytest.fixture(params=["cpu", "gpu"])
def class_of(device: Any, request: Any) -> Iterator[Any]:
    """The class that kernels are lowered for; what is set of it counts until the test ends."""
    own = device.device_class

    def change(**values: Any) -> None:
        device.device_class = replace(CPU if request.param == "cpu" else GPU, **values)

    yield change
    device.device_class = own


def attributes(ends: list[tuple[int, int]], groups: int = 1, stride: int = 1) -> dict[str, Any]:
    ones = [1] * len(ends)
    before, after = ([end[side] for end in ends] for side in (0, 1))
    return {
        "stride": [stride] * len(ends), "dilation": ones, "before": before, "after": after, "groups": groups
    }  # fmt: skip


def sizes_of(x: np.ndarray, weight: np.ndarray, given: dict[str, Any]) -> np.ndarray:
    return reference.apply("convolution", given, [np.abs(x), np.abs(weight)])


@pytest.mark.parametrize(
    ("shape", "weight"),
    [((1, 20, 30, 31), (20, 20, 3, 3)), ((2, 3, 40, 40), (9, 3, 20, 21)), ((1, 2, 5000), (3, 2, 900))],
)
def test_a_kernel_in_parts_gives_the_same(shape: Any, weight: Any, class_of: Any, check: Any) -> None:
    class_of(work=1 << 14, loop_turns=300)
    x, w = normal(*shape), normal(*weight)
    given = attributes([(1, 1)] * (len(shape) - 2))
    check("convolution", given, [x, w], scale=sizes_of(x, w, given))


@pytest.mark.parametrize(
    "shape", [(2, 4, 13, 9), (1, 4, 16, 10), (1, 4, 3, 8, 7), (1, 4, 5, 40), (1, 4, 1, 90)]
)
def test_rows_of_places_are_right_stacked_or_not(shape: Any, class_of: Any, check: Any) -> None:
    class_of()
    ends = [(1, 0), (2, 1), (1, 1)][-len(shape) + 2 :]
    x, w = normal(*shape), normal(10, 2, *[3, 2, 3][-len(ends) :])
    given = attributes(ends, groups=2)
    check("convolution", given, [x, w], scale=sizes_of(x, w, given))


@pytest.mark.parametrize("outputs", [1, 4, 5, 130])
@pytest.mark.parametrize("images", [1, 3])
def test_every_width_of_tiles(outputs: int, images: int, class_of: Any, check: Any) -> None:
    class_of()
    for places in (3, 40, 300):
        x, w = normal(images, 5, places), normal(outputs, 5, 3)
        given = attributes([(1, 1)])
        check("convolution", given, [x, w], scale=sizes_of(x, w, given))


@pytest.mark.parametrize(
    ("shape", "weight", "stride", "ends"),
    [
        ((2, 9, 13, 12), (40, 9, 3, 3), 1, [(1, 1), (1, 1)]),
        ((3, 16, 400), (66, 8, 3), 2, [(2, 0)]),
        ((2, 8, 5, 6, 7), (16, 8, 2, 3, 2), 1, [(0, 1), (-1, 2), (1, 0)]),
    ],
)
@pytest.mark.parametrize("wanted", [1, 5, 1000])
def test_tiles_seen_through_windows(
    shape: Any, weight: Any, stride: int, ends: Any, wanted: int, device: Any, check: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(convolution_windows, "_WANTED", wanted)
    monkeypatch.setattr(device, "device_class", replace(GPU, work=1 << 21))
    x, w = normal(*shape), normal(*weight)
    given = attributes(ends, shape[1] // weight[1], stride)
    check("convolution", given, [x, w], scale=sizes_of(x, w, given))


@pytest.mark.parametrize("taps_lie_apart", [False, True])
def test_weights_of_bytes(taps_lie_apart: bool, class_of: Any, check: Any) -> None:
    class_of()
    x, w = normal(2, 9, 13, 12), np.random.default_rng(1).integers(-99, 99, (40, 9, 3, 3)).astype(np.int8)
    given = attributes([(1, 1), (0, 2)])
    check(
        "convolution", given, [x, np.asfortranarray(w) if taps_lie_apart else w], scale=sizes_of(x, w, given)
    )


def test_images_that_reach_too_far_are_taken_in_parts(class_of: Any, check: Any) -> None:
    class_of(binding=1 << 16)
    for shape in ((5, 6, 40, 40), (1, 6, 90, 40)):
        x, w = normal(*shape), normal(8, 6, 3, 3)
        given = attributes(ONE)
        check("convolution", given, [x, w], scale=sizes_of(x, w, given))


def test_operands_that_lie_otherwise_and_halves(check: Any) -> None:
    x, w = np.moveaxis(normal(2, 9, 8, 4), -1, 1), normal(3, 3, 4, 6).T
    given = attributes(ONE)
    check("convolution", given, [x, w], scale=sizes_of(x, w, given))
    halves = [x.astype(np.float16), w.astype(np.float16)]
    check("convolution", given, halves, scale=sizes_of(*halves, given))


@pytest.mark.parametrize("padding", [0, 1, "same"])
@pytest.mark.parametrize("outputs", [4, 8])
def test_wonnx_s_wrong_convolutions_are_right(outputs: int, padding: Any, check: Any) -> None:
    """3 x 3 taps, stride 1, outputs a multiple of four: without bias, and with one at a dilation of 2."""
    x, w, bias = normal(1, 3, 9, 9), normal(outputs, 3, 3, 3), normal(outputs)
    scale = np.full((), 100.0)
    for apart in (1, 2):
        around = apart if padding == "same" else padding
        ends = [(around, around)] * 2
        expected = convolved(x, w, [1, 1], [apart, apart], ends)
        given = {"padding": padding, "dilation": apart}
        check("conv", given, [x, w], expected.astype(np.float32), scale)
        check("conv", given, [x, w, bias], (expected + bias[:, None, None]).astype(np.float32), scale)


def test_padding_of_one_end_is_not_left_out(check: Any) -> None:
    """As volvoxai does on WebGPU."""
    x, w = normal(1, 2, 6, 7), normal(3, 2, 3, 3)
    expected = convolved(x, w, [2, 2], [1, 1], [(0, 1), (0, 1)]).astype(np.float32)
    check("Conv", {"pads": [0, 0, 1, 1], "strides": [2, 2]}, [x, w], expected, np.full((), 100.0))


def test_an_image_that_is_cut_at_one_end_and_filled_at_the_other_is_moved(check: Any) -> None:
    """By one tap, which is a product where nothing is around the image."""
    x, w = normal(2, 4, 9), normal(6, 4, 1)
    given = attributes([(-1, 1)])
    expected = convolved(np.pad(x[:, :, 1:], [(0, 0), (0, 0), (0, 1)]), w, [1], [1], [(0, 0)])
    check("convolution", given, [x, w], expected.astype(np.float32), np.full((), 20.0))
    back = {"stride": 3, "padding": 1, "output_padding": 2}
    expected = spread(x, w.transpose(1, 0, 2), [3], [1], [(1, 1)], longer=[2])
    check("conv_transpose", back, [x, w.transpose(1, 0, 2)], expected.astype(np.float32), np.full((), 20.0))


def test_nan_and_infinity_are_seen_by_their_windows_alone(device: Any) -> None:
    x = np.ones((1, 1, 7), np.float32)
    x[0, 0, 2] = np.nan
    given = {**attributes([(1, 1)])}
    found = device.run("convolution", given, [x, np.ones((1, 1, 3), np.float32)])
    assert np.flatnonzero(np.isnan(found)).tolist() == [1, 2, 3]
    assert np.flatnonzero(
        np.isnan(device.run("max_pool", {"kernel_size": 3, "stride": 1}, [x]))
    ).tolist() == [0, 1, 2]


REFUSED: list[tuple[str, dict[str, Any], list[np.ndarray], type[Exception], str]] = [
    ("conv", {}, [PLAIN, HALVES], ShapeError, "channels with a weight"),
    ("conv", {"groups": 3}, [PLAIN, HALVES], ShapeError, "in 3 groups"),
    ("conv", {}, [PLAIN, BY_3, BIAS[:2]], ShapeError, "a bias of shape"),
    ("conv", {}, [PLAIN[:, :, :2], BY_3], ShapeError, "larger than the 2 elements"),
    ("conv", {"stride": 0}, [PLAIN, BY_3], AttributeValueError, "stride is"),
    ("conv", {"stride": [1, 1, 1]}, [PLAIN, BY_3], AttributeValueError, "2 axes of space"),
    ("conv", {"padding": "half"}, [PLAIN, BY_3], AttributeValueError, "'padding'"),
    ("conv", {}, [PLAIN[0, 0], BY_3], ShapeError, "takes \\[batch"),
    ("conv", {}, [PLAIN[0, 0], BIAS], ShapeError, "1 to 3 axes"),
    ("conv", {}, [PLAIN], GraphError, "takes 2 or 3 inputs"),
    ("conv", {}, [PLAIN.astype(np.int32), BY_3], DTypeError, "does not take i32"),
    ("convolution", attributes([(0, 0)]), [PLAIN, BY_3], AttributeValueError, "a number for each"),
    ("convolution", attributes([(0, 0)]), [BIAS, BIAS], ShapeError, "1 to 3 axes"),
    ("conv_transpose", {}, [PLAIN, BY_3], ShapeError, "conv_transpose of 4 channels"),
    ("conv_transpose", {"padding": 9}, [PLAIN, BACK], ShapeError, "would give"),
    ("windows", {"axis": 0, "size": 0}, [BIAS], AttributeValueError, "size is"),
    ("windows", {"axis": 3, "size": 1}, [BIAS], ShapeError, "out of range"),
    ("windows", {"axis": 0, "size": 1}, [np.float32(1)], ShapeError, "at least one axis"),
    ("max_pool", {"kernel_size": 10}, [GRID], ShapeError, "larger than"),
    ("max_pool", {"kernel_size": 2, "padding": 2}, [GRID], AttributeValueError, "at most half"),
    ("avg_pool", {"kernel_size": 2, "divisor_override": 0}, [GRID], AttributeValueError, "divisor_override is 0"),
    ("adaptive_avg_pool", {"output_size": 0}, [GRID], AttributeValueError, "output_size is"),
    ("adaptive_max_pool", {"output_size": 1}, [GRID[..., :0]], ShapeError, "empty axis"),
    ("global_avg_pool", {}, [BIAS], ShapeError, "over all of space"),
    ("interpolate", {}, [GRID], AttributeValueError, "size or scale_factor"),
    ("interpolate", {"size": 3, "mode": "linear"}, [GRID], AttributeValueError, "linear is for 1 axes"),
    ("interpolate", {"size": 3, "align_corners": True}, [GRID], AttributeValueError, "means nothing"),
    ("interpolate", {"scale_factor": 0}, [GRID], AttributeValueError, "above 0"),
    ("interpolate", {"scale_factor": 0.01}, [GRID], AttributeValueError, "size is"),
    ("interpolate", {"scale_factor": "two"}, [GRID], AttributeValueError, "a number or a list"),
    ("interpolate", {"size": 3}, [GRID[..., :0]], ShapeError, "empty axis"),
    ("im2col", {"kernel_size": 10}, [GRID], ShapeError, "no window"),
    ("im2col", {"kernel_size": 1, "padding": -1}, [GRID], AttributeValueError, "padding is"),
    ("im2col", {"kernel_size": 1}, [BIAS], ShapeError, "4 axes"),
    ("col2im", {"output_size": 4, "kernel_size": 3}, [GRID[0]], ShapeError, "are not columns"),
    ("pixel_shuffle", {"upscale_factor": 2}, [GRID], ShapeError, "a multiple of 4 channels"),
    ("pixel_unshuffle", {"downscale_factor": 2}, [GRID], ShapeError, "multiples"),
    ("pixel_shuffle", {"upscale_factor": 2}, [BIAS], ShapeError, "takes"),
    ("channel_shuffle", {"groups": 2}, [GRID], ShapeError, "in 2 groups"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "inputs", "error", "message"), REFUSED)
def test_what_cannot_be_is_refused_by_name(
    name: str, given: dict[str, Any], inputs: list[np.ndarray], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        reference.apply(name, given, inputs)


def near(found: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(np.array(found.tolist()), expected, rtol=1e-4, atol=1e-5)


def test_functions_have_pytorch_s_arguments(torch: Any) -> None:
    functional, x, w = torch.nn.functional, torch.tensor(PLAIN.tolist()), torch.tensor(BY_3.tolist())
    bias = torch.tensor(BIAS.tolist())
    near(functional.conv2d(x, w), convolved(PLAIN, BY_3, [1, 1], [1, 1], [(0, 0), (0, 0)]))
    expected = convolved(PLAIN, BY_3, [2, 2], [1, 1], ONE) + BIAS[:, None, None]
    near(functional.conv2d(x, w, bias, 2, 1), expected)
    near(torch.conv2d(input=x, weight=w, bias=bias, stride=(2, 2), padding=(1, 1)), expected)
    near(functional.conv_transpose2d(x, torch.tensor(BACK.tolist()), None, 2, 1, 1),
         spread(PLAIN, BACK, [2, 2], [1, 1], ONE, longer=[1, 1]))  # fmt: skip
    for call in (
        lambda: functional.conv1d(x, w),
        lambda: functional.conv2d(x, w, stride=2, padding="same"),
        lambda: functional.interpolate(x, 3, antialias=True),
        lambda: functional.adaptive_avg_pool2d(x, [1, 2, 3]),
    ):
        with pytest.raises((ShapeError, AttributeValueError)):
            call()


def test_pools_give_indices_and_take_images_without_a_batch(torch: Any) -> None:
    functional, x = torch.nn.functional, torch.tensor(GRID.tolist())
    values, indices = functional.max_pool2d(x, 3, 2, padding=1, return_indices=True)
    near(values, pooled(largest, GRID, [3, 3], [2, 2], [1, 1]))
    near(indices, pooled(place_of_largest, GRID, [3, 3], [2, 2], [1, 1]))
    assert functional.max_pool2d(x[0], 2).tolist() == functional.max_pool2d(x, 2)[0].tolist()
    assert functional.max_pool1d(x[0], 2).shape == (3, 9, 3)
    assert functional.avg_pool2d(x, (3, 2), ceil_mode=True).shape == (2, 3, 3, 4)
    assert functional.adaptive_avg_pool2d(x, (None, 2)).shape == (2, 3, 9, 2)
    assert functional.adaptive_max_pool2d(x, 1, return_indices=True)[1].shape == (2, 3, 1, 1)


def test_images_get_other_sizes(torch: Any) -> None:
    functional, x = torch.nn.functional, torch.tensor(ROW.tolist())
    near(functional.interpolate(x, scale_factor=1.3, mode="linear", recompute_scale_factor=True),
         plane(ROW, [14], "linear"))  # fmt: skip
    near(functional.interpolate(x, scale_factor=1.3, mode="linear"), plane(ROW, [14], "linear", [1.3]))
    line = torch.arange(7)
    assert line.unfold(0, 3, 2).tolist() == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    image = torch.tensor(GRID.tolist())
    columns = functional.unfold(image, 3, stride=2)
    assert columns.shape == (2, 27, 12)
    once = functional.fold(functional.unfold(torch.ones_like(image), 3), (9, 7), 3)
    near(functional.fold(functional.unfold(image, 3), (9, 7), 3) / once, GRID)
    near(functional.pixel_shuffle(functional.pixel_unshuffle(image[:, :, :, :6], 3), 3), GRID[..., :6])


def test_long_axes_are_resized_by_floats(torch: Any) -> None:
    found = torch.nn.functional.interpolate(
        torch.arange(40_000).float().reshape(1, 1, -1), 60_000, mode="linear"
    )
    middle = (np.arange(60_000) + 0.5) / 1.5 - 0.5
    np.testing.assert_allclose(np.array(found.tolist())[0, 0], np.clip(middle, 0, 39_999), atol=0.02)
    found = torch.nn.functional.interpolate(torch.arange(40_000).float().reshape(1, 1, -1), 30_001)
    assert np.abs(np.array(found.tolist())[0, 0] - np.arange(30_001) * 40_000 / 30_001).max() <= 1.01


def test_layers_call_their_functions(torch: Any) -> None:
    nn, x = torch.nn, torch.tensor(PLAIN.tolist())
    layer = nn.Conv2d(4, 6, 3, padding=1, stride=2)
    assert {name: tuple(each.shape) for name, each in layer.state_dict().items()} == {
        "weight": (6, 4, 3, 3), "bias": (6,)
    }  # fmt: skip
    weight, bias = (np.array(each.tolist(), np.float32) for each in (layer.weight, layer.bias))
    assert np.abs(weight).max() <= 1 / 6
    near(layer(x), convolved(PLAIN, weight, [2, 2], [1, 1], ONE) + bias[:, None, None])
    mirrored = nn.Conv2d(4, 2, 3, padding="same", padding_mode="reflect", bias=False)
    weight = np.array(mirrored.weight.tolist(), np.float32)
    wide = np.pad(PLAIN, [(0, 0), (0, 0), (1, 1), (1, 1)], mode="reflect")
    near(mirrored(x), convolved(wide, weight, [1, 1], [1, 1], [(0, 0), (0, 0)]))
    back = nn.ConvTranspose2d(4, 6, 2, stride=2, groups=2)
    assert back.weight.shape == (4, 3, 2, 2)
    weight, bias = (np.array(each.tolist(), np.float32) for each in (back.weight, back.bias))
    near(back(x), spread(PLAIN, weight, [2, 2], [1, 1], [(0, 0), (0, 0)], 2) + bias[:, None, None])
    net = nn.Sequential(
        nn.MaxPool2d(2), nn.AvgPool2d(2, stride=1), nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(1)
    )
    assert net(x).shape == (2, 4, 1, 1)
    assert nn.PixelShuffle(2)(x).shape == (2, 1, 18, 16)
    assert nn.Fold((9, 8), 3)(nn.Unfold(3)(x)).shape == (2, 4, 9, 8)
    assert [nn.Conv1d(3, 2, 3)(torch.tensor(ROW.tolist())).shape, nn.Conv3d(4, 2, 1).weight.ndim] == [
        (2, 2, 9),
        5,
    ]
    with pytest.raises(AttributeValueError, match="padding_mode"):
        nn.Conv2d(1, 1, 1, padding_mode="odd")
