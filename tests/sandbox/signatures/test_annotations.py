"""Signatures from scripts' text: what annotations, defaults and docstrings mean, and what hostile text costs."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
import pytest

from sandbox.errors import ScriptSyntaxError
from sandbox.signatures.annotations import signature_of
from sandbox.signatures.form import MAX_BYTES, UNKNOWN, Simple, from_json, to_json
from tests.sandbox.support import Sandbox

HEAD = """
import typing as t
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NotRequired, Optional as Maybe, TypedDict, Union
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Vector = list[float]

@dataclass
class Base:
    "A base."
    a: int
    shared: ClassVar[int] = 1

@dataclass(frozen=True)
class Point(Base):
    x: float = 1.5
    tags: list[str] = field(default_factory=list)
    hidden: int = field(default=0, init=False)

class Options(TypedDict, total=False):
    depth: t.Required[int]
    name: str

class More(Options):
    extra: NotRequired[bool]

class Tree(TypedDict):
    below: list["Tree"]

class Other:
    x: int
"""


def words(type: Any) -> Any:
    """A type in a short form, independent of the records."""
    made = json.loads(msgspec.json.encode(type))

    def short(each: Any) -> Any:
        match each:
            case {"is": "simple", "kind": kind}:
                return kind
            case {"is": "choice", "values": values}:
                return set(values)
            case {"is": "list", "item": item}:
                return [short(item)]
            case {"is": "tuple", "items": items}:
                return tuple(map(short, items))
            case {"is": "map", "value": value}:
                return {"*": short(value)}
            case {"is": "one_of", "options": options}:
                return "|".join(map(str, map(short, options)))
            case {"is": "record", "fields": fields}:
                return {
                    field["name"] + "?" * (not field["required"]): short(field["type"]) for field in fields
                }
        raise AssertionError(each)

    return short(made)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", "int"),
        ("'float'", "float"),
        ("None", "null"),
        ("bytes", "bytes"),
        ("Any", "any"),
        ("complex", "any"),
        ("list", ["any"]),
        ("list[int]", ["int"]),
        ("t.Sequence[bool]", ["bool"]),
        ("Vector", ["float"]),
        ("dict[str, list[int]]", {"*": ["int"]}),
        ("tuple[int, str]", ("int", "str")),
        ("tuple[int, ...]", ["int"]),
        ("int | None", "int|null"),
        ("Maybe[str]", "str|null"),
        ("Union[int, str, int]", "int|str"),
        ("int | Any", "any"),
        ("Literal['a', 2, None]", {"a", 2, None}),
        ("Literal[1.5]", "any"),
        ("Annotated[int, 'how many']", "int"),
        ("torch.Tensor", "tensor"),
        ("Tensor", "tensor"),
        ("np.ndarray", "tensor"),
        ("NDArray[np.float32]", "tensor"),
        ("Point", {"a": "int", "x?": "float", "tags?": ["str"]}),
        ("Options", {"depth": "int", "name?": "str"}),
        ("More", {"depth": "int", "name?": "str", "extra?": "bool"}),
        ("Tree", {"below": ["any"]}),
        ("Other", "any"),
        ("list[()]", "any"),
        ("f(x)", "any"),
        ("'not python ('", "any"),
    ],
)
def test_an_annotation_means_what_python_means_by_it(annotation: str, expected: Any) -> None:
    signature = signature_of(f"{HEAD}\ndef main(x: {annotation}) -> {annotation}: ...")
    assert (words(signature.inputs[0].type), words(signature.result)) == (expected, expected)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 is Python 3.12's")
def test_a_type_statement_names_a_type() -> None:
    signature = signature_of("type Rows = list[Row]\ntype Row = list[int]\ndef main(x: Rows): ...")
    assert words(signature.inputs[0].type) == [["int"]]


def test_arguments_with_defaults_are_not_required_and_tell_plain_ones() -> None:
    source = "def main(a, b=2, *, c, d='x', e=-1.5, f=[1], g=None, h: int = None, **more: int): ..."
    signature = signature_of(source)
    told = {
        field.name: (field.required, msgspec.to_builtins(field).get("default", ...))
        for field in signature.inputs
    }
    assert told == {
        "a": (True, ...),
        "b": (False, 2),
        "c": (True, ...),
        "d": (False, "x"),
        "e": (False, -1.5),
        "f": (False, ...),
        "g": (False, None),
        "h": (False, None),
    }
    assert words(signature.inputs[-1].type) == "int|null"
    assert signature.others == Simple("int")


@pytest.mark.parametrize(
    "text",
    [
        "Sums.\n\n    Args:\n        n: how many\n            there are\n        m (int): more\n"
        "\n    Returns:\n        the sum",
        "Sums.\n\n    :param n: how many there are\n    :param int m: more\n    :returns: the sum",
        "Sums.\n\n    Parameters\n    ----------\n    n : int\n        how many there are\n    m : int\n        more\n"
        "\n    Returns:\n        the sum",
    ],
)
def test_docstrings_describe_in_every_usual_style(text: str) -> None:
    signature = signature_of(f'def main(n, m) -> int:\n    """{text}\n    """')
    assert signature.description == "Sums."
    assert [field.description for field in signature.inputs] == ["how many there are", "more"]
    assert signature.result_description == "the sum"


def test_a_main_without_a_docstring_is_described_by_that_of_its_file() -> None:
    file = '"""Blurs a signal.\n\nUsage: blur.\n"""\n'
    assert signature_of(f"{file}def main(n): ...").description == "Blurs a signal. Usage: blur."
    assert signature_of(f'{file}def main(n): "Sums."').description == "Sums."


def test_the_text_of_an_annotation_comes_before_the_docstrings() -> None:
    source = f'{HEAD}\ndef main(n: Annotated[int, 5, "said here"]) -> Annotated[int, "there"]:\n    "n: said there"'
    signature = signature_of(source)
    assert (signature.inputs[0].description, signature.result_description) == ("said here", "there")


@pytest.mark.parametrize(
    "source",
    [
        "main = print",
        "def main(a): ...\nmain = main",
        "from helper import main",
        "@decorate\ndef main(a): ...",
        "class main: ...",
    ],
)
def test_a_main_that_is_not_plainly_defined_may_take_anything(source: str) -> None:
    assert signature_of(source) == UNKNOWN


def test_a_script_without_main_takes_nothing() -> None:
    signature = signature_of("result = 1")
    assert (signature.inputs, signature.others) == ([], None)


def test_the_last_main_counts_also_under_a_condition() -> None:
    source = "def main(a): ...\nif True:\n    async def main(b): ...\nelse:\n    x = 1"
    assert [field.name for field in signature_of(source).inputs] == ["b"]


@pytest.mark.parametrize(
    "source",
    [
        "def main(a: " + "|".join(["int"] * 300) + "): ...",
        "def main(a: " + "list[" * 90 + "int" + "]" * 90 + "): ...",
        "class A(B): ...\nclass B(A): ...\ndef main(a: A): ...",
        "A = B\nB = A\ndef main(a: A): ...",
        "class A:\n    x: 'A'\ndef main(a: \"'A'\"): ...",
        "from dataclasses import dataclass\n"
        + "".join(f"@dataclass\nclass C{n}:\n    a: 'C{n + 1}'\n    b: 'C{n + 1}'\n" for n in range(60))
        + "def main(a: C0): ...",
        "def main(" + ", ".join(f"argument_{n}: int" for n in range(5000)) + "): ...",
        "def main(a=" + "9" * 4000 + ", b='" + "x" * 100_000 + "', c='\\ud800'): '\\ud800'",
        "def main(a): '''" + " " * 200_000 + "a" + " " * 200_000 + ": x'''",
    ],
)
def test_what_is_too_much_is_anything(source: str) -> None:
    signature = signature_of(source)
    data = to_json(signature)
    assert len(data) <= MAX_BYTES
    assert from_json(data) == signature


@pytest.mark.parametrize("source", ["(", "a\0b", "(" * 5000, "def main(a: int,\n"])
def test_what_is_not_python_is_refused(source: str) -> None:
    with pytest.raises(ScriptSyntaxError):
        signature_of(source)


def test_a_worker_reads_a_signature_and_runs_nothing(sandbox: Sandbox) -> None:
    source = "import os\nwhile True: pass\ndef main(a: int): ..."
    signature = sandbox.runner.run(sandbox.pool.sign(source))
    assert [field.name for field in signature.inputs] == ["a"]
    with pytest.raises(ScriptSyntaxError) as refused:
        sandbox.runner.run(sandbox.pool.sign("x = 1\ny = ("))
    assert (refused.value.line, refused.value.column) == (2, 5)
