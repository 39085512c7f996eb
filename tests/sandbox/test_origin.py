"""Where in a script its result comes from."""

from __future__ import annotations

import pytest

from sandbox.errors import ValueFormError
from sandbox.origin import placed


@pytest.mark.parametrize(
    ("source", "line", "at"),
    [
        ("def main():\n    x = 1\n    return {x}\n", 3, "{x}"),
        ("async def main():\n    return {'é': {1}}", 2, "{'é"),
        ("def main():\n    def f():\n        return 1\n    if f():\n        return f", 5, "f"),
        ("def main():\n    f = lambda: 1\n    return (f)", 3, "f)"),
        ("def main():\n    return 1\ndef main():\n    return {2}", 4, "{2}"),
        ("if True:\n    def main():\n        return {1}", 3, "{1}"),
        ("def main():\r    return {1}\r", 2, "{1}"),
    ],
)
def test_it_is_what_main_returns(source: str, line: int, at: str) -> None:
    error = placed(ValueFormError("no"), source, assigned=False, cell=False)
    assert (error.line, error.snippet) == (line, shown(source, line, at))


@pytest.mark.parametrize(
    "source",
    [
        "def main(x):\n    if x:\n        return {1}\n    return 1",
        "def main():\n    yield 1",
        "def main():\n    yield 1\n    return {1}",
    ],
)
def test_of_a_main_that_returns_in_several_places_or_yields_it_is_all(source: str) -> None:
    error = placed(ValueFormError("no"), source, assigned=False, cell=False)
    assert (error.line, error.column) == (1, 1)


@pytest.mark.parametrize(
    ("source", "line", "at"),
    [
        ("def f(): return 1\nmain = lambda: {1}", 2, "lambda"),
        ("def main(): return 1\ndef f(): return {1}\nmain = f", 3, "f"),
        ("def same(f): return f\n@same\ndef main():\n    return {1}", 3, "def main"),
    ],
)
def test_of_a_main_that_is_made_elsewhere_it_is_what_gives_it_that_name(
    source: str, line: int, at: str
) -> None:
    error = placed(ValueFormError("no"), source, assigned=False, cell=False)
    assert (error.line, error.snippet) == (line, shown(source, line, at))


@pytest.mark.parametrize(
    ("source", "line", "at"),
    [
        (
            "def main():\n    result = {3}\n    return 1\nresult = {1}\nif result:\n    result = main",
            6,
            "main",
        ),
        ("result = 1; result = {1}", 1, "{1}"),
        ("result = 1\nresult: set = {1}", 2, "{1}"),
        ("result = {1}\nresult |= {2}", 2, "{2}"),
        ("result = 1\nif (result := {1}): pass", 2, "{1}"),
        ("result = 1\na, result = 1, {2}", 2, "result"),
        ("result = 1\nfor result in [{1}]: pass", 2, "result"),
        ("result = 1\nimport math as result", 2, "math"),
        ("result = 1\nclass result: pass", 2, "class"),
        (f"result = {{1}}\nx = {' + '.join('1' * 950)}", 1, "{1}"),
        ("result = {1}\nx = [result for result in [2]]\nresult: set", 1, "{1}"),
        ("result = 1\nif result:\n    result = {1}\nelse:\n    result = 2", 2, "if"),
    ],
)
def test_it_is_what_the_last_statement_gives_result(source: str, line: int, at: str) -> None:
    error = placed(ValueFormError("no"), source, assigned=True, cell=False)
    assert (error.line, error.snippet) == (line, shown(source, line, at))


def test_of_a_cell_it_is_the_last_statement() -> None:
    error = placed(ValueFormError("no"), "x = 1\n{x}", assigned=False, cell=True)
    assert (error.line, error.column) == (2, 1)


@pytest.mark.parametrize(
    ("source", "assigned"),
    [
        ("globals().update(main=print)", False),
        ("result = 1\ndef f():\n    global result\n    result = {1}\nf()", True),
    ],
)
def test_what_the_text_does_not_tell_has_no_place(source: str, assigned: bool) -> None:
    error = placed(ValueFormError("no"), source, assigned=assigned, cell=False)
    assert (error.line, error.snippet) == (None, None)


def shown(source: str, line: int, at: str) -> str:
    """Line `line` of `source`, with a caret under the last `at` in it."""
    text = source.splitlines()[line - 1]
    return f"{text}\n{' ' * text.rindex(at)}^"
