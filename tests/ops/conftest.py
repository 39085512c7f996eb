"""What tests of ops share: a device, a check of one op on it, and a `torch` that computes with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ops import reference
from ops.lower import CPU, GPU
from ops.table import find
from ops.torch import engine
from ops.torch.namespace import namespace
from tests.ops.agreement import agree, error_scale, flush, has_subnormals
from tests.ops.device import BareDevice
from tests.ops.numpy_engine import NumpyEngine

Check = Callable[..., np.ndarray]


@pytest.fixture(scope="session")
def device() -> BareDevice:
    """One device for all tests: kernels are compiled once."""
    return BareDevice()


@pytest.fixture(scope="session")
def check(device: BareDevice) -> Check:
    """Runs an op on the device and compares it with a reference.

    `check(op, attributes, arrays, expected=None, scale=None)`: `expected` is by default what `ops/reference/` says;
    errors are bounded by the row's tolerance times `scale`, by default what the row says they are relative to.
    Subnormal operands and results may count as zero. Returns the device's result.
    """

    def run(
        op: str,
        attributes: Mapping[str, Any],
        arrays: Sequence[np.ndarray],
        expected: np.ndarray | None = None,
        scale: np.ndarray | None = None,
    ) -> np.ndarray:
        actual = device.run(op, attributes, arrays)
        if expected is None:
            expected = reference.apply(op, attributes, arrays)
        if scale is None:
            scale = error_scale(find(op), attributes, arrays, expected)
        right = agree(actual, expected, find(op).tolerance, scale)
        if not np.all(right) and any(map(has_subnormals, arrays)):
            flushed = reference.apply(op, attributes, [flush(array) for array in arrays])
            right |= agree(actual, flushed, find(op).tolerance, scale)
        wrong = np.argwhere(~right)
        assert not len(wrong), (
            f"{op} {attributes} of {[(array.shape, array.strides, array.dtype.name) for array in arrays]}:"
            f" {len(wrong)} wrong, first at {wrong[0]}: {actual[tuple(wrong[0])]}, not {expected[tuple(wrong[0])]}"
        )
        return actual

    return run


@pytest.fixture
def numpy_engine() -> Iterator[NumpyEngine]:
    """The engine in use during a test."""
    own = NumpyEngine()
    engine.use(own)
    yield own
    engine.use(None)


class Namespace:
    """Attributes from a dict, nested ones too."""

    def __init__(self, names: Mapping[str, object]) -> None:
        for name, value in names.items():
            setattr(self, name, Namespace(value) if isinstance(value, dict) else value)


@pytest.fixture
def torch(numpy_engine: NumpyEngine) -> Any:
    """What `import torch` gives a script, computed by NumPy."""
    return Namespace(namespace())


@pytest.fixture(params=["cpu", "gpu"])
def tiny(device: Any, request: Any) -> Iterator[Any]:
    """The device, lowered for as if a kernel could be given 64 KiB of a buffer."""
    own = device.device_class
    device.device_class = replace(CPU if request.param == "cpu" else GPU, binding=1 << 16)
    yield device
    device.device_class = own
