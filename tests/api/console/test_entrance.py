"""Logging in and out, and what a login may not be used for."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from api.console.rendering import PLACES
from api.http.browser import COOKIE

OURS = {"Sec-Fetch-Site": "same-origin"}


def browser(running: Any) -> httpx2.Client:
    """A client without a key, that keeps cookies as a browser does."""
    return httpx2.Client(base_url=running.url, timeout=60)


def log_in(client: httpx2.Client, key: str, then: str = "/console/runs") -> httpx2.Response:
    return client.post("/console/login", data={"key": key, "then": then}, headers=OURS)


def token_of(client: httpx2.Client) -> str:
    found = re.search(r'name="csrf" content="([^"]+)"', client.get("/console/runs").text)
    assert found is not None
    return found[1]


def test_who_is_not_logged_in_is_led_to_where_one_logs_in_and_back(running: Any) -> None:
    with browser(running) as client:
        answer = client.get("/console/runs?before=run_1")
        assert answer.status_code == 303
        form = client.get(answer.headers["location"])
        assert 'name="then" value="/console/runs?before=run_1"' in form.text
        entered = log_in(client, running.key, "/console/runs?before=run_1")
        assert (entered.status_code, entered.headers["location"]) == (303, "/console/runs?before=run_1")
        assert client.get("/console/runs").status_code == 200


def test_a_cookie_is_out_of_reach_of_scripts_and_of_other_sites(running: Any) -> None:
    with browser(running) as client:
        cookie = log_in(client, running.key).headers["set-cookie"]
        assert re.fullmatch(rf"{COOKIE}=[\w-]{{43}}; HttpOnly; Path=/; SameSite=strict", cookie)
        assert running.key not in cookie


def test_a_wrong_key_is_told_so_and_logs_nobody_in(running: Any) -> None:
    with browser(running) as client:
        for key in ("", "kg_", "kg_" + "0" * 12 + "_" + "0" * 48, "<script>"):
            answer = log_in(client, key)
            assert answer.status_code == 401
            assert "not valid" in answer.text
            assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "then", ["https://evil.example", "//evil.example", "/\\evil.example", "/console\r\nX-Evil: 1", "/docs"]
)
def test_a_login_leads_to_no_other_place(running: Any, then: str) -> None:
    with browser(running) as client:
        answer = log_in(client, running.key, then)
        assert answer.headers["location"] == "/console"
        assert "x-evil" not in answer.headers


def test_a_login_reads_and_with_its_token_changes_what_its_key_may(running: Any) -> None:
    with browser(running) as client:
        log_in(client, running.key)
        assert client.get("/api/runs").status_code == 200
        refused = client.post("/api/runs", json={"script": "result = 1"}, headers=OURS)
        assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")
        headers = {**OURS, "X-CSRF-Token": token_of(client), "Prefer": "wait=30"}
        done = client.post("/api/runs", json={"script": "result = 1"}, headers=headers)
        assert done.json()["result"] == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_another_site_s_page_changes_nothing_even_with_the_token(
    running: Any, headers: dict[str, str]
) -> None:
    with browser(running) as client:
        log_in(client, running.key)
        sent = {**headers, "X-CSRF-Token": token_of(client)}
        refused = client.post("/api/runs", json={"script": "result = 1"}, headers=sent)
        assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")
        assert client.post("/console/login", data={"key": running.key}, headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_under_a_foreign_name_there_is_no_console_and_no_login(running: Any, host: str) -> None:
    with browser(running) as client:
        log_in(client, running.key)
        for path in ("/console/login", "/console/runs", "/api/runs"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == 421, path
            assert "KERNELGATE_CONSOLE_HOSTS" in answer.text


def test_the_owner_s_names_are_allowed(start: Any) -> None:
    with start(console_hosts=("gate.example",)) as running, browser(running) as client:
        assert client.get("/console/login", headers={"Host": "gate.example:8765"}).status_code == 200
        assert client.get("/console/login", headers={"Host": "other.example"}).status_code == 421


def test_a_bearer_key_needs_no_name_and_no_page(running: Any) -> None:
    headers = {"Host": "any.example", "Origin": "https://any.example"}
    assert running.http.get("/api/runs", headers=headers).status_code == 200


def test_logging_out_ends_the_login_for_whoever_has_the_cookie(running: Any) -> None:
    with browser(running) as client, browser(running) as thief:
        log_in(client, running.key)
        stolen = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
        assert thief.get("/api/runs", headers=stolen).status_code == 200
        assert client.post("/console/logout", data={"csrf": "wrong"}, headers=OURS).status_code == 403
        answer = client.post("/console/logout", data={"csrf": token_of(client)}, headers=OURS)
        assert answer.headers["location"] == "/console/login"
        assert client.get("/console/runs").status_code == 303
        assert thief.get("/api/runs", headers=stolen).status_code == 401


def test_a_login_is_over_when_its_key_is(running: Any) -> None:
    guest = running.client_for("guest")
    with browser(running) as client:
        log_in(client, guest.headers["authorization"].split()[1])
        assert client.get("/console/runs").status_code == 200
        key_id = guest.headers["authorization"].split("_")[1]
        assert running.http.delete(f"/api/keys/{key_id}").is_success
        assert client.get("/console/runs").status_code == 303
        assert client.get("/api/runs").status_code == 401


def test_a_page_loads_nothing_from_elsewhere_and_may_not_be_framed(running: Any) -> None:
    with browser(running) as client:
        log_in(client, running.key)
        page = client.get("/console/runs")
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        links = re.findall(r'(?:src|href|action)="([^"]*)"', page.text)
        assert links
        assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)


def test_files_of_pages_are_kept_for_ever_and_nothing_else_is_served(running: Any) -> None:
    with browser(running) as client:
        style = client.get("/console/static/console.css")
        assert style.headers["content-type"] == "text/css; charset=utf-8"
        assert "immutable" in style.headers["cache-control"]
        for name in (
            "nothing.css",
            "..%2Fpages.py",
            "%2e%2e%2fpages.py",
            "console",
            "..%2Fstatic%2Fconsole.css",
        ):
            assert client.get(f"/console/static/{name}").status_code == 404, name


def test_what_a_key_may_not_see_is_no_page_and_not_in_the_menu(running: Any) -> None:
    narrow = running.client_for("narrow", scopes=("kernels:read",))
    with browser(running) as client:
        log_in(client, narrow.headers["authorization"].split()[1])
        page = client.get("/console/runs")
        assert page.status_code == 403
        assert "runs:read" in page.text
        assert 'href="/console/keys"' not in page.text
        assert 'href="/console/kernels"' in page.text


def test_every_place_of_the_menu_is_a_page_for_who_may_see_it(running: Any) -> None:
    user = running.client_for("visitor").headers["authorization"].split()[1]
    for key, places in ((running.key, set(PLACES)), (user, set(PLACES) - {"keys"})):
        with browser(running) as client:
            log_in(client, key)
            page = client.get("/console/runs").text
            shown = set(re.findall(r'href="/console/(\w+)"', page.partition("</nav>")[0]))
            assert shown == places
            for place in places:
                answer = client.get(f"/console/{place}")
                assert answer.status_code == 200, place
                assert re.search(rf'href="/console/{place}" aria-current="page"', answer.text), place


def test_who_may_run_but_not_read_begins_with_nothing_of_what_is_stored(running: Any) -> None:
    run = running.http.post("/api/runs", json={"script": "result = 1"}).json()["id"]
    runner = running.client_for("runner", owner="admin", scopes=("runs:write",))
    with browser(running) as client:
        log_in(client, runner.headers["authorization"].split()[1])
        assert client.get("/console/play").status_code == 200
        for query in (f"run={run}", "kernel=any", "script=any"):
            answer = client.get(f"/console/play?{query}")
            assert (answer.status_code, "scope_missing" in answer.text) == (403, True)
