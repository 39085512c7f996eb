"""Landlock's rule sets for every version of the interface, and the one with paths that stay readable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.walls import landlock, linux
from tests.sandbox.walls.behind import run_python


def supported() -> bool:
    try:
        return landlock.abi() > 0
    except OSError:
        return False


needs_landlock = pytest.mark.skipif(
    not linux.supported() or not supported(), reason="this machine has no landlock"
)

# Fields of struct landlock_ruleset_attr, from the kernel's documentation: files, TCP, scope
FIELDS = {
    1: (0x1FFF,),
    2: (0x3FFF,),
    3: (0x7FFF,),
    4: (0x7FFF, 3),
    5: (0xFFFF, 3),
    6: (0xFFFF, 3, 3),
    7: (0xFFFF, 3, 3),
}

BEHIND_READ_ONLY = """
import errno, os, pathlib
from sandbox.walls import capabilities, landlock
folder = pathlib.Path(sys.argv[1])
granted = folder / "granted" / "file"
def attempt(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "ok"
actions = [
    granted.read_text,
    (folder / "single").read_text,
    (folder / "other").read_text,
    lambda: granted.write_text("y"),
    lambda: os.listdir(folder / "granted"),
    lambda: os.listdir(folder),
    lambda: os.unlink(granted),
]
ruleset = landlock.create(dict.fromkeys([str(folder / "granted"), str(folder / "single")], landlock.READ))
capabilities.forbid_new()
landlock.enforce(ruleset)
print(*map(attempt, actions), end="")
"""


@pytest.mark.parametrize("version", FIELDS)
def test_each_version_is_asked_for_all_that_it_knows_and_no_more(version: int) -> None:
    assert landlock.handled(version) == b"".join(field.to_bytes(8, "little") for field in FIELDS[version])


@needs_landlock
def test_read_only_paths_stay_readable_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "granted").mkdir()
    for name in ("granted/file", "single", "other"):
        (tmp_path / name).write_text("x")

    assert run_python(BEHIND_READ_ONLY, str(tmp_path)) == "ok ok EACCES EACCES ok EACCES EACCES"


@needs_landlock
def test_a_path_that_does_not_exist_is_an_error_and_leaks_no_descriptor(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    with pytest.raises(FileNotFoundError):
        landlock.create({str(tmp_path / "missing"): landlock.READ})
    assert os.listdir("/proc/self/fd") == before
