"""`api/storage/reserve.py`, and a server on a full disk: deleting works, nothing is lost, and it recovers by itself."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.errors import StorageFull
from api.storage.reserve import Reserve

MIB = 1 << 20
RAW = {"Content-Type": "application/octet-stream"}


def test_a_reserve_takes_its_room_and_gives_it_up_once(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path / "reserve", MIB)
    reserve.fill()
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= MIB
    reserve.require()
    assert reserve.spend()
    assert not reserve.spend()
    reserve.require()
    assert (tmp_path / "reserve").stat().st_size == MIB, "there was room, so it was taken again"


def test_while_a_reserve_cannot_be_filled_nothing_may_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    reserve = Reserve(tmp_path / "reserve", MIB)
    monkeypatch.setattr(os, "posix_fallocate", full)
    reserve.fill()
    assert list(tmp_path.iterdir()) == [], "half a reserve is none"
    with pytest.raises(StorageFull):
        reserve.require()
    monkeypatch.undo()
    reserve.require()


def test_a_reserve_becomes_smaller_when_its_size_does(tmp_path: Path) -> None:
    for nbytes in (MIB, 1000, 0):
        Reserve(tmp_path / "reserve", nbytes).fill()
        assert (tmp_path / "reserve").stat().st_size == nbytes


# ---------------------------------------------------------------------- a server on a small disk
@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MiB."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


def fill(disk: Path) -> None:
    """Leave no byte."""
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        for piece in (MIB, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(bytes(piece))


def upload(http: httpx2.Client, mark: int) -> httpx2.Response:
    return http.post(
        "/api/tensors?dtype=bool&shape=2000000",
        content=bytes([0] * mark + [1] * (2_000_000 - mark)),
        headers=RAW,
    )


def test_on_a_full_disk_writes_are_refused_deletes_work_and_the_server_recovers(
    start: Callable[..., Any], disk: Path, wait_until: Any
) -> None:
    script = {"name": "large", "source": f"def main(): return 1\n# {'x' * 1_000_000}"}
    with start(data=disk / "data", reserve_bytes=4 * MIB, workers=1) as running:
        http = running.http
        kept = [upload(http, mark).json()["id"] for mark in (1, 2)]
        assert (
            http.post("/api/scripts", json={"name": "kept", "source": "def main(): return 1"}).status_code
            == 201
        )
        run = {
            "script": "def main():\n    print('x' * 1_000_000)\n    return 2",
            "limits": {"output_bytes": 2 * MIB},
        }
        fill(disk)
        for refused in (upload(http, 3), http.post("/api/scripts", json=script)):
            assert (refused.status_code, refused.json()["code"]) == (507, "storage_full"), refused.text
        accepted = http.post("/api/runs", json=run, headers={"Prefer": "wait=60"}).json()
        assert accepted.get("result", 2) == 2, "a run that is taken has its result"
        assert http.delete(f"/api/tensors/{kept[0]}").status_code == 204
        assert http.get(f"/api/tensors/{kept[0]}").status_code == 404
        assert http.get("/healthz").status_code == 200
        (disk / "ballast").unlink()
        assert upload(http, 3).status_code == 201
        assert http.post("/api/scripts", json=script).status_code == 201
        wait_until(lambda: not running.server.runtime.runs._live._unstored, "the end of the run is stored")
        assert (disk / "data" / "reserve").stat().st_size == 4 * MIB
    with start(data=disk / "data", reserve_bytes=4 * MIB, workers=1) as running:
        http = running.http
        assert http.get(f"/api/tensors/{kept[1]}/data?format=raw").content[:3] == b"\0\0\1"
        assert http.get("/api/scripts/kept").status_code == 200
        if "id" in accepted:
            assert http.get(f"/api/runs/{accepted['id']}").json() == accepted


def test_a_disk_that_the_database_itself_filled_takes_new_things_when_old_ones_are_deleted(
    start: Callable[..., Any], disk: Path
) -> None:
    def store(number: int) -> int:
        source = f"def main(): return {number}\n# {'x' * 1_000_000}"
        return int(http.post("/api/scripts", json={"name": f"large_{number}", "source": source}).status_code)

    with start(data=disk / "data", reserve_bytes=8 * MIB, workers=1) as running:
        http = running.http
        answers = [store(number) for number in range(24)]
        stored = answers.index(507)
        assert set(answers[stored:]) == {507}
        for number in range(stored):
            assert http.delete(f"/api/scripts/large_{number}").status_code == 204
        assert store(0) == 201


def test_a_server_starts_on_a_full_disk(start: Callable[..., Any], disk: Path) -> None:
    with start(data=disk / "data", reserve_bytes=4 * MIB, workers=1) as running:
        kept = upload(running.http, 1).json()["id"]
    fill(disk)
    with start(data=disk / "data", reserve_bytes=4 * MIB, workers=1) as running:
        assert running.http.get(f"/api/tensors/{kept}").status_code == 200
        assert running.http.delete(f"/api/tensors/{kept}").status_code == 204
