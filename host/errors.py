"""Every error of the device, each with its stable code.

Owns the classes and the texts that more than one module needs. Must not know HTTP.
"""

from __future__ import annotations

from typing import ClassVar

from shaders.errors import KernelgateError


class AdapterNotFound(KernelgateError):
    """No adapter fits what was asked for; the message lists those that exist."""

    code = "adapter_not_found"
    title = "There is no such graphics adapter"


class DeviceRestarted(KernelgateError):
    """The device process ended while this request was in it; its tensors are gone, nothing else is."""

    code = "device_restarted"
    title = "The device was restarted"


class DeviceLeft(DeviceRestarted):
    """The device process ended before it took up the request, which can be sent again as it is.

    `was_next`: it worked on nothing that it had announced, so the oldest request may have been in hand, if it is brief.
    """

    was_next: bool = False


class DeviceCrashed(DeviceRestarted):
    """The device process died of itself while it worked on this very request.

    `signal` is 0 if unknown; `starved`: it had no memory left.
    """

    signal: int = 0
    starved: bool = False


class DeviceTimeout(KernelgateError):
    """The request had its time on the device."""

    code = "device_timeout"
    title = "The device took too long"
    remedy = "Do less at once, or ask for a larger limit device_ms."


class DeviceHung(DeviceTimeout):
    """One step of the request did not end in time, so the device process was killed."""


class DeviceOutOfMemory(KernelgateError):
    """A buffer does not fit: in the memory budget, or in the adapter's largest buffer or binding."""

    code = "device_out_of_memory"
    title = "The device has no room for this"
    remedy = "Compute in parts, and let go of tensors that are not needed any more."


class DeviceFailed(KernelgateError):
    """The device does not start, or was closed."""

    code = "device_failed"
    title = "The device does not work"
    remedy = "Try again; if it stays so, `kernelgate doctor` on the server's machine tests the device."


class DeviceLost(DeviceFailed):
    """The driver gave the device up while it worked on this request; the process ends."""

    code = "device_lost"
    title = "The driver lost the device"


class DeviceUnsupported(KernelgateError):
    """This kind of device cannot do what was asked."""

    code = "device_unsupported"
    title = "This device cannot do that"


class KernelCompileError(KernelgateError):
    """The driver's compiler refused a kernel; line, column and caret point into its source."""

    code = "kernel_compile"
    title = "The kernel does not compile"


class KernelCompilerCrashed(KernelgateError):
    """The compiler process died of a new kernel."""

    code = "kernel_compiler_crashed"
    title = "The kernel crashed the compiler"


class KernelCompilerTimeout(KernelgateError):
    """A new kernel did not compile and run once in time."""

    code = "kernel_compiler_timeout"
    title = "The kernel takes too long to compile"


class KernelCompilerMemory(KernelgateError):
    """A new kernel needs more memory to compile, or to run once, than the compiler process has."""

    code = "kernel_compiler_memory"
    title = "The kernel takes too much memory to compile"


class KernelFault(KernelgateError):
    """Base of what a kernel did to the device process that ran it, in a word."""

    reason: ClassVar[str]


class KernelCrash(KernelFault):
    """A kernel's dispatch crashed the driver, and the process with it."""

    reason = "crash"
    code = "kernel_crash"
    title = "The kernel crashed the driver"


class KernelHung(KernelFault):
    """A slice of a kernel's dispatch did not end in time, and the process was killed."""

    reason = "hang"
    code = "kernel_hung"
    title = "The kernel did not yield the device"


class FuelExhausted(KernelgateError):
    """A loop of a kernel drew the last of the budget of its invocation; line, column and caret point at the loop."""

    code = "fuel_exhausted"
    title = "The kernel ran out of fuel"


class DriverLoopLimit(KernelgateError):
    """A kernel's loops turn more often than the driver can do; line, column and caret point at the loop."""

    code = "driver_loop_limit"
    title = "The kernel loops more often than this driver allows"


class UnknownKernel(KernelgateError):
    """A dispatch names a kernel that was never added, or an entry point that it does not have."""

    code = "unknown_kernel"
    title = "The device does not have this kernel"


class BindingMismatch(KernelgateError):
    """The arguments of a dispatch do not fit the kernel's bindings; the message names the binding."""

    code = "binding_mismatch"
    title = "An argument does not fit its binding"
    remedy = "GET /api/kernels/{name} shows the kernel's bindings and their types."


class DispatchSizeError(KernelgateError):
    """A workgroup count is outside the device's limits."""

    code = "dispatch_size"
    title = "The dispatch has too many workgroups"


class UnknownHandle(KernelgateError):
    """A request names a tensor that this device does not have."""

    code = "unknown_handle"
    title = "The device does not have this tensor"
    remedy = "Upload or compute the tensor again."

    @classmethod
    def of(cls, handle: int) -> UnknownHandle:
        """The error for `handle`."""
        return cls(
            f"the device has no tensor {handle}: it was freed, or lost when the device restarted",
            hint="Upload or compute the tensor again.",
        )


class Cancelled(KernelgateError):
    """The job was cancelled before or while it ran."""

    code = "cancelled"
    title = "The job was cancelled"
