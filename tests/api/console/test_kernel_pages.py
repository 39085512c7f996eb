"""Pages of kernels."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.kernels.builds import text_hash
from host.errors import KernelHung

SOURCES = [
    f"""struct Params {{ factor: f32, count: u32 }}
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<uniform> params: Params;
override gain: f32 = {number}.0;
@compute @workgroup_size(64, 2)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {{
    for (var i = 0; i < 3; i++) {{ values[id.x] *= params.factor * gain; }}
}}
"""
    for number in (1, 2)
]


@pytest.fixture(scope="module")
def kernel(http: httpx2.Client) -> Any:
    """A kernel of two versions."""
    for source in SOURCES:
        stored = http.post("/api/kernels", json={"name": "on_a_page", "source": source})
        assert stored.is_success
    return stored.json()


def test_a_kernel_is_listed_with_its_version_and_where_it_runs(person: httpx2.Client, kernel: Any) -> None:
    page = person.get("/console/kernels?owner=admin").text
    row = page[page.index('href="/console/kernels/on_a_page"') :].partition("</tr>")[0]
    assert kernel["hash"] in row
    assert " ms</td>" in row
    assert "shared device" in row


def test_a_kernel_has_its_reflection_source_guarded_source_limits_and_versions(
    person: httpx2.Client, http: httpx2.Client, kernel: Any
) -> None:
    page = html.unescape(person.get("/console/kernels/on_a_page").text)
    guarded = http.get("/api/kernels/on_a_page").json()["guarded"]
    for text in (
        SOURCES[1],
        guarded,
        "64 × 2 × 1",
        "<code>params</code>",
        "<code>factor: f32</code>",
        "<code>gain</code>",
        '<td class="number">128</td><td class="number">256</td>',
        f"/console/kernels/on_a_page@{text_hash(SOURCES[0])[:16]}",
    ):
        assert text in page, text


def test_an_older_version_has_a_page(person: httpx2.Client, kernel: Any) -> None:
    page = html.unescape(person.get(f"/console/kernels/on_a_page@{text_hash(SOURCES[0])[:16]}").text)
    assert SOURCES[0] in page
    assert SOURCES[1] not in page


def test_another_s_kernel_is_not_found_and_not_listed(stranger: httpx2.Client, kernel: Any) -> None:
    assert stranger.get("/console/kernels/admin/on_a_page").status_code == 404
    assert "on_a_page" not in stranger.get("/console/kernels").text


@pytest.fixture
def quarantined(running: Any, http: httpx2.Client, kernel: Any) -> Iterator[Any]:
    """The kernel, in quarantine for the time of a test."""
    server = running.server
    broken = server.runtime.quarantine.add(
        kernel["fingerprint"], "admin", "on_a_page", KernelHung("it <hung>")
    )
    asyncio.run_coroutine_threadsafe(broken, server.servers[0].get_loop()).result(30)
    yield kernel
    http.delete(f"/api/quarantine/{kernel['fingerprint']}")


def test_a_quarantine_is_seen_by_all_and_lifted_by_admins(
    running: Any, log_in: Any, person: httpx2.Client, stranger: httpx2.Client, quarantined: Any
) -> None:
    lift = f"DELETE /api/quarantine/{quarantined['fingerprint']}"
    assert lift in person.get("/console/quarantine").text
    assert stranger.get("/console/quarantine").status_code == 403
    other = log_in(running.client_for("other", owner="admin").headers["authorization"].split()[1])
    for visitor, lifts in ((person, True), (other, False)):
        page = visitor.get("/console/kernels/on_a_page").text
        assert "it &lt;hung&gt;" in page
        assert (lift in page) is lifts
        assert ">quarantine</span>" in visitor.get("/console/kernels").text


def test_a_kernel_begins_a_new_version_in_the_playground(
    visit: Any, http: httpx2.Client, kernel: Any
) -> None:
    page = visit("/console/kernels/on_a_page")
    page.get_by_role("link", name="Edit in the playground").click()
    page.wait_for_url("**/play?kernel=*")
    assert page.get_by_label("The program").input_value() == SOURCES[1]
    assert page.get_by_label("Name", exact=True).input_value() == "on_a_page"


def test_a_kernel_is_forgotten_after_a_question_and_a_no_keeps_it(visit: Any, http: httpx2.Client) -> None:
    http.post("/api/kernels", json={"name": "to_forget", "source": SOURCES[0]})
    page = visit("/console/kernels/to_forget")
    forget = page.get_by_role("button", name="Forget this kernel")
    forget.click()
    page.get_by_role("dialog").get_by_role("button", name="No").press("Enter")
    assert http.get("/api/kernels/to_forget").is_success
    forget.click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.wait_for_url("**/console/kernels")
    assert http.get("/api/kernels/to_forget").status_code == 404
