"""`deploy/`: the unit is one that systemd takes, and the container is made by the scripts that everybody uses."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from api.settings import Settings

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "kernelgate.service"
CONTAINER = ROOT / "deploy" / "Containerfile"
COMMAND = "/opt/kernelgate/.venv/bin/kernelgate"


def service() -> configparser.SectionProxy:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment]
    unit.read(UNIT)
    return unit["Service"]


def steps(instruction: str) -> list[str]:
    """What follows each `instruction` of the container file."""
    return re.findall(rf"^{instruction} (.+)$", CONTAINER.read_text(), re.MULTILINE)


def test_the_unit_is_valid(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace(COMMAND, "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_starts_serve_with_flags_that_it_has_and_waits_until_it_has_drained() -> None:
    command, action, *flags = shlex.split(service()["ExecStart"])
    assert (command, action) == (COMMAND, "serve")
    names = {flag.removeprefix("--").replace("-", "_") for flag in flags if flag.startswith("--")}
    assert names <= set(Settings.model_fields)
    assert int(service()["TimeoutStopSec"]) > 2 * Settings.model_fields["drain_s"].default
    assert int(service()["LimitNOFILE"]) > 10 * Settings.model_fields["connections"].default


def test_the_unit_takes_all_privileges_and_none_of_the_walls() -> None:
    unit = service()
    assert (unit["NoNewPrivileges"], unit["CapabilityBoundingSet"], unit["ProtectSystem"]) == (
        "yes",
        "",
        "strict",
    )
    assert {"user", "pid", "net", "mnt"} <= set(unit["RestrictNamespaces"].split())
    for takes_a_wall in ("SystemCallFilter", "PrivateUsers", "ProtectProc", "ProtectKernelTunables"):
        assert takes_a_wall not in unit


def test_the_container_is_made_by_setup_and_runs_as_nobody_in_particular() -> None:
    setup, user = steps("RUN")
    assert setup == "scripts/setup --yes"
    assert user.startswith("useradd --system ")
    assert steps("USER") == ["kernelgate"]
    assert json.loads(steps("ENTRYPOINT")[0]) == [COMMAND, "serve"]
    assert steps("WORKDIR") == [str(Path(COMMAND).parents[2])]
    (base,) = steps("FROM")
    version = re.search(r"python:(3\.\d+)-", base)
    assert version is not None
    assert version[1] in ("3.11", "3.12", "3.13"), "one that setup takes"
    for pair in steps("ENV")[0].split():
        assert pair.partition("=")[0].removeprefix("KERNELGATE_").lower() in Settings.model_fields


def test_the_container_gets_nothing_that_is_not_in_the_repository() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    for line in (ROOT / ".gitignore").read_text().split():
        name = line.lstrip("/")
        assert {name, f"**/{name}"} & set(ignored) or name.startswith("package"), name
    assert ".git" in ignored
