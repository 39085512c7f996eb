"""Steps of the host's over the device's memory: what is kept from run to run changes no result."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import pytest

from host import native
from host.adapters import choose
from host.hands import _MOST_BOUND, Hands, Tiles
from host.native import Buffer, Gpu
from ops import reference
from ops.dtypes import dtype as dtype_of
from ops.graph import TensorType
from ops.infer import infer
from ops.layout import Layout
from ops.lower import MAPPED, HostConvolution, HostProduct, HostTask, lower
from ops.lowering.operands import Source, Target
from shaders.spec import Operand
from tests.host.engines import ADAPTER

DRAW = np.random.default_rng(9)
NEVER = float("inf")
SPREAD = {"stride": [1, 1], "dilation": [1, 1], "before": [1, 1], "after": [1, 1], "groups": 1}
FORMS = [
    ((1, 32, 30, 50), (24, 32, 3, 3)),
    ((1, 64, 56, 56), (64, 64, 3, 3)),
    ((2, 32, 12, 70), (9, 32, 3, 3)),
]


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    opened = choose(native.adapters(), ADAPTER).open()
    if not opened.mappable:
        pytest.skip("the adapter's memory is not the host's")
    yield opened
    opened.close()


@pytest.fixture
def hands() -> Iterator[Hands]:
    hands = Hands(3)
    yield hands
    hands.close()


class Convolved:
    """A convolution in buffers of its own."""

    def __init__(self, gpu: Gpu, shapes: tuple[tuple[int, ...], ...]) -> None:
        self._gpu, self._shapes = gpu, shapes
        types = [TensorType(shape, "f32") for shape in shapes]
        (self._made,) = infer("convolution", SPREAD, types)
        operands = [(Layout.contiguous(shape), dtype_of("f32")) for shape in shapes]
        (self.task,) = lower("convolution", SPREAD, operands, self._made, MAPPED).dispatches
        assert isinstance(self.task, HostConvolution)
        self.buffers = [gpu.create_buffer(4 * value.layout.count, "storage") for value in self.task.values]

    def holds(self, hands: Hands) -> bool:
        """Whether it is right for new elements in the same buffers."""
        arrays = [DRAW.normal(size=shape).astype(np.float32) for shape in self._shapes]
        for buffer, array in zip(self.buffers, arrays, strict=False):
            with self._gpu.map(buffer, array.nbytes) as view:
                view[:] = array.tobytes()
        work(self._gpu, hands, self.task, self.buffers)
        with self._gpu.map(self.buffers[-1], 4 * prod(self._made.shape)) as view:
            found = np.frombuffer(bytes(view), np.float32).reshape(self._made.shape)
        expected = reference.apply("convolution", SPREAD, arrays)
        size = reference.apply("convolution", SPREAD, [*map(np.abs, arrays)])
        return bool(np.all(np.abs(found - expected) <= 2e-6 * size))


def work(gpu: Gpu, hands: Hands, task: HostTask, buffers: list[Buffer]) -> None:
    hands.work(gpu, task, [(buffer, 0) for buffer in buffers], Tiles(task), NEVER)


def test_a_step_over_the_same_buffers_has_the_same_job_and_sees_what_is_new_in_them(
    gpu: Gpu, hands: Hands
) -> None:
    steps = [Convolved(gpu, shapes) for shapes in (*FORMS, FORMS[0])]
    for _ in range(3):
        assert all(step.holds(hands) for step in steps)
    jobs = [bound.job for bound in hands._bound.values()]
    assert len(jobs) == len(steps)
    assert all(step.holds(hands) for step in reversed(steps))
    assert {id(bound.job) for bound in hands._bound.values()} == set(map(id, jobs))
    for buffer in (buffer for step in steps for buffer in step.buffers):
        gpu.destroy(buffer)


def test_a_view_that_moved_is_bound_anew(gpu: Gpu, hands: Hands) -> None:
    step = Convolved(gpu, FORMS[0])
    assert step.holds(hands)
    (before,) = hands._bound.values()
    step.buffers[1].start = None  # as if the driver had it elsewhere
    gpu.submit([])
    assert step.holds(hands)
    (after,) = hands._bound.values()
    assert after.job is not before.job


def test_few_jobs_are_kept_and_none_over_a_buffer_that_goes(gpu: Gpu, hands: Hands) -> None:
    layout = Layout.contiguous((8, 8))
    sources = [Source(Operand("input", number), layout, "f32") for number in range(2)]
    target = Target(Operand("output", 0), layout, "f32")
    tasks = [HostProduct(*sources, target, 1) for _ in range(_MOST_BOUND + 3)]
    buffers = [gpu.create_buffer(256, "storage") for _ in range(3)]
    for task in tasks:
        work(gpu, hands, task, buffers)
    assert [id(bound.task) for bound in hands._bound.values()] == [*map(id, tasks[3:])]
    hands.forget()
    assert not hands._bound
