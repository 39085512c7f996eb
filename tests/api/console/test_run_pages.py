"""The playground and the page of a run as the server renders them."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import httpx2
import pytest

from api.console import run_pages

SCRIPT = 'def main():\n    print("<b>bold</b>")\n    return 1 / 0\n'


@pytest.fixture(scope="module")
def failed(http: httpx2.Client) -> Any:
    """A run that printed, and failed at its line 3."""
    asked = {"script": SCRIPT, "limits": {"wall_s": 7}, "grants": {"env": {"TOKEN": "hidden-value"}}}
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
    assert "hidden-value" not in text


def test_a_run_begins_again_in_the_playground_with_its_script_limits_and_grants(
    person: httpx2.Client, failed: Any
) -> None:
    page = person.get(f"/console/play?run={failed['id']}").text
    found = re.search(r'id="start">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    again = json.loads(found[1])["begin"]
    assert again["text"] == SCRIPT
    assert again["limits"]["wall_s"] == 7
    assert again["grants"] == {"env": {"TOKEN": None}}


def test_no_script_ends_the_data_of_a_page(person: httpx2.Client, http: httpx2.Client) -> None:
    asked = {"script": "# </script><script>alert(1)</script>\nresult = 1"}
    run = http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()
    page = person.get(f"/console/play?run={run['id']}").text
    assert "alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('"""Adds <up>."""\nimport torch\nresult = 1', "Adds <up>."),
        ("import torch\n\n# Counts.\nresult = 2", "Counts."),
        ("from math import pi\nresult = pi", "result = pi"),
        ("import math", "import math"),
        ('import torch\ndef main(n):\n    """Sums."""\n    return n', "Sums."),
        ("import torch\ndef main(n: int = 1, *, m=(2, 3)) -> int:\n\n    return n * m[0]", "return n * m[0]"),
        ("async def main(\n    n: int = 3,\n):\n    return n", "return n"),
        ("def main(): return 'five'", "return 'five'"),
        ("# Halves.\ndef half(x):\n    # in two\n    return x / 2\n\ndef main(): return half(8)", "Halves."),
        ('"""\nLong.\n"""\nimport math\ndef main(): pass', "Long."),
        (
            "def half(x): return x / 2\n" + "y = half(2)\n" * 30 + "def main(): pass",
            "def half(x): return x / 2",
        ),
    ],
)
def test_the_list_has_of_each_run_the_first_line_that_tells_what_it_does(
    person: httpx2.Client, http: httpx2.Client, script: str, words: str
) -> None:
    run = http.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=60"}).json()["id"]
    page = person.get("/console/runs").text
    row = page[page.index(f'<tr id="{run}">') :].partition("</tr>")[0]
    assert f'<span class="faint">{words}</span>' in html.unescape(row)


ASKS = "import os\ndef main():\n    return os.environ['CITY']"


def test_what_was_denied_is_granted_by_a_further_click_where_the_key_allows_it(visit: Any, http: Any) -> None:
    run = http.post("/api/runs", json={"script": ASKS}, headers={"Prefer": "wait=60"}).json()["id"]
    page = visit(f"/console/runs/{run}")
    page.get_by_role("link", name="Grant it, and run again").click()
    page.wait_for_url(
        "**/console/play"
    )  # the form has the grant, and the address no longer what it was begun with
    grants = page.get_by_label("A line each, or JSON")
    assert json.loads(grants.input_value()) == {"env": {"CITY": None}}
    assert page.locator("#view .status").count() == 0, "nothing has run"
    grants.fill("")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Add it to the grants").click()
    assert grants.input_value() == '{\n  "env": {"CITY":null}\n}'
    grants.fill('{"env": {"CITY": "Basel"}}')
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_label("Result").get_by_text("Basel").wait_for()


def test_a_request_that_was_granted_and_failed_was_not_denied(visit: Any, http: Any) -> None:
    asks = "def main():\n    return fetch('https://host.invalid/').status_code"
    body = {"script": asks, "grants": {"fetch": [{"host": "host.invalid"}]}}
    run = http.post("/api/runs", json=body, headers={"Prefer": "wait=60"}).json()["id"]
    page = visit(f"/console/runs/{run}")
    page.get_by_text("failed: fetch_failed").wait_for()
    assert page.get_by_text("denied").count() == 0


def test_who_may_make_no_key_is_told_the_address_of_its_form_for_an_admin(
    visit: Any, running: Any, log_in: Any
) -> None:
    user = running.client_for("asker", {"fetch": [{"host": "a.example"}]}, groups=("lab",))
    run = user.post("/api/runs", json={"script": ASKS}, headers={"Prefer": "wait=60"}).json()["id"]
    login = log_in(user.headers["authorization"].split()[1])
    address = visit(f"/console/runs/{run}", known=login).get_by_label("For an admin").input_value()
    page = visit(f"/console/runs/{run}")
    page.get_by_role("link", name="Grant it to a new key").click()
    page.wait_for_url(lambda url: url == address)  # its script has filled the form
    wanted = json.loads(page.get_by_label("Grants").input_value())
    assert (wanted["fetch"][0]["host"], wanted["env"]) == ("a.example", {"CITY": None})
    page.get_by_label("Name").fill("asker-2")
    page.get_by_role("button", name="Make it").click()
    token = page.get_by_label("Its token").input_value()
    made = running.http.get(f"/api/keys/{token.split('_')[1]}").json()
    assert (made["owner"], made["groups"], made["grants"]) == ("asker", ["lab"], wanted)


def test_the_key_of_a_shared_run_is_told_to_its_owner_and_to_who_makes_keys(
    running: Any, log_in: Any, person: httpx2.Client, stranger: httpx2.Client
) -> None:
    owner = running.client_for("sharer")
    key = owner.headers["authorization"].split()[1]
    run = owner.post("/api/runs", json={"script": ASKS}, headers={"Prefer": "wait=60"}).json()["id"]
    owner.put(f"/api/runs/{run}/acl", json={"entries": [{"to": "everyone", "may": "read"}]})
    for reader, told in ((log_in(key), True), (person, True), (stranger, False)):
        page = reader.get(f"/console/runs/{run}")
        assert (page.status_code, key.split("_")[1] in page.text) == (200, told)


def test_another_s_run_is_not_found(stranger: httpx2.Client, failed: Any) -> None:
    for path in (f"/console/runs/{failed['id']}", f"/console/play?run={failed['id']}"):
        answer = stranger.get(path)
        assert (answer.status_code, "run_not_found" in answer.text) == (404, True)


def test_runs_are_listed_by_state_and_owner(
    person: httpx2.Client, stranger: httpx2.Client, failed: Any
) -> None:
    assert failed["id"] in person.get("/console/runs?status=failed&owner=admin").text
    for query in ("status=succeeded", "owner=nobody", "status=%22%3E", f"before={failed['id']}"):
        assert f'id="{failed["id"]}"' not in person.get(f"/console/runs?{query}").text
    assert failed["id"] not in stranger.get("/console/runs").text
    refused = person.get(f"/console/runs?before={'x' * 129}")
    assert (refused.status_code, refused.headers["content-type"][:9]) == (422, "text/html")


def test_a_list_goes_on_where_it_ended_with_the_same_filter(
    person: httpx2.Client, failed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_pages, "ROWS", 1)
    page = person.get("/console/runs?status=failed").text
    older = re.search(r'href="([^"]+)">Older', page)
    assert older is not None
    assert "status=failed" in older[1]
    assert 'href="/console/runs?status=failed">Newest' in person.get(html.unescape(older[1])).text


def test_a_kernel_s_guarded_text_is_shown_with_it(http: httpx2.Client) -> None:
    source = "@compute @workgroup_size(1) fn main() { for (var i = 0; i < 3; i++) {} }"
    assert http.post("/api/kernels", json={"name": "guarded", "source": source}).is_success
    guarded = http.get("/api/kernels/guarded").json()["guarded"]
    assert guarded != source
    assert "_wf" in guarded
