"""Attacks on the walls, as data: what each does, and what it meets behind each wall that stops it when alone.

Plain CPython that knows all that we know, run in a child of a prepared zygote by `runner.py`; no language policy is in
the way. Standard library and `sandbox.walls` only, so that any interpreter can run it.
"""

from __future__ import annotations

from tests.sandbox.walls.attacks import files, kernel, network, processes, resources, watching
from tests.sandbox.walls.attacks.base import X86, Attack

ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for rows in (files.ROWS, network.ROWS, processes.ROWS, resources.ROWS, kernel.ROWS, watching.ROWS)
    for attack in rows
    if X86 or not attack.only_x86
}
