"""What scripts get in place of the parts of the standard library that would open a door.

Owns the replacements, one module each, and the few patches of the real library. `install()` puts them all into the
views, once, in the zygote. Must not know sockets: what a replacement prints goes through `sandbox/console.py`.
"""

from __future__ import annotations

from sandbox.policy.stdlib import (
    asynchronous,
    collecting,
    dataclassing,
    functional,
    hardening,
    logs,
    namespaces,
    structure,
    system,
    typed,
    warned,
)


def install() -> None:
    """Register every replacement and patch the library. Once a process."""
    for part in (functional, dataclassing, collecting, typed, namespaces, structure):
        part.install()
    for part in (asynchronous, system, logs, warned, hardening):
        part.install()
