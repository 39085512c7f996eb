"""The playground and the page of a run as the server renders them."""

from __future__ import annotations

import contextlib
import html
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

SCRIPT = 'def main():\n    print("<b>bold</b>")\n    return 1 / 0\n'


@contextlib.contextmanager
def logged_in(running: Any, key: str) -> Iterator[httpx2.Client]:
    """A browser with a login."""
    with httpx2.Client(base_url=running.url, timeout=60) as client:
        client.post("/console/login", data={"key": key}, headers={"Sec-Fetch-Site": "same-origin"})
        yield client


@pytest.fixture
def person(running: Any) -> Iterator[httpx2.Client]:
    with logged_in(running, running.key) as client:
        yield client


@pytest.fixture(scope="module")
def failed(http: httpx2.Client) -> Any:
    """A run that printed, and failed at its line 3."""
    asked = {"script": SCRIPT, "limits": {"wall_s": 7}, "grants": {"env": {"TOKEN": "secret"}}}
    return http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()


def test_a_run_is_readable_without_its_script(person: httpx2.Client, failed: Any) -> None:
    page = person.get(f"/console/runs/{failed['id']}").text
    text = html.unescape(page)
    assert "ZeroDivisionError: division by zero" in text
    assert 'data-line="3"' in page
    assert "return 1 / 0" in text
    assert "<b>bold</b>" not in page
    assert "<b>bold</b>" in text
    assert "TOKEN" in text
    assert "secret" not in text


def test_a_run_begins_again_in_the_playground_with_its_script_limits_and_grants(
    person: httpx2.Client, failed: Any
) -> None:
    page = person.get(f"/console/play?run={failed['id']}").text
    found = re.search(r'id="start">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    again = json.loads(found[1])["again"]
    assert again["text"] == SCRIPT
    assert again["limits"]["wall_s"] == 7
    assert again["grants"] == {"env": {"TOKEN": None}}


def test_no_script_ends_the_data_of_a_page(person: httpx2.Client, http: httpx2.Client) -> None:
    asked = {"script": "# </script><script>alert(1)</script>\nresult = 1"}
    run = http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()
    page = person.get(f"/console/play?run={run['id']}").text
    assert "alert(1)" in page
    assert "<script>alert" not in page


def test_another_s_run_is_not_found(running: Any, failed: Any) -> None:
    key = running.client_for("stranger").headers["authorization"].split()[1]
    with logged_in(running, key) as stranger:
        for path in (f"/console/runs/{failed['id']}", f"/console/play?run={failed['id']}"):
            answer = stranger.get(path)
            assert (answer.status_code, "run_not_found" in answer.text) == (404, True)


def test_a_kernel_s_guarded_text_is_shown_with_it(http: httpx2.Client) -> None:
    source = "@compute @workgroup_size(1) fn main() { for (var i = 0; i < 3; i++) {} }"
    assert http.post("/api/kernels", json={"name": "guarded", "source": source}).is_success
    guarded = http.get("/api/kernels/guarded").json()["guarded"]
    assert guarded != source
    assert "_wf" in guarded
