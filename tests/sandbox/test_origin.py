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
    ],
)
def test_it_is_what_main_returns(source: str, line: int, at: str) -> None:
    error = placed(ValueFormError("no"), source, assigned=False, cell=False)
    assert (error.line, error.snippet) == (line, shown(source, line, at))


@pytest.mark.parametrize(
    "source", ["def main(x):\n    if x:\n        return {1}\n    return 1", "def main():\n    yield 1"]
)
def test_of_a_main_that_returns_in_several_places_or_yields_it_is_all(source: str) -> None:
    error = placed(ValueFormError("no"), source, assigned=False, cell=False)
    assert (error.line, error.column) == (1, 1)


def test_it_is_what_result_is_assigned_last() -> None:
    source = "def main():\n    result = {3}\n    return 1\nresult = {1}\nif result:\n    result = main\n"
    error = placed(ValueFormError("no"), source, assigned=True, cell=False)
    assert (error.line, error.snippet) == (6, shown(source, 6, "main"))


def test_of_a_cell_it_is_the_last_statement() -> None:
    error = placed(ValueFormError("no"), "x = 1\n{x}", assigned=False, cell=True)
    assert (error.line, error.column) == (2, 1)


@pytest.mark.parametrize(
    ("source", "assigned"), [("main = lambda: {1}", False), ("for result in [{1}]: pass", True)]
)
def test_what_is_made_in_another_way_has_no_place(source: str, assigned: bool) -> None:
    error = placed(ValueFormError("no"), source, assigned=assigned, cell=False)
    assert (error.line, error.snippet) == (None, None)


def shown(source: str, line: int, at: str) -> str:
    """Line `line` of `source`, with a caret under the last `at` in it."""
    text = source.splitlines()[line - 1]
    return f"{text}\n{' ' * text.rindex(at)}^"
