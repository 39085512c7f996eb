"""Dataclasses in the results of scripts, in real workers."""

from __future__ import annotations

from tests.sandbox.support import Sandbox

CLASSES = """
from dataclasses import dataclass, field
import numpy as np

@dataclass
class Point:
    x: int
    y: object = 0
    _tag: str = "t"

@dataclass(frozen=True, slots=True)
class Line:
    ends: list
    middle: object = None

"""


def test_dataclasses_in_a_result_are_dicts_with_their_tensors(sandbox: Sandbox) -> None:
    source = f"{CLASSES}result = [Line([Point(1, torch.ones(2), 'x')]), {{'p': Point(np.arange(2))}}]"
    line, inside = sandbox.result(source)
    tensor = line["ends"][0].pop("y")
    assert (tensor.shape, tensor.dtype) == ((2,), "f32")
    assert line == {"ends": [{"x": 1, "_tag": "x"}], "middle": None}
    assert inside == {"p": {"x": [0, 1], "y": 0, "_tag": "t"}}


def test_a_dataclass_itself_and_one_that_holds_itself_do_not_leave(sandbox: Sandbox) -> None:
    for end in ("p = Point(1)\np.x = p\nresult = p", "result = Point"):
        assert sandbox.error(f"{CLASSES}{end}").code == "value_unsupported"


def test_a_dataclass_that_raises_when_it_is_read_is_the_scripts_error(sandbox: Sandbox) -> None:
    error = sandbox.error(f"{CLASSES}p = Point(1)\nPoint.x = property(lambda self: 1 / 0)\nresult = p")
    assert (error.code, error.message) == ("script_error", "ZeroDivisionError: division by zero")
