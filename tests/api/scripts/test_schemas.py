"""Inputs held against signatures, and the JSON Schema of these."""

from __future__ import annotations

import math
from typing import Any

import pytest

from api.errors import InputMismatch
from api.scripts import schemas
from api.tensors import values
from sandbox.signatures.annotations import signature_of

SOURCE = """
from typing import Literal, TypedDict, NotRequired

class Options(TypedDict):
    "What to do."
    depth: int
    tags: NotRequired[list[str]]

def main(a: int = 1, f: float = 1.0, s: str = "", b: bool = True, raw: bytes = b"", x: "Tensor" = 0,
         l: list[int] = [], t: tuple[int, str] = (1, ""), d: dict[str, float] = {}, o: Options | None = None,
         c: Literal["p", 1] = 1, u: int | list[str] = 1, r: list[Options] = []): ...
"""
SIGNATURE = signature_of(SOURCE)
TENSOR = values.InlineTensor((2,), "f32", bytes(8))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("a", 2**70),
        ("f", 2),
        ("f", math.inf),
        ("raw", b"x"),
        ("x", TENSOR),
        ("x", values.TensorId("ten_1")),
        ("l", []),
        ("l", [1, 2]),
        ("t", [1, "a"]),
        ("d", {"any": 1}),
        ("o", None),
        ("o", {"depth": 1, "tags": ["a"]}),
        ("c", "p"),
        ("u", ["a"]),
    ],
)
def test_a_value_of_the_type_passes(name: str, value: Any) -> None:
    schemas.check(SIGNATURE, {name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("a", True, "inputs.a: wanted int, got bool True"),
        ("a", 1.0, "inputs.a: wanted int, got float 1.0"),
        ("a", TENSOR, "inputs.a: wanted int, got a tensor of f32[2]"),
        ("f", "1", "inputs.f: wanted float, got str '1'"),
        ("s", None, "inputs.s: wanted str, got null"),
        ("s", 10**50, "inputs.s: wanted str, got a long int"),
        ("b", 0, "inputs.b: wanted bool, got int 0"),
        ("raw", "x", "inputs.raw: wanted bytes, got str 'x'"),
        ("x", [1.0], "inputs.x: wanted tensor, got a list of 1"),
        ("l", [1, "2"], "inputs.l[1]: wanted int, got str '2'"),
        ("l", {}, "inputs.l: wanted list[int], got a dict of 0"),
        ("t", [1], "inputs.t: wanted tuple[int, str], got a list of 1"),
        ("t", [1, 2], "inputs.t[1]: wanted str, got int 2"),
        ("d", {"k": "v"}, "inputs.d.k: wanted float, got str 'v'"),
        ("o", {}, "inputs.o.depth is missing: wanted int"),
        ("o", {"depth": 1, "more": 1}, "inputs.o.more is unknown"),
        ("o", 3, "inputs.o: wanted Options | None, got int 3"),
        ("c", True, "inputs.c: wanted one of 'p', 1, got bool True"),
        ("u", ["a", 1], "inputs.u[1]: wanted str, got int 1"),
        ("r", [{"depth": 1}, {"depth": "1"}], "inputs.r[1].depth: wanted int, got str '1'"),
        ("s", b"x" * 100, "inputs.s: wanted str, got 100 bytes"),
        ("a", "x" * 100, f"inputs.a: wanted int, got str '{'x' * 39}…"),
    ],
)
def test_a_value_of_another_type_is_refused_at_its_place(name: str, value: Any, message: str) -> None:
    with pytest.raises(InputMismatch) as refused:
        schemas.check(SIGNATURE, {name: value})
    assert refused.value.message == message


def test_how_a_tensor_is_given_is_a_hint() -> None:
    signature = signature_of("import torch\ndef main(x: torch.Tensor, n: int = 0): ...")
    for inputs, hinted in (({}, True), ({"x": [1.0]}, True), ({"x": TENSOR, "n": "1"}, False)):
        with pytest.raises(InputMismatch) as refused:
            schemas.check(signature, inputs)
        assert ("x=f32:[1,2] on the command line" in (refused.value.hint or "")) is hinted


def test_how_a_number_becomes_a_text_is_a_hint() -> None:
    signature = signature_of("def main(s: str): ...")
    for inputs, hinted in (({"s": 5}, True), ({"s": 0.5}, True), ({}, False), ({"s": []}, False)):
        with pytest.raises(InputMismatch) as refused:
            schemas.check(signature, inputs)
        assert ("""x='"5"' on the command line""" in (refused.value.hint or "")) is hinted


def test_a_hint_names_what_there_is() -> None:
    for source, hint in (("def main(a, b=1): ...", "There are a, b."), ("def main(): ...", "It takes none.")):
        with pytest.raises(InputMismatch) as refused:
            schemas.check(signature_of(source), {"c": 1})
        assert refused.value.hint == hint


def test_checking_ends_however_many_alternatives_each_value_has() -> None:
    alternatives = " | ".join(f"tuple[int, Literal[{n}]]" for n in range(60))
    signature = signature_of(
        f"from typing import Literal, Union\ndef main(x: list[Union[{alternatives.replace(' |', ',')}]]): ..."
    )
    with pytest.raises(InputMismatch, match="steps to check"):
        schemas.check(signature, {"x": [[1, 59]] * 20_000})


def test_the_document_is_json_schema() -> None:
    document = schemas.document(SIGNATURE)
    properties = document["input"]["properties"]
    assert (document["input"]["required"], document["input"]["additionalProperties"]) == ([], False)
    assert properties["a"] == {"type": "integer", "default": 1}
    assert properties["raw"]["required"] == ["$bytes"]
    assert properties["x"]["properties"]["$tensor"]["properties"]["shape"]["type"] == "array"
    assert properties["t"]["prefixItems"] == [{"type": "integer"}, {"type": "string"}]
    assert properties["c"] == {"enum": ["p", 1], "default": 1}
    assert properties["o"]["anyOf"][1] == {"type": "null"}
    assert properties["o"]["anyOf"][0] == {
        "title": "Options",
        "type": "object",
        "properties": {"depth": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
        "required": ["depth"],
        "additionalProperties": False,
        "description": "What to do.",
    }
    assert document["output"] == {}
