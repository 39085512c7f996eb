"""Scripts that import the owner's stored scripts: as read-only modules, once, bounded, with errors at their place."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from sandbox.library.stored import MAX_DEPTH, MAX_SCRIPTS
from sandbox.policy.modules import RESERVED, can_be_stored
from sandbox.pool import Outcome
from tests.sandbox.support import LIMITS, Sandbox, Services

GEOMETRY = """
import math
from dataclasses import dataclass

print("loading geometry")
_hidden = 1
unit = "m"


@dataclass
class Circle:
    radius: float
    _tag: str = "c"

    def area(self):
        return round(math.pi * self.radius ** 2, 3)


def double(circle):
    return Circle(circle.radius * 2)
"""


class Counting(Services):
    """Counts how often each script is asked for."""

    def __init__(self, scripts: dict[str, str]) -> None:
        super().__init__()
        self.scripts = scripts
        self.asked: list[str] = []

    async def script(self, name: str) -> str:
        self.asked.append(name)
        return await super().script(name)


def run(sandbox: Sandbox, source: str, **scripts: str) -> tuple[Outcome, Counting]:
    services = Counting(scripts)
    return sandbox.runner.run(sandbox.pool.run_script(source, {}, LIMITS, services)), services


def result(sandbox: Sandbox, source: str, **scripts: str) -> Any:
    outcome, _ = run(sandbox, source, **scripts)
    assert outcome.error is None, outcome.error
    return outcome.result


def error(sandbox: Sandbox, source: str, **scripts: str) -> Any:
    outcome, _ = run(sandbox, source, **scripts)
    assert outcome.error is not None, outcome.result
    return outcome.error


def test_a_stored_script_is_imported_in_every_way_and_runs_once(sandbox: Sandbox) -> None:
    source = (
        "import geometry\nimport geometry as g\nfrom geometry import Circle, double as twice\n"
        "result = [geometry is g, twice(Circle(1)).area(), g.unit, isinstance(g.double(Circle(2)), Circle)]"
    )
    outcome, services = run(sandbox, source, geometry=GEOMETRY)
    assert outcome.result == [True, 12.566, "m", True]
    assert services.printed() == "loading geometry\n"
    assert services.asked == ["geometry"]


def test_stored_scripts_import_stored_scripts_and_share_them(sandbox: Sandbox) -> None:
    scripts = {"a": "import base\nbase.seen.append('a')", "b": "import base\nbase.seen.append('b')"}
    source = "import a, b, base\nresult = [base.seen, a.base is b.base]"
    assert result(sandbox, source, base="seen = []", **scripts) == [["a", "b"], True]


def test_an_imported_script_knows_that_it_is_not_the_main_one(sandbox: Sandbox) -> None:
    helper = "ran = __name__ == '__main__'\ndef main():\n    return 'helped'"
    assert result(sandbox, "import helper\nresult = [helper.ran, helper.main()]", helper=helper) == [
        False,
        "helped",
    ]


def test_the_main_of_an_imported_script_is_not_the_runs(sandbox: Sandbox) -> None:
    source = "from helper import start\ndef main():\n    return 'mine'\nstart()"
    assert result(sandbox, source, helper="def main():\n    return 1\ndef start():\n    main()") == "mine"


def test_torch_and_the_rest_are_there_in_an_imported_script(sandbox: Sandbox) -> None:
    helper = "def f():\n    progress(0.5)\n    return torch.ones(3).sum().item()"
    assert result(sandbox, "import helper\nresult = helper.f()", helper=helper) == 3.0


def test_a_stored_script_is_read_only_and_shows_no_private_names(sandbox: Sandbox) -> None:
    source = "import geometry\nresult = [n for n in dir(geometry) if n.islower()]"
    assert result(sandbox, source, geometry=GEOMETRY) == ["dataclass", "double", "math", "unit"]
    assert "cannot be set" in error(sandbox, "import g\ng.x = 1", g="x = 2").message
    assert error(sandbox, "import geometry\ngeometry._hidden", geometry=GEOMETRY).message.startswith(
        "AttributeError"
    )
    assert error(sandbox, "from g import y", g="x = 2").message.startswith(
        "ImportError: cannot import name 'y'"
    )


def test_a_name_that_is_not_stored_is_missing_and_can_be_caught(sandbox: Sandbox) -> None:
    missing = error(sandbox, "import geometry")
    assert (missing.code, missing.line) == ("script_denied", 1)
    assert "'geometry' is not available" in missing.message
    source = "try:\n    import geometry\nexcept ImportError as e:\n    result = e.name"
    assert result(sandbox, source) == "geometry"


def test_a_name_of_the_library_wins(sandbox: Sandbox) -> None:
    outcome, services = run(
        sandbox, "import math, torch\nresult = math.floor(2.5)", math="x = 1", torch="x = 1"
    )
    assert outcome.result == 2
    assert not services.asked


def test_a_name_that_nobody_can_store_is_not_asked_for(sandbox: Sandbox) -> None:
    for name in ("subprocess", "Helper", "a.b", "builtins"):
        _, services = run(sandbox, f"import {name}")
        assert not services.asked


def test_scripts_that_import_each_other_are_refused_with_their_chain(sandbox: Sandbox) -> None:
    cycle = error(sandbox, "import a", a="import b", b="import c", c="import a")
    assert cycle.message.startswith("ImportError: stored scripts import each other: a → b → c → a")
    assert "script c" in cycle.message
    assert "import each other: a → a" in error(sandbox, "import a", a="import a").message


def test_depth_and_count_are_bounded(sandbox: Sandbox) -> None:
    deep = {f"s{n}": f"import s{n + 1}" for n in range(MAX_DEPTH + 1)}
    assert f"more than {MAX_DEPTH} deep" in error(sandbox, "import s0", **deep, last="").message
    many = {f"s{n}": f"n = {n}" for n in range(MAX_SCRIPTS + 1)}
    source = "\n".join(f"import {name}" for name in many)
    assert f"at most {MAX_SCRIPTS} stored scripts" in error(sandbox, source, **many).message


def test_an_error_in_an_imported_script_has_that_scripts_name_line_and_caret(sandbox: Sandbox) -> None:
    wrong = error(sandbox, "import helper\n\nhelper.f(0)", helper="def f(x):\n    # here\n    return 1 / x")
    assert wrong.message == "ZeroDivisionError: division by zero (in script helper)"
    assert (wrong.code, wrong.line, wrong.column) == ("script_error", 3, 12)
    assert wrong.snippet == "    return 1 / x\n" + " " * 11 + "^"
    assert wrong.hint == "Calls: <module> (line 3) → f (script helper, line 3)"


def test_text_that_is_refused_says_whose_it_is(sandbox: Sandbox) -> None:
    syntax = error(sandbox, "import helper", helper="x = 1\ny = (")
    assert (syntax.code, syntax.line, syntax.column) == ("script_syntax", 2, 5)
    assert syntax.message == "SyntaxError: '(' was never closed (in script helper)"
    denied = error(sandbox, "import helper", helper="x = 1\n\nx.__class__.__mro__")
    assert (denied.code, denied.line) == ("script_denied", 3)
    assert denied.message.endswith("(in script helper)")
    caught = "try:\n    import helper\nexcept SyntaxError as e:\n    result = str(e)"
    assert "never closed (in script helper)" in result(sandbox, caught, helper="(")


def test_a_script_that_failed_is_tried_again_at_the_next_import(sandbox: Sandbox) -> None:
    source = (
        "import base\nfor _ in range(2):\n    try:\n        import helper\n    except ValueError:\n"
        "        base.seen.append(0)\nresult = base.seen"
    )
    outcome, services = run(sandbox, source, base="seen = []", helper="import base\nraise ValueError")
    assert outcome.result == [0, 0]
    assert services.asked == ["base", "helper"]


def test_everything_of_an_imported_script_is_the_importers_to_change(sandbox: Sandbox) -> None:
    source = (
        "from geometry import Circle\n"
        "class Ring(Circle):\n    def area(self):\n        return super().area() - 1\n"
        "Circle.label = 'round'\nring = Ring(1)\nring.extra = 2\n"
        "result = [ring.area(), Ring.label, ring.extra, repr(ring), Circle.__module__]"
    )
    assert result(sandbox, source, geometry=GEOMETRY) == [
        2.142, "round", 2, "Ring(radius=1, _tag='c')", "scripts.geometry",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "attack",
    [
        "helper.f.__globals__",
        "helper.__dict__",
        "helper.__builtins__",
        "getattr(helper, '__' + 'builtins__')",
        "vars(helper)",
        "setattr(helper, 'f', 1)",
        "helper.__init__('y', {})",
        "helper.C.f.__code__",
    ],
)
def test_an_imported_script_opens_no_door(sandbox: Sandbox, attack: str) -> None:
    helper = "def f():\n    return 1\nclass C:\n    def f(self): pass"
    outcome, _ = run(sandbox, f"import helper\nx = {attack}\nresult = 'got it'", helper=helper)
    assert outcome.error is not None


def test_star_imports_of_stored_scripts_ask_for_names(sandbox: Sandbox) -> None:
    refused = error(sandbox, "from helper import *", helper="x = 1")
    assert (refused.code, refused.hint) == ("script_denied", "Name what you import.")


def test_no_stored_script_can_have_a_name_that_scripts_import_already() -> None:
    program = (
        "import json, sys\nfrom sandbox import restricted\nrestricted.warm()\nfrom sandbox.policy import views\n"
        "print(json.dumps(views.available()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    taken = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not taken - RESERVED
    assert not [
        name for name in [*RESERVED, "class", "Upper", "_x", "a.b", "", "x" * 65, "é"] if can_be_stored(name)
    ]
    assert all(map(can_be_stored, ["geometry", "my_model_2", "x" * 64]))


MODEL = "def main(x, scale=2):\n    return [value * scale for value in x]"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ('result = call("script.model", x=[1, 2])', [2, 4]),
        ('result = call("script.model", x=[1, 2], scale=3)', [3, 6]),
        ('result = call("script.constant")', 7),
        ('import model\nresult = model.main([1]) + call("script.model", x=[5])', [2, 10]),
        ('result = call("script.later", x=3)', 4),
    ],
)
def test_a_stored_script_is_called_like_an_operation(sandbox: Sandbox, source: str, wanted: Any) -> None:
    later = "import asyncio\nasync def main(x):\n    await asyncio.sleep(0)\n    return x + 1"
    assert result(sandbox, source, model=MODEL, constant="result = 7", later=later) == wanted


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ('call("script.nope")', "script_error", "there is no stored script 'nope'"),
        ('call("script.os")', "script_error", "there is no stored script 'os'"),
        ('call("script.model", [1])', "script_error", "takes its inputs by name"),
        ('call("script.model")', "script_error", "main(x, scale) needs the inputs x"),
        ('call("script.model", y=1, x=[])', "script_error", "takes no inputs y"),
        ('call("script.model", x=5)', "script_error", "'int' object is not iterable (in script model)"),
        ('call("script.constant", x=5)', "script_error", "defines no main"),
    ],
)
def test_a_call_of_a_script_that_can_not_be_says_why(
    sandbox: Sandbox, source: str, code: str, message: str
) -> None:
    outcome, _ = run(sandbox, source, model=MODEL, constant="result = 7")
    assert outcome.error is not None
    assert outcome.error.code == code
    assert message in outcome.error.message


THEIRS = {
    "alice/model": "import helper\nfrom helper import f\n"
    "def main():\n    import late\n    return [helper.f(), f(), late.x, call('script.sub'), call('script.bob/helper')]",
    "alice/helper": "def f():\n    return 'of alice'",
    "alice/late": "x = 'late of alice'",
    "alice/sub": "import helper\nresult = helper.f()",
    "bob/helper": "result = 'of bob'",
    "helper": "def f():\n    return 'own'",
}


def test_a_script_of_another_owner_is_called_and_finds_its_owners_scripts(sandbox: Sandbox) -> None:
    source = "import helper\nresult = [*call('script.alice/model'), helper.f(), call('script.helper')]"
    services = Counting(THEIRS)
    outcome = sandbox.runner.run(sandbox.pool.run_script(source, {}, LIMITS, services))
    assert outcome.error is None, outcome.error
    assert outcome.result == ["of alice", "of alice", "late of alice", "of alice", "of bob", "own", None]
    assert services.asked == [
        "helper",
        "alice/model",
        "alice/helper",
        "alice/late",
        "alice/sub",
        "bob/helper",
    ]


def test_a_version_of_a_script_is_called_by_its_hash(sandbox: Sandbox) -> None:
    versions = {"model": "result = 2", "model@0123abcd": "result = 1"}
    source = "result = [call('script.model@0123abcd'), call('script.model')]"
    assert result(sandbox, source, **versions) == [1, 2]


@pytest.mark.parametrize(
    "name", ["alice/os", "alice/bob/model", "/model", "alice/", "model@", "model@zz", "a/../b"]
)
def test_what_names_no_script_is_not_asked_for(sandbox: Sandbox, name: str) -> None:
    outcome, services = run(sandbox, f"call('script.{name}')")
    assert outcome.error is not None
    assert "there is no stored script" in outcome.error.message
    assert not services.asked


@pytest.mark.parametrize(
    "attack", ["call.__closure__", "__import__('os')", "call.__globals__", "import os.path as p\np.os"]
)
def test_a_script_of_another_owner_has_no_more_than_ones_own(sandbox: Sandbox, attack: str) -> None:
    outcome, _ = run(
        sandbox, "result = call('script.alice/bad')", **{"alice/bad": f"{attack}\nresult = 'got it'"}
    )
    assert outcome.error is not None
