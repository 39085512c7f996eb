"""The façade gives what NumPy gives: values, shapes, types, texts and errors, for a table of expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.numpy.twin import check

LINES = (Path(__file__).parent / "expressions.txt").read_text().splitlines()
EXPRESSIONS = [line for line in LINES if line.strip() and not line.startswith("#")]


def test_the_table_is_there() -> None:
    assert len(EXPRESSIONS) > 700


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_an_expression_comes_out_alike(source: str) -> None:
    check(source)


MESSAGES = (Path(__file__).parent / "messages.txt").read_text().splitlines()


@pytest.mark.parametrize("source", MESSAGES)
def test_an_error_reads_alike(source: str) -> None:
    check(source, messages=True)
