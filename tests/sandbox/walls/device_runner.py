"""Runs attacks behind the walls of a device process, in forks: `python -I device_runner.py` with JSON on stdin.

The forks have one thread and no driver; the walls are what a real device process gets, at both moments. In: {"machine":
one of `MACHINES`, "driver": "software" or "gpu", "folder": an empty one, "cases": [[name of an attack or of what
`driverlike.py` does, [walls]]]}. Out: what each case met: the name of an errno, an exception or a signal, or `nothing`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from sandbox.walls import device
from tests.sandbox.walls.attacks import ATTACKS
from tests.sandbox.walls.attacks.base import World
from tests.sandbox.walls.driverlike import DRIVERLIKE, DRIVERLIKE_OF_GPU
from tests.sandbox.walls.machines import MACHINES
from tests.sandbox.walls.runner import attempt, surroundings_of

DEADLINE_S = 20
ROOT = sys.path[0]
PROGRAM = [f"{ROOT}/sandbox", f"{ROOT}/tests/sandbox", *(path for path in sys.path if path != ROOT)]


def _abort(_: World) -> None:
    """As native panics do."""
    os.abort()


ACTIONS = (
    {name: attack.act for name, attack in ATTACKS.items()}
    | DRIVERLIKE
    | DRIVERLIKE_OF_GPU
    | {"abort": _abort}
)


def outcome(job: dict[str, Any], world: World, name: str, walls: list[str]) -> str:
    """What `name` meets behind `walls`; which wall could not be had, before a colon."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(DEADLINE_S)
        try:
            steps = (*device.begin(PROGRAM, walls), *device.finish(job["driver"], walls))
            missing = "".join(device.sealed(steps).missing.partition(":")[:2])
            os.write(write, f"{missing}{attempt(partial(ACTIONS[name], world))}".encode())
        finally:
            os._exit(0)
    os.close(write)
    text = os.read(read, 200).decode()
    os.close(read)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return signal.Signals(-code).name if code < 0 else text or "no answer"


def neighbour() -> int:
    """Another process of the server, which waits; SIGUSR1 does nothing to it."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.alarm(5 * DEADLINE_S)
        while True:
            signal.pause()
    return pid


def main() -> None:
    """Run the cases."""
    job = json.load(sys.stdin)
    surroundings = surroundings_of(job["folder"])
    MACHINES[job["machine"]]()
    world = World(sibling=neighbour(), **surroundings)  # type: ignore[arg-type]
    outcomes = [outcome(job, world, name, walls) for name, walls in job["cases"]]
    os.kill(world.sibling, signal.SIGKILL)
    os.waitpid(world.sibling, 0)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main()
