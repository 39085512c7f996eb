"""`api/storage/blobs.py`: written whole or not at all, named by what they hold."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from api.errors import BlobCorrupt, StorageError
from api.storage import blobs
from api.storage.blobs import BlobStore

DATA = os.urandom(5 << 20)
DIGEST = hashlib.sha256(DATA).hexdigest()


def with_store(folder: Path, scenario: Callable[[BlobStore], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        store = BlobStore(folder)
        store.open_folder()
        try:
            return await scenario(store)
        finally:
            store.close()

    return asyncio.run(run())


async def put(store: BlobStore, data: bytes, piece: int = 100_000) -> str:
    async with store.writer() as writer:
        for start in range(0, len(data), piece):
            await writer.write(data[start : start + piece])
        return await writer.finish()


def remove(store: BlobStore, digest: str) -> None:
    with store.removal(digest) as gone:
        gone()


def test_a_blob_is_named_by_the_hash_of_its_content_and_read_back(tmp_path: Path) -> None:
    async def scenario(store: BlobStore) -> None:
        assert await put(store, DATA) == DIGEST
        assert await put(store, DATA, 1 << 22) == DIGEST
        assert bytes(store.map(DIGEST, len(DATA))) == DATA
        assert sorted(path.name for path in store.folder.iterdir()) == sorted([DIGEST, "new"])

    with_store(tmp_path, scenario)


def test_a_writer_that_does_not_finish_leaves_nothing(tmp_path: Path) -> None:
    async def scenario(store: BlobStore) -> None:
        async with store.writer() as writer:
            await writer.write(DATA)
        assert list((store.folder / "new").iterdir()) == []

    with_store(tmp_path, scenario)


def test_what_a_crash_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "half").write_bytes(b"x")
    with_store(tmp_path, put_nothing)
    assert list((tmp_path / "new").iterdir()) == []


async def put_nothing(_: BlobStore) -> None:
    """Nothing."""


def test_a_blob_that_is_missing_or_cut_short_is_a_clear_error(tmp_path: Path) -> None:
    async def scenario(store: BlobStore) -> None:
        await put(store, DATA)
        store.path(DIGEST).write_bytes(DATA[:100])
        with pytest.raises(BlobCorrupt, match="has 100 bytes instead of"):
            store.open(DIGEST, len(DATA))
        await put(store, DATA)
        assert bytes(store.map(DIGEST, len(DATA))) == DATA, "storing it again repairs it"
        remove(store, DIGEST)
        remove(store, DIGEST)
        with pytest.raises(BlobCorrupt, match="missing"):
            store.open(DIGEST, len(DATA))

    with_store(tmp_path, scenario)


def test_a_blob_whose_content_changed_is_an_error_until_it_is_stored_again(tmp_path: Path) -> None:
    async def scenario(store: BlobStore) -> None:
        await put(store, DATA)
        os.close(store.open(DIGEST, len(DATA)))
        with store.path(DIGEST).open("r+b") as file:
            file.seek(len(DATA) // 2)
            file.write(bytes(8))
        for _ in range(2):
            with pytest.raises(BlobCorrupt, match="has the content of"):
                store.map(DIGEST, len(DATA))
        await put(store, DATA)
        assert bytes(store.map(DIGEST, len(DATA))) == DATA

    with_store(tmp_path, scenario)


def test_a_blob_is_hashed_at_the_first_reading_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(store: BlobStore) -> None:
        await put(store, DATA)
        assert bytes(store.map(DIGEST, len(DATA))) == DATA
        monkeypatch.delattr(blobs.hashlib, "file_digest")
        assert bytes(store.map(DIGEST, len(DATA))) == DATA

    with_store(tmp_path, scenario)


def test_a_blob_that_is_about_to_be_recorded_is_not_removed(tmp_path: Path) -> None:
    async def scenario(store: BlobStore) -> None:
        async with store.writer() as writer:
            await writer.write(DATA)
            digest = await writer.finish()
            remove(store, digest)
            assert store.path(digest).exists()
        remove(store, digest)
        assert not store.path(digest).exists()

    with_store(tmp_path, scenario)


def test_a_blob_that_is_stored_again_while_it_is_asked_who_needs_it_stays(tmp_path: Path) -> None:
    """Who answered did not know of the new record; it was there, and nobody held the blob, when it was to go."""

    async def scenario(store: BlobStore) -> None:
        digest = await put(store, DATA)
        with store.removal(digest) as gone:
            assert await put(store, DATA) == digest
            gone()
        assert store.is_sound(digest, len(DATA))
        remove(store, digest)
        assert not store.digests()

    with_store(tmp_path, scenario)


@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_a_full_disk_is_a_clear_error_and_leaves_nothing(
    tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def scenario(store: BlobStore) -> None:
        monkeypatch.setattr(blobs.os, call, full)
        with pytest.raises(StorageError, match="is full"):
            await put(store, DATA)
        monkeypatch.undo()
        assert list((store.folder / "new").iterdir()) == []
        assert not store.path(DIGEST).exists()

    with_store(tmp_path, scenario)
