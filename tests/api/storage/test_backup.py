"""`backup.py` and `restore.py`: all that is stored, from either database into either, while the server runs."""

from __future__ import annotations

import io
import json
import stat
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.errors import BackupInvalid, StorageError, StorageFull
from api.settings import Settings
from api.storage import backup, folder
from api.storage.backup import back_up
from api.storage.database import Database, migrate
from api.storage.dialects import dialect_of
from api.storage.restore import restore

WAIT = {"Prefer": "wait=60"}
RAW = {"Content-Type": "application/octet-stream"}
KERNEL = """
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { numbers[id.x] = 1u; }
"""


def store_some(running: Any) -> dict[str, Any]:
    """One of everything; what the server says of each, by address."""
    http = running.http
    script = "def main():\n    print('nul \\0 and \\x1a')\n    return [1.5, None, 'é']"
    run = http.post("/api/runs", json={"script": script}, headers=WAIT).json()
    assert run["status"] == "succeeded", run
    assert (
        http.post("/api/scripts", json={"name": "kept", "source": "def main(): return 1"}).status_code == 201
    )
    assert http.post("/api/kernels", json={"name": "kept", "source": KERNEL}).status_code == 201
    small = http.post("/api/tensors", json={"shape": [2], "dtype": "bool", "data": [True, False]}).json()[
        "id"
    ]
    large = http.post(
        "/api/tensors?dtype=f32&shape=10000", content=bytes(range(100)) * 400, headers=RAW
    ).json()["id"]
    paths = [
        f"/api/runs/{run['id']}", f"/api/runs/{run['id']}/events", "/api/scripts/kept", "/api/kernels/kept",
        f"/api/tensors/{small}", f"/api/tensors/{small}/data", f"/api/tensors/{large}/data?format=raw",
    ]  # fmt: skip
    return {path: http.get(path).content for path in paths}


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_what_a_running_server_has_is_restored_into_another(
    start: Callable[..., Any], tmp_path: Path, into: str, request: pytest.FixtureRequest
) -> None:
    with start(workers=1) as running:
        before = store_some(running)
        made = back_up(running.settings, tmp_path / "backup")
        key = running.key
        running.http.delete("/api/scripts/kept")
    assert (made.blobs, made.missing, made.tables["runs"]) == (1, [], 1)
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]
    url = request.getfixturevalue("postgres").database() if into == "postgresql" else None
    settings = Settings(data=tmp_path / "restored", database_url=url)
    assert restore(settings, tmp_path / "backup") == made
    with start(workers=1, data=settings.data, database_url=url) as running:
        assert running.key == key
        assert {path: running.http.get(path).content for path in before} == before
        assert running.http.patch(next(iter(before)).replace("runs", "tensors"), json={}).status_code == 422
        assert not (settings.data / "tables").exists()


