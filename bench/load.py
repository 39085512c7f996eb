"""What the server does when too much comes at once: 500 runs of 20 keys, malformed requests, slow and silent clients,
a run of a million events, and runs that are given up.

Run as `python bench/load.py`; it starts its own server, on a free port, with the device that computes nothing but for
what is given up. The prober of /healthz is a process of its own, so that it does not wait for the load's own work.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import multiprocessing
import re
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import timing

from kernelgate.local import LocalServer

KEYS, RUNS_OF_KEY, MALFORMED, GIVEN_UP = 20, 25, 10_000, 20
SCRIPT = "def main(n):\n    total = 0\n    for i in range(100_000):\n        total += i\n    return n"
COMPUTING = """
import torch
def main():
    x = torch.ones(512, 512)
    x.sum().item()
    print("begun")
    while True:
        x = (x @ x) * 1e-3
        x.sum().item()
"""
ENDLESS = "print('begun')\nwhile True: pass"
CHATTY = "def main():\n    for i in range(1_000_000):\n        progress(i / 1_000_000, step=i)"
DEEP = b"[" * 10_000 + b"]" * 10_000


def main() -> None:
    """Measure everything and print a table."""
    timing.header()
    quotas = json.dumps({"runs_at_once": 100, "runs_a_minute": None})
    settings = {"KERNELGATE_ADAPTER": "null", "KERNELGATE_PATIENCE_S": "2", "KERNELGATE_USER_QUOTAS": quotas}
    with tempfile.TemporaryDirectory() as folder, LocalServer(Path(folder), settings=settings) as server:
        storm(server)
        malformed(server)
        slow_and_silent(server)
        million_events(server)
    with tempfile.TemporaryDirectory() as folder, LocalServer(Path(folder)) as server:
        given_up(server, "script", ENDLESS)
        given_up(server, "script that computes", COMPUTING)


def headers(token: str) -> dict[str, str]:
    """Of a request with a key."""
    return {"Authorization": f"Bearer {token}"}


def memory(server: LocalServer, field: str = "VmRSS") -> float:
    """Megabytes of the server process."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    found = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def _probe(url: str, begun: Any, stop: Any, answers: Any) -> None:
    """Ask /healthz every 20 ms until `stop`; put the seconds of each answer into `answers`. `begun` after one."""
    times = []
    with httpx2.Client(base_url=url, timeout=30) as http:
        while not stop.is_set():
            began = time.perf_counter()
            http.get("/healthz").raise_for_status()
            times.append(time.perf_counter() - began)
            begun.set()
            stop.wait(0.02)
    answers.put(times)


@contextlib.contextmanager
def probed(server: LocalServer) -> Iterator[list[float]]:
    """A block during which /healthz is asked; the list has the times after it."""
    context = multiprocessing.get_context("spawn")
    begun, stop, answers, times = context.Event(), context.Event(), context.Queue(), []
    process = context.Process(target=_probe, args=(server.url, begun, stop, answers))
    process.start()
    try:
        assert begun.wait(60), "/healthz does not answer"
        yield times
    finally:
        stop.set()
        times += answers.get(timeout=60)
        process.join(60)


