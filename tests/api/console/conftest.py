"""Headless Chromium, logged in to the shared server: Debian's, as nothing is downloaded for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

DESKTOP = {"width": 1280, "height": 900}
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser. It ends with the module, as its driver's event loop would disturb tests that have their own."""
    driver = pytest.importorskip("playwright.sync_api", reason="the console's pages are driven by playwright")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium here to drive the console's pages (apt-get install chromium)")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any, running: Any) -> Iterator[Any]:
    """`visit(path)`: a page of a new visitor who is logged in. A script of ours that fails there fails the test."""
    contexts, failures = [], []

    def visited(path: str, **options: Any) -> Any:
        context = chromium.new_context(base_url=running.url, **{"viewport": DESKTOP, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(f"/console/login?then={path}")
        page.get_by_label("Key").fill(running.key)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"**{path}")
        return page

    yield visited
    for context in contexts:
        context.close()
    assert not failures
