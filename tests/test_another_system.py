"""The whole stack on a system that is not Linux, played by this one (`another_system.py`)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import numpy as np
import pytest

from kernelgate import ApiError, Client
from kernelgate.local import LocalServer
from tests import another_system

REASON = "seccomp: this system is not Linux"
BUSY = "print('here')\nwhile True: pass"
PATIENCE_S = 60
WORKERS = 2
AT_REST = 3 + WORKERS
"""The processes below a server that does nothing: device, compiler, zygote, and the workers that wait."""


def elsewhere(folder: Path, weak: bool) -> LocalServer:
    settings = {
        "KERNELGATE_ADAPTER": "numpy",
        "KERNELGATE_ALLOW_WEAK_SANDBOX": str(weak).lower(),
        "KERNELGATE_WORKERS": str(WORKERS),
    }
    return LocalServer(folder / "data", settings=settings, start_s=300)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The other system's Python, which `LocalServer` uses."""
    with pytest.MonkeyPatch.context() as patch:
        python = another_system.interpreter(tmp_path_factory.mktemp("python"))
        patch.setattr("sys.executable", python)
        yield python


@pytest.fixture(scope="module")
def weak(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server with `--allow-weak-sandbox`."""
    with elsewhere(tmp_path_factory.mktemp("weak"), True) as server:
        yield server


@pytest.fixture
def client(weak: LocalServer) -> Iterator[Client]:
    with weak.client() as connected:
        yield connected


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def below(pid: int) -> set[int]:
    """The living processes below process `pid`."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may end while we look
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(stat.parent.name)] = int(parent)
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        found |= new
    return found


def test_scripts_are_refused_and_the_level_is_told_with_its_reason(python: str, tmp_path: Path) -> None:
    with elsewhere(tmp_path, False) as server, server.client() as client:
        sandbox = httpx2.get(f"{server.url}/healthz", timeout=60).json()["sandbox"]
        assert (sandbox["level"], sandbox["scripts"]) == ("process", False)
        assert sandbox["reason"].startswith(REASON)
        with pytest.raises(ApiError) as refusal:
            client.run("result = 1")
        assert refusal.value.code == "sandbox_weak"
        log = server.log.read_text()
    assert f"made at level process ({REASON}" in log
    assert "scripts are refused" in log


def test_a_script_runs_where_the_owner_allows_it_and_its_run_names_the_level(client: Client) -> None:
    run = client.run("def main(n):\n    print('here')\n    return sum(range(n))", {"n": 300_000})
    assert (run.status, run.result, run.stdout) == ("succeeded", 44_999_850_000, "here\n")
    record = client.request("GET", f"/api/runs/{run.id}").json()
    assert record["level"] == "process"
    assert record["level_reason"].startswith(REASON)
    assert run.usage["cpu_ms"] > 0


def test_a_run_ends_at_its_time_limit_with_its_use_and_its_worker_is_gone(
    weak: LocalServer, client: Client
) -> None:
    run = client.run("import time\nsum(range(10**6))\ntime.sleep(60)", limits={"wall_s": 1}, check=False)
    assert (run.status, run.error.code) == ("timed_out", "wall_limit")
    assert "it used 0.00 s" not in str(run.error)
    until(lambda: len(below(weak.pid)) == AT_REST)


def test_a_busy_loop_ends_at_its_processor_limit_by_the_kernel(client: Client) -> None:
    run = client.run("while True: pass", limits={"cpu_s": 1, "wall_s": 30}, check=False)
    assert (run.status, run.error.code) == ("timed_out", "cpu_limit")
    assert "limit of 1 s" in str(run.error)
    assert 1000 <= run.usage["cpu_ms"] < 4000


def test_a_run_that_is_cancelled_ends_at_once_with_its_worker(weak: LocalServer, client: Client) -> None:
    run = client.start(BUSY)
    until(lambda: client.get_run(run.id).stdout)
    assert client.cancel(run.id).status == "cancelled"
    until(lambda: len(below(weak.pid)) == AT_REST)


def test_a_kernel_is_parsed_and_a_bad_one_refused_with_its_place(client: Client) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.x; }"
    )
    added = client.add_kernel("ids", source)
    assert added["entry_points"][0]["workgroup_size"] == [64, 1, 1]
    with pytest.raises(ApiError) as refusal:
        client.add_kernel("bad", "fn main( {")
    assert refusal.value.code == "kernel_syntax"


@pytest.mark.parametrize("count", [10, 1_000_000])
def test_a_tensor_goes_to_the_device_through_an_op_and_back(client: Client, count: int) -> None:
    """Ten elements travel inside frames, a million in files."""
    array = np.arange(count, dtype=np.int32)
    tensor = client.upload(array)
    for _ in range(2):  # the second time in a file that is used again
        assert np.array_equal(client.download(client.op("neg", tensor)), -array)
    assert np.array_equal(client.download(tensor), array)


def test_a_script_computes_with_tensors(client: Client) -> None:
    source = "import torch\ndef main(x):\n    return (x @ x.T).sum()"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert client.run(source, {"x": x}).result.numpy() == (x @ x.T).sum()


def test_the_next_run_works_after_the_zygote_was_killed_and_its_workers_end(
    weak: LocalServer, client: Client
) -> None:
    run = client.start(BUSY)
    until(lambda: client.get_run(run.id).stdout)
    zygote = zygote_of(weak.pid)
    workers = below(zygote)
    os.kill(zygote, signal.SIGKILL)
    ended = client.wait(run.id)
    assert (ended.status, ended.error.code) == ("failed", "worker_crashed")
    assert client.run("result = 2").result == 2
    until(lambda: not any(is_alive(pid) for pid in workers))


@pytest.mark.parametrize("with_zygote", [False, True])
def test_no_process_is_left_when_the_server_is_killed(python: str, tmp_path: Path, with_zygote: bool) -> None:
    with elsewhere(tmp_path, True) as server, server.client() as client:
        run = client.start(BUSY)
        until(lambda: client.get_run(run.id).stdout)
        family = below(server.pid)
        assert len(family) >= 4, "device, compiler, zygote, worker"
        killed = (server.pid, zygote_of(server.pid)) if with_zygote else (server.pid,)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        until(lambda: not any(is_alive(pid) for pid in family))


def test_a_stop_leaves_nothing(python: str, tmp_path: Path) -> None:
    with elsewhere(tmp_path, True) as server:
        family = below(server.pid)
        assert server.stop() == 0
        until(
            lambda: not any(is_alive(pid) for pid in family)
        )  # a worker ends with its zygote, a moment later


def test_the_doctor_names_the_system_its_level_and_what_does_not_hold(python: str) -> None:
    done = subprocess.run(
        [python, "-m", "kernelgate", "doctor"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    assert f"sandbox     process: {REASON}" in done.stdout
    assert "yes  attack: use an inherited descriptor" in done.stdout
    assert "yes  attack: take descriptors" in done.stdout
    assert "NO   attack: take memory: met nothing behind rlimits" in done.stdout
    assert "use privilege" not in done.stdout
    assert "unless you start with --allow-weak-sandbox" in done.stdout


def zygote_of(server: int) -> int:
    """The zygote below process `server`: of the processes with its command, the one that has children."""
    return next(pid for pid in below(server) if b"sandbox.zygote" in command_of(pid) and below(pid))


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def is_alive(pid: int) -> bool:
    """Whether `pid` runs; what waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
