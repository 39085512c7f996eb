"""`kernelgate kernel`, against the real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelgate import cli

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_a_kernel_is_added_and_dispatched(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["kernel", "add", str(EXAMPLES / "collatz.wgsl"), "--name", "steps"]) == 0
    assert [binding["name"] for binding in json.loads(capsys.readouterr().out)["bindings"]] == [
        "numbers",
        "steps",
    ]
    given = ["--input", "numbers=u32:[1, 2, 27, 837799]", "--input", "steps=u32:4"]
    assert cli.main(["kernel", "dispatch", "steps", *given, "--workgroups", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"]["data"] == [0, 1, 111, 524]
    plain = ["numbers=[1, 2, 27, 837799]", "steps=u32:4"]
    assert cli.main(["kernel", "dispatch", "steps", *plain]) == 0
    assert json.loads(capsys.readouterr().out)["steps"]["data"] == [0, 1, 111, 524]
    assert cli.main(["kernel", "dispatch", "steps", *given, "--over", "numbers", "--fuel", "100"]) == 1
    assert "[fuel_exhausted]" in capsys.readouterr().err
    assert cli.main(["kernel", "dispatch", "steps", *given, "--threads", "4", "--override", "by=2.5"]) == 1
    assert "the kernel has no override 'by'" in capsys.readouterr().err


def test_a_template_is_added_with_its_params_and_dispatched(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    params = ["--params", str(EXAMPLES / "block_reduce.json")]
    assert cli.main(["kernel", "add", str(EXAMPLES / "block_reduce.wgsl.j2"), *params]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "block_reduce"
    given = ["--input", "x=u32:[1, 2, 3, 4, 5, 6, 7, 8]", "--input", "y=u32:2", "--workgroups", "2"]
    given += ["--param", "tile=4", "--param", "type=u32", "--param", "operation=product"]
    assert cli.main(["kernel", "dispatch", "block_reduce", *given]) == 0
    assert json.loads(capsys.readouterr().out)["y"]["data"] == [24, 1680]
    assert cli.main(["kernel", "dispatch", "block_reduce", "--param", "tile=1"]) == 1
    assert "params.tile: 1 is not an int from 2 to 256" in capsys.readouterr().err


def test_kernels_are_listed_shown_and_deleted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["kernel", "add", str(EXAMPLES / "collatz.wgsl"), "--name", "leaver"]) == 0
    capsys.readouterr()
    assert cli.main(["kernel", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    (row,) = [line.split() for line in lines if line.startswith("leaver ")]
    assert row[3:6] == ["main", "numbers,", "steps"]
    assert cli.main(["kernel", "show", "leaver"]) == 0
    assert capsys.readouterr().out.strip() == (EXAMPLES / "collatz.wgsl").read_text().strip()
    assert cli.main(["kernel", "show", "leaver", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entry_points"][0]["name"] == "main"
    assert cli.main(["kernel", "versions", "leaver", "--json"]) == 0
    assert [set(version) for version in json.loads(capsys.readouterr().out)] == [{"hash", "created_at"}]
    assert cli.main(["kernel", "delete", "leaver"]) == 0
    assert cli.main(["kernel", "show", "leaver"]) == 1
    assert "[kernel_not_found]" in capsys.readouterr().err


def test_a_broken_kernel_is_shown_with_line_and_caret(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "broken.wgsl").write_text("@compute @workgroup_size(1)\nfn main() { let x = 1 +; }\n")
    assert cli.main(["kernel", "add", "broken.wgsl"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert "(line 2, column 24)" in said[0]
    assert any(line.strip() == "^" for line in said)


def test_only_one_size_may_be_given(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["kernel", "dispatch", "any", "--threads", "1", "--over", "x"]) == 2
    assert cli.main(["kernel", "dispatch", "any", "--threads", "1x"]) == 2
    assert "exclude each other" in capsys.readouterr().err