def storm(server: LocalServer) -> None:
    """All runs of all keys at once."""
    with httpx2.Client(base_url=server.url, headers=headers(server.key), timeout=60) as http:
        tokens = [http.post("/api/keys", json={"name": f"load{n}"}).json()["token"] for n in range(KEYS)]
    with probed(server) as times:
        began = time.perf_counter()
        found = asyncio.run(_storm(server.url, tokens))
        wall_s = time.perf_counter() - began
    total = KEYS * RUNS_OF_KEY
    results = Counter(run["result"] for run in found if run["status"] == "succeeded")
    with httpx2.Client(base_url=server.url, timeout=60) as http:
        counted = re.search(
            r'udf_runs_total\{kind="script",status="succeeded"\} (\d+)', http.get("/metrics").text
        )
    executed = int(counted[1]) if counted else 0
    whole = len(results) == executed == total and set(results.values()) == {1}
    lost, doubled = total - len(results), executed - len(results)
    timing.row(
        f"{total} runs of {KEYS} keys at once",
        f"{lost} lost, {doubled} doubled, {wall_s:.1f} s",
        "none",
        whole,
    )
    peak = memory(server, "VmHWM")
    timing.row("memory of the server, at most", f"{peak:.0f} MB", "< 400 MB", peak < 400)
    p99 = timing.percentile(times, 0.99) * 1e3
    figure = f"p50 {timing.median(times) * 1e3:.0f} ms, p99 {p99:.0f} ms of {len(times)}"
    timing.row("/healthz meanwhile", figure, "p99 < 200 ms", p99 < 200)
    firsts = sorted(run["finished_at"] for run in found)[: KEYS * 2]
    served = len({run["result"] // RUNS_OF_KEY for run in found if run["finished_at"] in firsts})
    timing.row(
        "keys among the first 40 runs to end",
        f"{served} of {KEYS}",
        "all",
        served == KEYS,
    )


async def _storm(url: str, tokens: list[str]) -> list[Any]:
    limits = httpx2.Limits(max_connections=KEYS * RUNS_OF_KEY, max_keepalive_connections=100)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=300) as http:

        async def one(key: int, number: int) -> Any:
            body = {"script": SCRIPT, "inputs": {"n": key * RUNS_OF_KEY + number}}
            sent = {**headers(tokens[key]), "Prefer": "wait=250"}
            return (await http.post("/api/runs", json=body, headers=sent)).json()

        return await asyncio.gather(*(one(key, n) for key in range(KEYS) for n in range(RUNS_OF_KEY)))


def _wrong_requests(key: str) -> list[bytes]:
    """Requests that are wrong in as many ways."""
    auth = f"Authorization: Bearer {key}\r\n".encode()
    json_type = b"Content-Type: application/json\r\n"

    def post(path: bytes, body: bytes, more: bytes = b"") -> bytes:
        head = b"POST " + path + b" HTTP/1.1\r\nHost: x\r\n" + auth + more
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    def get(path: bytes, more: bytes = b"") -> bytes:
        return b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + auth + more + b"\r\n"

    bomb = gzip.compress(bytes(50_000_000))
    return [
        post(b"/api/runs", b"{"),
        post(b"/api/runs", DEEP, json_type),
        post(b"/api/runs", b'{"script": "result = 1", "inputs": {"a": ' + DEEP + b"}}", json_type),
        post(b"/api/runs", b'{"script": 1, "script": 2}', json_type),
        post(b"/api/runs", b"\xff\xfe\x00", json_type),
        post(b"/api/runs", b'{"script": "x", "limits": {"wall_s": 1e999}}', json_type),
        post(b"/api/runs", bomb, b"Content-Encoding: gzip\r\n" + json_type),
        post(b"/api/tensors", bomb, b"Content-Encoding: gzip\r\nContent-Type: application/x-npy\r\n"),
        post(b"/api/tensors", b"\x93NUMPY" + bytes(100), b"Content-Type: application/x-npy\r\n"),
        post(b"/api/tensors?shape=-1&dtype=f32", b"", b"Content-Type: application/octet-stream\r\n"),
        post(b"/api/kernels", b'{"name": "../x", "source": ""}', json_type),
        post(b"/api/scripts", b'{"name": "a\\r\\nX: y", "source": ""}', json_type),
        post(b"/api/sessions/ses_none/run", b'{"script": "1"}', json_type),
        post(b"/api/sessions", b'{"idle_s": "NaN"}', json_type),
        get(b"/api/runs/..%2f..%2fetc%2fpasswd"),
        get(b"/api/runs/run_" + b"0" * 32),
        get(b"/api/kernels/a%0d%0aSet-Cookie:%20x"),
        get(b"/api/tensors?limit=-1"),
        get(b"/api/nowhere"),
        get(b"/api/runs", b"X: " + b"x" * 70_000 + b"\r\n"),
        get(b"/api/runs", b"A: b\r\n" * 300),
        b"GET /api/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer kg_none_none\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /api/tensors HTTP/1.1\r\nHost: x\r\n" + auth + b"Content-Length: 99999999999999\r\n\r\n",
        b"\x16\x03\x01\x02\x00 no TLS here\r\n\r\n",
        b"GET  HTTP/9.9\r\n\r\n",
    ]


def malformed(server: LocalServer) -> None:
    """Ten thousand requests that are wrong, each on a connection of its own."""
    address, wrong = ("127.0.0.1", server.port), _wrong_requests(server.key)
    statuses: Counter[int] = Counter()
    for number in range(len(wrong) * 20):
        _status(address, wrong[number % len(wrong)])
    before = memory(server)
    began = time.perf_counter()
    for number in range(MALFORMED):
        statuses[_status(address, wrong[number % len(wrong)])] += 1
    wall_s, grown = time.perf_counter() - began, memory(server) - before
    failures = sum(count for status, count in statuses.items() if status >= 500)
    kinds = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
    timing.row(
        f"{MALFORMED} malformed requests", f"{failures} of 500 and up, {wall_s:.0f} s", "none", not failures
    )
    timing.row("memory that they left", f"{grown:.1f} MB", "< 10 MB", grown < 10)
    print(f"<!-- {kinds} -->")


def _status(address: tuple[str, int], request: bytes) -> int:
    """The status of the answer; 0 for a connection that was closed without one."""
    with socket.create_connection(address, timeout=20) as sock, contextlib.suppress(ConnectionError):
        sock.sendall(request)
        answer = sock.recv(4096)
        return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
    return 0


def slow_and_silent(server: LocalServer) -> None:
    """Clients that send a byte at a time, and clients that read nothing."""
    head = b"POST /api/tensors?shape=1000&dtype=f32 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
    heads = (
        head
        + server.key.encode()
        + b"\r\nContent-Type: application/octet-stream\r\nContent-Length: 4000\r\n\r\n"
    )
    address = ("127.0.0.1", server.port)
    with contextlib.ExitStack() as stack, probed(server) as times:
        socks = [stack.enter_context(socket.create_connection(address, timeout=20)) for _ in range(400)]
        for number, sock in enumerate(socks):
            sock.sendall(heads if number % 2 else head)
        began = time.perf_counter()
        open_ones = set(socks)
        while open_ones and time.perf_counter() - began < 30:
            for sock in list(open_ones):
                with contextlib.suppress(BlockingIOError):
                    try:
                        sock.setblocking(False)
                        sock.send(b"x")
                        if not sock.recv(4096):
                            open_ones.discard(sock)
                    except ConnectionError:
                        open_ones.discard(sock)
            time.sleep(0.05)
        closed_s = time.perf_counter() - began
    p99 = timing.percentile(times, 0.99) * 1e3
    figure = f"all closed after {closed_s:.1f} s, /healthz p99 {p99:.0f} ms"
    timing.row("400 clients that send a byte at a time", figure, "< 10 s", closed_s < 10 and not open_ones)


def million_events(server: LocalServer) -> None:
    """A run that reports a million times, and clients that follow it and read nothing."""
    before = memory(server)
    with httpx2.Client(base_url=server.url, headers=headers(server.key), timeout=120) as http:
        run = http.post("/api/runs", json={"script": CHATTY}).json()
        request = f"GET /api/runs/{run['id']}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n\r\n"
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                sock = stack.enter_context(socket.socket())
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                sock.connect(("127.0.0.1", server.port))
                sock.sendall(request.encode())
            while http.get(f"/api/runs/{run['id']}").json()["status"] in ("queued", "running"):
                time.sleep(0.2)
        done = http.get(f"/api/runs/{run['id']}").json()
        text = http.get(f"/api/runs/{run['id']}/events").text
    count, marked = text.count("\nid: "), "are not in the events" in text
    grown = memory(server) - before
    figure = f"{done['reason'] or done['status']}, {count} events, marked: {marked}, {grown:.0f} MB more"
    met = count < 10_100 and marked and grown < 100
    timing.row("a million reports, 20 that read none", figure, "10 000 events, a mark", met)


def waiting_client(server: LocalServer, script: str) -> socket.socket:
    """A client that has sent a script and waits for its run, until the socket is closed."""
    body = json.dumps({"script": script}).encode()
    sock = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    head = "POST /api/runs HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\n"
    head += f"Authorization: Bearer {server.key}\r\nContent-Length: {len(body)}\r\n\r\n"
    sock.sendall(head.encode() + body)
    return sock


def newest_running(http: httpx2.Client) -> Any:
    """The newest run, as soon as it runs."""
    while True:
        runs = http.get("/api/runs?limit=1").json()["runs"]
        if runs and runs[0]["status"] == "running":
            return runs[0]


def wait_until_begun(http: httpx2.Client, run: Any) -> None:
    """Until the script of a run has said that it has begun."""
    while http.get(f"/api/runs/{run['id']}").json()["stdout"] != "begun\n":
        pass


def given_up(server: LocalServer, what: str, script: str) -> None:
    """How long runs that are cancelled, or whose client leaves, keep their worker and the device."""
    cancelled, left = [], []
    with httpx2.Client(base_url=server.url, headers=headers(server.key), timeout=60) as http:
        for turn in range(-1, GIVEN_UP):  # the first compiles kernels, which nothing interrupts
            run = http.post("/api/runs", json={"script": script}).json()
            wait_until_begun(http, run)
            began = time.perf_counter()
            ended = http.delete(f"/api/runs/{run['id']}").json()
            cancelled_s = time.perf_counter() - began
            assert ended["status"] == "cancelled", ended
            with waiting_client(server, script):
                run = newest_running(http)
                wait_until_begun(http, run)
                began = time.perf_counter()
            while http.get(f"/api/runs/{run['id']}").json()["status"] == "running":
                pass
            if turn >= 0:
                left.append(time.perf_counter() - began)
                cancelled.append(cancelled_s)
            while http.get("/api/device").json()["memory"]["tensors"]:
                pass
    for name, times in (("cancelled", cancelled), ("left by its client", left)):
        worst = max(times) * 1e3
        figure = f"median {timing.median(times) * 1e3:.0f} ms, at most {worst:.0f} ms"
        timing.row(f"a {what}, {name}, until it is over", figure, "< 100 ms", worst < 100)


if __name__ == "__main__":
    main()
