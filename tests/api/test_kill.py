"""`kill -9` of the server at any moment: what it acknowledged is there at the next start, and no process is left."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.processes import descendants_of, serve

RAW = {"Content-Type": "application/octet-stream"}
WAIT = {"Prefer": "wait=60"}
KERNEL = """
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ numbers[id.x] = {}u; }}
"""
LIVE = {"queued", "running"}


@pytest.fixture(autouse=True)
def _database(
    new_database: Callable[[Path], str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(tmp_path)
    if url is not None:
        monkeypatch.setenv("KERNELGATE_DATABASE_URL", url)


class Work:
    """What clients do at the same time, and what the server acknowledged of it: an address, and what is there."""

    def __init__(self, http: httpx2.Client, known: dict[str, bytes], seed: int) -> None:
        self.known = known
        self.count = 0
        self._http = http
        self._seed = seed
        self._threads = [threading.Thread(target=self._repeat, args=(job,)) for job in self._jobs()]

    def _jobs(self) -> list[Callable[[int], None]]:
        return [self._script, self._kernel, self._upload, self._mark, self._run]

    def __enter__(self) -> Work:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _repeat(self, job: Callable[[int], None]) -> None:
        with contextlib.suppress(httpx2.TransportError):  # until the server is killed
            for number in range(self._seed * 10_000, (self._seed + 1) * 10_000):
                job(number)
                self.count += 1

    def _script(self, number: int) -> None:
        source = f"def main(): return {number}"
        made = self._post("/api/scripts", json={"name": f"s{number}", "source": source})
        assert made.status_code == 201
        self._keep(f"/api/scripts/s{number}", source.encode())
        self._keep(f"/api/audit?request_id={made.headers['x-request-id']}", b'"outcome":"done"')

    def _kernel(self, number: int) -> None:
        source = KERNEL.format(number)
        assert self._post("/api/kernels", json={"name": f"k{number}", "source": source}).status_code == 201
        self._keep(f"/api/kernels/k{number}", source.split()[-2].encode())

    def _upload(self, number: int) -> None:
        body = number.to_bytes(4, "little") * (10 if number % 2 else 10_000)
        made = self._post(f"/api/tensors?dtype=u32&shape={len(body) // 4}", content=body, headers=RAW)
        self._keep(f"/api/tensors/{made.json()['id']}/data?format=raw", body)

    def _mark(self, number: int) -> None:
        given = {"$tensor": {"shape": [2], "dtype": "f32", "data": [number, 1]}}
        output = self._post("/api/ops/neg", json={"inputs": [given]}).json()["output"]["$tensor"]["id"]
        marked = self._http.patch(f"/api/tensors/{output}", json={"persist": True})
        assert marked.json()["stored"] is True
        self._keep(f"/api/tensors/{output}", b'"persist":true')

    def _run(self, number: int) -> None:
        done = self._post("/api/runs", json={"script": f"print('x' * 1000)\nresult = {number}"}, headers=WAIT)
        assert done.json()["status"] == "succeeded", done.text
        self._keep(f"/api/runs/{done.json()['id']}", done.content)

    def _post(self, path: str, **more: Any) -> httpx2.Response:
        return self._http.post(path, **more)

    def _keep(self, path: str, content: bytes) -> None:
        self.known[path] = content


def check(http: httpx2.Client, data: Path, known: dict[str, bytes]) -> None:
    """All that is known is there, and nothing is left half done."""
    missing = [path for path, content in known.items() if content not in http.get(path).content]
    assert not missing
    assert not LIVE & {run["status"] for run in http.get("/api/runs?limit=200").json()["runs"]}
    assert not list((data / "blobs" / "new").iterdir())


def kill_often(data: Path, wait_until: Any, times: int, most: int) -> None:
    """Start the server `times` times, and kill it each time after up to `most` acknowledgements."""
    points = random.Random(5)
    known: dict[str, bytes] = {}
    for number in range(times):
        with serve(data) as (process, http):
            check(http, data, known)
            with Work(http, known, number) as work:
                goal = points.randint(0, most)
                wait_until(lambda work=work, goal=goal: work.count >= goal, "there is work done")
                below = descendants_of(process.pid)
                process.kill()
                process.wait(60)
            wait_until(lambda below=below: not any(map(alive, below)), "its processes end")
    with serve(data) as (_, http):
        check(http, data, known)
    assert len(known) > times


def alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def test_what_was_acknowledged_is_there_after_kill_9(tmp_path: Path, wait_until: Any) -> None:
    kill_often(tmp_path, wait_until, times=3, most=40)


@pytest.mark.full
def test_what_was_acknowledged_is_there_after_kill_9_at_many_points(tmp_path: Path, wait_until: Any) -> None:
    kill_often(tmp_path, wait_until, times=20, most=100)


@pytest.mark.parametrize("entry", ["lock", "kernelgate.db", "admin.key"])
def test_a_first_start_that_is_killed_half_way_is_followed_by_a_whole_one(
    tmp_path: Path, wait_until: Any, entry: str
) -> None:
    command = [sys.executable, "-m", "kernelgate", "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen([*command, "--adapter", "null"], stdout=subprocess.DEVNULL) as process:
        appears = "blobs" if entry == "kernelgate.db" and "KERNELGATE_DATABASE_URL" in os.environ else entry
        wait_until(lambda: (tmp_path / appears).exists(), f"{appears} appears")
        below = descendants_of(process.pid)
        process.kill()
    wait_until(lambda: not any(map(alive, below)), "its processes end")
    with serve(tmp_path) as (_, http):
        assert http.get("/api/device").status_code == 200
