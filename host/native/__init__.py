"""Every call into wgpu, with its preconditions.

The only folder that imports `wgpu`: plain misuse of it aborts the process (an empty binding, a command buffer submitted
twice, a wrong map mode), so nothing outside may touch its objects. What others use has its name here. All of it belongs
to one thread. Must not know tensors, kernels' meaning or owners.
"""

from host.native.adapter import Adapter, adapters
from host.native.commands import Clear, Command, Copy, Run, Stamp
from host.native.gpu import Gpu
from host.native.objects import Access, Buffer, BufferKind, Pipeline, Program, Range, Slot
from host.native.stopwatch import STAMPS_BYTES

__all__ = [
    "STAMPS_BYTES",
    "Access",
    "Adapter",
    "Buffer",
    "BufferKind",
    "Clear",
    "Command",
    "Copy",
    "Gpu",
    "Pipeline",
    "Program",
    "Range",
    "Run",
    "Slot",
    "Stamp",
    "adapters",
]
