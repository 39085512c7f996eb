"""Kernels that take the device with them: the error, the quarantine, and what a neighbour sees of it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.errors import KernelQuarantined
from api.kernels.quarantine import Quarantine
from api.storage.database import Database
from host.errors import KernelHung
from shaders.reflect import reflect
from tests.host.devices import cpu_seconds

TURNING = (
    "@group(0) @binding(0) var<storage, read> turns: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
    "  var x = g.x;\n"
    "  for (var i = 0u; i < turns[0]; i++) {\n" + "    x = (x ^ (x >> 3u)) * 1664525u + i;\n" * 300 + "  }\n"
    "  b[g.x % 256u] = x;\n}\n"
)
LONG, SHORT = 60_000, 1
NEIGHBOUR = (
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n"
    "  if (g.x < arrayLength(&b)) { b[g.x] = a[g.x] * 3u; }\n}\n"
)


def add(http: httpx2.Client, name: str, source: str) -> httpx2.Response:
    return http.post("/api/kernels", json={"name": name, "source": source})


def tensor(*numbers: int) -> dict[str, Any]:
    return {"$tensor": {"shape": [len(numbers)], "dtype": "u32", "data": list(numbers)}}


def turning(http: httpx2.Client, turns: int, groups: int = 1) -> httpx2.Response:
    inputs = {"turns": tensor(turns), "b": {"shape": [256], "dtype": "u32"}}
    return http.post("/api/kernels/turning/dispatch", json={"inputs": inputs, "workgroups": [groups]})


def neighbour(http: httpx2.Client) -> list[int]:
    inputs = {"a": tensor(1, 2, 3), "b": {"shape": [3], "dtype": "u32"}}
    answer = http.post("/api/kernels/neighbour/dispatch", json={"inputs": inputs})
    found: list[int] = answer.raise_for_status().json()["outputs"]["b"]["$tensor"]["data"]
    return found


class Neighbour(threading.Thread):
    """Someone who dispatches all the time and keeps what came back."""

    def __init__(self, http: httpx2.Client) -> None:
        super().__init__()
        self.found: list[list[int]] = []
        self._http = http
        self._over = threading.Event()
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._over.is_set():
                self.found.append(neighbour(self._http))
        except BaseException as error:
            self._error = error

    def stop(self) -> None:
        self._over.set()
        self.join(60)
        if self._error is not None:
            raise self._error


def test_a_kernel_that_hangs_the_device_is_in_quarantine_until_an_admin_lifts_it(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    settings = {"data": tmp_path / "data", "adapter": "cpu", "watchdog_s": 0.3, "spare": True}
    settings["heavy_compile_ms"] = 1000  # a busy machine compiles slowly, which is no hang
    with start(**settings) as running:
        http, owner, other = running.http, running.client_for("owner"), running.client_for("other")
        digest = add(owner, "turning", TURNING).raise_for_status().json()["fingerprint"]
        add(other, "neighbour", NEIGHBOUR).raise_for_status()
        beside = Neighbour(other)
        beside.start()
        turning(owner, SHORT).raise_for_status()
        hung = turning(owner, LONG)
        beside.stop()
        assert (hung.status_code, hung.json()["code"]) == (422, "kernel_hung")
        assert "quarantine" in hung.json()["hint"]
        assert beside.found
        assert all(found == [3, 6, 9] for found in beside.found)
        assert neighbour(other) == [3, 6, 9]

        disguised = re.sub(r"\bx\b", "another", TURNING) + "// a comment\n"
        for refused in (
            turning(owner, SHORT),
            add(owner, "again", TURNING),
            add(owner, "disguised", disguised),
        ):
            assert (refused.status_code, refused.json()["code"]) == (403, "kernel_quarantined")
            assert "did not yield" in refused.json()["detail"]
        add(other, "turning", TURNING).raise_for_status()
        assert turning(other, SHORT).status_code == 200
        seen = owner.get("/api/kernels/turning").json()["quarantine"]
        assert (seen["reason"], seen["owner"], seen["name"]) == ("hang", "owner", "turning")
        assert owner.get("/api/quarantine").json()["code"] == "admin_only"
        assert owner.delete(f"/api/quarantine/{digest}").json()["code"] == "admin_only"
        count = re.search(r'^udf_quarantined_total\{reason="hang"\} (.*)$', http.get("/metrics").text, re.M)
        assert count is not None
        assert float(count[1]) == 1

    with start(**settings) as running:
        http = running.http
        assert [entry["fingerprint"] for entry in http.get("/api/quarantine").json()["quarantine"]] == [
            digest
        ]
        assert http.post("/api/kernels/owner/turning/dispatch", json={}).json()["code"] == "binding_mismatch"
        assert http.delete(f"/api/quarantine/{digest}").status_code == 204
        assert http.delete(f"/api/quarantine/{digest}").json()["code"] == "quarantine_not_found"
        assert http.get("/api/quarantine").json() == {"quarantine": []}
        assert add(http, "turning", TURNING).json()["fingerprint"] == digest
        assert turning(http, SHORT).status_code == 200


def played(folder: Path, scenario: Callable[[Quarantine], Coroutine[Any, Any, None]]) -> None:
    """Play a scenario with an empty quarantine."""
    database = Database(folder / "db")

    async def main() -> None:
        await database.start()
        await scenario(Quarantine(database))

    try:
        asyncio.run(main())
    finally:
        database.close()


def test_who_breaks_the_device_with_another_s_kernel_takes_it_from_himself_until_a_second_does_too(
    tmp_path: Path,
) -> None:
    broken = reflect(TURNING).fingerprint

    async def scenario(quarantine: Quarantine) -> None:
        await quarantine.add(broken, "stranger", "turning", KernelHung("did not yield"))
        with pytest.raises(KernelQuarantined):
            quarantine.check(broken, "stranger")
        quarantine.check(broken, "owner")
        assert quarantine.find(broken, ["owner"]) is None
        await quarantine.add(broken, "another", "mine", KernelHung("did not yield"))
        await quarantine.start()
        with pytest.raises(KernelQuarantined, match="did not yield"):
            quarantine.check(broken, "owner")
        seen = quarantine.find(broken, ["owner"])
        assert seen is not None
        assert (seen.owner, seen.name) == ("", "")
        await quarantine.lift(broken)
        quarantine.check(broken, "stranger")
        assert quarantine.page() == []

    played(tmp_path, scenario)


def test_an_owner_whose_kernel_broke_the_device_with_three_sets_of_literals_gets_no_fourth(
    tmp_path: Path,
) -> None:
    kernels = [reflect(TURNING.replace("1664525u", f"{number}u")).fingerprint for number in range(5)]
    other = reflect(NEIGHBOUR).fingerprint

    async def scenario(quarantine: Quarantine) -> None:
        for broken in kernels[:3]:
            quarantine.check(kernels[3], "owner")
            await quarantine.add(broken, "owner", "turning", KernelHung("did not yield"))
        with pytest.raises(KernelQuarantined, match="differ from this one in literals only"):
            quarantine.check(kernels[3], "owner")
        quarantine.check(kernels[3], "somebody")
        quarantine.check(other, "owner")
        await quarantine.lift(kernels[0])
        quarantine.check(kernels[3], "owner")

    played(tmp_path, scenario)


def test_a_kernel_that_crashes_the_device_is_told_apart_from_one_that_hangs(
    start: Callable[..., Any], wait_until: Any
) -> None:
    with start(adapter="cpu") as running:
        http, device = running.http, running.server.runtime.device
        add(http, "turning", TURNING).raise_for_status()
        turning(http, SHORT).raise_for_status()
        answers: list[httpx2.Response] = []
        long = threading.Thread(target=lambda: answers.append(turning(http, 500, 1 << 20)))
        used = cpu_seconds(device.pid)
        long.start()
        wait_until(lambda: cpu_seconds(device.pid) > used + 0.3, "the dispatch runs")
        os.kill(device.pid, signal.SIGSEGV)
        long.join(60)
        assert answers[0].json()["code"] == "kernel_crash", answers[0].text
        assert "SIGSEGV" in answers[0].json()["detail"]
        (entry,) = http.get("/api/quarantine").json()["quarantine"]
        assert entry["reason"] == "crash"


@pytest.mark.parametrize("heavy_ms", [1.0, 60_000.0])
def test_a_kernel_that_takes_long_to_compile_runs_in_a_process_of_its_own_with_the_same_numbers(
    start: Callable[..., Any], heavy_ms: float
) -> None:
    with start(adapter="cpu", heavy_compile_ms=heavy_ms) as running:
        http, runtime = running.http, running.server.runtime
        add(http, "neighbour", NEIGHBOUR).raise_for_status()
        took = http.get("/api/kernels/neighbour").json()["compile_ms"]
        assert 1 < took < 60_000
        assert neighbour(http) == [3, 6, 9]
        assert (runtime.lane.device is not None) == (heavy_ms < took)
        inputs = {"a": tensor(5), "b": {"shape": [1], "dtype": "u32"}}
        answer = http.post("/api/kernels/neighbour/dispatch", json={"inputs": inputs}).json()
        assert answer["outputs"]["b"]["$tensor"]["data"] == [15]
        assert answer["usage"]["device_ms"] > 0
        assert answer["usage"]["dispatches"] == 1
