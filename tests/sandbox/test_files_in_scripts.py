"""`open`, `os` and `pathlib` in scripts do what CPython's do: each script here runs both ways, on equal folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.gates.folder import FileLimits
from sandbox.library import filesystem
from sandbox.library.modes import Mode
from sandbox.pool import PoolSettings
from tests.sandbox.support import Sandbox, Services

MOUNT = "/w"

FILES = sorted((Path(__file__).parents[1] / "scripts" / "files").glob("*.py"))


def fill(folder: Path) -> Path:
    folder.mkdir()
    (folder / "lines.txt").write_bytes(b"first\nsecond\r\nthird\rno end")
    (folder / "bytes.bin").write_bytes(bytes(range(100, 256)))
    (folder / "sub").mkdir()
    (folder / "sub" / "inner.txt").write_text("x")
    return folder


def content(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def grants(folder: Path, mode: str = "rw", **more: Any) -> dict[str, Any]:
    return {"files": [{"path": MOUNT, "folder": str(folder), "mode": mode, **more}]}


def test_the_scripts_are_there() -> None:
    assert len(FILES) >= 18


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_script_does_to_files_what_cpython_does(path: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    script = path.read_text()
    ours, theirs = fill(tmp_path / "ours"), fill(tmp_path / "theirs")
    plain = subprocess.run(
        [sys.executable, "-c", f"ROOT = {str(theirs)!r}\n{script}"],
        capture_output=True, text=True, timeout=30, env={"PYTHONUTF8": "1"},
    )  # fmt: skip
    assert plain.returncode == 0, plain.stderr
    outcome = sandbox.run_with(Services(grants(ours)), f"ROOT = {MOUNT!r}\n{script}")
    assert outcome.error is None, outcome.error
    assert sandbox.services.printed() == plain.stdout
    assert content(ours) == content(theirs)


def test_an_overlay_keeps_the_same_writes_apart(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = fill(tmp_path / "ours")
    before = content(folder)
    script = next(path for path in FILES if path.stem.startswith("folders_are_made")).read_text()
    services = Services(grants(folder, "overlay"))
    assert sandbox.run_with(services, f"ROOT = {MOUNT!r}\n{script}").error is None
    assert content(folder) == before
    assert services.gates.changes() == {"/w/lines.txt": None, "/w/m/": b"", "/w/m/a/": b"", "/w/m/a/b/": b""}


def test_large_files_cross_in_pieces(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = fill(tmp_path / "ours")
    script = (
        "data = bytes(range(256)) * 40_000\n"
        "with open('/w/large.bin', 'wb') as f: f.write(data)\n"
        "with open('/w/large.bin', 'r+b') as f:\n    f.seek(9_000_000); f.write(b'here')\n"
        "back = open('/w/large.bin', 'rb').read()\n"
        "result = [len(back), back[9_000_000:9_000_004], back[:9_000_000] == data[:9_000_000]]"
    )
    outcome = sandbox.run_with(Services(grants(folder)), script)
    assert outcome.result == [10_240_000, b"here", True]
    pieces = [event.bytes for event in sandbox.services.events if event.operation == "file_write"]
    assert max(pieces) == 4 << 20


def error(sandbox: Sandbox, given: Any, script: str) -> Any:
    return sandbox.run_with(Services(given), script).error


def test_without_a_grant_the_denial_names_gate_request_and_grant(sandbox: Sandbox) -> None:
    found = error(sandbox, {}, "x = 1\nopen('/data/a.txt')")
    assert (found.code, found.line) == ("permission_denied", 2)
    assert "files: file stat of /data/a.txt is not granted" in found.message
    assert '{"files": [{"path": "/data", "mode": "ro"}]}' in found.hint
    script = (
        "try:\n    open('/x/y', 'w')\nexcept PermissionDenied as e:\n    result = [e.gate, e.asked, e.grant]"
    )
    expected = ["files", "file write of /x/y", {"files": [{"path": "/x", "mode": "rw"}]}]
    assert sandbox.run_with(Services(), script).result == expected


def test_a_folder_to_read_can_not_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = fill(tmp_path / "ours")
    for action in (
        "open('/w/x', 'w')",
        "open('/w/lines.txt', 'r+').write('x')",
        "os.remove('/w/lines.txt')",
        "os.mkdir('/w/new')",
    ):
        found = error(sandbox, grants(folder, "ro"), f"import os\n{action}")
        assert (found.code, "rw" in found.hint) == ("permission_denied", True), action
    assert content(folder) == content(fill(tmp_path / "other"))


def test_a_quota_is_an_error_of_the_run_even_when_python_would_swallow_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    given = grants(tmp_path, quota_bytes=1000)
    caught = """
