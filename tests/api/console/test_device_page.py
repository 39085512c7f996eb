"""The page of the device."""

from __future__ import annotations

import html
from typing import Any

import httpx2


def test_a_user_sees_the_adapter_and_walls_and_of_use_only_his_own(
    running: Any, person: httpx2.Client, stranger: httpx2.Client, http: httpx2.Client
) -> None:
    assert http.post("/api/ops/add", json={"inputs": [1, 2]}).is_success
    info = http.get("/api/device").json()
    for visitor, everything in ((person, True), (stranger, False)):
        page = html.unescape(visitor.get("/console/device").text)
        assert info["name"] in page
        assert "seccomp" in page
        assert ("<td>admin</td>" in page) is everything
        assert ("Pipelines" in page) is everything


def test_the_page_follows_who_uses_the_device(visit: Any, http: httpx2.Client) -> None:
    page = visit("/console/device", viewport={"width": 390, "height": 844})
    script = "import time\nfor turn in range(600): time.sleep(0.1)"
    run = http.post("/api/runs", json={"script": script, "limits": {"wall_s": 60}}).json()["id"]
    page.locator("tr:has(td:text-is('admin')) td:nth-child(4):text-is('1')").wait_for()
    http.delete(f"/api/runs/{run}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
