"""`kernelgate run` and `kernelgate runs`, against the real server, with and without a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernelgate import Client, cli
from kernelgate.commands.printing import laid_out

EXAMPLES = Path(__file__).parents[3] / "examples"
TRAINING = """
import sys

def main(n=4):
    for step in range(n):
        print("step", step)
        progress((step + 1) / n, loss=1 / (step + 1))
    print("almost", file=sys.stderr)
    return {"done": n}
"""
ENDLESS = "def main():\n    print('going')\n    while True: pass"


def test_run_prints_what_the_script_prints_and_then_its_result(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "script.py").write_text("def main(a, name):\n    print('hello', name)\n    return a + 1")
    assert (
        cli.main(["run", "script.py", "--input", "a=2", "--input", "name=you", "--limit", "wall_s=10"]) == 0
    )
    assert capsys.readouterr().out == "hello you\n3\n"


@pytest.mark.parametrize("given", [["a=2", "b=3"], ["-i", "a=2", "--input", "b=3"], ["a=2", "-i", "b=3"]])
def test_inputs_are_given_as_words_or_as_options(
    here: Path, capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    (here / "adds.py").write_text("def main(a, b): return a + b")
    assert cli.main(["run", "adds.py", *given]) == 0
    assert cli.main(["script", "add", "adds.py"]) == 0
    capsys.readouterr()
    assert cli.main(["script", "call", "adds", *given]) == 0
    assert capsys.readouterr().out == "5\n"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["a=1", "-i", "a=2"], "a is given twice"),
        (["a=float32:[1, 2]"], "a: float32 is no dtype: there are "),
        (["a=f32:[1, 2"], "a: the elements '[1, 2' are not JSON: "),
        (["--limit", "wall_s=soon"], "the limit wall_s is a number, not 'soon'"),
        (["--grants", "script.py"], "script.py is not JSON: "),
        (["--grants", "list.json"], "list.json holds no JSON object"),
        (["--limit", "wall=3"], "Did you mean wall_s?"),
    ],
)
def test_what_is_given_wrongly_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], given: list[str], says: str
) -> None:
    (here / "script.py").write_text("def main(a): return a")
    (here / "list.json").write_text("[]")
    assert cli.main(["run", "script.py", *given]) == 1
    assert says in capsys.readouterr().err


def test_run_uploads_npy_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(here / "x.npy", np.arange(5, dtype=np.float32))
    (here / "script.py").write_text("def main(x): return x.sum().item()")
    assert cli.main(["run", "script.py", "--input", "x=@x.npy"]) == 0
    assert capsys.readouterr().out == "10.0\n"


@pytest.mark.parametrize(
    "text",
    ["f32:[[1, 2], [3, 4]]", '{"$tensor": {"shape": [2, 2], "dtype": "f32", "data": [1, 2, 3, 4]}}'],
)
def test_run_takes_tensors_by_value(here: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (here / "script.py").write_text("def main(x): return x.T.tolist()")
    assert cli.main(["run", "script.py", "--input", f"x={text}"]) == 0
    assert capsys.readouterr().out == "[[1.0, 3.0], [2.0, 4.0]]\n"


def test_a_script_comes_from_stdin_and_one_that_is_no_text_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("result = 'é'".encode())))
    assert cli.main(["run", "-"]) == 0
    assert capsys.readouterr().out == '"é"\n'
    (here / "binary.py").write_bytes(b"# \xff")
    assert cli.main(["run", "binary.py"]) == 1
    assert capsys.readouterr().err == "kernelgate: binary.py is no text in UTF-8: byte 2 is not\n"


def test_a_mark_at_the_start_of_a_file_as_editors_on_windows_put_it_is_not_of_the_script(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "marked.py").write_text("result = 3", encoding="utf-8-sig")
    assert cli.main(["run", "marked.py"]) == 0
    assert capsys.readouterr().out == "3\n"


def test_a_ragged_tensor_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "script.py").write_text("def main(x): return 1")
    assert cli.main(["run", "script.py", "--input", "x=f32:[[1, 2], [3]]"]) == 1
    assert "differ in length" in capsys.readouterr().err


def test_run_fails_with_the_users_own_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "script.py").write_text("def main():\n    return 1 / 0")
    assert cli.main(["run", "script.py"]) == 1
    assert "script_error] (line 2" in capsys.readouterr().err


def test_a_run_may_reach_what_a_file_grants(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "script.py").write_text("import os\ndef main(): return os.environ['WHO']")
    (here / "grants.json").write_text('{"env": {"WHO": "me"}}')
    assert cli.main(["run", "script.py", "--grants", "grants.json"]) == 0
    assert capsys.readouterr().out == '"me"\n'


def test_a_watched_run_tells_of_its_progress(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "training.py").write_text(TRAINING)
    assert cli.main(["run", "training.py", "--watch", "-i", "n=2"]) == 0
    told = capsys.readouterr()
    assert told.out == 'step 0\nstep 1\n{"done": 2}\n'
    assert told.err == " 50%  loss=1\n100%  loss=0.5\nalmost\n"


def test_a_watched_run_as_json_is_a_line_an_event(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "training.py").write_text(TRAINING)
    assert cli.main(["run", "training.py", "--watch", "--json", "-i", "n=2"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [event["data"]["values"] for event in events if event["event"] == "progress"]
    assert told == [{"loss": 1.0}, {"loss": 0.5}]
    assert (events[-1]["event"], events[-1]["data"]["result"]) == ("result", {"done": 2})


def on_terminal(*arguments: str, columns: int = 100) -> str:
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "kernelgate", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # nobody is at the other end any more
                break
        assert process.wait(30) == 0
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())


def test_on_a_terminal_the_values_stand_beside_a_bar(here: Path) -> None:
    (here / "training.py").write_text(TRAINING)
    shown = on_terminal("run", "training.py", "--watch")
    assert "loss=0.25" in shown
    assert "step 3\r\n" in shown
    assert shown.endswith('{"done": 4}\r\n')


def test_on_a_terminal_a_result_is_the_same_json_as_elsewhere(
    here: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.add_kernel("collatz", (EXAMPLES / "collatz.wgsl").read_text())
    dispatch = ("kernel", "dispatch", "collatz", "numbers=[6, 27]", "steps=u32:2")
    shown = on_terminal(*dispatch, columns=200)
    assert cli.main(dispatch) == 0
    for told in (shown, capsys.readouterr().out):
        assert re.fullmatch(
            r'{"steps": {"shape": \[2\], "dtype": "u32", "data": \[8, 111\], "id": ".*"}}\s+', told
        )


def test_on_a_terminal_a_wide_result_is_laid_out_in_lines() -> None:
    rows = {"rows": [[1, 2], [30, 40]], "name": "\u2028", "none": []}
    assert laid_out(rows, 80) == json.dumps(rows, ensure_ascii=False)
    assert laid_out(rows, 20).split("\n") == [
        "{",
        '  "rows": [',
        "    [1, 2],",
        "    [30, 40]",
        "  ],",
        '  "name": "\u2028",',
        '  "none": []',
        "}",
    ]
    assert laid_out([100] * 9, 20) == json.dumps([100] * 9)


def test_on_a_narrow_terminal_no_id_is_cut(here: Path, client: Client) -> None:
    made = client.run("def main(): return list(range(1000))")
    shown = on_terminal("runs", "list", "--limit", "1", columns=40)
    assert made.id in shown
    result = on_terminal("runs", "show", made.id, columns=40)
    assert result.startswith("[0, 1, 2, ")
    assert "characters more: --json prints all" in result


def test_ctrl_c_cancels_a_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "endless.py").write_text(ENDLESS)
    command = [sys.executable, "-m", "kernelgate", "run", "endless.py", "--watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "cancelled: on request" in said
    assert cli.main(["runs", "list", "--limit", "1", "--json"]) == 0
    (newest,) = json.loads(capsys.readouterr().out)
    assert newest["status"] == "cancelled"


def test_runs_are_listed_shown_and_cancelled(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "training.py").write_text(TRAINING)
    assert cli.main(["run", "training.py", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["stdout"] == "step 0\nstep 1\nstep 2\nstep 3\n"
    assert cli.main(["runs", "list", "--status", "succeeded", "--limit", "3"]) == 0
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["id", "kind", "status"]
    assert first.split()[:3] == [made["id"], "script", "succeeded"]
    for watch in ([], ["--watch"]):
        assert cli.main(["runs", "show", made["id"], *watch]) == 0
        assert capsys.readouterr().out == made["stdout"] + '{"done": 4}\n'
    assert cli.main(["runs", "cancel", made["id"]]) == 0
    assert capsys.readouterr().out == f"{made['id']} succeeded\n"
    assert cli.main(["runs", "show", "run_nothing"]) == 1
    assert "[run_not_found]" in capsys.readouterr().err