def test_a_backup_made_while_tensors_come_and_go_is_consistent(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    with start(workers=1) as running:
        stop = threading.Event()
        client = running.client_for("busy")

        def work() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                body = number.to_bytes(4, "little") * 10_000
                made = client.post("/api/tensors?dtype=f32&shape=10000", content=body, headers=RAW).json()
                client.delete(f"/api/tensors/{made['id']}")

        worker = threading.Thread(target=work)
        worker.start()
        try:
            backups = [back_up(running.settings, tmp_path / str(number)) for number in range(5)]
        finally:
            stop.set()
            worker.join(60)
        assert [made.missing for made in backups] == [[]] * 5
        assert not [
            path
            for path in (running.settings.data / "blobs" / "new").iterdir()
            if path.name.startswith("backup")
        ]
    for number in range(5):
        restore(Settings(data=tmp_path / f"restored{number}"), tmp_path / str(number))


def test_what_is_deleted_while_it_is_written_is_in_a_backup_all_the_same(
    start: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(workers=1) as running:
        http, honest = running.http, backup._dump
        url = "/api/tensors?dtype=f32&shape=10000"
        contents = [number.to_bytes(4, "little") * 10_000 for number in range(2 * backup.TRIES)]
        left = [http.post(url, content=content, headers=RAW).json()["id"] for content in contents]

        def dump(*given: Any) -> Any:
            assert http.delete(f"/api/tensors/{left.pop()}").status_code == 204
            return honest(*given)

        monkeypatch.setattr(backup, "_dump", dump)
        made = back_up(running.settings, tmp_path / "backup")
        assert (made.blobs, made.missing) == (len(contents), [])
        assert not list((running.settings.data / "blobs" / "new").iterdir())
    restore(Settings(data=tmp_path / "restored"), tmp_path / "backup")


def test_an_older_data_folder_is_backed_up_and_comes_up_to_date_when_it_is_restored(
    tmp_path: Path, new_database: Callable[[Path], str | None]
) -> None:
    old = Settings(data=tmp_path / "old", database_url=new_database(tmp_path / "old"))
    old.data.mkdir()
    (old.data / "blobs" / "new").mkdir(parents=True)
    dialect = dialect_of(old.database)
    engine = dialect.engine()
    with engine.connect() as db:
        migrate(db, dialect, "0003")
        with db.begin():
            db.exec_driver_sql("INSERT INTO scripts VALUES ('o', 'n', 'h', 'text', 'then')")
    engine.dispose()
    assert back_up(old, tmp_path / "backup").revision == "0003"
    new = Settings(data=tmp_path / "new", database_url=new_database(tmp_path / "new"))
    restore(new, tmp_path / "backup")
    database = Database(new.database)
    database.open()
    assert database.run(lambda db: db.exec_driver_sql("SELECT source FROM scripts").scalar()) == "text"
    database.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, start: Callable[..., Any]) -> Path:
    """A backup with a blob."""
    path = tmp_path_factory.mktemp("backup") / "backup"
    with start(workers=1) as running:
        store_some(running)
        back_up(running.settings, path)
    return path


def rewritten(path: Path, to: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
    """A backup whose entries are what `change` makes of them."""
    with tarfile.open(path) as old, tarfile.open(to, "w") as new:
        for member in old:
            kept = change(member.name, old.extractfile(member).read())  # type: ignore[union-attr]
            if kept is not None:
                info = tarfile.TarInfo(kept[0])
                info.size = len(kept[1])
                new.addfile(info, io.BytesIO(kept[1]))
    return to


def manifest_with(**values: Any) -> Callable[[str, bytes], tuple[str, bytes]]:
    def change(name: str, data: bytes) -> tuple[str, bytes]:
        return name, json.dumps({**json.loads(data), **values}).encode() if name == "backup.json" else data

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda name, data: (name, data[:-1] + b"!") if name.startswith("blobs/") else (name, data), "is damaged"),
        (lambda name, data: None if name.startswith("blobs/") else (name, data), "not whole"),
        (lambda name, data: None if name == "tables/runs" else (name, data), "not whole"),
        (lambda name, data: (name, data[:-3]) if name == "tables/runs" else (name, data), "is damaged"),
        (lambda name, data: (name, b"") if name == "tables/runs" else (name, data), "not whole"),
        (lambda name, data: ("../../evil" if name.startswith("keys/") else name, data), "which no backup has"),
        (lambda name, data: ("/etc/evil" if name.startswith("keys/") else name, data), "which no backup has"),
        (lambda name, data: ("tables/evil" if name == "tables/runs" else name, data), "not whole"),
        (manifest_with(format=2), "reads form 1"),
        (manifest_with(revision="9999"), "newer Kernelgate"),
        (manifest_with(revision="0001"), "tables that it cannot have"),
        (manifest_with(tables=[]), "description is damaged"),
        (lambda name, data: None if name == "backup.json" else (name, data), "no backup of Kernelgate's"),
    ],
)  # fmt: skip
def test_a_damaged_backup_is_refused_and_leaves_nothing(
    made: Path, tmp_path: Path, change: Callable[[str, bytes], tuple[str, bytes] | None], says: str
) -> None:
    settings = Settings(data=tmp_path / "restored")
    with pytest.raises((BackupInvalid, StorageError), match=says):
        restore(settings, rewritten(made, tmp_path / "changed", change))
    assert [path.name for path in settings.data.iterdir()] == ["lock"]
    assert not (tmp_path.parent / "evil").exists()
    restore(settings, made)


@pytest.mark.parametrize("size", [0, 100, 10_240, 40_000])
def test_a_file_that_is_cut_short_is_refused(made: Path, tmp_path: Path, size: int) -> None:
    cut = tmp_path / "cut"
    cut.write_bytes(made.read_bytes()[:size])
    with pytest.raises(BackupInvalid):
        restore(Settings(data=tmp_path / "restored"), cut)


def test_nothing_is_written_over(made: Path, tmp_path: Path, start: Callable[..., Any]) -> None:
    with start(workers=1) as running:
        with pytest.raises(BackupInvalid, match="there is no folder /nowhere"):
            back_up(running.settings, Path("/nowhere/backup"))
        with pytest.raises(BackupInvalid, match="exists"):
            back_up(running.settings, made)
        with pytest.raises(StorageError, match="is not empty"):
            restore(running.settings, made)
        if running.settings.database_url is not None:
            other = Settings(data=tmp_path / "other", database_url=running.settings.database_url)
            with pytest.raises(StorageError, match="the database is not empty"):
                restore(other, made)
        assert running.http.get("/api/runs").json()["runs"] == []


def test_a_server_does_not_start_on_half_a_restoration(made: Path, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "restored")
    restore(settings, made)
    (settings.data / folder.RESTORING).touch()
    with pytest.raises(StorageError, match="was interrupted"):
        folder.take(settings.data)


def test_a_blob_that_is_missing_does_not_prevent_a_backup(start: Callable[..., Any], tmp_path: Path) -> None:
    with start(workers=1) as running:
        store_some(running)
        (blob,) = [path for path in (running.settings.data / "blobs").iterdir() if path.is_file()]
        blob.unlink()
        made = back_up(running.settings, tmp_path / "backup")
    assert (made.blobs, made.missing) == (0, [blob.name])
    restore(Settings(data=tmp_path / "restored"), tmp_path / "backup")


def test_where_there_is_nothing_there_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no database"):
        back_up(Settings(data=tmp_path / "nowhere"), tmp_path / "backup")
    assert not (tmp_path / "nowhere").exists()


def test_a_backup_that_fails_leaves_nothing(
    start: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageFull("full")

    with start(workers=1) as running:
        store_some(running)
        monkeypatch.setattr(backup, "write_row", full)
        with pytest.raises(StorageFull):
            back_up(running.settings, tmp_path / "backup")
        monkeypatch.undo()
        assert list(tmp_path.iterdir()) == []
        assert back_up(running.settings, tmp_path / "backup").blobs == 1
