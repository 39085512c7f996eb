"""What the server says and does at each level of walls, and what the doctor makes of a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api import commands
from api.doctor import diagnosis, walls
from api.settings import Settings
from sandbox.walls.level import LANDLOCK, NAMESPACES, SECCOMP, USER, Level, Step, level_of

WAIT = {"Prefer": "wait=30"}


def report(*missing: str) -> dict[str, Any]:
    """What the probe of a machine without some walls gives, as data."""
    steps = [Step(name, name not in missing, "ENOSYS, no such thing" if name in missing else "") for name in
             (*NAMESPACES, LANDLOCK, SECCOMP)]  # fmt: skip
    steps.append(Step("attack: open a file", LANDLOCK not in missing, "met EACCES"))
    found = level_of(tuple(steps))
    return {**found.to_dict(), "follows": walls.consequences(found.level, Settings())}


@pytest.mark.parametrize(
    ("missing", "level", "words"),
    [
        ((), "full", ["every wall stands", "scripts run", "unless you set KERNELGATE_ALLOW_NATIVE=true"]),
        ((USER,), "hardened: user namespace: ENOSYS", ["shares some", "scripts run", "unless you set"]),
        (
            (LANDLOCK,),
            "seccomp: landlock: ENOSYS",
            ["by the filter", "scripts run", "native scripts are refused"],
        ),
        (
            (SECCOMP,),
            "process: seccomp: ENOSYS",
            ["nothing stands", "unless you start with --allow-weak-sandbox"],
        ),
    ],
)
def test_the_doctor_says_what_is_missing_and_what_follows(
    missing: tuple[str, ...], level: str, words: list[str]
) -> None:
    text = walls.lines(report(*missing))
    assert text[0].startswith(f"sandbox     {level}")
    assert len([line for line in text if line.startswith(("  yes", "  NO"))]) == len(NAMESPACES) + 3
    for name in missing:
        assert f"  NO   {name}: ENOSYS, no such thing" in text
    assert ("  missing   " in "\n".join(text)) == bool(missing)
    follows = "\n".join(line for line in text if line.startswith("  follows"))
    assert all(word in follows for word in words), follows


def test_settings_change_what_follows() -> None:
    weak = walls.consequences(Level.PROCESS, Settings(allow_weak_sandbox=True, allow_native=True))
    assert weak[1:] == [
        "scripts run all the same, as allow_weak_sandbox is set",
        "native scripts are refused (native_refused): they need the level full or hardened",
    ]
    assert walls.consequences(Level.FULL, Settings(allow_native=True))[2].endswith(
        "run, as allow_native is set"
    )


def test_the_doctor_prints_every_step_of_the_probe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path))
    monkeypatch.setattr(diagnosis, "adapters", list)
    assert commands.doctor(["--json"]) == 1
    found = json.loads(capsys.readouterr().out)["sandbox"]
    assert [step for step in found["steps"] if step["name"].startswith("attack: ")]
    commands.doctor([])
    text = capsys.readouterr().out
    assert all(f"{step['name']}" in text for step in found["steps"])
    assert found["level"] in text


def test_the_flag_and_the_variable_are_one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []

    class Listening:
        def __init__(self, settings: Settings) -> None:
            seen.append(settings)

        def listen(self) -> None:
            """Nothing."""

    monkeypatch.setattr(commands, "Server", Listening)
    monkeypatch.setattr(commands, "configure", lambda form: None)
    assert commands.serve([]) == 0
    assert commands.serve(["--allow-weak-sandbox"]) == 0
    monkeypatch.setenv("KERNELGATE_ALLOW_WEAK_SANDBOX", "true")
    assert commands.serve([]) == 0
    assert [settings.allow_weak_sandbox for settings in seen] == [False, True, True]


@pytest.fixture
def level(running: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the shared server believe in another level."""
    pool = running.server.runtime.pool

    def claim(name: str, reason: str) -> None:
        monkeypatch.setattr(pool._stock, "level", name)
        monkeypatch.setattr(pool._stock, "reason", reason)

    return claim


