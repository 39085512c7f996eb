"""Every page can be used by keyboard and by ear, is readable in both schemes, and fits a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

AUDIT = Path(__file__).with_name("audit.js").read_text()
KERNEL = """struct Params { factor: f32 }
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<uniform> params: Params;
override gain: f32 = 1.0;
@compute @workgroup_size(64) fn main() { values[0] *= params.factor * gain; } // a line that is wider than a phone
"""
SCRIPT = '''def main(x: int, rows: list[int], loud: bool = True, **more):
    """Counts."""
'''
WRONG = """document.querySelector("main").innerHTML = `
<h1 id="a">x</h1> <h3 id="a">y</h3>
<input placeholder="z"> <button></button>
<p class="card" aria-describedby="none"><span id="pale">pale</span></p>
<div id="over">${"over ".repeat(999)}</div>`;
document.getElementById("pale").style.color = "#999";
Object.assign(document.getElementById("over").style, { width: "9999px", height: "9px", overflow: "auto" });
"""
"""A page that breaks every rule; `#999` on white is known to have a contrast of 2.85."""
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true"


@pytest.fixture(scope="module")
def pages(http: httpx2.Client) -> list[str]:
    """The address of a page of each kind."""
    assert http.post("/api/kernels", json={"name": "for_everyone", "source": KERNEL}).is_success
    assert http.post("/api/scripts", json={"name": "for_everyone", "source": SCRIPT}).is_success
    asked = {"script": "print('to all')\nresult = 1 / 0"}
    run = http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()["id"]
    body = {"shape": [2, 3], "dtype": "f32", "data": [0] * 6}
    tensor = http.post("/api/tensors", json=body).json()["id"]
    key = http.get("/api/keys").json()["keys"][0]["id"]
    lists = (
        "play",
        "runs",
        "kernels",
        "scripts",
        "ops?q=soft",
        "tensors",
        "keys",
        "secrets",
        "device",
        "why",
        "audit",
    )
    ones = (f"runs/{run}", f"tensors/{tensor}", f"keys/{key}", "kernels/for_everyone", "scripts/for_everyone")
    others = ("play", "ops/softmax?explain=true", "quarantine", "nothing")
    return ["/console/play#kernel", *(f"/console/{each}" for each in (*lists, *ones, *others)), "/docs"]


def trouble(page: Any) -> dict[str, list[str]]:
    """What keeps people from using the page, by scheme."""
    page.evaluate(UNFOLD)
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found[scheme] = page.evaluate(AUDIT)
    return {scheme: each for scheme, each in found.items() if each}


def test_nothing_on_any_page_keeps_anyone_from_using_it(visit: Any, pages: list[str]) -> None:
    page = visit("/console/login", known=False, viewport={"width": 390, "height": 844})
    assert not trouble(page)
    page = visit("/console", viewport={"width": 390, "height": 844})
    found = {}
    for address in pages:
        page.goto(address)
        found[address] = trouble(page)
    assert not {address: each for address, each in found.items() if each}


def test_an_error_and_a_result_that_is_old_can_be_read_by_everyone(visit: Any) -> None:
    page = visit("/console/play", viewport={"width": 390, "height": 844})
    page.get_by_label("The program").fill("print('x' * 300)\nresult = 1 / 0")
    page.get_by_role("button", name="Run").focus()
    page.keyboard.press("Enter")
    page.locator(".callout").wait_for()
    assert page.evaluate("document.activeElement.id") == "run"
    assert not trouble(page)
    page.get_by_label("The program").fill("result = [[1, 2]]")
    page.locator("#view.stale").wait_for()
    assert not trouble(page)
    page.get_by_role("button", name="Store …").click()
    page.get_by_label("Under the name").wait_for()
    assert not trouble(page)


def test_the_audit_finds_what_is_wrong(visit: Any) -> None:
    page = visit("/console/login", known=False)
    page.evaluate(WRONG)
    found = "\n".join(page.evaluate(AUDIT))
    for words in (
        "nothing names <input",
        "nothing names <button",
        "aria-describedby leads nowhere",
        "two elements are called a",
        "a heading 3 skips one",
        "no key scrolls",
        'a text has a contrast of 2.85: <span id="pale"',
        "the page is wider than its window",
    ):
        assert words in found, words
