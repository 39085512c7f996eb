"""A buffer's bytes in the memory of the host.

Owns asking for them, and giving them back: at once where the device copies next, else when it is told to do something.
Must not know what they are.
"""

from __future__ import annotations

from typing import Any

from host.errors import DeviceFailed
from host.native.objects import Buffer
from host.native.private import api, ffi, lib
from host.native.waiting import Waiter


class Mapped:
    """A buffer's bytes for the host as long as a `with` block lasts: nothing may keep a part of the view beyond it."""

    __slots__ = ("_raw", "_size")

    def __init__(self, raw: Any, size: int) -> None:
        self._raw, self._size = raw, size

    def __enter__(self) -> memoryview:
        start = lib.wgpuBufferGetMappedRange(self._raw, 0, self._size)
        return memoryview(ffi.buffer(start, self._size))

    def __exit__(self, *_: object) -> None:
        lib.wgpuBufferUnmap(self._raw)


class Mapper:
    """Maps buffers one at a time; `waiter` waits until the driver has done it."""

    def __init__(self, waiter: Waiter) -> None:
        self._waiter = waiter
        self._status = 0
        self._kept: set[Buffer] = set()

        @ffi.callback("void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)")  # type: ignore[untyped-decorator]
        def mapped(status: int, *_: object) -> None:
            self._status = status

        self._mapped = mapped  # kept, since C calls it
        self._callback = api.new_struct(
            "WGPUBufferMapCallbackInfo", mode=lib.WGPUCallbackMode_AllowProcessEvents, callback=mapped
        )

    def map(self, buffer: Buffer, size: int) -> Mapped:
        """The first `size` bytes of a mappable `buffer`. Raises `DeviceFailed`, `DeviceLost`."""
        raw = buffer.raw._internal
        mode = lib.WGPUMapMode_Read if buffer.kind == "download" else lib.WGPUMapMode_Write
        self._status = 0
        lib.wgpuBufferMapAsync(raw, mode, 0, size, self._callback)
        self._waiter.wait(self._is_over)
        if self._status != lib.WGPUMapAsyncStatus_Success:
            raise DeviceFailed(f"the driver could not map a buffer (status {self._status})")
        return Mapped(raw, size)

    def keep(self, buffer: Buffer) -> memoryview:
        """All bytes of a mappable `buffer`, the host's until `release`: `buffer.view`, a new one only where the
        driver has moved them. Raises `DeviceFailed`, `DeviceLost`."""
        if buffer not in self._kept:
            self.map(buffer, buffer.size)
            self._kept.add(buffer)
            start = lib.wgpuBufferGetMappedRange(buffer.raw._internal, 0, buffer.size)
            if buffer.view is None or start != buffer.start:
                buffer.start, buffer.view = start, memoryview(ffi.buffer(start, buffer.size))
        assert buffer.view is not None
        return buffer.view

    def release(self) -> None:
        """Give back all buffers that are kept: the device is about to be told to do something."""
        for buffer in self._kept:
            lib.wgpuBufferUnmap(buffer.raw._internal)
        self._kept.clear()

    def forget(self, buffer: Buffer) -> None:
        """`buffer` is about to be destroyed."""
        self._kept.discard(buffer)

    def _is_over(self) -> bool:
        return self._status != 0
