"""The pool of device buffers, over a device that only counts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.buffers import Block, Pool, bucket
from host.errors import DeviceOutOfMemory
from host.native import Buffer
from host.tensors import DEVICE_OWNER

MOST = 2**31 - 1


class FakeGpu:
    """Makes buffers out of nothing, until `room` is used up."""

    def __init__(self, room: int = 1 << 40) -> None:
        self.limits = {"max_buffer_size": MOST}
        self.room = room
        self.submitted: list[Any] = []

    def create_buffer(self, size: int, kind: str) -> Buffer:
        if size > self.room:
            raise DeviceOutOfMemory("no room")
        self.room -= size
        return Buffer(object(), size, kind, True)  # type: ignore[arg-type]

    def destroy(self, buffer: Buffer) -> None:
        self.room += buffer.size

    def submit(self, commands: list[Any]) -> None:
        self.submitted.append(commands)


def _pool(memory: int | None = None, pool: int = 1 << 30, gpu: FakeGpu | None = None) -> Pool:
    gone: list[Buffer] = []
    made = Pool(gpu or FakeGpu(), memory, pool, gone.append)  # type: ignore[arg-type]
    made.gone = gone  # type: ignore[attr-defined]
    return made


@given(st.integers(1, MOST))
def test_a_block_is_large_enough_and_wastes_little(nbytes: int) -> None:
    size = bucket(nbytes, MOST)
    assert size >= nbytes
    assert size <= max(256, 2 * nbytes)
    if nbytes > 1 << 20:
        assert size <= nbytes * 1.125 + 1
    assert bucket(size, MOST) == size


def test_a_block_given_back_is_taken_again_by_its_owner_uncleared() -> None:
    pool = _pool()
    block = pool.take("me", 1000)
    buffer = block.buffer
    pool.give([block])
    again = pool.take("me", 900)
    assert again.buffer is buffer
    assert pool.take_clears() == []


def test_a_block_that_changes_its_owner_is_cleared_whole() -> None:
    pool = _pool()
    block = pool.take("me", 1000)
    pool.give([block])
    taken = pool.take("you", 600)
    (clear,) = pool.take_clears()
    assert (clear.buffer, clear.offset, clear.size) == (taken.buffer, 0, 1024)
    assert pool.take_clears() == []


def test_a_block_of_the_same_owner_is_preferred() -> None:
    pool = _pool()
    mine, yours = pool.take("me", 1000), pool.take("you", 1000)
    pool.give([mine])
    pool.give([yours])
    assert pool.take("me", 1000) is mine
    assert pool.take_clears() == []


def test_zeros_are_made_when_asked_for_and_not_for_new_buffers() -> None:
    pool = _pool()
    block = pool.take("me", 1000, zero=True)
    assert pool.take_clears() == []
    pool.give([block])
    pool.take("me", 1000, zero=True)
    assert len(pool.take_clears()) == 1


def test_a_clear_can_be_taken_over_by_who_fills_the_block() -> None:
    pool = _pool()
    pool.give([pool.take("me", 1000)])
    block = pool.take("you", 1000)
    assert pool.drop_clear(block)
    assert not pool.drop_clear(block)
    assert pool.take_clears() == []


def test_flush_starts_the_clears_that_wait() -> None:
    gpu = FakeGpu()
    pool = _pool(gpu=gpu)
    pool.flush()
    assert gpu.submitted == []
    pool.give([pool.take("me", 1000)])
    pool.take("you", 1000)
    pool.flush()
    assert len(gpu.submitted) == 1


def test_storage_and_uniform_blocks_are_never_mixed() -> None:
    pool = _pool()
    block = pool.take("me", 1000, "uniform")
    pool.give([block])
    assert pool.take("me", 1000, "storage").buffer is not block.buffer


def test_a_shared_block_waits_for_its_last_user() -> None:
    pool = _pool()
    block = pool.take("me", 1000)
    pool.share([block])
    pool.give([block])
    assert (pool.live_bytes, pool.pooled_bytes) == (1024, 0)
    pool.give([block])
    assert (pool.live_bytes, pool.pooled_bytes) == (0, 1024)


def test_what_waits_is_bounded_and_the_oldest_goes_first() -> None:
    pool = _pool(pool=2048)
    blocks = [pool.take("me", 1000) for _ in range(4)]
    for block in blocks:
        pool.give([block])
    assert pool.pooled_bytes == 2048
    assert pool.gone == [block.buffer for block in blocks[:2]]  # type: ignore[attr-defined]


def test_the_budget_counts_what_waits_and_gives_it_up_first() -> None:
    pool = _pool(memory=4096)
    first = pool.take("me", 2000)
    pool.give([first])
    kept = pool.take("me", 4000)
    assert pool.pooled_bytes == 0
    with pytest.raises(DeviceOutOfMemory, match=r"256 bytes.*4,096"):
        pool.take("me", 100)
    pool.give([kept])
    pool.take("me", 100)


def test_a_driver_without_room_gets_back_what_waits_before_the_taker_is_refused() -> None:
    pool = _pool(gpu=FakeGpu(room=4096))
    pool.give([pool.take("me", 2000)])
    block = pool.take("me", 4000)
    with pytest.raises(DeviceOutOfMemory):
        pool.take("me", 100)
    assert pool.live_bytes == block.size


def test_the_devices_own_blocks_are_not_live_and_never_hold_a_tenants_words() -> None:
    pool = _pool()
    pool.give([pool.take("me", 1000)])
    block = pool.take(DEVICE_OWNER, 1000)
    assert len(pool.take_clears()) == 1
    assert pool.live_bytes == 0
    pool.give([block])
    assert pool.pooled_bytes == 1024


def test_closing_destroys_all_that_waits() -> None:
    gpu = FakeGpu(room=1 << 20)
    pool = _pool(gpu=gpu)
    blocks: list[Block] = [pool.take("me", 1 << number) for number in range(4, 16)]
    for block in blocks:
        pool.give([block])
    pool.close()
    assert (gpu.room, pool.pooled_bytes) == (1 << 20, 0)
