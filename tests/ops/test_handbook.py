"""The pages of the library: one section for every row and every function of scripts. `tests/test_docs.py` runs them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ops import derivation, hashing, routines
from ops.handbook import PAGES, document, library, page_of
from ops.samples import sample

FOLDER = Path(__file__).parents[2] / "docs" / "library"
TITLE = re.compile(r"^## (\w+)$", re.MULTILINE)


def sections() -> list[str]:
    return [title for name in PAGES for title in TITLE.findall((FOLDER / f"{name}.md").read_text())]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_made_from_the_table(name: str) -> None:
    assert (FOLDER / f"{name}.md").read_text() == document(name), "python -m ops.handbook docs/library"


def test_every_row_has_a_section_and_no_page_is_left_over() -> None:
    titles = sections()
    assert len(titles) == len(set(titles))
    assert {spec.name for spec in library()} <= set(titles)
    assert {path.stem for path in FOLDER.glob("*.md")} == PAGES.keys()


def test_every_function_of_scripts_has_an_example() -> None:
    text = "".join((FOLDER / f"{name}.md").read_text() for name in PAGES)
    named = set(re.findall(r"\b(?:hashing|routines)\.(\w+)\(", text))
    functions = hashing.namespace().keys() | derivation.NAMES.keys() | routines.namespace().keys()
    aliases = {alias for spec in library() for alias in spec.aliases}
    shown_by_others = {"find_bytes"}  # as `find`
    assert functions - aliases - shown_by_others == named


@pytest.mark.parametrize(
    "spec", [spec for spec in library() if spec.namespace in ("hash", "random", "cipher")]
)
def test_what_is_cryptography_or_chance_names_its_standard(spec: object) -> None:
    assert getattr(spec, "standard", "")


def test_a_new_row_gets_its_section_by_itself_or_is_missed() -> None:
    row = replace(library()[0], name="new")
    assert page_of(row) == "bits"
    assert sample(row).inputs
    with pytest.raises(KeyError, match=r"no page of the library takes elsewhere\.new"):
        page_of(replace(row, namespace="elsewhere"))
