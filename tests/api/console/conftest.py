"""Who is logged in to the shared server: without a browser, and in headless Chromium, Debian's own."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

DESKTOP = {"width": 1280, "height": 900}
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def log_in(running: Any) -> Iterator[Callable[..., httpx2.Client]]:
    """`log_in(key)`: a client that has a login and no key; that of the admin unless given."""
    with contextlib.ExitStack() as stack:

        def entered(key: str = running.key) -> httpx2.Client:
            client = stack.enter_context(httpx2.Client(base_url=running.url, timeout=60))
            client.post("/console/login", data={"key": key}, headers={"Sec-Fetch-Site": "same-origin"})
            return client

        yield entered


@pytest.fixture(scope="module")
def person(log_in: Callable[..., httpx2.Client]) -> httpx2.Client:
    """The admin, logged in."""
    return log_in()


@pytest.fixture(scope="module")
def stranger(running: Any, log_in: Callable[..., httpx2.Client]) -> httpx2.Client:
    """A user who owns nothing, logged in."""
    return log_in(running.client_for("stranger").headers["authorization"].split()[1])


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
