"""Pages of stored scripts."""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import subprocess
from typing import Any

import httpx2
import numpy as np
import pytest

SOURCES = [
    f'''def main(count: int, scale: float = {number}.0, word: str = "", loud: bool = True, rows: list[int] = []):
    """Counts <up>."""
    print(word)
    return {{"count": count * scale, "loud": loud, "rows": rows}}
'''
    for number in (1, 2)
]


@pytest.fixture(scope="module")
def script(http: httpx2.Client) -> str:
    """A script of two versions."""
    for source in SOURCES:
        assert http.post("/api/scripts", json={"name": "on_a_page", "source": source}).is_success
    return "on_a_page"


def test_a_script_is_listed_with_what_it_takes_and_does(person: httpx2.Client, script: str) -> None:
    page = person.get("/console/scripts?owner=admin").text
    row = page[page.index(f'href="/console/scripts/{script}"') :].partition("</tr>")[0]
    assert "count, scale, word, loud, rows" in row
    assert "Counts &lt;up&gt;." in row


def test_a_script_has_its_source_schema_versions_and_a_field_for_each_input(
    person: httpx2.Client, http: httpx2.Client, script: str
) -> None:
    page = html.unescape(person.get(f"/console/scripts/{script}").text)
    older = hashlib.sha256(SOURCES[0].encode()).hexdigest()
    for text in (SOURCES[1], f"/console/scripts/{script}@{older[:16]}", '"required": ['):
        assert text in page, text
    fields = {"count": "number", "scale": "number", "word": "text", "loud": "checkbox", "rows": "json"}
    for name, kind in fields.items():
        assert f'name="{name}"' in page
        assert f'data-kind="{kind}"' in page
    former = html.unescape(person.get(f"/console/scripts/{script}@{older[:16]}").text)
    assert SOURCES[0] in former
    assert "another version" in former
    assert "another version" not in page


def test_a_tensor_s_field_says_so_and_a_version_is_short(person: httpx2.Client, http: httpx2.Client) -> None:
    source = "import torch\ndef main(x: torch.Tensor): return x.sum()"
    stored = http.post("/api/scripts", json={"name": "of_a_tensor", "source": source}).json()
    page = person.get("/console/scripts/of_a_tensor").text
    assert '<label for="input-x">x <code class="faint">tensor</code></label>' in page
    assert f">{stored['hash']}<" not in page


def test_another_s_script_is_not_found_and_not_listed(stranger: httpx2.Client, script: str) -> None:
    assert stranger.get(f"/console/scripts/admin/{script}").status_code == 404
    assert script not in stranger.get("/console/scripts").text


def test_who_may_only_read_has_no_form_and_no_button(running: Any, log_in: Any, script: str) -> None:
    reader = running.client_for("script_reader", owner="admin", scopes=("scripts:read",))
    page = log_in(reader.headers["authorization"].split()[1]).get(f"/console/scripts/{script}").text
    assert "Counts" in page
    assert 'id="call"' not in page
    assert "data-ask" not in page


def test_a_script_is_called_from_its_page_and_a_wrong_input_is_told(visit: Any, script: str) -> None:
    page = visit(f"/console/scripts/{script}", viewport={"width": 390, "height": 844})
    page.get_by_label("count").fill("3")
    page.get_by_label("word").fill("said")
    page.get_by_label("loud").uncheck()
    page.get_by_label("rows").fill('["no number"]')
    page.get_by_role("button", name="Call").click()
    page.get_by_role("alert").get_by_text("inputs.rows[0]").wait_for()
    page.get_by_label("rows").fill("[7, 8]")
    page.get_by_role("button", name="Call").click()
    page.locator("#view .status.succeeded").wait_for()
    shown = page.locator("#view").inner_text()
    for text in ("6", "false", "[7, 8]", "said"):
        assert text in shown, text
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_tensor_is_uploaded_for_a_call_which_a_shell_can_make_too(
    visit: Any, http: httpx2.Client, running: Any
) -> None:
    source = "import torch\ndef main(x: torch.Tensor, word: str = 'none'): return [x.sum(), word]"
    assert http.post("/api/scripts", json={"name": "from_a_shell", "source": source}).is_success
    page = visit("/console/scripts/from_a_shell")
    file = io.BytesIO()
    np.save(file, np.arange(4, dtype=np.float32))
    upload = {"name": "any.npy", "mimeType": "application/octet-stream", "buffer": file.getvalue()}
    page.get_by_label("Upload x").set_input_files(upload)
    page.get_by_label("word").fill("it's")
    page.locator("#input-x:valid").wait_for()
    assert page.locator("#input-x").input_value().startswith("ten_")
    page.get_by_role("button", name="Call").click()
    page.locator("#view .status.succeeded").wait_for()
    page.get_by_text("The same call from a shell").click()
    told = page.locator("#command").inner_text()
    environment = {**os.environ, "KERNELGATE_KEY": running.key}
    shell = subprocess.run(["bash", "-c", told], env=environment, capture_output=True, timeout=60, check=True)
    total, word = json.loads(shell.stdout)["result"]
    assert (total["$tensor"]["data"], word) == ([6], "it's")


def test_a_tensor_is_written_as_lists(visit: Any, http: httpx2.Client) -> None:
    source = "import torch\ndef main(x: torch.Tensor): return [list(x.shape), x.sum()]"
    assert http.post("/api/scripts", json={"name": "of_lists", "source": source}).is_success
    page = visit("/console/scripts/of_lists")
    page.locator("#input-x").fill("[[1, 2], [3]]")
    page.get_by_role("button", name="Call").click()
    page.get_by_role("alert").get_by_text("x: the lists of one level differ in length").wait_for()
    page.locator("#input-x").fill("[[1, 2], [3, 4.5]]")
    page.get_by_role("button", name="Call").click()
    page.get_by_label("Result").get_by_text("10.5").wait_for()


def test_an_input_has_the_field_of_its_type_and_a_text_needs_no_quotes(
    visit: Any, http: httpx2.Client
) -> None:
    source = """from typing import Literal
def main(thing, how: Literal["mean", "sum"] = "mean", names: list[str] | None = None, word: str | None = None):
    return [thing, how, names, word]
"""
    assert http.post("/api/scripts", json={"name": "of_many_types", "source": source}).is_success
    page = visit("/console/scripts/of_many_types")
    page.get_by_text("names array or null").wait_for()
    page.get_by_label("thing").fill("plain text")
    page.get_by_label("how").select_option("sum")
    page.get_by_label("word").fill("said")
    page.get_by_role("button", name="Call").click()
    page.get_by_label("Result").get_by_text("plain text").wait_for()
    shown = page.get_by_label("Result").inner_text()
    for text in ("sum", "None", "said"):
        assert text in shown, text
    page.get_by_label("thing").fill("[1, 2")
    page.get_by_role("button", name="Call").click()
    page.get_by_role("alert").get_by_text("This is not JSON").wait_for()


def test_inputs_that_are_named_as_a_form_s_own_things_are_given_too(visit: Any, http: httpx2.Client) -> None:
    source = "def main(dataset: int, querySelectorAll: int): return dataset * querySelectorAll"
    assert http.post("/api/scripts", json={"name": "of_a_form", "source": source}).is_success
    page = visit("/console/scripts/of_a_form")
    page.get_by_label("dataset").fill("6")
    page.get_by_label("querySelectorAll").fill("7")
    page.get_by_role("button", name="Call").click()
    page.get_by_label("Result").get_by_text("42").wait_for()