try:
    with open("/w/a", "w") as f:
        f.write("x" * 2000)
except OSError as e:
    result = [e.errno, e.strerror]
"""
    outcome = sandbox.run_with(Services(given), caught)
    assert outcome.result[0] == 122
    assert "2000 bytes of 1000" in outcome.result[1]
    for swallowed in ("open('/w/b', 'w').write('x' * 2000)", "f = open('/w/b', 'w')\nf.write('x' * 2000)"):
        found = error(sandbox, given, swallowed)
        assert found.code == "file_quota", swallowed


def test_links_and_parents_lead_nowhere(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = fill(tmp_path / "ours")
    (tmp_path / "secret").write_text("secret")
    os.symlink(tmp_path / "secret", folder / "link")
    for path in ("/w/link", "/w/../w/link"):
        assert error(sandbox, grants(folder), f"open({path!r})").code == "file_refused"
    for path in ("/w/../secret", "../secret", "/w/sub/../../secret"):
        assert error(sandbox, grants(folder), f"open({path!r})").code == "permission_denied"
    script = (
        "import os\nresult = [os.path.exists('/w/link'), os.path.isfile('/w/link'), sorted(os.listdir('/w'))]"
    )
    assert sandbox.run_with(Services(grants(folder)), script).result == [
        False, False, ["bytes.bin", "lines.txt", "link", "sub"],
    ]  # fmt: skip


def test_folders_above_a_granted_one_are_seen_and_no_more(sandbox: Sandbox, tmp_path: Path) -> None:
    given = {"files": [{"path": "/data/in", "folder": str(tmp_path)}]}
    script = """
import os
os.makedirs("/data/in", exist_ok=True)
result = [os.listdir("/"), os.listdir("/data"), os.path.isdir("/data")]
"""
    assert sandbox.run_with(Services(given), script).result == [["data"], ["in"], True]
    assert error(sandbox, given, "import os\nos.mkdir('/data/out')").code == "permission_denied"


def test_an_uncaught_error_keeps_the_code_of_the_gate(sandbox: Sandbox, tmp_path: Path) -> None:
    found = error(sandbox, grants(tmp_path), "open('/w/none.txt')")
    assert (found.code, found.line) == ("file_not_found", 1)
    assert found.message == "FileNotFoundError: [Errno 2] No such file or directory: '/w/none.txt'"


def test_a_failing_script_still_keeps_what_it_wrote(sandbox: Sandbox, tmp_path: Path) -> None:
    script = "f = open('/w/log.txt', 'w')\nf.write('before')\n1 / 0"
    assert error(sandbox, grants(tmp_path), script).code == "script_error"
    assert (tmp_path / "log.txt").read_text() == "before"


def test_only_granted_values_are_in_the_environment(sandbox: Sandbox) -> None:
    script = """
import os
e = os.environ
result = [dict(e), os.getenv("B"), os.getenv("B", "x"), "A" in e, len(e), e.get("A"), sorted(e.items())]
"""
    services = Services({"env": {"A": "1"}})
    assert sandbox.run_with(services, script).result == [
        {"A": "1"}, None, "x", True, 1, "1", [["A", "1"]],
    ]  # fmt: skip
    assert sandbox.result("import os\nresult = dict(os.environ)") == {}
    found = error(sandbox, {"env": {"A": "1"}}, "import os\nos.environ['TOKEN']")
    assert (found.code, found.message) == (
        "permission_denied",
        "PermissionDenied: env: 'TOKEN' is not granted to this run",
    )
    assert '{"env": {"TOKEN": null}}' in found.hint
    caught = "import os\ntry: os.environ['T']\nexcept KeyError as e: result = [e.gate, e.asked, e.grant]"
    assert sandbox.result(caught) == ["env", "'T'", {"env": {"T": None}}]
    assert "cannot be changed" in error(sandbox, {}, "import os\nos.environ['A'] = '2'").message


@pytest.mark.parametrize(
    "letters", ["", "q", "rw", "rbt", "rr", "r++", "+", "b", "U", "rU", "r", "w+b", "xt"]
)
def test_modes_are_those_of_cpython(letters: str, tmp_path: Path) -> None:
    def verdict(action: Any) -> str:
        try:
            action()
        except ValueError as failure:
            return str(failure)
        except OSError:
            pass
        return "good"

    assert verdict(lambda: Mode.parse(letters)) == verdict(lambda: open(tmp_path / "none", letters).close())


def test_a_message_never_holds_more_than_the_server_takes() -> None:
    assert FileLimits().read_bytes <= filesystem.CHUNK < PoolSettings().max_frame // 2
