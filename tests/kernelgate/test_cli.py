"""The command line as a whole: where commands are found, exit statuses, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperOption

import kernelgate
from api.settings import RunLimits
from kernelgate import Client, cli
from kernelgate.commands.tree import tree
from kernelgate.local import LocalServer


def test_a_missing_file_is_one_plain_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "nothing.py"]) == 1
    assert capsys.readouterr().err == "kernelgate: nothing.py: No such file or directory\n"


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
    assert cli.main(["run", "script.py", "--input", wrong]) == 2
    assert "is not NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_the_clients_commands_say_what_to_install(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from kernelgate.cli import main; sys.exit(main(['runs', 'list']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"kernelgate: this command needs {missing}:\n    pip install 'kernelgate[cli]'\n"


def test_no_server_is_a_problem_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_URL", "http://127.0.0.1:9")
    assert cli.main(["device"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "[no_server]" in said.err
    assert "kernelgate serve" in said.err
    assert cli.main(["device", "--json"]) == 1
    assert json.loads(capsys.readouterr().err).items() >= {"code": "no_server"}.items()


def test_an_address_with_https_where_no_tls_is_spoken_is_told_so(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_URL", server.url.replace("http:", "https:"))
    assert cli.main(["device"]) == 1
    assert "speaks no TLS" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "status", "told"),
    [
        (["runs", "show", "none"], 1, {"status": 404, "code": "run_not_found", "type": "/docs#error-run_not_found"}),
        (["run", "failing.py"], 1, {"status": 422, "code": "script_error", "line": 1, "column": 20}),
        (["run", "failing.py", "--watch"], 1, {"detail": "ZeroDivisionError: division by zero"}),
        (["run", "missing.py"], 1, {"code": "bad_argument", "detail": "missing.py: No such file or directory"}),
        (["run", "failing.py", "a=f32:[1"], 1, {"code": "bad_argument"}),
        (["run"], 2, {"code": "wrong_usage", "hint": "`kernelgate run --help` shows what there is."}),
        (["tensor", "put", "x.txt"], 2, {"code": "wrong_usage"}),
        (["rnu"], 2, {"detail": "No such command 'rnu'. Did you mean 'run'?"}),
    ],
)  # fmt: skip
def test_with_json_a_problem_is_a_document_on_stderr(
    here: Path, capsys: pytest.CaptureFixture[str], command: list[str], status: int, told: dict[str, object]
) -> None:
    (here / "failing.py").write_text("def main(): return 1 / 0")
    assert cli.main([*command, "--json"]) == status
    problem = json.loads(capsys.readouterr().err)
    assert problem.items() >= told.items()
    assert problem["title"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["run", "--nope"], "kernelgate: No such option: --nope"),
        (["rnu"], "kernelgate: No such command 'rnu'. Did you mean 'run'?"),
        (["run"], "kernelgate: Missing argument 'FILE'."),
        (["keys", "--nope"], "kernelgate: the following arguments are required: ACTION"),
    ],
)
def test_wrong_usage_is_told_in_the_words_of_all_problems(
    capsys: pytest.CaptureFixture[str], command: list[str], says: str
) -> None:
    assert cli.main(command) == 2
    said = capsys.readouterr()
    first, hint = said.err.splitlines()
    assert (said.out, first.startswith(says)) == ("", True), first
    assert hint == f"`kernelgate {command[0]} --help` shows what there is.".replace(" rnu", "")


def test_a_group_of_commands_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ([], ["runs"]):
        assert cli.main(command) == 2
        said = capsys.readouterr()
        assert ("Usage:" in said.out, said.err) == (True, "")


def test_with_json_the_problem_of_a_run_is_that_of_its_record(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "slow.py").write_text("while True: pass")
    assert cli.main(["run", "slow.py", "--limit", "wall_s=0.1", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["error"] == json.loads(said.err)


@pytest.mark.parametrize(
    ("key", "file", "says"),
    [
        ("kg_wrong", None, "that in KERNELGATE_KEY"),
        ("", "kg_wrong", "that in {folder}/admin.key"),
        ("", None, "Set KERNELGATE_KEY; there is no {folder}/admin.key"),
    ],
)
def test_a_refused_key_is_told_by_where_it_came_from(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    key: str,
    file: str | None,
    says: str,
) -> None:
    monkeypatch.setenv("KERNELGATE_KEY", key)
    monkeypatch.setenv("KERNELGATE_DATA", str(here))
    if file is not None:
        (here / "admin.key").write_text(file)
    assert cli.main(["device"]) == 1
    said = capsys.readouterr().err
    assert "[unauthorized]" in said
    assert says.format(folder=here) in said


@pytest.mark.parametrize("url", ["127.0.0.1:8765", "http://127.0.0.1:port", "ftp://host", "http://"])
def test_what_is_no_address_is_one_line_that_names_it(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_URL", url)
    assert cli.main(["device"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"kernelgate: {url!r} is no address")


def test_a_key_that_no_header_can_carry_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_KEY", "kg_ü")
    assert cli.main(["device"]) == 1
    line = "kernelgate: a key has no characters beyond ASCII: see KERNELGATE_KEY\n"
    assert capsys.readouterr().err == line


def test_the_help_of_a_run_names_every_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    for name in RunLimits.__struct_fields__:
        assert name in shown


@pytest.mark.parametrize("columns", ["80", "120"])
def test_no_help_shows_a_type_of_python_and_each_value_has_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for path, command in every_command(typer.main.get_command(tree(cli.SERVER_COMMANDS))):
        assert cli.main([*path, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "<" not in shown
        assert max(map(len, shown.splitlines())) <= int(columns)
        values = [each for each in command.params if isinstance(each, TyperOption) and not each.is_flag]
        assert all(each.metavar for each in values)


def every_command(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command of the client, and what is typed for it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        if name not in cli.SERVER_COMMANDS:
            yield from every_command(inner, *path, name)


def test_the_version_and_the_help_name_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{kernelgate.__version__}\n"
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in ("run", "runs", "script", "kernel", "tensor", "ops", "console", *cli.SERVER_COMMANDS):
        assert f" {name} " in shown
    assert cli.main(["nothing"]) == 2


def test_the_shell_completes_commands_and_names(here: Path, client: Client) -> None:
    client.add_script("completable", "def main(): return 1")
    assert "script" in completions("kernelgate sc")
    assert "completable" in completions("kernelgate script call compl")


def completions(typed: str) -> str:
    """What bash is told of a line that is typed."""
    asked = {
        "_KERNELGATE_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "kernelgate"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
