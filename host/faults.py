"""Whose fault it was: what the end of a device process says of the kernel that was in it.

Owns the texts about kernels that crash or hang the compiler or the device. Must not know processes.
"""

from __future__ import annotations

import signal

from host.errors import (
    DeviceCrashed,
    DeviceHung,
    DeviceLost,
    KernelCompilerCrashed,
    KernelCompilerMemory,
    KernelCompilerTimeout,
    KernelCrash,
    KernelHung,
)
from ops.processes import signal_name
from shaders.errors import KernelgateError

Fault = (DeviceCrashed, DeviceHung, DeviceLost)
"""How a request fails that was in hand when the device process ended."""

_CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP}


def of_kernel(error: KernelgateError) -> KernelgateError:
    """What a `Fault` in a kernel's dispatch says of it. A process that others killed says nothing: `error` itself."""
    if isinstance(error, DeviceHung):
        return KernelHung(
            f"the kernel did not yield the device: {error.message}",
            hint="Do less in each workgroup: fewer turns, or fewer invocations.",
        )
    if isinstance(error, DeviceCrashed) and not error.starved and error.signal not in _CRASHES:
        return error
    return KernelCrash(
        f"the driver crashed on this kernel{_how(error)}",
        hint="Simplify the kernel, or run it on another adapter.",
    )


def of_new_kernel(error: KernelgateError, limit_s: float) -> KernelgateError:
    """What a `Fault` in the compiler, which gives each new kernel `limit_s` seconds, says of it."""
    if isinstance(error, DeviceHung):
        return KernelCompilerTimeout(
            f"the kernel did not compile and run once within {limit_s:g} s",
            hint="Make it smaller: fewer statements, shorter arrays, fewer nested calls.",
        )
    if isinstance(error, DeviceCrashed) and error.starved:
        return KernelCompilerMemory(
            f"the compiler ran out of memory on this kernel{_how(error)}",
            hint="Make it smaller: shorter arrays, fewer statements, fewer nested calls.",
        )
    return KernelCompilerCrashed(
        f"the driver's compiler, or the driver, crashed on this kernel{_how(error)}",
        hint="Simplify the kernel; pointers to parts of arrays and structs are a known cause.",
    )


def _how(error: KernelgateError) -> str:
    if isinstance(error, DeviceLost):
        return ", which lost the device"
    number = error.signal if isinstance(error, DeviceCrashed) else 0
    return f" ({signal_name(number)})" if number else ""
