"""Grants of runs: who gets which, what the gates give, and what is written down of it."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api import commands
from tests.sandbox.website import Website, website

WAIT = {"Prefer": "wait=60"}
KERNEL = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() { y[0] = 7.0; }
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    with website() as running:
        yield running


@pytest.fixture(scope="module")
def gated(start: Callable[..., Any], site: Website) -> Iterator[Any]:
    """A server whose gate of HTTP leads to the website."""
    with start(network=site.network, overlay_bytes=10_000, workers=1, adapter="cpu") as running:
        yield running


@pytest.fixture
def admin(gated: Any) -> httpx2.Client:
    client: httpx2.Client = gated.http
    return client


def run(http: httpx2.Client, script: str, grants: Any = None, inputs: Any = None) -> dict[str, Any]:
    body = {"script": script, "inputs": inputs or {}, "grants": grants or {}}
    answer = http.post("/api/runs", json=body, headers=WAIT)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def refusal(http: httpx2.Client, grants: Any, inputs: Any = None) -> tuple[int, str, str]:
    body = {"script": "result = 1", "grants": grants, "inputs": inputs or {}}
    answer = http.post("/api/runs", json=body, headers=WAIT)
    problem = answer.json()
    return answer.status_code, problem["code"], problem["detail"]


def gate_events(http: httpx2.Client, run_id: str) -> list[Any]:
    text = http.get(f"/api/runs/{run_id}/events").text
    return [json.loads(data) for data in re.findall(r"event: gate\r?\ndata: (.*)", text)]


def denied(http: httpx2.Client, gate: str) -> float:
    found = re.search(rf'^udf_denied_total{{gate="{gate}"}} (.*)$', http.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


# ---------------------------------------------------------------------- fetch
def test_a_granted_request_is_made_and_is_an_event(admin: httpx2.Client) -> None:
    script = (
        "import requests\nresult = requests.get('http://site.test/list', headers={'X-Key': 'secret'}).json()"
    )
    done = run(admin, script, {"fetch": [{"host": ".test"}]})
    assert (done["result"], done["error"]) == ([1, 2.5, None], None)
    assert done["grants"] == {"fetch": [{"host": ".test"}]}
    (event,) = gate_events(admin, done["id"])
    assert event.pop("ms") > 0
    assert event == {
        "gate": "fetch", "method": "GET", "url": "http://site.test/list", "status": 200,
        "sent_bytes": 0, "received_bytes": 14,
    }  # fmt: skip


def test_a_denial_is_an_error_an_event_a_count_and_a_line(
    admin: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    before = denied(admin, "fetch")
    with caplog.at_level(logging.WARNING, "kernelgate.audit"):
        done = run(admin, "x = 1\nfetch('http://site.test/a', 'POST')", {"fetch": [{"host": "site.test"}]})
    error = done["error"]
    assert (done["status"], error["code"], error["status"], error["line"]) == (
        "failed", "permission_denied", 403, 2,
    )  # fmt: skip
    assert "fetch: POST http://site.test is not granted" in error["detail"]
    assert '{"fetch": [{"host": "site.test", "methods": ["POST"], "ports": [80]}]}' in error["hint"]
    (event,) = gate_events(admin, done["id"])
    assert (event["denied"], "status" in event) == ("permission_denied", False)
    assert event["grant"] == {"fetch": [{"host": "site.test", "methods": ["POST"], "ports": [80]}]}
    assert event["by"] == "run"
    assert denied(admin, "fetch") == before + 1
    (line,) = [record.getMessage() for record in caplog.records if record.name == "kernelgate.audit"]
    assert line.startswith(f"denied {done['id']} of admin: fetch: ")
    assert "\n" not in line


def test_a_flood_of_denials_is_counted_in_full_but_not_written_in_full(
    admin: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    before = denied(admin, "files")
    script = "for _ in range(150):\n    try:\n        open('/x')\n    except PermissionDenied:\n        pass"
    with caplog.at_level(logging.WARNING, "kernelgate.audit"):
        run(admin, script)
    assert denied(admin, "files") == before + 150
    assert len([record for record in caplog.records if record.name == "kernelgate.audit"]) == 100


def test_no_grant_opens_an_address_that_is_not_public(admin: httpx2.Client) -> None:
    done = run(admin, "fetch('http://inner.test/')", {"fetch": [{"host": "*"}]})
    assert (done["error"]["code"], done["error"]["status"]) == ("fetch_refused", 422)
    assert "Give the run what it needs as an input." in done["error"]["hint"]


@pytest.mark.parametrize("call", ["fetch", "requests.get"])
def test_a_name_that_is_not_known_is_told_where_to_look(admin: httpx2.Client, call: str) -> None:
    done = run(admin, f"import requests\n{call}('http://nowhere.test/')", {"fetch": [{"host": "*"}]})
    assert (done["error"]["code"], done["error"]["status"]) == ("fetch_failed", 502)
    assert "check its spelling, and that machine's DNS" in done["error"]["hint"]


def test_a_real_server_never_fetches_from_its_own_machine(start: Callable[..., Any], site: Website) -> None:
    with start(workers=1) as running:
        grants = {"fetch": [{"host": "localhost", "ports": [site.port]}]}
        done = run(running.http, f"fetch('http://localhost:{site.port}/')", grants)
    assert done["error"]["code"] == "fetch_refused"


# ---------------------------------------------------------------------- files
def folder(tmp_path: Path, mode: str, **more: Any) -> dict[str, Any]:
    return {"files": [{"path": "/data", "folder": str(tmp_path), "mode": mode, **more}]}


def test_a_granted_folder_is_read_and_written(admin: httpx2.Client, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("content")
    script = "with open('/data/out.txt', 'w') as f:\n    f.write(open('/data/in.txt').read().upper())"
    done = run(admin, script, folder(tmp_path, "rw"))
    assert done["error"] is None
    assert (tmp_path / "out.txt").read_text() == "CONTENT"
    assert done["files"] == {}
    events = gate_events(admin, done["id"])
    assert {event["operation"] for event in events} == {"file_stat", "file_read", "file_write"}
    assert [event["bytes"] for event in events if event["operation"] == "file_read"] == [7]


def test_an_overlay_comes_back_with_the_run_and_is_kept_with_it(admin: httpx2.Client, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")
    (tmp_path / "gone.txt").write_text("gone")
    script = """
