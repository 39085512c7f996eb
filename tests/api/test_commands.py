"""`api/commands.py`: serve, doctor and keys from the command line."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from api import commands
from api.auth import keys
from api.quotas import Quotas
from api.settings import Settings
from api.storage import tables
from api.storage.database import Database
from shaders.errors import KernelgateError


@pytest.fixture(autouse=True)
def _data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "data"))


@pytest.fixture
def _either_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[Path], str | None]
) -> None:
    url = new_database(tmp_path / "data")
    if url is not None:
        monkeypatch.setenv("KERNELGATE_DATABASE_URL", url)


def rows_of_keys() -> list[Any]:
    """All that is stored of keys."""
    data = Database(Settings().database)
    data.open()
    try:
        return data.run(lambda db: list(db.execute(sa.select(tables.keys))))
    finally:
        data.close()


@pytest.mark.usefixtures("_either_database")
def test_keys_are_created_listed_and_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.keys(["create", "alice"]) == 0
    token = capsys.readouterr().out.strip()
    assert token.startswith("kg_")
    assert commands.keys(["list"]) == 0
    listed = capsys.readouterr().out
    head, row = listed.splitlines()
    assert head.split() == ["id", "name", "owner", "role", "created", "at", "state"]
    assert row.index("alice") == head.index("name")
    assert row.index("valid") == head.index("state")
    assert token not in listed
    key_id = token.split("_")[1]
    assert commands.keys(["revoke", key_id]) == 0
    assert commands.keys(["revoke", key_id]) == 1
    assert commands.keys(["list"]) == 0
    assert "revoked" in capsys.readouterr().out


@pytest.mark.parametrize("asked", [["list"], ["revoke", "0" * 12]])
def test_keys_of_a_folder_where_nothing_is_stored_are_an_error_that_makes_none(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "misspelt"))
    assert commands.keys(asked) == 1
    assert f"there is no database in {tmp_path / 'misspelt'}" in capsys.readouterr().err
    assert not (tmp_path / "misspelt").exists()


@pytest.mark.usefixtures("_either_database")
def test_every_command_prints_json_and_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def printed(status: int) -> Any:
        assert status == 0
        return json.loads(capsys.readouterr().out)

    made = printed(commands.keys(["create", "alice", "--json"]))
    assert made["token"].split("_")[1] == made["id"]
    listed = printed(commands.keys(["list", "--json"]))
    assert [(key["name"], key["state"], "token" in key) for key in listed] == [("alice", "valid", False)]
    assert printed(commands.keys(["revoke", made["id"], "--json"])) == {"revoked": made["id"]}
    file = tmp_path / "all.backup"
    assert printed(commands.backup([str(file), "--json"]))["tables"]["keys"] == 1
    monkeypatch.delenv("KERNELGATE_DATABASE_URL", raising=False)
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "new"))
    assert printed(commands.restore([str(file), "--json"]))["data"] == str(tmp_path / "new")


@pytest.mark.parametrize("name", ["", "Alice", "a b", "x" * 33, "../x"])
def test_a_key_needs_a_plain_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.keys(["create", name]) == 1
    assert "is no name for a key" in capsys.readouterr().err


@pytest.mark.usefixtures("_either_database")
def test_the_token_is_nowhere_in_the_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands.keys(["create", "bob", "--role", "admin"])
    secret = capsys.readouterr().out.strip().split("_")[2]
    (row,) = rows_of_keys()
    assert row.name == "bob"
    assert secret not in repr(row)
    for file in (tmp_path / "data").iterdir():
        assert secret.encode() not in file.read_bytes()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_listening_beyond_loopback_needs_a_certificate_or_behind_proxy(
    host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.serve(["--host", host]) == 1
    said = capsys.readouterr().err
    assert "--behind-proxy" in said
    assert "--tls-cert" in said
    commands.refuse_open_host(Settings(host=host, behind_proxy=True))
    commands.refuse_open_host(Settings(host=host, tls_cert=Path("cert.pem")))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_allowed(host: str) -> None:
    commands.refuse_open_host(Settings(host=host))


def test_a_setting_that_is_wrong_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELGATE_PORT", "high")
    assert commands.serve([]) == 1
    assert "port" in capsys.readouterr().err


def test_doctor_lists_adapters_folder_and_sandbox(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert commands.doctor([]) == 0
    text = capsys.readouterr().out
    for word in (
        "adapter ",
        "features",
        "limits",
        "sandbox",
        "data ",
        str(tmp_path),
        "a sum in ",
        "first start makes",
    ):
        assert word in text
    assert text.endswith("\nproblems    none\n")
    assert not (tmp_path / "data").exists()


def test_doctor_says_what_a_server_lacks_and_what_follows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "file"))
    monkeypatch.setenv("KERNELGATE_DATABASE_URL", "mysql://127.0.0.1/kernelgate")
    monkeypatch.setenv("KERNELGATE_ADAPTER", "nothing")
    assert commands.doctor(["--json"]) == 1
    found: Any = json.loads(capsys.readouterr().out)
    assert found["adapters"][0]["limits"]
    assert [problem["part"] for problem in found["problems"]] == ["device", "storage", "database"]
    assert all(problem["follows"] and problem["hint"] for problem in found["problems"])
    monkeypatch.setenv("KERNELGATE_PORT", "high")
    assert commands.doctor([]) == 1
    assert capsys.readouterr().err.startswith("kernelgate: ")


def test_the_admin_key_is_readable_by_its_owner_only(running: Any) -> None:
    path = running.settings.data / "admin.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("kg_")


def test_a_revoked_key_is_refused_once_the_cache_is_over(
    running: Any, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = running.client_for("leaver")
    assert client.get("/api/device").status_code == 200
    key_id = client.headers["authorization"].split("_")[1]
    running.for_commands(monkeypatch)
    assert commands.keys(["revoke", key_id]) == 0
    wait_until(lambda: client.get("/api/device").status_code == 401, "the key is refused")


def test_an_error_of_the_data_folder_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path / "file"))
    assert commands.keys(["list"]) == 1
    assert capsys.readouterr().err.startswith("kernelgate: ")
    with pytest.raises(KernelgateError):
        commands.refuse_open_host(Settings(host="8.8.8.8"))


@pytest.mark.usefixtures("_either_database")
def test_a_key_is_made_with_all_that_one_over_rest_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quotas = tmp_path / "quotas.json"
    quotas.write_text('{"runs_at_once": 2, "kernels": null}')
    asked = ["--group", "red", "--group", "blue", "--scope", "runs:read", "--quotas", str(quotas)]
    assert commands.keys(["create", "carol", *asked, "--expires-in", "3600"]) == 0
    database = Database(Settings().database)
    database.open()
    (record,) = database.run(keys.listed)
    database.close()
    identity = record.identity({"user": Quotas(kernels=5, stored_bytes=5)})
    assert (identity.groups, identity.scopes) == (("blue", "red"), {"runs:read"})
    assert identity.quotas == Quotas(runs_at_once=2, stored_bytes=5)
    capsys.readouterr()
    commands.keys(["list"])
    assert f"valid until {record.expires_at}" in capsys.readouterr().out
    quotas.write_text('{"runs": 2}')
    for wrong, says in (
        (asked, "runs"),
        (["--scope", "keys:admin"], "keys:admin"),
        (["--expires-in", "0"], "not after 0"),
    ):
        assert commands.keys(["create", "dave", *wrong]) == 1
        assert says in capsys.readouterr().err


def test_every_setting_but_the_secret_one_is_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        commands.serve(["--help"])
    shown = capsys.readouterr().out
    assert "--database-url" not in shown, "its password would be seen by everybody on the machine"
    for name in set(Settings.model_fields) - {"database_url"}:
        assert f"--{name.replace('_', '-')}" in shown


def test_a_flag_that_is_nearly_right_is_answered_with_the_right_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert commands.serve(["--prot=3"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "kernelgate: --prot is no flag of serve. Did you mean --port?"
    assert said[1:] == ["`kernelgate serve --help` shows what there is."], "and not all the flags"


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["revoke", "none"], 1, "storage_error"),
        (["create", "eve", "--quotas", "/nowhere"], 1, "bad_argument"),
        (["create", "eve", "--expires-in", "0"], 1, "invalid_request"),
        (["crate"], 2, "wrong_usage"),
    ],
)
def test_with_json_a_problem_is_a_document_on_stderr(
    arguments: list[str], status: int, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.keys([*arguments, "--json"]) == status
    said = capsys.readouterr()
    problem = json.loads(said.err)
    assert (said.out, problem["code"]) == ("", code)
    assert problem.keys() >= {"title", "detail"}


@pytest.mark.parametrize("command", [["keys", "list"], ["doctor"], ["backup", "b"], ["restore", "b"]])
def test_a_wrong_setting_is_one_message_of_every_command(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_PORT", "high")
    assert getattr(commands, command[0])(command[1:]) == 1
    assert capsys.readouterr().err.startswith("kernelgate: the setting port: ")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--port", "high"], "port"),
        (["--no-spare", "--user-quotas", '{"runs": 1}'], "runs"),
        (["--config", "/nowhere/kernelgate.toml"], "/nowhere/kernelgate.toml"),
        (["--tls-cert", "/nowhere/cert.pem"], "/nowhere/cert.pem"),
        (["--console-hosts", '["gate.example"]', "--tls-cert", "/nowhere/cert.pem"], "/nowhere/cert.pem"),
    ],
)
def test_a_flag_that_is_wrong_is_one_message(
    flags: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.serve(flags) == 1
    said = capsys.readouterr().err
    assert said.startswith("kernelgate: ")
    assert says in said
    assert "Traceback" not in said
