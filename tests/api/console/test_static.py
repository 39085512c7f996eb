"""The scripts of pages, each held against an independent reference, in headless Chromium."""

from __future__ import annotations

import io
import json
import math
import time
import tokenize
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.console import files
from ops import dtypes

PYTHON = r'''
"""Text of
several lines."""
import torch  # a note, "no text"
@torch.no_grad
def main(x, été=0x1F, b=br"\\"):
    y = {'a"b': 1_000, "c\"": .5e-3, 'd': 7j, "#": x[1:2.5]}
    return y if x is not None else '' "" + r'\d' # "
'''
KINDS = {tokenize.STRING: "text", tokenize.COMMENT: "note", tokenize.NUMBER: "number"}
WGSL = "/* a\n b */ @compute fn main() { var x: vec2<f32> = 0x1Fu; // 1\n x = 1.5e-3f * .5; }"
CALL = "async ([address, name, ...given]) => (await import(address))[name](...given)"


@pytest.fixture(scope="module")
def call(visits: Any) -> Iterator[Any]:
    """`call(module, function, …)`: what a function of a script gives."""
    with visits() as visit:
        page = visit("/console/play")
        yield lambda module, name, *given: page.evaluate(CALL, [files.address(module), name, *given])


def test_python_has_the_words_that_python_itself_finds(call: Any) -> None:
    runs = call("tokens.js", "tokens", PYTHON, "python")
    assert "".join(run["text"] for run in runs) == PYTHON
    wanted = [
        (KINDS[token.type], token.string)
        for token in tokenize.generate_tokens(io.StringIO(PYTHON).readline)
        if token.type in KINDS
    ]
    assert [(run["kind"], run["text"]) for run in runs if run["kind"] in KINDS.values()] == wanted


def test_wgsl_has_notes_numbers_words_and_names(call: Any) -> None:
    runs = call("tokens.js", "tokens", WGSL, "wgsl")
    assert "".join(run["text"] for run in runs) == WGSL
    found = {
        kind: [run["text"] for run in runs if run["kind"] == kind]
        for kind in ("note", "number", "word", "name")
    }
    assert found["note"] == ["/* a\n b */", "// 1"]
    assert found["number"] == ["0x1Fu", "1.5e-3f", ".5"]
    assert found["word"] == ["fn", "var"]
    assert found["name"] == ["@compute", "main", "vec2", "f32"]


def test_the_runs_of_any_text_are_that_text(call: Any) -> None:
    for text in ('"""', "'", "/*", "\n\n", "\\", "\ud7ff\U0001f600 = 1", "x" * 5000 + "("):
        for language in ("python", "wgsl", "other"):
            assert "".join(run["text"] for run in call("tokens.js", "tokens", text, language)) == text


def test_tensors_of_all_dtypes_have_the_elements_that_the_server_says(call: Any, http: httpx2.Client) -> None:
    for dtype in (row.name for row in dtypes.ROWS):
        data = [True, False] if dtype == "bool" else [0, 1, 100]
        data += [-1.5, "NaN", "-Infinity"] if dtype in ("f32", "f16", "bf16") else []
        data += [str(2**53 + 1), -1] if dtype == "i64" else []
        body = {"shape": [len(data)], "dtype": dtype, "data": data}
        stored = http.post("/api/tensors", json=body).json()
        found = call("tensor.js", "elements", {**stored, "shape": [len(data)], "dtype": dtype})
        list_of = [found[str(index)] for index in range(len(data))] if isinstance(found, dict) else found
        for got, wanted in zip(list_of, data, strict=True):
            number = int(wanted) if dtype == "i64" else float(wanted)
            assert got == number or (math.isnan(got) and math.isnan(number)), dtype


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "data"),
    [
        ("[1, 2, 3]", [3], "i32", [1, 2, 3]),
        (" [[1, 2.0], [3, 4e1]]\n", [2, 2], "f32", [1, 2, 3, 40]),
        ("[true, false]", [2], "bool", [True, False]),
        ("f16:[1, 2]", [2], "f16", [1, 2]),
        ("7", [], "i32", [7]),
        ("[[], []]", [2, 0], "f32", []),
    ],
)
def test_lists_are_tensors_as_torch_and_the_command_line_read_them(
    call: Any, text: str, shape: list[int], dtype: str, data: list[Any]
) -> None:
    wanted = {"$tensor": {"shape": shape, "dtype": dtype, "data": data}}
    assert call("tensor_field.js", "tensor", text, "x") == wanted
    assert call("tensor_field.js", "tensor", json.dumps(wanted), "x") == wanted
    assert call("tensor_field.js", "tensor", "ten_1a", "x") == {"$tensor": {"id": "ten_1a"}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1, [2]]", "differ in length"),
        ("[[1], [2, 3]]", "differ in length"),
        ('["a"]', "numbers alone"),
        ("[1, true]", "numbers alone"),
        ("[1,", "JSON"),
        ("words", "JSON"),
    ],
)
def test_what_is_no_tensor_is_told_by_the_input_s_name(call: Any, text: str, says: str) -> None:
    with pytest.raises(Exception, match=f"x: .*{says}"):
        call("tensor_field.js", "tensor", text, "x")


def test_grants_are_written_a_line_each_or_as_json(call: Any) -> None:
    lines = """
        fetch a.example GET POST
        fetch .b.example

        files /x /srv/x ro
        env KEY=a = b
        env OTHER
        ops tensor.* hash.*
    """
    wanted = {
        "fetch": [{"host": "a.example", "methods": ["GET", "POST"]}, {"host": ".b.example"}],
        "files": [{"path": "/x", "folder": "/srv/x", "mode": "ro"}],
        "env": {"KEY": "a = b", "OTHER": None},
        "ops": ["tensor.*", "hash.*"],
    }
    assert call("grants.js", "parse", lines) == wanted
    assert call("grants.js", "parse", json.dumps(wanted)) == wanted
    with pytest.raises(Exception, match="a line begins with"):
        call("grants.js", "parse", "root everything")


def test_grants_are_merged_without_what_both_have(call: Any) -> None:
    some = {"fetch": [{"host": "a.example"}], "env": {"A": "1"}, "ops": ["*"]}
    more = {
        "fetch": [{"host": "b.example"}, {"host": "a.example"}],
        "env": {"A": None, "B": None},
        "kernels": ["k"],
    }
    assert call("grants.js", "merged", some, more) == {
        "fetch": [{"host": "a.example"}, {"host": "b.example"}],
        "env": {"A": "1", "B": None},
        "ops": ["*"],
        "kernels": ["k"],
    }


def test_what_an_address_carries_may_be_anything(call: Any) -> None:
    carried = [
        call("denials.js", "carried", f"#grant={text}") for text in ("%", "%7B", "null", "%5B1%5D", "%22a%22")
    ]
    assert carried == [None, None, None, [1], "a"]
    some = {"env": {"A": "1"}, "fetch": [{"host": "a.example"}]}
    for more in ([1], "a", 5, {"env": ["x"], "fetch": {"host": "b.example"}, "__proto__": [1]}):
        assert call("grants.js", "merged", some, more)["fetch"]


def test_a_text_that_only_looks_like_a_plan_is_read_at_once(call: Any) -> None:
    begin = "1 step, with 1 kernel: 4 B read, 4 B written"
    began = time.monotonic()
    assert not call("plan.js", "isPlan", "1 steps" + ", with 1 kernels: " * 1000 + " read, " * 1000)
    assert call("plan.js", "isPlan", begin)
    call("plan.js", "plan", f"{begin}\n1  {': kernel 1 (a), ' * 12_000}")
    assert time.monotonic() - began < 30
