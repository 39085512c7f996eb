"""`kernelgate ops`, `device` and `console`, against the real server."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

from kernelgate import cli
from kernelgate.local import LocalServer


def test_ops_are_searched_and_shown_whole(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ops", "softmax"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]
    assert cli.main(["ops", "SHA-256", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "sha256" in [op["name"] for op in found]
    assert cli.main(["ops", "sha-256"]) == 0
    assert "sha256 " in capsys.readouterr().out


def test_ops_have_all_words_and_those_that_are_named_so_come_first(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ops", "sha", "--json"]) == 0
    names = [op["name"] for op in json.loads(capsys.readouterr().out)]
    assert names.index("sha256") < names.index("reshape") < names.index("expert_linear")
    assert cli.main(["ops", "messages sha-256", "--json"]) == 0
    assert "sha256" in [op["name"] for op in json.loads(capsys.readouterr().out)]


def test_no_op_of_that_name_is_a_problem_that_names_a_close_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ops", "sofmax"]) == 1
    assert "Did you mean softmax?" in capsys.readouterr().err
    assert cli.main(["ops", "sofmax", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"


def test_the_device_is_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["device", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"]


def test_the_console_is_where_the_server_is(
    here: Path, server: LocalServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    assert cli.main(["console"]) == 0
    assert capsys.readouterr().out == f"{server.url}/console\n"
    assert not opened
    assert cli.main(["console", "--open", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"url": f"{server.url}/console"}
    assert opened == [f"{server.url}/console"]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert cli.main(["console", "--open"]) == 1