import os
os.remove("/data/gone.txt")
os.mkdir("/data/new")
open("/data/new/b.bin", "wb").write(bytes([0, 255]))
with open("/data/old.txt", "a") as f:
    f.write(" and new")
"""
    done = run(admin, script, folder(tmp_path, "overlay"))
    assert done["error"] is None, done["error"]
    assert done["files"] == {
        "/data/gone.txt": None,
        "/data/new/": {"$bytes": ""},
        "/data/new/b.bin": {"$bytes": base64.b64encode(bytes([0, 255])).decode()},
        "/data/old.txt": {"$bytes": base64.b64encode(b"old and new").decode()},
    }
    assert admin.get(f"/api/runs/{done['id']}").json() == done
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gone.txt", "old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old"


def test_a_run_that_fails_or_is_cancelled_gives_its_overlay_back_too(
    admin: httpx2.Client, tmp_path: Path, wait_until: Any
) -> None:
    script = "open('/data/a', 'w').write('x')\nopen('/data/none')"
    done = run(admin, script, folder(tmp_path, "overlay"))
    assert (done["error"]["code"], done["error"]["status"]) == ("file_not_found", 404)
    assert list(done["files"]) == ["/data/a"]
    script = "with open('/data/a', 'w') as f: f.write('x')\nprint('begun')\nwhile True: pass"
    body = {"script": script, "grants": folder(tmp_path, "overlay")}
    run_id = admin.post("/api/runs", json=body).json()["id"]
    wait_until(lambda: admin.get(f"/api/runs/{run_id}").json()["stdout"] == "begun\n", "it has written")
    assert list(admin.delete(f"/api/runs/{run_id}").json()["files"]) == ["/data/a"]


def test_the_bytes_of_overlays_are_bounded_by_the_server(admin: httpx2.Client, tmp_path: Path) -> None:
    done = run(admin, "open('/data/a', 'w').write('x' * 10_001)", folder(tmp_path, "overlay"))
    assert (done["error"]["code"], done["error"]["status"]) == ("file_quota", 507)
    assert "10000 bytes" in done["error"]["detail"]


def test_an_admin_names_any_folder_but_the_servers_and_the_systems_own(
    gated: Any, admin: httpx2.Client
) -> None:
    data = gated.settings.data
    for path in (
        data,
        data / "blobs",
        data.parent,
        Path("/"),
        Path("/proc/self"),
        Path("/sys"),
        Path("/dev"),
    ):
        status, code, detail = refusal(admin, {"files": [{"path": "/x", "folder": str(path)}]})
        assert (status, code) == (422, "grants_invalid"), path
        assert str(path) in detail
    assert refusal(admin, {"files": [{"path": "/x"}]})[1] == "grants_invalid"


def test_a_link_to_the_data_folder_does_not_open_it(gated: Any, admin: httpx2.Client, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(gated.settings.data)
    for path in (tmp_path / "link", tmp_path):
        done = run(
            admin,
            "import os\nopen('/x/admin.key' if os.path.exists('/x/admin.key') else '/x/link/admin.key').read()",
            {"files": [{"path": "/x", "folder": str(path)}]},
        )
        assert done["error"]["code"] == "file_refused", done


# ---------------------------------------------------------------------- env
def test_values_are_seen_by_the_script_and_not_shown(admin: httpx2.Client) -> None:
    script = "import os\nresult = os.environ['NAME'] == 'hush'"
    done = run(admin, script, {"env": {"NAME": "hush"}})
    assert (done["result"], done["grants"]) == (True, {"env": {"NAME": None}})
    assert "hush" not in admin.get(f"/api/runs/{done['id']}").text.replace(script.replace("'", '\\"'), "")
    status, code, detail = refusal(admin, {"env": {"NAME": None}})
    assert (status, code) == (422, "grants_invalid")
    assert "NAME has no value" in detail


def test_reading_a_value_that_was_not_granted_is_on_record_and_asking_for_it_is_not(
    admin: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    before = denied(admin, "env")
    asking = "import os\nresult = [os.environ.get('TOKEN', 1), os.getenv('TOKEN'), 'TOKEN' in os.environ]"
    assert run(admin, asking, {"env": {"A": "1"}})["result"] == [1, None, False]
    assert denied(admin, "env") == before
    odd = "import os\ntry: os.environ['\\ud800' + 'x' * 500]\nexcept KeyError: result = 1"
    assert run(admin, odd)["result"] == 1
    caplog.clear()
    with caplog.at_level(logging.WARNING, "kernelgate.audit"):
        done = run(admin, "import os\nos.environ['TOKEN']")
    assert (done["error"]["code"], done["error"]["line"]) == ("permission_denied", 2)
    assert denied(admin, "env") == before + 2
    (line,) = [record.getMessage() for record in caplog.records if record.name == "kernelgate.audit"]
    assert line.startswith(f"denied {done['id']} of admin: env: ")
    assert "TOKEN" in line
    (event,) = gate_events(admin, done["id"])
    assert (event["gate"], event["denied"]) == ("env", "permission_denied")
    assert (event["grant"], event["by"]) == ({"env": {"TOKEN": None}}, "run")


# ---------------------------------------------------------------------- what a key allows
def test_a_user_is_granted_nothing_beyond_arithmetic(gated: Any, tmp_path: Path) -> None:
    user = gated.client_for("plain")
    asked = {**folder(tmp_path, "rw"), "fetch": [{"host": "*"}], "env": {"A": "1"}}
    done = run(user, "import os\nresult = [dict(os.environ), call('tensor.add', 1, 2).item()]", asked)
    assert (done["result"], done["grants"]) == ([{}, 3], {})
    for script in ("open('/data/a', 'w')", "fetch('http://site.test/')"):
        done = run(user, script, asked)
        assert done["error"]["code"] == "permission_denied"
        assert [event["by"] for event in gate_events(user, done["id"]) if "by" in event] == ["key"]
    assert list(tmp_path.iterdir()) == []


def test_a_key_with_grants_may_pass_them_on_and_no_more(gated: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a")
    most = {
        "fetch": [{"host": "site.test"}],
        "files": [{"path": "/data", "folder": str(tmp_path / "in"), "mode": "overlay"}],
        "env": {"FIXED": "1", "FREE": None},
    }
    user = gated.client_for("granted", most)
    asked = {
        "fetch": [{"host": "*", "methods": ["GET", "POST"]}],
        "files": [{"path": "/data", "mode": "rw"}, {"path": "/out", "folder": str(tmp_path)}],
        "env": {"FIXED": None, "FREE": "2", "OTHER": "3"},
    }
    script = """
