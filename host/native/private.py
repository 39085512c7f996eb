"""Names that wgpu-py 0.32 keeps for itself: the C interface under its classes.

They are used where the public names cost most, or do not reach: mapping through wgpu-py's poll thread takes 0.15 ms, by
the same calls on our thread 0.01 ms. `lib` has the functions bare; those of `libf` raise `wgpu.GPUError`.
"""

from __future__ import annotations

from wgpu.backends.wgpu_native import _api as api
from wgpu.backends.wgpu_native.extras import set_instance_extras

__all__ = ["api", "ffi", "lib", "libf", "set_instance_extras"]

lib, libf, ffi = api.lib, api.libf, api.ffi
