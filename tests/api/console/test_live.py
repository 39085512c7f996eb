"""Lists that are kept as they are, and their buttons, in headless Chromium."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx2

SLEEPER = {"script": "import time\nfor turn in range(600): time.sleep(0.1)", "limits": {"wall_s": 60}}


def test_a_list_of_runs_follows_them_and_cancels_one(visit: Any, http: httpx2.Client) -> None:
    page = visit("/console/runs")
    run = http.post("/api/runs", json=SLEEPER).json()["id"]
    row = page.locator(f"#{run}")
    row.locator(".status.running").wait_for()
    link = row.get_by_role("link")
    link.focus()
    page.get_by_role("button", name=f"Cancel {run}").press("Enter")
    row.locator(".status.cancelled").wait_for()
    assert row.get_by_role("button").count() == 0
    link.focus()
    other = http.post("/api/runs", json={"script": "result = 1"}).json()["id"]
    page.locator(f"#{other} .status.succeeded").wait_for()
    assert link.evaluate("each => each === document.activeElement")


def test_what_cannot_be_done_is_said(visit: Any, http: httpx2.Client) -> None:
    source = "@compute @workgroup_size(1) fn main() {}"
    http.post("/api/kernels", json={"name": "gone", "source": source})
    page = visit("/console/kernels/gone")
    http.delete("/api/kernels/gone")
    page.get_by_role("button", name="Forget this kernel").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.get_by_role("alert").get_by_text("there is no kernel 'gone'").wait_for()


def test_moments_are_in_the_reader_s_own_time(visit: Any, http: httpx2.Client) -> None:
    run = http.post("/api/runs", json={"script": "result = 1"}).json()["id"]
    page = visit("/console/runs", timezone_id="Asia/Tokyo")
    moment = page.locator(f"#{run} time")
    told = datetime.fromisoformat(moment.get_attribute("title"))
    page.get_by_text("GMT+9").first.wait_for()
    assert moment.inner_text() == told.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%d %H:%M:%S GMT+9")


def test_a_list_whose_login_is_over_leads_to_where_one_logs_in(visit: Any) -> None:
    page = visit("/console/runs")
    page.context.clear_cookies()
    page.wait_for_url("**/console/login?then=*")
