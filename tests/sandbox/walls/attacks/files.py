"""Attacks on files: read, write, list, and reach them by other roads than a path."""

from __future__ import annotations

import fcntl
import os
import struct

from tests.sandbox.walls.attacks.base import Attack, World, kernel

AT_FDCWD = -100
TIOCSTI = 0x5412


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(16)


def _write(world: World) -> None:
    with open(f"{world.folder}/written", "w", encoding="ascii") as file:
        file.write("x")


def _grow_inherited(world: World) -> None:
    os.write(world.file, b"x")


ROWS = (
    Attack(
        "read a file",
        lambda w: _read(w.secret),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack("write a file", _write, {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"}),
    Attack(
        "list the root",
        lambda w: os.listdir("/")[0],
        {"namespaces": "IndexError", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "ask whether a file exists", lambda w: os.stat(w.secret), {"namespaces": "ENOENT", "seccomp": "EPERM"}
    ),
    Attack(
        "statx",
        lambda w: kernel("statx", AT_FDCWD, os.fsencode(w.secret), 0, 0x7FF, bytes(256)),
        {"namespaces": "ENOENT", "seccomp": "EPERM"},
    ),
    Attack(
        "make a folder",
        lambda w: os.mkdir(f"{w.folder}/made-{os.getpid()}"),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "make a symbolic link",
        lambda w: os.symlink("/", f"{w.folder}/link-{os.getpid()}"),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "truncate a file", lambda w: os.truncate(w.secret, 6), {"namespaces": "ENOENT", "seccomp": "EPERM"}
    ),
    Attack(
        "delete a folder",
        lambda w: os.rmdir(w.folder),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack("change the folder", lambda w: os.chdir(w.folder), {"namespaces": "ENOENT", "seccomp": "EPERM"}),
    Attack("ask for the folder", lambda w: os.getcwd(), {"seccomp": "EPERM"}),
    Attack(
        "read the server's environment",
        lambda w: _read(f"/proc/{w.server}/environ"),
        {"namespaces": "ENOENT", "landlock": "EACCES", "capabilities": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "read the server's memory by its file",
        lambda w: os.open(f"/proc/{w.server}/mem", os.O_RDWR),
        {"namespaces": "ENOENT", "landlock": "EACCES", "capabilities": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "read its own memory map",
        lambda w: _read("/proc/self/maps"),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "list processes",
        lambda w: os.listdir("/proc"),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "open a device",
        lambda w: os.open("/dev/null", os.O_RDWR),
        {"namespaces": "ENOENT", "landlock": "EACCES", "seccomp": "EPERM"},
    ),
    Attack(
        "read an inherited descriptor", lambda w: os.set_blocking(w.pipe, False), {"descriptors": "EBADF"}
    ),
    Attack("write to an inherited file", _grow_inherited, {"descriptors": "EBADF", "rlimits": "EFBIG"}),
    Attack(
        "truncate an inherited file",
        lambda w: os.ftruncate(w.file, 9),
        {"descriptors": "EBADF", "seccomp": "EPERM"},
    ),
    Attack(
        "type into a terminal",
        lambda w: fcntl.ioctl(w.terminal, TIOCSTI, b"x"),
        {"descriptors": "EBADF", "seccomp": "EPERM"},
        machine_refuses=True,
    ),
    Attack(
        "open by a file handle",
        lambda w: kernel("open_by_handle_at", AT_FDCWD, struct.pack("=Ii8x", 8, 1), 0),
        {"capabilities": "EPERM", "namespaces": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "splice from a descriptor",
        lambda w: kernel("splice", w.pipe, None, w.file, None, 1, 2),
        {"descriptors": "EBADF", "seccomp": "EPERM"},
    ),
    Attack(
        "mount",
        lambda w: kernel("mount", b"none", b"/", b"no-such-kind", 0, None),
        {"landlock": "EPERM", "capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "unmount",
        lambda w: kernel("umount2", os.fsencode(w.folder), 0),
        {"namespaces": "ENOENT", "capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "change the root by pivot_root",
        lambda w: kernel("pivot_root", b"/", b"/"),
        {"landlock": "EPERM", "capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "change the root by chroot",
        lambda w: kernel("chroot", b"/"),
        {"capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "open a mount",
        lambda w: kernel("fsopen", b"tmpfs", 0),
        {"capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack(
        "make a device node",
        lambda w: kernel("mknodat", AT_FDCWD, os.fsencode(f"{w.folder}/node-{os.getpid()}"), 0o20666, 0x103),
        {"namespaces": "ENOENT", "landlock": "EACCES", "capabilities": "EPERM", "seccomp": "SIGSYS"},
    ),
    Attack("watch files", lambda w: kernel("inotify_init1", 0), {"seccomp": "EPERM"}),
    Attack(
        "watch all files",
        lambda w: kernel("fanotify_init", 0, 0),
        {"capabilities": "EPERM", "seccomp": "EPERM"},
        machine_refuses=True,
    ),
)
