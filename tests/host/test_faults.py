"""What the end of a process says of a kernel: each way of dying has its own error."""

from __future__ import annotations

import signal

import pytest

from host import faults
from host.errors import DeviceCrashed, DeviceHung, DeviceLost
from shaders.errors import KernelgateError


def crash(number: int, starved: bool = False) -> DeviceCrashed:
    error = DeviceCrashed("the device process was lost")
    error.signal, error.starved = number, starved
    return error


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (DeviceHung("a step ran longer than 2 s"), "kernel_hung", "longer than 2 s"),
        (crash(signal.SIGSEGV), "kernel_crash", "SIGSEGV"),
        (crash(signal.SIGABRT), "kernel_crash", "SIGABRT"),
        (DeviceLost("the driver lost the device"), "kernel_crash", "lost the device"),
        (crash(signal.SIGKILL), "device_restarted", "was lost"),
        (crash(0), "device_restarted", "was lost"),
    ],
)
def test_a_kernel_is_blamed_for_what_it_did_and_not_for_what_others_did(
    error: KernelgateError, code: str, says: str
) -> None:
    found = faults.of_kernel(error)
    assert found.code == code
    assert says in found.message


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (DeviceHung("a step ran longer than 30 s"), "kernel_compiler_timeout", "within 30 s"),
        (crash(signal.SIGSEGV), "kernel_compiler_crashed", "SIGSEGV"),
        (crash(signal.SIGKILL), "kernel_compiler_crashed", "SIGKILL"),
        (crash(signal.SIGSEGV, starved=True), "kernel_compiler_memory", "SIGSEGV"),
        (DeviceLost("the driver lost the device"), "kernel_compiler_crashed", "lost the device"),
    ],
)
def test_a_new_kernel_is_told_how_the_compiler_died_of_it(
    error: KernelgateError, code: str, says: str
) -> None:
    found = faults.of_new_kernel(error, 30.0)
    assert found.code == code
    assert says in found.message
    assert found.hint is not None
