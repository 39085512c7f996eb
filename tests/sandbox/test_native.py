"""Native scripts: plain CPython and NumPy, with nothing but the operating system's walls around them.

Every attack goes the whole way: through the pool, a zygote of native workers, and back as an outcome.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ops.graph import TensorRef
from sandbox.errors import NativeRefusedError
from sandbox.limits import Limits
from sandbox.pool import NATIVE_LEVELS, Outcome, PoolSettings, WorkerPool
from sandbox.walls.numbers import architecture, number
from tests.sandbox.support import LIMITS, Sandbox, Services, descendants, until

FILES = sorted((Path(__file__).parents[1] / "native").glob("*.py"))
SMALL = Limits(wall_s=10, cpu_s=0.3, memory_mb=64, output_bytes=10_000)


class Native(Sandbox):
    """A pool driven from a test, whose scripts are native ones."""

    def run(self, source: str, limits: Limits = LIMITS, **inputs: Any) -> Outcome:
        return self.runner.run(self.start(source, limits, inputs))

    async def start(self, source: str, limits: Limits = LIMITS, inputs: Any = None) -> Outcome:
        self.services = Services()
        return await self.pool.run_script(source, inputs or {}, limits, self.services, native=True)


@pytest.fixture(scope="module")
def native() -> Iterator[Native]:
    with asyncio.Runner() as runner:
        pool = WorkerPool(PoolSettings(size=2, allow_native=True))
        runner.run(pool.start())
        try:
            if pool.level not in NATIVE_LEVELS:
                pytest.skip(f"this machine gives level {pool.level}: {pool.reason}")
            yield Native(runner, pool)
        finally:
            runner.run(pool.close())


def met(outcome: Outcome) -> str:
    """What a script ended in: a signal, an exception, a code, or `nothing`."""
    if outcome.error is None:
        return "nothing"
    message = outcome.error.message
    if outcome.error.code == "worker_crashed":
        return message.split(" of ")[1].split(":")[0]
    return message.split(":")[0] if outcome.error.code == "script_error" else outcome.error.code


# ---------------------------------------------------------------------- ordinary scripts
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_script_prints_what_cpython_with_numpy_prints(native: Native, path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=True)
    assert native.printed(path.read_text()) == done.stdout


def test_native_scripts_need_the_setting(sandbox: Sandbox) -> None:
    with pytest.raises(NativeRefusedError, match="the setting allow_native is false"):
        sandbox.runner.run(sandbox.pool.run_script("result = 1", {}, LIMITS, Services(), native=True))


def test_native_scripts_need_a_strong_level(native: Native, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.pool._stock, "level", "seccomp")
    monkeypatch.setattr(native.pool._stock, "reason", "no landlock here")
    with pytest.raises(
        NativeRefusedError, match="full and hardened only, and this server is at seccomp: no land"
    ):
        native.run("result = 1")


def test_an_ordinary_script_beside_native_ones_stays_behind_the_policy(native: Native) -> None:
    async def ordinary() -> Outcome:
        return await native.pool.run_script("eval('1')", {}, LIMITS, Services())

    assert native.result("result = eval('1')") == 1
    assert native.runner.run(ordinary()).error.code == "script_denied"  # type: ignore[union-attr]
    assert not [name for name in native.pool.modules if name.partition(".")[0] == "numpy"]


def test_ours_works_as_in_other_scripts(native: Native) -> None:
    source = (
        "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nimport hashing, kernels\n"
        "import numpy as np\n"
        "def main(x, n):\n"
        "    progress(0.5, loss=1.5)\n"
        "    print('working')\n"
        "    y = kernels.run('k', x=x, y=kernels.output(2))\n"
        "    return {'sum': (x * 2).sum().item(), 'y': y, 'sha': hashing.sha256('abc')[:6], 'n': n,\n"
        "            'array': np.arange(n).reshape(2, -1), 'scalar': np.float32(0.5), 'flag': np.bool_(True)}"
    )
    import numpy as np

    services = Services()
    inputs = {"x": services.keep(np.array([1, 2], np.float32)), "n": 4}
    outcome = native.runner.run(native.pool.run_script(source, inputs, LIMITS, services, native=True))
    assert outcome.error is None, outcome.error
    assert isinstance(outcome.result.pop("y"), TensorRef)
    assert outcome.result == {
        "sum": 6.0, "sha": "ba7816", "n": 4, "array": [[0, 1], [2, 3]], "scalar": 0.5, "flag": True,
    }  # fmt: skip
    assert services.printed() == "working\n"
    assert services.reports == [(0.5, {"loss": 1.5})]


def test_granted_values_are_the_environment(native: Native) -> None:
    async def scenario() -> Outcome:
        source = "import os\nresult = dict(os.environ)"
        return await native.pool.run_script(source, {}, LIMITS, Services(), {"REGION": "north"}, native=True)

    assert native.runner.run(scenario()).result == {"REGION": "north"}


def test_a_main_that_ran_is_not_called_again(native: Native) -> None:
    assert native.printed("def main():\n    '''Doc.'''\n    print('once')\nmain()") == "once\n"


def test_errors_have_their_place(native: Native) -> None:
    error = native.error("def f():\n    return [][1]\n\ndef main():\n    return f()")
    assert (error.code, error.line, error.column) == ("script_error", 2, 14)
    assert error.message == "IndexError: list index out of range"
    assert error.snippet == "    return [][1]\n" + " " * 13 + "^"
    assert error.hint == "Calls: main (line 5) → f (line 2)"
    wrong = native.error("x = 1\ny = (")
    assert (wrong.code, wrong.line, wrong.column) == ("script_syntax", 2, 5)
    assert "cannot leave" in native.error("result = object()").message


def test_a_module_that_is_not_there_says_what_is(native: Native) -> None:
    assert "Python's library, numpy and your stored scripts" in native.error("import pandas").message


def test_workers_share_no_random_state(native: Native) -> None:
    source = (
        "import numpy, random\n"
        "result = [numpy.random.rand(), random.random(), numpy.random.default_rng().random()]"
    )
    first, second = native.result(source), native.result(source)
    assert not set(first) & set(second)


# ---------------------------------------------------------------------- attacks
_LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_SYSCALL = (
    _LIBC + "def call(*a):\n    if libc.syscall(*a) < 0: raise OSError(ctypes.get_errno(), 'refused')\n"
)


def _number(name: str) -> int | None:
    machine = architecture()
    return number(name, machine) if machine is not None else None


ATTACKS = {
    "read a file": ("import io\nio.open('/etc/passwd').read()", "PermissionError"),
    "read a file by descriptor": ("import os\nos.open('/etc/passwd', os.O_RDONLY)", "PermissionError"),
    "read a file with NumPy": ("import numpy\nnumpy.fromfile('/etc/passwd')", "PermissionError"),
    "map a file with NumPy": ("import numpy\nnumpy.memmap('/etc/passwd')", "PermissionError"),
    "write a file": ("import io\nio.open('/tmp/x', 'w')", "PermissionError"),
    "list the root": ("import os\nos.listdir('/')", "PermissionError"),
    "ask for a file": ("import os\nos.stat('/etc/passwd')", "PermissionError"),
    "change the folder": ("import os\nos.chdir('/')", "PermissionError"),
    "read its memory map": ("import io\nio.open('/proc/self/maps')", "PermissionError"),
    "read another environment": ("import io\nio.open('/proc/1/environ')", "PermissionError"),
    "write its memory": ("import io\nio.open('/proc/self/mem', 'r+b')", "PermissionError"),
    "ask for the load": ("import os\nos.getloadavg()", "OSError"),
    "load a library": ("import ctypes\nctypes.CDLL('libanl.so.1')", "OSError"),
    "import from a path": ("import sys\nsys.path.append('/usr/lib/python3')\nimport apt", "ModuleNotFoundError"),
    "fork": ("import os\nos.fork()", "SIGSYS"),
    "spawn": ("import os\nos.posix_spawn('/bin/true', ['true'], {})", "SIGSYS or PermissionError"),
    "run a program": ("import os\nos.execv('/bin/true', ['true'])", "SIGSYS or PermissionError"),
    "start a thread": ("import threading\nthreading.Thread(target=print).start()", "SIGSYS"),
    "start a thread pool": (
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)", "SIGSYS",
    ),
    "make a socket": ("import socket\nsocket.socket()", "SIGSYS"),
    "connect": ("import socket\nsocket.create_connection(('127.0.0.1', 8765), 1)", "SIGSYS"),
    "connect to the abstract": (
        "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0kernelgate')", "SIGSYS",
    ),
    "send to the abstract by a pair": (
        "import socket\nsocket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', '\\0k')", "PermissionError",
    ),
    "send to an address on a pair": (
        "import socket\nsocket.socketpair()[0].sendto(b'x', '\\0k')", "PermissionError",
    ),
    "pass a descriptor": (
        "import socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [b.fileno()])", "SIGSYS",
    ),
    "kill the parent": ("import os\nos.kill(os.getppid(), 9)", "SIGSYS"),
    "kill everyone": ("import os\nos.kill(-1, 9)", "SIGSYS"),
    "kill the group": ("import os\nos.killpg(0, 9)", "SIGSYS"),
    "open a process": ("import os\nos.pidfd_open(1)", "SIGSYS"),
    "trace": (_LIBC + "libc.ptrace(16, 1, 0, 0)", "SIGSYS"),
    "read other memory": (_SYSCALL + f"call({_number('process_vm_readv')}, 1, 0, 0, 0, 0, 0)", "SIGSYS"),
    "become root": ("import os\nos.setuid(0)", "SIGSYS"),
    "a system call by number": (_SYSCALL + f"call({_number('unshare')}, 0x10000000)", "SIGSYS"),
    "io_uring": (_SYSCALL + f"call({_number('io_uring_setup')}, 1, 0)", "SIGSYS"),
    "memory file": ("import os\nos.memfd_create('x')", "SIGSYS"),
    "executable memory": ("import mmap\nmmap.mmap(-1, 4096, prot=7)", "PermissionError"),
    "make memory executable": (
        _LIBC + "p = ctypes.create_string_buffer(8192)\na = (ctypes.addressof(p) + 4095) & ~4095\n"
        "if libc.mprotect(ctypes.c_void_p(a), 4096, 7): raise OSError(ctypes.get_errno(), 'refused')",
        "PermissionError",
    ),
    "shared memory": (
        "from multiprocessing import shared_memory\nshared_memory.SharedMemory(create=True, size=9)",
        "PermissionError",
    ),
    "a semaphore of the system": ("import multiprocessing\nmultiprocessing.Lock()", "PermissionError"),
    "raise a limit": (
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (9999, 9999))", "ValueError",
    ),
    "be dumped": (_LIBC + "if libc.prctl(4, 1, 0, 0, 0): raise PermissionError", "PermissionError"),
    "type into a terminal": ("import fcntl\nfcntl.ioctl(0, 0x5412, b'x')", "PermissionError"),
    "read nowhere": ("import ctypes\nctypes.string_at(8)", "SIGSEGV"),
    "write into code": ("import ctypes\nctypes.memset(id(len) & ~0xfff, 0, 1 << 30)", "SIGSEGV or SIGBUS"),
    "exhaust descriptors": ("import socket\nx = []\nwhile True: x.append(socket.socketpair())", "OSError"),
    "exhaust the stack": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        "SIGSEGV or memory_limit or cpu_limit or RecursionError",
    ),
    "leave without a word": ("import os\nos._exit(0)", "protocol or worker_crashed"),
    "close every descriptor": ("import os\nos.closerange(0, 99)", "protocol"),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_nothing_and_a_clear_outcome(native: Native, name: str) -> None:
    source, wanted = ATTACKS[name]
    outcome = native.run(source, Limits(wall_s=10, cpu_s=1, memory_mb=128, output_bytes=1000))
    assert outcome.status in ("failed", "timed_out")
    assert met(outcome) in wanted.split(" or "), outcome.error


BOMBS = {
    "a list": ("x = []\nwhile True: x.append(bytearray(10**6))", "memory_limit"),
    "an array": ("import numpy\nnumpy.ones((10**6, 10**5))", "memory_limit"),
    "many arrays": ("import numpy\nx = []\nwhile True: x.append(numpy.ones(10**6))", "memory_limit"),
    "raw memory": (
        "import mmap\nx = []\nwhile True: x.append(mmap.mmap(-1, 1 << 24))", "OSError",
    ),
    "malloc": (_LIBC + "while libc.malloc(1 << 20): pass\nraise MemoryError", "memory_limit"),
    "a loop": ("while True: pass", "cpu_limit"),
    "a loop whose handler of signals is one": (
        "import signal\ndef again(*_):\n    while True: pass\nsignal.signal(signal.SIGUSR1, again)\nagain()",
        "cpu_limit",
    ),
    "a loop in NumPy": ("import numpy\na = numpy.ones((500, 500))\nwhile True: a @ a", "cpu_limit"),
    "a loop that ignores signals": (
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n    except: pass\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
        "cpu_limit",
    ),
    "a sleep": ("import time\ntime.sleep(60)", "wall_limit"),
    "an alarm to itself": ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\nwhile True: pass", "cpu_limit"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_at_its_limit_and_takes_nobody_along(native: Native, name: str) -> None:
    source, wanted = BOMBS[name]

    async def scenario() -> tuple[Outcome, Outcome]:
        neighbour = asyncio.create_task(native.start("import time\ntime.sleep(0.4)\nresult = 'alive'"))
        limits = Limits(
            wall_s=1.0 if wanted == "wall_limit" else 20, cpu_s=0.5, memory_mb=64, output_bytes=99
        )
        outcome = await native.start(source, limits)
        return outcome, await neighbour

    outcome, neighbour = native.runner.run(scenario())
    assert met(outcome) == wanted, outcome.error
    assert neighbour.result == "alive"


def test_a_worker_holds_no_environment_descriptors_or_sockets_of_the_host(
    native: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELGATE_SECRET_OF_A_TEST", "hush")
    source = (
        "import fcntl, os, gc, socket\n"
        "alive = []\n"
        "for n in range(64):\n"
        "    try: fcntl.fcntl(n, fcntl.F_GETFD); alive.append(n)\n"
        "    except OSError: pass\n"
        "result = {'names': sorted(os.environ), 'descriptors': len(alive),\n"
        "          'open': sum(s.fileno() in alive for s in gc.get_objects() if isinstance(s, socket.socket))}"
    )
    found = native.result(source)
    assert found["names"] == []
    assert found["descriptors"] == 4  # three that lead nowhere, and its own socket
    assert found["open"] == 1


_PROBE = (
    "import os, time, ctypes\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n"
    "def met(act):\n"
    "    try: return repr(act())\n"
    "    except BaseException as error: return type(error).__name__ + str(getattr(error, 'errno', ''))\n"
    "info = ctypes.create_string_buffer(512)\n"
    "def sysinfo():\n"
    "    if libc.sysinfo(info): raise OSError(ctypes.get_errno(), 'refused')\n"
    "def pids(act):\n"
    "    return sorted({met(lambda: act(n)) for n in range(2, 400)})\n"
    "result = [met(os.getloadavg), met(sysinfo), pids(os.getpgid), pids(os.getsid), pids(os.sched_getscheduler),\n"
    "          pids(os.sched_getaffinity), pids(lambda n: os.getpriority(os.PRIO_PROCESS, n)),\n"
    "          pids(lambda n: time.clock_gettime((~n << 3) | 2)), pids(lambda n: os.readlink(f'/proc/{n}/exe')),\n"
    "          met(lambda: os.waitpid(-1, os.WNOHANG)), met(lambda: os.times()[2:4])]"
)


def test_nothing_tells_whether_another_run_exists(native: Native) -> None:
    async def alone_and_beside() -> tuple[list[Any], list[Any]]:
        alone = (await native.start(_PROBE)).result
        services = Services()
        busy = asyncio.create_task(
            native.pool.run_script("print('here')\nwhile True: pass", {}, LIMITS, services, native=True)
        )
        await until(services.printed)
        beside = (await native.start(_PROBE)).result
        busy.cancel()
        await asyncio.wait([busy])
        return alone, beside

    alone, beside = native.runner.run(alone_and_beside())
    assert alone == beside
    assert all("Error" in str(answer) for answer in alone[:-1])


def test_what_a_run_sets_on_its_descriptors_is_not_seen_by_the_next(native: Native) -> None:
    script = """
