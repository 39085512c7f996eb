"""Which system calls the seal denies to an honest driver: `python -m bench.denied [ADAPTER]`.

Starts a device process behind its walls, but with a filter that tells this process what it would deny and then lets it
pass; runs a workload, and prints the calls. Each is either harmless to lack, or missing in
`sandbox/walls/device_syscalls.py`. Needs Linux 5.14 and the right to trace a child.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import select
import struct
import sys
import threading
from collections import Counter

import numpy as np

from api import device_process
from host.frames import Bound, Fresh, Step
from host.supervisor import Device, DeviceSettings
from ops.graph import Graph, Node
from sandbox.walls import device, linux, seccomp
from sandbox.walls.device_syscalls import Driver
from sandbox.walls.device_syscalls import device as policy
from sandbox.walls.numbers import NUMBERS, architecture, number
from shaders.errors import KernelgateError
from shaders.reflect import reflect

SET_FILTER, TSYNC, LISTENER, TSYNC_ESRCH = 1, 1, 1 << 3, 1 << 4
RETURN, NOTIFY = 0x06, 0x7FC0_0000
RECEIVE, SEND = 0xC050_2100, 0xC018_2101  # ioctls on a listener
NOTICE, ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")  # what they take and give
CONTINUE = 1
PASSED = {seccomp.ALLOW, seccomp.ERRNO | errno.ENOSYS}
OWNER = "bench"
KERNEL = """
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var n = a[id.x];
    while (n > 1u) { n = select(3u * n + 1u, n / 2u, n % 2u == 0u); b[id.x]++; }
}
"""


def watch(driver: Driver) -> int:
    """In the device process: put up the filter that asks; the descriptor of who answers."""
    machine = architecture()
    assert machine is not None, "there are no walls for this machine"
    steps = [
        (code, yes, no, NOTIFY if code == RETURN and k not in PASSED else k)
        for code, yes, no, k in seccomp.instructions(policy(driver, os.getpid()), machine)
    ]
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    flags = TSYNC | TSYNC_ESRCH | LISTENER
    return linux.call("seccomp", SET_FILTER, flags, seccomp.as_argument(program))


def process(argv: list[str]) -> int:
    """As `api.device_process`, with the filter that asks; the seal says where."""
    device.begin(device_process.program())
    return device_process.load()(argv, lambda kind: ((), str(watch(device_process.driver_of(kind)))))


class Report(threading.Thread):
    """Lets every call of process `pid` that asks pass, and counts it."""

    def __init__(self, pid: int, descriptor: int) -> None:
        super().__init__(daemon=True)
        self.counts: Counter[str] = Counter()
        self._memory = f"/proc/{pid}/mem"
        self._listener = linux.call("pidfd_getfd", os.pidfd_open(pid), descriptor, 0)
        self._names = {number(name, machine): name for name in NUMBERS} if (machine := architecture()) else {}

    def run(self) -> None:
        """Until the process is gone."""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            notice = bytearray(NOTICE.size)
            fcntl.ioctl(self._listener, RECEIVE, notice)
            id, _, _, nr, _, _, *arguments = NOTICE.unpack(notice)
            name = self._names.get(nr, f"number {nr}")
            told = " ".join(f"{argument:#x}" for argument in arguments[:3])
            self.counts[f"{name} {told} {self._path(arguments[1]) if name.endswith('at') else ''}"] += 1
            fcntl.ioctl(self._listener, SEND, ANSWER.pack(id, 0, 0, CONTINUE))

    def _path(self, address: int) -> str:
        with open(self._memory, "rb") as memory:
            memory.seek(address)
            return memory.read(256).split(b"\0")[0].decode(errors="replace")


async def work(target: Device) -> None:
    """Graphs, a kernel, transfers large and small, mistakes, and more memory than there is."""
    side, matrix, other, result, steps = 1024, *(target.new_handle() for _ in range(4))
    data = np.random.default_rng(0).random((side, side), np.float32)
    await target.upload_bytes(matrix, OWNER, "f32", data.shape, data.tobytes())
    await target.upload_bytes(other, OWNER, "u32", (4096,), bytes(4 * 4096))
    taken = Node("input", (), {"handle": matrix, "dtype": "f32", "shape": list(data.shape)})
    graph = Graph([taken, Node("exp", (0,)), Node("matmul", (1, 0)), Node("sum", (2,))], [2, 3])
    await target.run_graph(1, OWNER, graph, [result, target.new_handle()])
    (await target.download(result)).close()
    if target.info is not None and target.info.kind != "numpy":
        await target.add_kernel("collatz", reflect(KERNEL), warm=True)
        step = Step("main", (64, 1, 1), [Bound("a", other), Bound("b", steps)])
        await target.dispatch(2, OWNER, "collatz", [step], [Fresh(steps, "u32", (4096,))])
        (await target.download(steps)).close()
    for wrong in (Node("exq", (0,)), Node("expand", (0,), {"shape": [1 << 20, side, side]})):
        graph = Graph([taken, wrong, Node("exp", (1,))], [2])
        try:
            await target.run_graph(3, OWNER, graph, [target.new_handle()])
        except KernelgateError as error:
            print(f"(as it should be: {error})")


async def report(adapter: str | None) -> None:
    """Run the workload and print what it would have been denied."""
    target = Device(DeviceSettings(adapter=adapter, module="bench.denied"))
    info = await target.start()
    assert target.pid is not None, "it has started"
    listening = Report(target.pid, int(target.seal.missing))
    listening.start()
    try:
        await work(target)
    finally:
        await target.close()
    listening.join(timeout=5)
    driver = device_process.driver_of(info.kind)
    print(f"{info.name}, as {driver}: {len(listening.counts)} calls would be denied")
    for call, count in listening.counts.most_common():
        print(f"{count:7}  {call}")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        status = process(sys.argv[1:])
        sys.stderr.flush()
        os._exit(status)
    asyncio.run(report(*sys.argv[1:] or [None]))
