"""What the sandbox costs: a script in a ready worker against a cold interpreter and a bubblewrap process per script.

Run as `python bench/workers.py`; it needs no server. The language is measured in a process of its own, as the policy
changes the library of the process that it is warm in.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import timing

from ops.graph import Graph, TensorRef
from sandbox import frames
from sandbox.gates.frames import GateAnswer, GateRequest
from sandbox.limits import Limits
from sandbox.pool import PoolSettings, WorkerPool

SCRIPT = "def main(a, b): return a + b"
COLD = f"{SCRIPT}\nprint(main(1, 2))"
LIMITS = Limits(wall_s=10, cpu_s=10, memory_mb=256, output_bytes=10_000)
HITS, COLD_STARTS, SUSTAINED, CALLERS = 300, 30, 800, 8
PAUSE_S, SETTLE_S = 0.01, 1.0
LANGUAGE_ROUNDS = 15

WORK = {
    "loops": "def work():\n    total = 0\n    for i in range(100_000):\n        total += i\n    return total",
    "calls": "def f(x):\n    return x\ndef work():\n    for i in range(50_000):\n        f(i)",
    "method calls": (
        "class P:\n    def f(self, x):\n        return x\np = P()\n"
        "def work():\n    for i in range(50_000):\n        p.f(i)"
    ),
    "attribute reads": (
        "class P:\n    def __init__(self):\n        self.x = 1\np = P()\n"
        "def work():\n    for i in range(50_000):\n        p.x; p.x; p.x"
    ),
    "attribute writes": (
        "class P:\n    def put(self, x):\n        self.x = x\np = P()\n"
        "def work():\n    for i in range(50_000):\n        p.y = i\n        p.put(i)"
    ),
}
MOST = {"attribute writes": 3.0}
SIXTY_LINES = (Path(__file__).parents[1] / "tests" / "scripts" / "50_autograd.py").read_text()


class NoServices:
    """What a script that asks for nothing needs."""

    async def output(self, stream: str, text: str, cut: bool) -> None:
        """Dropped."""

    async def progress(self, fraction: float | None, values: dict[str, Any]) -> None:
        """Dropped."""

    async def compute(self, graph: Graph) -> list[TensorRef]:
        """Never asked."""
        raise NotImplementedError

    async def read(self, handle: int) -> bytes:
        """Never asked."""
        raise NotImplementedError

    async def dispatch(self, request: frames.DispatchKernel) -> dict[str, TensorRef]:
        """Never asked."""
        raise NotImplementedError

    async def script(self, name: str) -> str:
        """Never asked."""
        raise NotImplementedError

    async def gate(self, request: GateRequest) -> GateAnswer:
        """Never asked."""
        raise NotImplementedError

    async def free(self, handles: list[int]) -> None:
        """Dropped."""

    def spent(self, cpu_ms: float, peak_bytes: int) -> None:
        """Dropped."""


def main() -> None:
    """Measure everything and print a table."""
    asyncio.run(processes())
    language()


async def processes() -> None:
    """The pool against cold processes, its rate, and its workers' memory."""
    pool = WorkerPool(PoolSettings(size=4))
    await pool.start()
    try:
        print(
            f"level {pool.level}{': ' + pool.reason if pool.reason else ''}, Python {sys.version.split()[0]}\n"
        )
        timing.header()
        await latency(pool)
        await rate(pool)
        await asyncio.sleep(SETTLE_S)
        memory(pool)
    finally:
        await pool.close()


async def once(pool: WorkerPool) -> float:
    """Seconds from request to result of one trivial script."""
    began = time.perf_counter()
    outcome = await pool.run_script(SCRIPT, {"a": 1, "b": 2}, LIMITS, NoServices())
    took = time.perf_counter() - began
    assert outcome.result == 3, outcome
    return took


