"""Pages of keys, of the audit log, of secrets, and of why a key may do something."""

from __future__ import annotations

import re
from typing import Any

import httpx2

from api.console.key_pages import QUOTAS
from api.quotas import Quotas


def test_every_quota_has_words() -> None:
    assert list(QUOTAS) == list(Quotas.__struct_fields__)


def test_keys_are_for_admins_to_see(running: Any, person: httpx2.Client, stranger: httpx2.Client) -> None:
    headers = running.key_for("seen", {"fetch": [{"host": "a.example"}], "env": {"TOKEN": "hidden-value"}})
    key_id = headers["Authorization"].split("_")[1]
    assert f'href="/console/keys/{key_id}"' in person.get("/console/keys").text
    page = person.get(f"/console/keys/{key_id}").text
    assert "a.example" in page
    assert "TOKEN" in page
    assert "hidden-value" not in page
    for path in ("/console/keys", f"/console/keys/{key_id}", "/console/audit"):
        assert stranger.get(path).status_code == 403
    assert "key_not_found" in person.get("/console/keys/000000000000").text


def test_a_quota_of_bytes_is_shown_as_a_size(running: Any, person: httpx2.Client) -> None:
    headers = running.key_for("sized", quotas={"stored_bytes": 3 << 30, "kernels": 2048})
    page = person.get(f"/console/keys/{headers['Authorization'].split('_')[1]}").text
    assert '<td class="number">3.0 GiB</td>' in page
    assert '<td class="number">2048</td>' in page


def test_a_field_that_takes_a_form_alone_says_which(person: httpx2.Client) -> None:
    for path in ("keys", "secrets", "play"):
        fields = re.findall(r"<input[^>]* pattern=[^>]*>", person.get(f"/console/{path}").text)
        assert fields, path
        assert all(' title="' in field for field in fields), path


def test_one_s_own_key_cannot_be_revoked_by_a_slip(running: Any, person: httpx2.Client) -> None:
    own = running.key.split("_")[1]
    assert f"DELETE /api/keys/{own}" not in person.get("/console/keys").text
    assert f"DELETE /api/keys/{own}" not in person.get(f"/console/keys/{own}").text


def test_the_audit_log_is_read_by_key_action_and_outcome(
    running: Any, person: httpx2.Client, http: httpx2.Client
) -> None:
    guest = running.client_for("audited")
    key_id = guest.headers["authorization"].split("_")[1]
    assert guest.get("/api/keys").status_code == 403
    page = person.get(f"/console/audit?key_id={key_id}&owner=&action=&outcome=admin_only").text
    assert re.findall(r'<td class="whole"><code>([^<]*)</code></td>', page) == ["GET /api/keys"]
    assert "no such entries" in person.get(f"/console/audit?key_id={key_id}&outcome=done").text
    run = http.post("/api/runs", json={"script": "result = 1"}).json()["id"]
    shown = person.get("/console/audit?action=POST+/api/runs").text
    assert f'<a href="/console/runs/{run}">/api/runs/{run}</a>' in shown
    assert "no such entries" in person.get(f"/console/audit?key_id={key_id}&until=2020-01-01").text


def test_secrets_of_others_are_the_admins_to_see(
    person: httpx2.Client, stranger: httpx2.Client, http: httpx2.Client
) -> None:
    assert http.put("/api/secrets/stranger/WEATHER", json={"value": "hidden-value"}).is_success
    for visitor in (stranger, person):
        page = visitor.get("/console/secrets?owner=stranger").text
        assert "<code>WEATHER</code>" in page
        assert "hidden-value" not in page
    assert stranger.get("/console/secrets?owner=admin").status_code == 403


def test_a_key_that_may_fetch_one_host_is_made_and_another_host_refused_with_the_reason(
    running: Any, visit: Any
) -> None:
    page = visit("/console/keys")
    page.get_by_label("Name").fill("fetcher")
    page.get_by_label("Groups").fill("lab, guests")
    page.get_by_label("Grants").fill("fetch api.example.org GET")
    page.get_by_text("Scopes: the parts").click()
    page.get_by_role("checkbox", name="secrets:write").uncheck()
    page.get_by_text("Quotas: how much").click()
    page.get_by_label("runs_at_once").fill("3")
    page.get_by_role("button", name="Make it").click()
    token = page.get_by_label("Its token").input_value()
    key_id = token.split("_")[1]
    page.locator(f"#list tr[id='{key_id}']").wait_for()
    key = running.http.get(f"/api/keys/{key_id}").json()
    assert (key["groups"], key["quotas"]["runs_at_once"]) == (["guests", "lab"], 3)
    assert "secrets:write" not in key["scopes"]
    assert "runs:write" in key["scopes"]
    client = httpx2.Client(base_url=running.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert client.get("/api/runs").is_success
    page.get_by_label("Name").fill("fetcher")
    page.get_by_role("button", name="Make it").click()
    page.get_by_role("alert").get_by_text(f"there is a key 'fetcher' already: {key_id}").wait_for()

    page.goto(f"/console/why?key={key_id}")
    for resource, told in (("https://api.example.org/", "allowed"), ("https://other.example/", "denied")):
        page.get_by_label("To", exact=True).fill(resource)
        page.get_by_role("button", name="Ask").click()
        page.locator("#answer .status", has_text=told).wait_for()
    assert "key_grants" in page.locator("#answer").inner_text()

    page.goto(f"/console/keys/{key_id}")
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.locator(".status.revoked").wait_for()
    assert client.get("/api/runs").status_code == 401
    client.close()


def test_a_secret_is_stored_and_forgotten(visit: Any, http: httpx2.Client) -> None:
    page = visit("/console/secrets")
    page.get_by_label("Name").fill("PAGE_SECRET")
    page.get_by_label("Value").fill("Bearer abc")
    page.get_by_role("button", name="Store").click()
    page.get_by_role("button", name="Forget PAGE_SECRET").click()
    assert page.get_by_label("Value").input_value() == ""
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Forget PAGE_SECRET").wait_for(state="detached")
    assert "PAGE_SECRET" not in [each["name"] for each in http.get("/api/secrets").json()["secrets"]]