def test_without_walls_a_run_ends_as_sandbox_weak(http: httpx2.Client, level: Any) -> None:
    level("process", "seccomp: ENOSYS, no such thing")
    health = http.get("/healthz").json()["sandbox"]
    assert health == {"level": "process", "reason": "seccomp: ENOSYS, no such thing", "scripts": False}
    run = http.post("/api/runs", json={"script": "result = 1"}, headers=WAIT).json()
    assert (run["status"], run["error"]["code"]) == ("failed", "sandbox_weak")
    assert (run["level"], run["level_reason"]) == ("process", "seccomp: ENOSYS, no such thing")
    assert "--allow-weak-sandbox" in run["error"]["hint"]
    kernel = "@compute @workgroup_size(1) fn main() {}"
    assert http.post("/api/kernels", json={"name": "parsed", "source": kernel}).status_code == 201


def test_a_run_tells_its_level_and_why(http: httpx2.Client, level: Any) -> None:
    level("hardened", "user namespace: EPERM, not here")
    run = http.post("/api/runs", json={"script": "result = 1"}, headers=WAIT).json()
    assert (run["status"], run["level"], run["level_reason"]) == (
        "succeeded", "hardened", "user namespace: EPERM, not here",
    )  # fmt: skip
    again = http.get(f"/api/runs/{run['id']}").json()
    assert again["level_reason"] == run["level_reason"]


# ---------------------------------------------------------------------- native scripts
NATIVE = {"script": "import numpy\nresult = numpy.arange(4).sum()", "grants": {"native": ["numpy"]}}


def test_native_scripts_are_off_unless_the_owner_says_otherwise(http: httpx2.Client) -> None:
    answer = http.post("/api/runs", json=NATIVE)
    assert (answer.status_code, answer.json()["code"]) == (403, "native_refused")
    assert "allow_native" in answer.json()["detail"]
    assert "KERNELGATE_ALLOW_NATIVE" in answer.json()["hint"]


@pytest.fixture(scope="module")
def native(start: Any) -> Any:
    with start(workers=1, allow_native=True) as running:
        yield running


def test_a_native_run_computes_and_shows_its_grant(native: Any) -> None:
    run = native.http.post("/api/runs", json=NATIVE, headers=WAIT).json()
    if run["level"] not in ("full", "hardened"):
        assert run["error"]["code"] == "native_refused"
        pytest.skip(f"native scripts do not run at level {run['level']}")
    assert (run["status"], run["result"], run["grants"]) == ("succeeded", 6, {"native": ["numpy"]})
    ordinary = native.http.post("/api/runs", json={"script": "eval('1')"}, headers=WAIT).json()
    assert ordinary["error"]["code"] == "script_denied"
    assert ordinary["grants"] == {}


def test_a_native_run_imports_stored_scripts_as_plain_python(native: Any) -> None:
    native.http.post(
        "/api/scripts", json={"name": "stats", "source": "import numpy\ndef f(x):\n    return eval(x)"}
    )
    script = "import stats\nresult = [stats.f('1 + 1'), stats.__name__]"
    run = native.http.post("/api/runs", json={**NATIVE, "script": script}, headers=WAIT).json()
    assert run["result"] == [2, "stats"]


def test_a_native_run_is_refused_at_a_weak_level_by_name(
    native: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native.server.runtime.pool._stock, "level", "seccomp")
    monkeypatch.setattr(native.server.runtime.pool._stock, "reason", "landlock: ENOSYS")
    answer = native.http.post("/api/runs", json=NATIVE)
    assert answer.json()["code"] == "native_refused"
    assert "at seccomp: landlock: ENOSYS" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("grants", "code"),
    [
        ({"native": ["pandas"]}, "grants_invalid"),
        ({"native": "numpy"}, "grants_invalid"),
        ({"native": ["numpy", "numpy"]}, "grants_invalid"),
        ({"teleport": []}, "grants_invalid"),
    ],
)
def test_grants_that_make_no_sense_are_refused(http: httpx2.Client, grants: Any, code: str) -> None:
    answer = http.post("/api/runs", json={"script": "result = 1", "grants": grants})
    assert answer.json()["code"] == code
