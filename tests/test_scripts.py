"""`scripts/` and `.ci/run`: they are sound, they refuse with plain words, and they do the main job."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelgate.local import LocalServer

ROOT = Path(__file__).parents[1]
SCRIPTS = ["scripts/setup", "scripts/run", "scripts/test", ".ci/run"]


def run(
    *command: str, cwd: Path = ROOT, timeout: float = 60, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nothing but the scripts, in which nothing was set up."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with the tools that the scripts use, and no Python."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for tool in ("bash", "env", "dirname", "cat", "mktemp", "rm", "sha256sum", "tail", "tee"):
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def fake(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_sound_bash_that_stops_at_the_first_error(script: str) -> None:
    assert run("bash", "-n", script).stderr == ""
    assert "\nset -euo pipefail\n" in (ROOT / script).read_text()


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    assert run("shellcheck", *SCRIPTS).stdout == ""


@pytest.mark.parametrize("version", ["3.10", "3.14"])
def test_a_python_that_is_not_tested_is_refused_by_its_version(
    checkout: Path, tools: Path, version: str
) -> None:
    fake(tools, "python3", f"echo {version} 0 /usr; exit 1")
    done = run("scripts/run", "--once", cwd=checkout, PATH=str(tools), KERNELGATE_PYTHON="")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"Kernelgate needs Python 3.11, 3.12 or 3.13, and python3 is {version}.\n")


def test_a_machine_without_python_is_told_so(checkout: Path, tools: Path) -> None:
    done = run("scripts/test", cwd=checkout, PATH=str(tools), KERNELGATE_PYTHON="")
    assert done.returncode == 1
    assert done.stderr == "Kernelgate needs Python 3.11, 3.12 or 3.13, and python3 does not run here.\n"


@pytest.mark.parametrize("apt", [True, False])
def test_nothing_is_installed_without_asking(checkout: Path, tools: Path, apt: bool) -> None:
    fake(tools, "python3", '[[ $2 == "import ensurepip, venv" ]] && exit 1; echo 3.12 0 /usr')
    if apt:
        fake(tools, "apt-get", "echo never; exit 3")
    done = run("scripts/setup", cwd=checkout, PATH=str(tools), KERNELGATE_PYTHON="", CI="")
    assert done.returncode == 1
    assert "python3.12-venv" in done.stderr
    assert ("pass --yes" in done.stderr) is apt
    assert "never" not in done.stdout + done.stderr


def test_a_step_that_fails_shows_its_output(checkout: Path, tools: Path) -> None:
    fake(tools, "python3", '[[ $2 == venv ]] && { echo "disk full"; exit 7; }; echo 3.12 0 /usr')
    done = run(
        "scripts/setup", "--yes", cwd=checkout, PATH=str(tools), KERNELGATE_PYTHON="", KERNELGATE_VENV=""
    )
    assert done.returncode == 1
    assert done.stderr == "disk full\n\n[1/3] making .venv failed (status 7); its output is above.\n"


@pytest.mark.parametrize("script", ["scripts/setup", "scripts/run"])
def test_an_unknown_argument_is_answered_with_the_usage(script: str) -> None:
    done = run(script, "--nonsense")
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {script}")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A socket that listens on a port of its own."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken


def test_a_port_that_is_taken_is_named(listener: socket.socket, tmp_path: Path) -> None:
    port = str(listener.getsockname()[1])
    done = run("scripts/run", "--once", KERNELGATE_PORT=port, KERNELGATE_DATA=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.strip().startswith(f"Port {port} is taken. Set KERNELGATE_PORT")


def test_a_server_that_runs_already_is_used(server: LocalServer) -> None:
    done = run("scripts/run", "--once", KERNELGATE_PORT=str(server.port), KERNELGATE_DATA=str(server.data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"Kernelgate is running already at {server.url}")
    assert done.stdout.count("\nok ") == 2


def test_the_main_job_is_done_twice_and_leaves_nothing_running(tmp_path: Path) -> None:
    port = str(LocalServer(tmp_path).port)
    settings = {"KERNELGATE_PORT": port, "KERNELGATE_DATA": str(tmp_path / "data")}
    first = run("scripts/run", "--once", timeout=180, **settings)
    assert first.returncode == 0, first.stdout + first.stderr
    key = (tmp_path / "data" / "admin.key").read_text().strip()
    assert f"http://127.0.0.1:{port}" in first.stdout
    assert key in first.stdout
    assert "202 lines of LICENSE: 202 agree with hashlib" in first.stdout
    assert "digits recognised: accuracy 9" in first.stdout
    log = (tmp_path / "data" / "server.log").read_text()
    second = run("scripts/run", "--once", timeout=180, **settings)
    assert second.returncode == 0, second.stdout + second.stderr
    assert key not in second.stdout
    longer = (tmp_path / "data" / "server.log").read_text()
    assert longer.startswith(log)
    assert len(longer) > len(log)
    assert key not in longer
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", int(port))) != 0


def test_beside_a_folder_of_its_name_the_package_is_found_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "kernelgate").mkdir()  # as beside a clone
    done = run(sys.executable, "-c", "import kernelgate; print(kernelgate.Client.__name__)", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("Client\n", "")
