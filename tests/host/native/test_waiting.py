"""Until a device is done: by asking it, as it is done with GPUs, on the CPU adapter; and what is seen of its loss."""

from __future__ import annotations

import logging

import pytest

from host.errors import DeviceLost
from host.native import Clear, Gpu, waiting
from host.native.private import ffi, lib
from host.native.waiting import Waiter


@pytest.mark.parametrize("spin_s", [waiting._SPIN_S, 0.0])
def test_the_end_of_work_is_noticed_by_looking(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch, spin_s: float
) -> None:
    monkeypatch.setattr(waiting, "_SPIN_S", spin_s)
    waiter = Waiter(gpu._raw._internal, looks=True)
    buffer = gpu.create_buffer(16 << 20, "storage")
    gpu.submit([Clear(buffer, 0, buffer.size)] * 50)
    assert not _is_idle(gpu)
    waiter.wait()
    assert _is_idle(gpu)
    waiter.close()


def _is_idle(gpu: Gpu) -> bool:
    return bool(lib.wgpuDevicePoll(gpu._raw._internal, False, ffi.NULL) & waiting._TRUE)


def test_looking_ends_when_what_is_waited_for_is_there(gpu: Gpu) -> None:
    waiter = Waiter(gpu._raw._internal, looks=True)
    waiter.wait(lambda: True)
    waiter.close()


def test_a_loss_that_is_logged_is_an_error_of_the_next_wait_until_it_is_closed(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        gpu._waiter._loss, "reason", None
    )  # it hears of it too, and has forgotten it afterwards
    first, second = (Waiter(gpu._raw._internal, looks=False) for _ in range(2))
    second.close()
    logging.getLogger("wgpu").error("the device was lost: %s", "a test")
    second.wait()
    with pytest.raises(DeviceLost, match="the device was lost: a test"):
        first.wait()
    first.close()