async def latency(pool: WorkerPool) -> None:
    """One caller with a pause between scripts, in which the pool refills; cold processes take their turns between."""
    peers = {"python -I": [sys.executable, "-I", "-c", COLD]}
    bwrap = shutil.which("bwrap")
    if bwrap:
        walls = ["--unshare-all", "--ro-bind", "/", "/", "--die-with-parent", "--new-session"]
        peers["bubblewrap"] = [bwrap, *walls, *peers["python -I"]]
    hits: list[float] = []
    cold: dict[str, list[float]] = {name: [] for name in peers}
    for turn in range(-20, HITS):
        took = await once(pool)
        if turn >= 0:
            hits.append(took)
        if turn >= 0 and turn % (HITS // COLD_STARTS) == 0:
            for name, command in peers.items():
                cold[name].append(await asyncio.to_thread(cold_start, command))
        await asyncio.sleep(PAUSE_S)
    p50, p99 = timing.median(hits) * 1e3, timing.percentile(hits, 0.99) * 1e3
    met = p50 < 2 and p99 < 8
    timing.row(
        "trivial script, ready worker", f"p50 {p50:.2f} ms, p99 {p99:.1f} ms", "p50 < 2, p99 < 8 ms", met
    )
    for name, times in cold.items():
        peer = timing.median(times)
        figure = f"{peer * 1e3 / p50:.1f} times as quick ({peer * 1e3:.1f} ms)"
        timing.row(f"the same against a cold {name}", figure, "> 1 times", peer * 1e3 > p50)
    if not bwrap:
        print("(no bubblewrap column: there is no `bwrap` on this machine; Debian's package is bubblewrap)")


def cold_start(command: list[str]) -> float:
    """Seconds of one process that runs the same script and prints its result."""
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    took = time.perf_counter() - began
    assert done.stdout == "3\n"
    return took


async def rate(pool: WorkerPool) -> None:
    """Several callers without pauses: every script needs a fork."""

    async def caller() -> None:
        for _ in range(SUSTAINED // CALLERS):
            await once(pool)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    figure = SUSTAINED / (time.perf_counter() - began)
    timing.row(
        f"trivial scripts, {CALLERS} callers", f"{figure:.0f} a second", ">= 200 a second", figure >= 200
    )


def memory(pool: WorkerPool) -> None:
    """What a ready worker has for itself, beyond what it shares with the zygote."""
    figures = []
    for pid in workers(pool):
        with contextlib.suppress(OSError):  # killed, and not reaped yet; or not ours to look at
            figures.append(private_bytes(pid) / 1e6)
    if figures:
        most = max(figures)
        timing.row("private memory of a ready worker", f"{most:.1f} MB", "< 4 MB", most < 4)
    else:
        print("(no private memory of workers: this user may not look at them)")


def workers(pool: WorkerPool) -> list[int]:
    """The processes that have no child, below what the pool started."""
    waiting, found = [pool.zygote_pid], []
    while waiting:
        pid = waiting.pop()
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        waiting += [int(child) for child in below]
        if not below and pid is not None:
            found.append(pid)
    return found


def private_bytes(pid: int) -> int:
    """Bytes of memory that no other process shares."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(size) << 10 for size in re.findall(r"^Private_\w+: +(\d+) kB", text, re.MULTILINE))


def language() -> None:
    """The figures that the other process prints."""
    done = subprocess.run([sys.executable, __file__, "language"], capture_output=True, check=True, text=True)
    found = json.loads(done.stdout)
    lines = SIXTY_LINES.count("\n")
    policy, plain = found.pop("compile")
    figure = f"{policy * 1e3:.2f} ms, {policy / plain:.1f} times CPython's"
    timing.row(f"policy compile of {lines} lines", figure, "< 1.5 ms", policy < 1.5e-3)
    for name, (ours, peer) in found.items():
        most = MOST.get(name, 1.5)
        timing.row(name, f"{ours / peer:.2f} times CPython's time", f"<= {most:g}", ours / peer <= most)


def measure_language() -> None:
    """Print medians in seconds as JSON: ours and CPython's, by what was measured."""
    from sandbox import restricted

    plain = {name: plainly(source) for name, source in WORK.items()}
    restricted.warm()
    compiled = {
        "ours": lambda: restricted.compiled(SIXTY_LINES),
        "plain": lambda: compile(SIXTY_LINES, "x", "exec"),
    }
    found = {"compile": pair(compiled, 100)}
    for name, source in WORK.items():
        space = restricted.begin(lambda: None)
        exec(restricted.compiled(source), space)
        found[name] = pair({"ours": space["work"], "plain": plain[name]}, LANGUAGE_ROUNDS)
    print(json.dumps(found))


def plainly(source: str) -> Callable[[], object]:
    """`work` of `source` as CPython runs it."""
    space: dict[str, Any] = {"__name__": "plain"}
    exec(source, space)
    work: Callable[[], object] = space["work"]
    return work


def pair(contenders: Mapping[str, Callable[[], object]], rounds: int) -> tuple[float, float]:
    """Medians of the two contenders, which take turns."""
    times = timing.interleave(contenders, rounds)
    return timing.median(times["ours"]), timing.median(times["plain"])


if __name__ == "__main__":
    measure_language() if sys.argv[1:] == ["language"] else main()
