"""The adapters of this machine, before one is opened.

Owns what is asked of a driver: our features, and the adapter's own limits. Must not know which adapter is wanted.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import wgpu

from host.errors import DeviceFailed
from host.frames import DeviceInfo
from host.native.gpu import Gpu
from host.native.private import set_instance_extras

_FEATURES = ("mappable-primary-buffers", "shader-f16", "shader-int64", "subgroup", "timestamp-query")
_KINDS = {"DiscreteGPU": "discrete", "IntegratedGPU": "integrated", "VirtualGPU": "virtual", "CPU": "cpu"}
_LIMITS = (
    "max_buffer_size",
    "max_compute_invocations_per_workgroup",
    "max_compute_workgroup_size_x",
    "max_compute_workgroup_size_y",
    "max_compute_workgroup_size_z",
    "max_compute_workgroup_storage_size",
    "max_compute_workgroups_per_dimension",
    "max_storage_buffer_binding_size",
    "max_storage_buffers_per_shader_stage",
    "max_uniform_buffer_binding_size",
    "max_uniform_buffers_per_shader_stage",
    "min_storage_buffer_offset_alignment",
    "min_uniform_buffer_offset_alignment",
)


class Adapter:
    """An adapter that exists, not yet opened."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        info = raw.info
        limits = {name: raw.limits.get(name.replace("_", "-"), 0) for name in _LIMITS}
        self.info = DeviceInfo(
            name=info["device"],
            kind=_KINDS.get(info["adapter_type"], "virtual"),
            backend=info["backend_type"],
            driver=info["description"],
            features=tuple(name for name in _FEATURES if name in raw.features),
            limits=limits,
        )

    def open(self) -> Gpu:
        """The adapter's device, with its own limits and our features. Raises `DeviceFailed`."""
        limits = {name.replace("_", "-"): self.info.limits[name] for name in _LIMITS}
        try:
            raw = self._raw.request_device_sync(
                required_features=list(self.info.features), required_limits=limits
            )
        except Exception as error:
            raise DeviceFailed(f"adapter {self.info.name!r} cannot be opened: {error}") from None
        return Gpu(raw, self.info)


def adapters() -> list[Adapter]:
    """Every adapter of a real API; OpenGL would list the same devices again."""
    _make_instance()
    return [Adapter(raw) for raw in wgpu.gpu.enumerate_adapters_sync()]


@cache
def _make_instance() -> None:
    # Mesa's layer would look for a Wayland display, and complain
    os.environ.setdefault("NODEVICE_SELECT", "1")
    set_instance_extras(backends=["Primary"])
