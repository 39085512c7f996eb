"""The command line, against the real server and without one."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from kernelgate import cli
from kernelgate.local import LocalServer

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def here(server: LocalServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to work in, with the environment that points at the server."""
    monkeypatch.setenv("KERNELGATE_URL", server.url)
    monkeypatch.setenv("KERNELGATE_KEY", server.key)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_prints_what_the_script_prints_and_then_its_result(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "script.py").write_text("def main(a, name):\n    print('hello', name)\n    return a + 1")
    assert (
        cli.main(["run", "script.py", "--input", "a=2", "--input", "name=you", "--limit", "wall_s=10"]) == 0
    )
    assert capsys.readouterr().out == "hello you\n3\n"


def test_run_uploads_npy_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(here / "x.npy", np.arange(5, dtype=np.float32))
    (here / "script.py").write_text("def main(x): return x.sum().item()")
    assert cli.main(["run", "script.py", "--input", "x=@x.npy"]) == 0
    assert capsys.readouterr().out == "10.0\n"


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


@pytest.mark.parametrize(
    "text",
    ["f32:[[1, 2], [3, 4]]", '{"$tensor": {"shape": [2, 2], "dtype": "f32", "data": [1, 2, 3, 4]}}'],
)
def test_run_takes_tensors_by_value(here: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (here / "script.py").write_text("def main(x): return x.T.tolist()")
    assert cli.main(["run", "script.py", "--input", f"x={text}"]) == 0
    assert capsys.readouterr().out == "[[1.0, 3.0], [2.0, 4.0]]\n"


def test_a_ragged_tensor_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "script.py").write_text("def main(x): return 1")
    assert cli.main(["run", "script.py", "--input", "x=f32:[[1, 2], [3]]"]) == 1
    assert "differ in length" in capsys.readouterr().err


def test_run_fails_with_the_users_own_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "script.py").write_text("def main():\n    return 1 / 0")
    assert cli.main(["run", "script.py"]) == 1
    assert "script_error] (line 2" in capsys.readouterr().err


def test_a_kernel_is_added_and_dispatched(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["kernel", "add", str(EXAMPLES / "collatz.wgsl"), "--name", "steps"]) == 0
    assert [binding["name"] for binding in json.loads(capsys.readouterr().out)["bindings"]] == [
        "numbers",
        "steps",
    ]
    given = ["--input", "numbers=u32:[1, 2, 27, 837799]", "--input", "steps=u32:4"]
    assert cli.main(["kernel", "dispatch", "steps", *given, "--workgroups", "1"]) == 0
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


def test_a_missing_file_is_one_plain_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "nothing.py"]) == 1
    assert capsys.readouterr().err == "kernelgate: [Errno 2] No such file or directory: 'nothing.py'\n"


def test_a_server_command_without_the_server_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = EntryPoint("serve", "no_such_server:serve", "kernelgate.commands")
    for found in ([], [missing]):
        monkeypatch.setattr(cli, "entry_points", lambda found=found, **_: found)
        assert cli.main(["serve"]) == 1
        assert "pip install 'kernelgate[server]'" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["alone", "=value"])
def test_an_input_without_a_name_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["run", "script.py", "--input", wrong])
    assert "is not NAME=VALUE" in capsys.readouterr().err
