"""Tensors that clients know by an id, and their elements.

Owns the two kinds. A *stored* tensor (an upload, or part of a run's result) has its elements on disk: small ones in
its row, larger ones in a blob. A *transient* one (the output of a dispatch or an op) is on the device, or waits in the
spill for room there, and its id ends with the server. Must not know HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial

import msgspec

from api.auth.acl import Level
from api.auth.identity import Identity
from api.auth.sharing import Sharing
from api.background import later
from api.errors import BlobCorrupt, StorageError, TensorNotFound, TensorReplaced
from api.ids import new_id, now
from api.quotas import UNBOUNDED, Quotas
from api.storage.blobs import BlobStore, BlobWriter
from api.storage.database import Database
from api.tensors import records
from api.tensors.records import TensorRecord
from api.tensors.residency import Residency, Resident
from api.tensors.spill import Spill
from api.usage.holdings import Holdings
from api.usage.stored import check_bytes
from host.supervisor import Device
from host.tensors import wire_bytes
from ops.graph import TensorType

SMALL = 1 << 14
PIECE = 1 << 22
CACHED = 2048


class Sink:
    """Takes the elements of one tensor as they arrive: kept in memory while small, written to a blob beyond that.

    Use it in an `async with` block that lasts until the record is in the database; a blob without one is removed.
    """

    def __init__(
        self, blobs: BlobStore, collect: Callable[[Sequence[str]], Awaitable[None]], *, boolean: bool
    ) -> None:
        self._blobs = blobs
        self._collect = collect
        self._boolean = boolean
        self._small: list[bytes | memoryview] = []
        self._size = 0
        self._writer: BlobWriter | None = None
        self.blob: str | None = None
        self.data: bytes | None = None
        self.recorded = False

    async def __aenter__(self) -> Sink:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writer is not None:
            await self._writer.__aexit__()
        if self.blob is not None and not self.recorded:
            await self._collect([self.blob])

    async def write(self, piece: bytes | memoryview) -> None:
        """Add `piece`, which must not change afterwards. Bytes of a bool other than 0 count as 1."""
        if self._boolean:
            piece = bytes(piece).translate(_TO_BOOLEAN)
        self._size += len(piece)
        if self._writer is not None:
            await self._writer.write(piece)
            return
        self._small.append(piece)
        if self._size > SMALL:
            self._writer = await self._blobs.writer().__aenter__()
            for part in self._small:
                await self._writer.write(part)
            self._small.clear()

    async def finish(self) -> None:
        """All has arrived: `blob` (which is then on disk) or `data` is set."""
        if self._writer is not None:
            self.blob = await self._writer.finish()
        else:
            self.data = b"".join(self._small)


_TO_BOOLEAN = bytes([0]) + bytes([1]) * 255


class TensorStore:
    """The tensors of all owners."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        device: Device,
        residency: Residency,
        spill: Spill,
        holdings: Holdings,
        sharing: Sharing,
        transient_limit: int,
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._device = device
        self._residency = residency
        self._spill = spill
        self._holdings = holdings
        self._sharing = sharing
        self._transient_limit = transient_limit
        self._transient: OrderedDict[str, TensorRecord] = OrderedDict()
        self._cache: OrderedDict[str, TensorRecord] = OrderedDict()
        self._used: set[str] = set()

    def sink(self, dtype_name: str) -> Sink:
        """Where the elements of a new tensor go."""
        return Sink(self._blobs, self._collect, boolean=dtype_name == "bool")

    async def get(self, identity: Identity, tensor_id: str, wanted: Level = "read") -> TensorRecord:
        """The record of a tensor, if `identity` may do with it what it wants.

        Raises `TensorNotFound`, also for what it may not even see, `AccessDenied`, `PermissionDenied`.
        """
        record, missing = await self._find(tensor_id), TensorNotFound.of(tensor_id)
        if record is None:
            raise missing
        await self._sharing.require(identity, record.target, wanted, missing)
        return record

    async def _find(self, tensor_id: str) -> TensorRecord | None:
        record = self._transient.get(tensor_id) or self._cache.get(tensor_id)
        if record is None:
            record = await self._database.do(lambda db: records.find(db, tensor_id))
            if record is not None:
                self._remember(record)
        if record is not None and record.stored:
            self._used.add(record.id)
        return record

    async def page(
        self, identity: Identity, limit: int, before: str | None, owner: str | None = None
    ) -> list[TensorRecord]:
        """Stored tensors that a key may read, of all owners or one, newest first, older than the id `before`."""
        return await self._database.do(lambda db: records.page(db, identity, limit, before, owner))

    async def store(
        self,
        owner: str,
        parts: Sequence[tuple[TensorType, Sink]],
        *,
        durable: bool,
        persist: bool = False,
        quotas: Quotas = UNBOUNDED,
        replace: str | None = None,
    ) -> list[TensorRecord]:
        """Record finished sinks as tensors, all or none; `replace` gives the (single) one the id of an old one.

        Raises `QuotaExceeded` for more bytes than the owner may have stored.
        """
        new = [
            TensorRecord(
                replace or new_id("ten"),
                owner,
                type.dtype,
                type.shape,
                wire_bytes(type),
                now(),
                sink.blob,
                sink.data,
                persist,
            )
            for type, sink in parts
        ]
        old = await self._database.do(
            lambda db: records.insert(db, new, replace, quotas), durable=durable, grows=True
        )
        for _, sink in parts:
            sink.recorded = True
        for record in new:
            self._remember(record)
        if (
            replace is not None
        ):  # known by now, so that no upload of the old elements is taken for the new ones'
            self._forget_transient(replace)
            await self._residency.drop(replace)
        await self._collect(old)
        return new

    async def delete(self, record: TensorRecord) -> None:
        """Forget a tensor, and its blob if no other tensor has the same."""
        self._forget_transient(record.id)
        if record.stored:
            await self._forget_stored(record.id)
        await self._sharing.forget(record.target)
        await self._residency.drop(record.id)

    async def persist(self, record: TensorRecord, persist: bool, quotas: Quotas) -> TensorRecord:
        """Keep a tensor until it is deleted, or not any longer. A transient one is stored first, if it is to be kept.

        Raises `TensorLost`, and as `store`.
        """
        if record.stored:
            changed = msgspec.structs.replace(record, persist=persist)
            await self._database.do(lambda db: records.mark(db, record.id, persist), durable=True)
            self._remember(changed)
            return changed
        if not persist:
            return record
        async with self.elements(record) as view, self.sink(record.dtype) as sink:
            await _pour(view, sink)
            (stored,) = await self.store(
                record.owner,
                [(record.type, sink)],
                durable=True,
                persist=True,
                quotas=quotas,
                replace=record.id,
            )
        return stored

    async def store_uses(self) -> None:
        """Store that the tensors which were used since the last call were used now."""
        used, self._used = self._used, set()
        if used:
            await self._database.do(lambda db: records.touch(db, sorted(used)), frees=True)

    async def forget(self, ids: Sequence[str]) -> None:
        """Delete stored tensors, whoever has them."""
        for tensor_id in ids:
            await self._forget_stored(tensor_id)
            await self._residency.drop(tensor_id)

    async def _forget_stored(self, tensor_id: str) -> None:
        """Forget a record, also one that somebody found meanwhile, and its blob if no other has the same."""
        self._cache.pop(tensor_id, None)
        blobs = await self._database.do(lambda db: records.forget(db, tensor_id), frees=True)
        self._cache.pop(tensor_id, None)
        await self._collect(blobs)

    async def collect_orphans(self) -> int:
        """Remove blobs that no tensor refers to: a server died between the two. How many there were."""
        digests = await asyncio.to_thread(self._blobs.digests)
        orphans: list[str] = []
        for start in range(0, len(digests), records.AT_ONCE):
            part = digests[start : start + records.AT_ONCE]
            used = await self._database.do(partial(records.used_of, digests=part))
            orphans += [digest for digest in part if digest not in used]
        await self._collect(orphans)
        return len(orphans)

    async def keep(self, owner: str, type: TensorType, handle: int) -> TensorRecord:
        """A transient tensor from device tensor `handle`, which is the store's from now on."""
        record = TensorRecord(new_id("ten"), owner, type.dtype, type.shape, wire_bytes(type), now())
        self._transient[record.id] = record
        self._holdings.take(owner, record.id, record.nbytes)
        self._residency.adopt(record.id, handle, record.nbytes, only=True)
        await self._residency.shrink()
        while len(self._transient) > self._transient_limit:
            await self.delete(next(iter(self._transient.values())))
        return record

    async def make_room(self, owner: str, nbytes: int) -> None:
        """Forget transient tensors of an owner that no work uses, the oldest first, until `nbytes` are free: none, if
        all are not enough."""
        idle = [
            record
            for record in self._transient.values()
            if record.owner == owner and self._holdings.times(owner, record.id) == 1
        ]
        if sum(record.nbytes for record in idle) < nbytes:
            return
        for record in idle:
            if nbytes <= 0:
                return
            await self.delete(record)
            nbytes -= record.nbytes

    def _forget_transient(self, tensor_id: str) -> None:
        record = self._transient.pop(tensor_id, None)
        if record is not None:
            self._holdings.leave(record.owner, tensor_id)

    async def check_room(self, owner: str, quotas: Quotas) -> None:
        """Raise `QuotaExceeded` if the owner may store nothing more."""
        await self._database.do(lambda db: check_bytes(db, owner, quotas))

    async def store_from_device(
        self, owner: str, type: TensorType, handle: int, quotas: Quotas
    ) -> TensorRecord:
        """A stored tensor with the elements of device tensor `handle`. Raises as `store`."""
        async with self.sink(type.dtype) as sink:
            with await self._device.download(handle) as shared:
                await _pour(shared.view, sink)
            (record,) = await self.store(owner, [(type, sink)], durable=False, quotas=quotas)
        return record

    def adopt(self, record: TensorRecord, handle: int) -> Resident:
        """Take over device tensor `handle`, which has the elements of a stored tensor; it is pinned. `shrink` then."""
        return self._residency.adopt(record.id, handle, record.nbytes, only=False, pins=1)

    async def shrink(self) -> None:
        """Take idle tensors from the device if all together have more than their room."""
        await self._residency.shrink()

    async def pin(self, record: TensorRecord) -> Resident:
        """The tensor on the device, uploaded from disk if it is not there.

        Raises `TensorLost`, `BlobCorrupt`, `TensorNotFound` for one that was deleted meanwhile, `TensorReplaced` for
        one that is another now.
        """

        async def upload(handle: int) -> None:
            async with self._standing(record):
                await self._upload(record, handle)
            try:
                await self._require(record)
            except BaseException:
                later(self._device.free([handle]), "freeing a tensor")
                raise

        can_return = record.stored or record.id in self._spill
        resident = await self._residency.pin(record.id, record.nbytes, upload if can_return else None)
        known = self._transient.get(record.id) or self._cache.get(record.id)
        if known is not None and known.type != record.type:
            self.unpin(resident)
            raise TensorReplaced.of(record.id)
        return resident

    async def _upload(self, record: TensorRecord, handle: int) -> None:
        """Make device tensor `handle` of a tensor that is stored or spilt."""
        if record.data is not None:
            await self._device.upload_bytes(handle, record.owner, record.dtype, record.shape, record.data)
            return
        if record.blob is not None:
            fd = await asyncio.to_thread(self._blobs.open, record.blob, record.nbytes)
        else:
            fd = self._spill.open(record.id)
        with open(fd, "rb") as file:
            await self._device.upload(
                handle, record.owner, record.dtype, record.shape, file.fileno(), 0, record.nbytes
            )

    @contextlib.asynccontextmanager
    async def _standing(self, record: TensorRecord) -> AsyncIterator[None]:
        """Turns what comes of elements that are not there into what became of the tensor, if that is why."""
        try:
            yield
        except (BlobCorrupt, StorageError):
            await self._require(record)
            raise

    async def _require(self, record: TensorRecord) -> None:
        """Raise `TensorNotFound` for a tensor that was deleted meanwhile, `TensorReplaced` for one with others."""
        found = await self._find(record.id)
        if found is None:
            raise TensorNotFound.of(record.id)
        if (found.type, found.blob, found.data) != (record.type, record.blob, record.data):
            raise TensorReplaced.of(record.id)

    async def free_device(self) -> bool:
        """Take idle tensors from the device: its memory is short. Whether there was one."""
        return await self._residency.make_room()

    def unpin(self, resident: Resident) -> None:
        """Undo one `pin`."""
        self._residency.unpin(resident)

    @contextlib.asynccontextmanager
    async def elements(self, record: TensorRecord) -> AsyncIterator[memoryview]:
        """The elements in wire form, while the block lasts. Raises as `pin`."""
        if record.data is not None:
            yield memoryview(record.data)
        elif record.blob is not None:
            async with self._standing(record):
                mapped = await asyncio.to_thread(self._blobs.map, record.blob, record.nbytes)
            yield memoryview(mapped)
        else:
            resident = await self.pin(record)
            try:
                with await self._device.download(resident.handle) as shared:
                    yield shared.view
            finally:
                self.unpin(resident)

    async def _collect(self, digests: Sequence[str]) -> None:
        """Remove blobs that no tensor refers to any more."""
        for digest in digests:
            with self._blobs.removal(digest) as remove:
                if not await self._database.do(partial(records.is_used, digest=digest)):
                    await asyncio.to_thread(remove)

    def _remember(self, record: TensorRecord) -> None:
        self._cache[record.id] = record
        self._cache.move_to_end(record.id)
        if len(self._cache) > CACHED:
            self._cache.popitem(last=False)


async def _pour(view: memoryview, sink: Sink) -> None:
    for start in range(0, len(view), PIECE):
        await sink.write(bytes(view[start : start + PIECE]))
    await sink.finish()
