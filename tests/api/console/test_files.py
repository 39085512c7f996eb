"""The files of pages are served at addresses that change with them, and with what they import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.console import files


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder of files in place of ours, which nobody has asked for yet."""
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    for known in (files.content, files.address):
        known.cache_clear()


def test_every_script_imports_what_is_there_at_the_address_of_its_version() -> None:
    scripts = [name for name in files.NAMES if name.endswith(".js")]
    assert scripts
    for script in scripts:
        for imported in re.findall(r'(?:from|import) "([^"]+)"', files.content(script).decode()):
            name = imported.removeprefix("/console/static/").partition("?")[0]
            assert imported == files.address(name), script


def test_a_script_has_another_address_when_what_it_imports_changes(folder: Path) -> None:
    (folder / "outer.js").write_text('import { one } from "./inner.js";')
    addresses = set()
    for inner in ("export const one = 1;", "export const one = 2;"):
        (folder / "inner.js").write_text(inner)
        forget()
        addresses.add(files.address("outer.js"))
    assert len(addresses) == 2
