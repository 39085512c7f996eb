"""What a request and a plan's stages take is given back, and no more is held at once than the plan says."""

from __future__ import annotations

import pytest

from host.buffers import Pool
from host.errors import DeviceOutOfMemory
from host.lease import Holding, Lease
from host.plans import Output, Plan, Ref, Stage
from tests.host.test_buffers import FakeGpu

TEMP, SECOND, OUTPUT = Ref("temp", 0), Ref("temp", 1), Ref("output", 0)
STAGES = (Stage(1, (TEMP,), (TEMP,)), Stage(2, (SECOND, OUTPUT), ()))
PLAN = Plan((), (), (Output(512), Output(512, same_as=OUTPUT)), (4096, 1024), STAGES, (), 1)


def pool(memory: int | None = None) -> Pool:
    return Pool(FakeGpu(), memory, 0, lambda buffer: None)  # type: ignore[arg-type]


def test_a_stage_has_what_it_takes_and_the_next_begins_without_what_it_gives() -> None:
    made = pool()
    with Lease(made, "me") as lease:
        holding = Holding(lease, PLAN, {})
        for stage in STAGES:
            holding.begin(stage)
            assert {ref: block.size for ref, (block, _) in holding.blocks.items()} == {
                ref: PLAN.nbytes(ref) for ref in stage.takes
            }
            assert made.live_bytes <= PLAN.peak
            holding.end(stage)
        assert lease.nbytes == PLAN.peak == 4096
        lease.keep([holding.blocks[OUTPUT][0]] * 2)
    assert made.live_bytes == 512
    assert holding.blocks[OUTPUT][0].users == 2


def test_a_plan_runs_in_memory_for_its_worst_stage_and_fails_with_less() -> None:
    for room in (4096, 4095):
        made = pool(room)
        with Lease(made, "me") as lease:
            holding = Holding(lease, PLAN, {})
            if room < PLAN.peak:
                with pytest.raises(DeviceOutOfMemory):
                    holding.begin(STAGES[0])
                continue
            for stage in STAGES:
                holding.begin(stage)
                holding.end(stage)
        assert made.live_bytes == 0