import os
open("/data/b.txt", "w").write("b")
result = [fetch("http://site.test/list").json(), sorted(os.listdir("/data")), dict(os.environ), os.path.isdir("/out")]
"""
    done = run(user, script.replace(', os.path.isdir("/out")', ""), asked)
    assert done["result"] == [[1, 2.5, None], ["a.txt", "b.txt"], {"FIXED": "1", "FREE": "2"}], done["error"]
    assert list(done["files"]) == ["/data/b.txt"]
    assert done["grants"]["fetch"] == [{"host": "site.test", "methods": ["GET"], "ports": [443, 80]}]
    assert done["grants"]["files"] == [
        {"path": "/data", "folder": str(tmp_path / "in"), "mode": "overlay"},
    ]
    assert run(user, script, asked)["error"]["code"] == "permission_denied"


def test_an_admin_key_can_be_bounded_too(gated: Any, tmp_path: Path) -> None:
    bounded = gated.client_for("bounded", {"fetch": [{"host": "site.test"}]}, role="admin")
    assert run(bounded, "result = 1", folder(tmp_path, "ro"))["grants"] == {}


@pytest.mark.parametrize(
    ("grants", "says"),
    [
        ({"fetch": [{"host": "Site.Test"}]}, "host"),
        ({"fetch": [{"host": "127.0.0.1"}]}, "not public"),
        ({"files": [{"path": "data", "folder": "/x"}]}, "absolute path"),
        ({"files": [{"path": "/a", "folder": "/x", "mode": "rwx"}]}, "mode"),
        ({"env": {"A": 1}}, "env"),
        ({"shell": True}, "shell"),
        ({"ops": ["*x"]}, "pattern"),
    ],
)
def test_grants_of_another_form_are_refused_by_field(admin: httpx2.Client, grants: Any, says: str) -> None:
    status, code, detail = refusal(admin, grants)
    assert (status, code) == (422, "grants_invalid")
    assert says in detail


# ---------------------------------------------------------------------- ops, kernels, tensors
def test_only_granted_ops_run(admin: httpx2.Client) -> None:
    before = denied(admin, "ops")
    script = "import torch\nx = torch.ones(2)\nresult = [(x + 1).tolist(), {}]"
    grants = {"ops": ["tensor.add", "tensor.full"]}
    assert run(admin, script.format("0"), grants)["result"] == [[2.0, 2.0], 0]
    done = run(admin, script.format("call('tensor.exp', x).tolist()"), grants)
    assert (done["error"]["code"], done["error"]["line"]) == ("permission_denied", 3)
    assert "ops: 'tensor.exp' is not granted" in done["error"]["detail"]
    assert '{"ops": ["tensor.exp"]}' in done["error"]["hint"]
    (event,) = gate_events(admin, done["id"])
    assert (event["gate"], event["asked"]) == ("ops", "'tensor.exp'")
    assert denied(admin, "ops") == before + 1
    hidden = run(admin, "import torch\nresult = torch.ones(2) * 2", grants)
    assert "'tensor.mul'" in hidden["error"]["detail"]


def test_only_granted_kernels_are_dispatched(gated: Any, admin: httpx2.Client) -> None:
    owner = gated.client_for("maker")
    assert owner.post("/api/kernels", json={"name": "seven", "source": KERNEL}).status_code == 201
    script = "result = call('kernel.{}', y=kernels.output(1)).tolist()"
    assert run(owner, script.format("seven"))["result"] == [7.0]
    assert run(owner, script.format("maker/seven"))["result"] == [7.0]
    for grants in ({"kernels": []}, {"kernels": ["eight", "admin/*"]}):
        done = run(owner, script.format("seven"), grants)
        assert "kernels: 'seven' is not granted" in done["error"]["detail"]
    assert run(admin, script.format("maker/seven"))["error"]["code"] == "permission_denied"
    assert run(admin, script.format("maker/seven"), {"kernels": ["maker/*"]})["result"] == [7.0]
    assert (
        run(admin, script.format("maker/none"), {"kernels": ["maker/*"]})["error"]["code"]
        == "kernel_not_found"
    )
    friend = gated.client_for("friend", {"kernels": ["*", "maker/seven"]})
    assert (
        run(friend, script.format("maker/seven"), {"kernels": ["maker/*"]})["error"]["code"]
        == "kernel_not_found"
    )
    everyone = {"entries": [{"to": "everyone", "may": "use"}]}
    assert owner.put("/api/kernels/seven/acl", json=everyone).status_code == 200
    bound = gated.client_for("bound", {"kernels": ["*"]})
    assert (
        run(bound, script.format("maker/seven"), {"kernels": ["maker/*"]})["error"]["code"]
        == "permission_denied"
    )
    assert run(friend, script.format("maker/seven"), {"kernels": ["maker/*"]})["result"] == [7.0]
    assert run(friend, script.format("maker/seven"))["error"]["code"] == "permission_denied"


def test_a_key_is_bound_outside_of_runs_too(gated: Any) -> None:
    limited = gated.client_for("limited", {"ops": ["tensor.add"], "kernels": ["a*"]})
    one = {"$tensor": {"shape": [], "dtype": "f32", "data": [1]}}
    assert limited.post("/api/ops/add", json={"inputs": [one, 2.5]}).status_code == 200
    answer = limited.post("/api/ops/exp", json={"inputs": [one]})
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert limited.post("/api/kernels", json={"name": "bkernel", "source": KERNEL}).status_code == 201
    answer = limited.post("/api/kernels/bkernel/dispatch", json={"workgroups": [1]})
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")


def test_tensors_of_others_need_a_grant(gated: Any, admin: httpx2.Client) -> None:
    owner = gated.client_for("holder")
    stored = owner.post("/api/tensors", json={"shape": [2], "dtype": "f32", "data": [1, 2]}).json()["id"]
    inputs = {"x": {"$tensor": {"id": stored}}}
    script = "def main(x):\n    return x.sum().item()"
    assert run(owner, script, inputs=inputs)["result"] == 3
    before = denied(admin, "tensors")
    status, code, detail = refusal(admin, {}, inputs)
    assert (status, code) == (403, "permission_denied")
    assert f"holder/{stored}" in detail
    assert denied(admin, "tensors") == before + 1
    assert run(admin, script, {"tensors": ["holder/*"]}, inputs)["result"] == 3
    stranger = gated.client_for("stranger")
    assert refusal(stranger, {"tensors": ["holder/*"]}, inputs)[:2] == (404, "tensor_not_found")
    friend = gated.client_for("partner", {"tensors": ["holder/*"]})
    assert refusal(friend, {"tensors": ["**"]}, inputs)[:2] == (404, "tensor_not_found")
    shared = {"entries": [{"to": "everyone", "may": "use"}]}
    assert owner.put(f"/api/tensors/{stored}/acl", json=shared).status_code == 200
    assert refusal(friend, {}, inputs)[:2] == (403, "permission_denied")
    assert run(friend, script, {"tensors": ["**"]}, inputs)["result"] == 3
    bound = gated.client_for("tied", {"tensors": []})
    assert refusal(bound, {"tensors": ["**"]}, inputs)[:2] == (403, "permission_denied")


# ---------------------------------------------------------------------- the command
def test_keys_are_made_with_grants_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "data"))
    grants = tmp_path / "grants.json"
    for text, says in (
        ("{", "not valid JSON"),
        ('{"fetch": 1}', "fetch"),
        ('{"files": [{"path": "/data"}]}', "names no folder"),
    ):
        grants.write_text(text)
        assert commands.keys(["create", "alice", "--grants", str(grants)]) == 1
        assert says in capsys.readouterr().err
    assert commands.keys(["create", "alice", "--grants", str(tmp_path / "none")]) == 1
    grants.write_text('{"fetch": [{"host": ".example.org"}], "files": [{"path": "/data", "folder": "/srv"}]}')
    assert commands.keys(["create", "alice", "--grants", str(grants)]) == 0
    assert commands.keys(["create", "bob"]) == 0
    capsys.readouterr()
    assert commands.keys(["list"]) == 0
    _, alice, bob = capsys.readouterr().out.splitlines()
    assert "opens fetch, files" in alice
    assert "opens" not in bob
