"""Ordinary scripts print what CPython prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
FILES = sorted(SCRIPTS.glob("[0-9]*.py"))


def test_the_corpus_is_there() -> None:
    assert len(FILES) >= 60
    assert all(path.with_suffix(".out").exists() for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_script_prints_what_cpython_prints(sandbox: Any, path: Path) -> None:
    outcome = sandbox.run(path.read_text())
    assert outcome.error is None, outcome.error
    assert sandbox.services.printed() == path.with_suffix(".out").read_text()