import fcntl, os
def main(mark):
    flags = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (0, 1, 2)]
    if mark:
        for fd, flag in enumerate(flags):
            fcntl.fcntl(fd, fcntl.F_SETFL, flag | os.O_NONBLOCK | os.O_APPEND)
    return flags
"""
    before = native.result(script, mark=True)
    assert [native.result(script, mark=False) for _ in range(4)] == [before] * 4


def test_a_worker_at_full_level_is_alone_in_its_world(native: Native) -> None:
    if native.pool.level != "full":
        pytest.skip(f"this machine gives level {native.pool.level}")
    assert native.result("import os\nresult = [os.getpid(), os.getppid() > 0, os.getuid()]") == [1, False, 0]


def test_another_workers_number_is_of_no_use(native: Native) -> None:
    async def scenario() -> tuple[Outcome, Outcome]:
        services = Services()
        source = "import time\nprint('here')\ntime.sleep(0.3)\nresult = 'alive'"
        other = asyncio.create_task(native.pool.run_script(source, {}, LIMITS, services, native=True))
        await until(services.printed)
        attack = "import os\ndef main(pids):\n    for pid in pids:\n        os.kill(pid, 9)"
        return await native.start(attack, inputs={"pids": descendants(os.getpid())}), await other

    attack, other = native.runner.run(scenario())
    assert met(attack) == "SIGSYS"
    assert other.result == "alive"


# ---------------------------------------------------------------------- the socket in hostile hands
_TALK = (
    "import fcntl, os, struct, msgspec\n"
    "def is_open(n):\n"
    "    try: return fcntl.fcntl(n, fcntl.F_GETFD) >= 0\n"
    "    except OSError: return False\n"
    "own = next(n for n in range(3, 64) if is_open(n))\n"
    "def say(value):\n"
    "    body = msgspec.msgpack.encode(value)\n"
    "    os.write(own, struct.pack('<I', len(body)) + body)\n"
)


def test_a_forged_end_lies_about_its_own_run_only(native: Native) -> None:
    outcome = native.run(
        _TALK + "say({'t': 'finished', 'result': msgspec.msgpack.encode('forged')})\nwhile True: pass"
    )
    assert outcome.result == "forged"
    assert native.result("result = 'honest'") == "honest"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{'t': 'failed', 'error': {'code': 'internal', 'message': 'the server is broken'}}", "script_error"),
        ("{'t': 'reflected', 'reflection': {'source': '', 'entry_points': [], 'bindings': []}}", "protocol"),
        ("{'t': 'answer', 'id': 1, 'value': b''}", "protocol"),
        ("{'t': 'finished', 'result': b'\\xc1'}", "protocol"),
        ("[[[]]] * 9", "protocol"),
    ],
)
def test_a_forged_message_ends_the_forgers_run(native: Native, message: str, code: str) -> None:
    outcome = native.run(_TALK + f"say({message})\nwhile True: pass")
    assert outcome.error is not None
    assert outcome.error.code == code


def test_a_worker_that_floods_or_falls_silent_ends_at_its_limits(native: Native) -> None:
    flood = native.run(
        _TALK + "while True: say({'t': 'output', 'stream': 'stdout', 'text': 'x' * 9999})", SMALL
    )
    assert flood.error is not None
    assert flood.error.code == "output_limit"
    silent = Limits(wall_s=0.4, cpu_s=5, memory_mb=64, output_bytes=10)
    half = native.run(_TALK + "os.write(own, b'\\xff\\x00')\nimport time\ntime.sleep(60)", silent)
    assert half.error is not None
    assert half.error.code == "wall_limit"
    deaf = native.run(_TALK + "while True: say({'t': 'read', 'id': 1, 'handle': 1})", silent)
    assert deaf.error is not None
    assert deaf.error.code == "wall_limit"


def test_a_stored_script_is_called_by_name(native: Native) -> None:
    async def called() -> Outcome:
        services = Services()
        services.scripts = {"model": "import numpy\ndef main(x):\n    return int(numpy.sum(x))"}
        source = "result = call('script.model', x=[1, 2, 3])"
        return await native.pool.run_script(source, {}, LIMITS, services, native=True)

    outcome = native.runner.run(called())
    assert (outcome.error, outcome.result) == (None, 6)
