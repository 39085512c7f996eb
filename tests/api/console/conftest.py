"""Who is logged in to the shared server: without a browser, and in headless Chromium, Debian's own."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx2
import pytest

from api.http.browser import COOKIE

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


@pytest.fixture(scope="module")
def visits(chromium: Any, running: Any, person: httpx2.Client) -> Callable[[], AbstractContextManager[Any]]:
    """`with visits() as visit`: what `visit` does, until the block ends."""

    @contextlib.contextmanager
    def visits() -> Iterator[Any]:
        contexts, failures = [], []

        def visit(path: str, known: httpx2.Client | bool = True, **options: Any) -> Any:
            context = chromium.new_context(base_url=running.url, **{"viewport": DESKTOP, **options})
            context.set_default_timeout(PATIENCE_MS)
            contexts.append(context)
            if known:
                who = person if known is True else known
                context.add_cookies([{"name": COOKIE, "value": who.cookies[COOKIE], "url": running.url}])
            page = context.new_page()
            page.on("pageerror", lambda error: failures.append(str(error)))
            page.goto(path)
            return page

        yield visit
        for context in contexts:
            context.close()
        assert not failures

    return visits


@pytest.fixture
def visit(visits: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    """`visit(path)`: a page of a new visitor, who has the admin's login, or that of the client `known`, or none.

    A script of ours that fails there fails the test.
    """
    with visits() as visit:
        yield visit
