"""Pages of operations."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest


def found(person: httpx2.Client, query: str) -> list[str]:
    return re.findall(r'<a href="/console/ops/([^"]+)"><code>', person.get(f"/console/ops{query}").text)


def test_operations_are_found_by_name_alias_kind_and_words(
    person: httpx2.Client, http: httpx2.Client
) -> None:
    assert found(person, "") == [op["name"] for op in http.get("/api/ops").json()["ops"]]
    assert found(person, "?q=sha256+hmac") == ["hmac_sha256", "pbkdf2_sha256"]
    assert found(person, "?q=SUBTRACT&kind=elementwise") == ["sub"]
    assert "matmul" in found(person, "?kind=matmul")
    assert "add" not in found(person, "?kind=matmul")
    assert found(person, "?q=%3Cscript%3E") == []


def test_what_is_called_so_comes_first_and_the_largest_kinds_too(person: httpx2.Client) -> None:
    assert found(person, "?q=Sum")[:2] == ["sum", "nansum"]
    assert found(person, "?q=power")[0] == "pow"
    kinds = re.findall(r"<option[^>]*>(\w+) \((\d+)\)", person.get("/console/ops").text)
    sizes = [int(size) for _, size in kinds]
    assert sizes == sorted(sizes, reverse=True)
    assert all(len(found(person, f"?kind={kind}")) == int(size) for kind, size in kinds[:3])


def test_where_no_operation_is_found_names_that_are_close_are_told(person: httpx2.Client) -> None:
    assert "0 of" in (page := person.get("/console/ops?q=sotfmax").text)
    assert "Did you mean softmax" in page
    assert "Did you mean" not in person.get("/console/ops?q=softmax").text


def test_an_operation_has_its_schema_meaning_and_gradient(person: httpx2.Client) -> None:
    page = person.get("/console/ops/gelu").text
    for text in ('href="/console/ops/gelu.dx"', "<code>approximate</code>", "tanh", "tensor.gelu"):
        assert text in page, text
    assert "<td><code>axis</code>, <code>dim</code>" in person.get("/console/ops/softmax").text
    assert "<code>grad</code>" in person.get("/console/ops/gelu.dx").text
    assert "Along which axis; negative ones count from the end." in person.get("/console/ops/softmax").text
    assert "unknown_op" in person.get("/console/ops/nothing").text


def test_how_the_example_is_computed_is_told_to_who_may_compute(
    running: Any, person: httpx2.Client, log_in: Any
) -> None:
    assert "fn main" in person.get("/console/ops/matmul?explain=true").text
    reader = running.client_for("reader", scopes=("ops:read",))
    page = log_in(reader.headers["authorization"].split()[1]).get("/console/ops/matmul?explain=true").text
    assert "fn main" not in page
    assert 'id="run"' not in page


@pytest.mark.parametrize("path", ["/console/ops", "/console/ops/sha256"])
def test_a_phone_shows_operations_in_its_width(visit: Any, path: str) -> None:
    page = visit(path, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_an_operation_is_found_as_one_types_and_its_example_runs(visit: Any, person: httpx2.Client) -> None:
    page = visit("/console/ops")
    page.get_by_label("Name, alias").fill("sha256 hmac")
    link = page.locator("#rows a:visible")
    assert link.all_inner_texts() == ["hmac_sha256", "pbkdf2_sha256"]
    page.get_by_label("Name, alias").fill("sum")
    assert link.all_inner_texts() == found(person, "?q=sum")
    page.get_by_label("Name, alias").fill("sotfmax")
    page.get_by_role("status").get_by_text("Enter looks for names that are close.").wait_for()
    page.get_by_label("Name, alias").press("Enter")
    page.get_by_role("status").get_by_text("Did you mean softmax").wait_for()
    page.goto("/console/ops/cumsum")
    field = page.get_by_label("An example")
    asked = '{"inputs": [{"$tensor": {"shape": [3], "dtype": "i32", "data": [1, 2, 3]}}], "attributes": {"axis": 0}}'
    field.fill(asked)
    field.press("Control+Enter")
    page.get_by_label("Result").get_by_text("[1, 3, 6]").wait_for()
    field.fill(asked.replace('"axis": 0', '"axis": 5'))
    page.get_by_role("button", name="Run").click()
    page.get_by_role("alert").get_by_text("axis").first.wait_for()
    field.fill("{")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("alert").get_by_text("This is not JSON").wait_for()
