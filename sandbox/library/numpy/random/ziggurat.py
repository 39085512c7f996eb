"""Normal and exponential numbers by Marsaglia's ziggurat, as NumPy's generators draw them.

Owns the tables, made at the first use, and the draws. The normal table is NumPy's to the last bit; the exponential
one may differ in the last. Must not know arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from sandbox.library.numpy.random.bits import Bits

_LAYERS = 256
_NORMAL_EDGE = 3.6541528853610087963519472518
_NORMAL_EDGE_INVERSE = 0.27366123732975827203338247596
_NORMAL_AREA = 0.004928673233974652
_EXPONENTIAL_EDGE = 7.6971174701310497140446280481
_EXPONENTIAL_AREA = 0.003949659822581557
_BELOW52 = (1 << 52) - 1


class Layers(NamedTuple):
    """The widths of the layers in units of a draw, the draws that are surely inside, and the heights."""

    widths: list[float]
    inside: list[int]
    heights: list[float]


@cache
def normal_layers() -> Layers:
    """The layers under exp(-x²/2)."""

    def height(x: float, layer: int) -> float:
        found = math.exp(-0.5 * x * x)
        return math.nextafter(found, 1.0) if layer == 38 else found  # as in the table that NumPy has

    return _layers(_NORMAL_EDGE, _NORMAL_AREA, 52, height, lambda y: math.sqrt(-2 * math.log(y)))


@cache
def exponential_layers() -> Layers:
    """The layers under exp(-x)."""
    return _layers(
        _EXPONENTIAL_EDGE, _EXPONENTIAL_AREA, 53, lambda x, _layer: math.exp(-x), lambda y: -math.log(y)
    )


def _layers(
    edge: float,
    area: float,
    bits: int,
    height: Callable[[float, int], float],
    inverse: Callable[[float], float],
) -> Layers:
    scale = math.ldexp(1.0, bits)
    x, y = [0.0] * _LAYERS, [1.0] * _LAYERS
    x[-1], y[-1] = edge, height(edge, _LAYERS - 1)
    for layer in range(_LAYERS - 2, 0, -1):
        x[layer] = inverse(area / x[layer + 1] + y[layer + 1])
        y[layer] = height(x[layer], layer)
    inside = [int(edge * y[-1] / area * scale), 0]
    inside += [round(x[layer - 1] / x[layer] * scale) for layer in range(2, _LAYERS)]
    return Layers([area / y[-1] / scale, *(item / scale for item in x[1:])], inside, y)


def normal(bits: Bits) -> Callable[[], float]:
    """Draws of the standard normal distribution."""
    widths, inside, heights = normal_layers()
    word, double = bits._next64, bits._double

    def draw() -> float:
        while True:
            random = word()
            layer = random & 0xFF
            place = random >> 9 & _BELOW52
            x = place * widths[layer]
            if random & 0x100:
                x = -x
            if place < inside[layer]:
                return x
            if layer == 0:
                return _tail(place, double)
            if (heights[layer - 1] - heights[layer]) * double() + heights[layer] < math.exp(-0.5 * x * x):
                return x

    return draw


def _tail(place: int, double: Callable[[], float]) -> float:
    while True:
        x = -_NORMAL_EDGE_INVERSE * math.log1p(-double())
        y = -math.log1p(-double())
        if y + y > x * x:
            return -(_NORMAL_EDGE + x) if place >> 8 & 1 else _NORMAL_EDGE + x


def exponential(bits: Bits) -> Callable[[], float]:
    """Draws of the standard exponential distribution."""
    widths, inside, heights = exponential_layers()
    word, double = bits._next64, bits._double

    def draw() -> float:
        while True:
            random = word() >> 3
            layer = random & 0xFF
            place = random >> 8
            x = place * widths[layer]
            if place < inside[layer]:
                return x
            if layer == 0:
                return _EXPONENTIAL_EDGE - math.log1p(-double())
            if (heights[layer - 1] - heights[layer]) * double() + heights[layer] < math.exp(-x):
                return x

    return draw
