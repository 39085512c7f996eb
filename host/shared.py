"""Arrays that two processes see: sealed memory files, and bytes read from files that others gave.

Owns `Carriers` (the writing side of downloads, in the device), `Windows` (the reading side, in the server), `Shared`
(what a reader holds) and `Source` (the reading side of uploads). A carrier is sealed against shrinking and its size is
checked before it is mapped, so that no peer can make a reader fault; files of others are never mapped but read, so
that one that is cut short meanwhile is an error and not a signal. Carriers are used again, since the first touch of
fresh memory costs three times a copy. Must not know frames, or what the system makes memory files of (`memory.py`).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from host import memory
from host.copying import in_pieces
from ops.wire import FrameError

KEEP_BYTES = 256 << 20
"""Bytes of carriers that are kept for further downloads, in all."""


class Shared:
    """Bytes of another process. `view` is read-only and ends with `close()`, or with the `with` block.

    Views that were taken of it stay valid; memory is used again only when the last of them is gone.
    """

    def __init__(self, view: memoryview) -> None:
        self.view = view

    def close(self) -> None:
        """Give the bytes back. Closing twice is harmless."""
        with contextlib.suppress(BufferError):  # someone still reads; their view gives it back
            self.view.release()
        self.view = memoryview(b"")

    def __enter__(self) -> Shared:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Source:
    """The bytes of an upload: inside the frame, or in a regular file that someone else may still change."""

    def __init__(self, nbytes: int, data: bytes = b"", fd: int | None = None, offset: int = 0) -> None:
        self.nbytes, self._data, self._fd, self._offset = nbytes, data, fd, offset
        if fd is None:
            if len(data) != nbytes:
                raise FrameError(f"an upload of {nbytes} bytes came with {len(data)}")
            return
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or offset < 0 or offset + nbytes > status.st_size:
            raise FrameError(f"an upload of {nbytes} bytes at {offset} does not lie in its file")

    def read_into(self, target: memoryview, start: int = 0) -> None:
        """Fill `target` from byte `start` on. Raises `FrameError` if the file has become shorter."""
        if self._fd is None:
            target[:] = self._data[start : start + len(target)]
            return
        memory.read_into(self._fd, target, self._offset + start)


@dataclass(slots=True)
class Carrier:
    """A memory file that a download is written into. `is_new`: its reader has yet to see it.

    `mapped` is the file in memory, where there is room for it.
    """

    id: int
    fd: int
    size: int
    mapped: mmap.mmap | None
    is_new: bool = True
    idle: bool = False

    def write(self, offset: int, data: memoryview) -> None:
        """Write all of `data` at `offset`."""
        if self.mapped is None:
            _write_at(self.fd, offset, data)
            return
        source = np.frombuffer(data, np.uint8)
        target = np.frombuffer(self.mapped, np.uint8)[offset : offset + len(source)]
        in_pieces(len(source), lambda begin, end: np.copyto(target[begin:end], source[begin:end]))

    def close(self) -> None:
        """Let go of the file; its reader keeps it."""
        if self.mapped is not None:
            self.mapped.close()
        os.close(self.fd)


class Carriers:
    """Memory files that downloads are written into; one is used again once its reader has released it."""

    def __init__(self) -> None:
        self._all: dict[int, Carrier] = {}
        self._next = 1

    def take(self, nbytes: int) -> Carrier:
        """A carrier of at least `nbytes` bytes."""
        fits = [(c.size, c.id) for c in self._all.values() if c.idle and nbytes <= c.size <= 4 * nbytes]
        if not fits:
            return self._create(1 << max(16, (nbytes - 1).bit_length()))
        carrier = self._all[min(fits)[1]]
        carrier.idle = carrier.is_new = False
        return carrier

    def release(self, carrier_id: int, keep: bool) -> None:
        """The reader is done with a carrier. An unknown one is ignored."""
        carrier = self._all.get(carrier_id)
        if carrier is not None and keep:
            carrier.idle = True
        elif carrier is not None:
            self._all.pop(carrier_id).close()

    def close(self) -> None:
        """Close all carriers; readers keep what they have mapped."""
        for carrier in self._all.values():
            carrier.close()
        self._all.clear()

    def _create(self, size: int) -> Carrier:
        fd = memory.create("kernelgate-download")
        try:
            memory.fix_size(fd, size)
        except BaseException:
            os.close(fd)
            raise
        carrier_id, self._next = self._next, self._next + 1
        carrier = self._all[carrier_id] = Carrier(carrier_id, fd, size, memory.mapped(fd, size))
        return carrier


def _write_at(fd: int, offset: int, data: memoryview) -> None:
    """Write all of `data` at `offset`."""
    while len(data):
        count = os.pwrite(fd, data, offset)
        data, offset = data[count:], offset + count


class Windows:
    """The carriers of one device process as its server sees them: opened once, read-only, and kept for reuse.

    `unread(carrier)` is called when nobody reads a carrier any more, on whatever thread that happens; its owner then
    calls `free`.
    """

    def __init__(self, unread: Callable[[int], None]) -> None:
        self._windows: dict[int, memory.Window] = {}
        self._busy: set[int] = set()
        self._unread = unread

    def add(self, carrier: int, fd: int) -> None:
        """Take a new carrier and close `fd`. Raises `FrameError` if the peer could make a reader fault."""
        try:
            if carrier in self._windows:
                raise FrameError("a download's file came twice")
            self._windows[carrier] = memory.window(fd)
        except (OSError, ValueError) as error:
            raise FrameError(f"a download came in a file that cannot be mapped: {error}") from None
        finally:
            os.close(fd)

    def open(self, carrier: int, nbytes: int) -> Shared:
        """The first `nbytes` bytes of a carrier."""
        window = self._windows.get(carrier)
        if window is None or carrier in self._busy or not 0 < nbytes <= window.size:
            raise FrameError(f"a download names carrier {carrier}, which is unknown, in use, or too small")
        # it lives as long as any view, slices of views too
        exporter = np.frombuffer(window.look(nbytes), np.uint8, nbytes)
        self._busy.add(carrier)
        weakref.finalize(exporter, self._unread, carrier).atexit = False
        return Shared(exporter.data)

    def free(self, carrier: int) -> bool:
        """A carrier is unread: whether it is kept for another download."""
        self._busy.discard(carrier)
        keep = sum(window.size for window in self._windows.values()) <= KEEP_BYTES
        if not keep and carrier in self._windows:
            self._windows.pop(carrier).close()
        return keep

    def close(self) -> None:
        """Forget all carriers; what is still read goes with its last view."""
        for window in self._windows.values():
            window.close()
        self._windows.clear()


def memory_file(data: bytes | memoryview) -> int:
    """The descriptor of a new memory file that holds `data`; the caller closes it."""
    fd = memory.create("kernelgate-upload")
    try:
        with open(fd, "wb", closefd=False) as file:
            file.write(data)
    except BaseException:
        os.close(fd)
        raise
    return fd
