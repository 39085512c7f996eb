"""What each attack must meet in a device process, by class of driver: the expectations, as data."""

from __future__ import annotations

from tests.sandbox.walls.attacks import ATTACKS

DRIVERS = ("software", "gpu")

# A device process is started with nothing but the server's socket.
INHERITED = {
    "read an inherited descriptor",
    "write to an inherited file",
    "truncate an inherited file",
    "type into a terminal",
    "map a file",
}
ENDLESS = {"run for ever"}
# What a driver needs, or what tells so little that its call is not worth missing.
ALLOWED = {
    "software": {
        "ask for the machine's load",
        "ask for the parent",
        "ask whether a file exists",
        "ask which processors another worker has",
        "duplicate a descriptor",
        "make a memory file",
        "make memory executable",
        "map executable memory",
        "map much memory",
        "start a thread",
        "statx",
        "take another name",
        "take much memory",
    }
}
ALLOWED["gpu"] = ALLOWED["software"] | {
    "ask how another worker is scheduled",
    "lock memory",
    "make a pipe",
    "make an event",
    "open a device",
    "read its own memory map",
}
# A GPU's driver may open files: landlock says which.
BY_LANDLOCK = {
    "list processes",
    "list the root",
    "read a file",
    "read the machine's load",
    "read the server's environment",
    "read the server's memory by its file",
    "read what the kernel counts",
    "read who listens",
    "write a file",
}
LANDLOCK_SPARES = {"open a device", "read its own memory map"}
KILLED = {
    "32-bit system call",
    "account for processes",
    "add a key",
    "become another user",
    "change the descriptor table",
    "change the personality",
    "change the root by chroot",
    "change the root by pivot_root",
    "enter a namespace",
    "execute a memory file",
    "execute a program",
    "execute an open file",
    "handle page faults",
    "let itself be traced",
    "load a BPF program",
    "load a module",
    "load another kernel",
    "make a network namespace",
    "make a user namespace",
    "make secret memory",
    "mount",
    "open a mount",
    "open by a file handle",
    "queue a signal",
    "read the memory of another worker",
    "read the memory of the server",
    "reboot",
    "request a key",
    "set up io_uring",
    "swap",
    "take a capability back",
    "trace another worker",
    "trace the server",
    "unload a module",
    "unmount",
    "use ports of the machine",
    "use the key ring",
    "write the memory of another worker",
    "x32 system call",
}
OTHERWISE = {"clone3": "ENOSYS", "raise a limit": "ValueError"}

REFUSED = {driver: sorted(ATTACKS.keys() - ALLOWED[driver] - INHERITED - ENDLESS) for driver in DRIVERS}


def refusal(driver: str, name: str) -> str:
    """What `name` must meet behind all walls."""
    if driver == "gpu" and name in BY_LANDLOCK:
        return "EACCES"
    return OTHERWISE.get(name, "SIGSYS" if name in KILLED else "EPERM")
