"""`kernelgate script`, against the real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelgate import cli


def test_a_script_is_stored_and_called(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "adder.py").write_text(
        "def main(a: int, name='you'):\n    print('hello', name)\n    return a + 1"
    )
    assert cli.main(["script", "add", "adder.py"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "adder"
    assert cli.main(["script", "call", "adder", "a=2", "name=me", "--limit", "wall_s=10"]) == 0
    assert capsys.readouterr().out == "hello me\n3\n"
    assert cli.main(["script", "call", "adder", "a=two"]) == 1
    assert "inputs.a: wanted int, got str 'two' [input_mismatch]" in capsys.readouterr().err


def test_an_older_version_is_listed_shown_and_called(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for version in (1, 2):
        (here / "aging.py").write_text(f"def main(): return {version}")
        assert cli.main(["script", "add", "aging.py"]) == 0
    capsys.readouterr()
    assert cli.main(["script", "versions", "aging"]) == 0
    newest, oldest = (line.split()[0] for line in capsys.readouterr().out.splitlines()[1:])
    for digest, result in ((newest, "2"), (oldest, "1")):
        assert cli.main(["script", "call", f"aging@{digest[:8]}"]) == 0
        assert cli.main(["script", "show", f"aging@{digest[:8]}"]) == 0
        assert capsys.readouterr().out == f"{result}\ndef main(): return {result}\n"


def test_scripts_are_listed_shown_and_deleted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "leaver.py").write_text("def main(a: int) -> int: return a")
    assert cli.main(["script", "add", "leaver.py"]) == 0
    capsys.readouterr()
    assert cli.main(["script", "list", "--json"]) == 0
    assert "leaver" in [record["name"] for record in json.loads(capsys.readouterr().out)]
    assert cli.main(["script", "show", "leaver"]) == 0
    assert capsys.readouterr().out == "def main(a: int) -> int: return a\n"
    assert cli.main(["script", "show", "leaver", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["input"]["properties"]["a"] == {"type": "integer"}
    assert cli.main(["script", "call", "leaver", "a=3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == 3
    assert cli.main(["script", "delete", "leaver"]) == 0
    assert cli.main(["script", "call", "leaver"]) == 1
    said = capsys.readouterr().err
    assert "[script_not_found]" in said
    assert "`kernelgate script list` lists yours." in said
