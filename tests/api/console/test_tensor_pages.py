"""Pages of tensors."""

from __future__ import annotations

import io
from typing import Any

import httpx2
import numpy as np
import pytest


@pytest.fixture(scope="module")
def tensor(http: httpx2.Client) -> str:
    """A stored tensor, which is kept."""
    body = {"shape": [2, 3], "dtype": "i32", "data": [1, 2, 3, 4, 5, 66]}
    return str(http.post("/api/tensors", json=body).json()["id"])


def test_tensors_are_listed_with_shape_dtype_size_and_how_long_they_stay(
    person: httpx2.Client, tensor: str
) -> None:
    page = person.get("/console/tensors").text
    row = page[page.index(f'id="{tensor}"') :].partition("</tr>")[0]
    for text in ("2 × 3", "i32", "24 B", "until deleted"):
        assert text in row, text


def test_another_s_tensor_is_not_found_and_not_listed(stranger: httpx2.Client, tensor: str) -> None:
    assert stranger.get(f"/console/tensors/{tensor}").status_code == 404
    assert tensor not in stranger.get("/console/tensors").text


def test_what_is_on_the_device_only_is_shown_and_stored_by_a_button(visit: Any, http: httpx2.Client) -> None:
    answer = http.post("/api/ops/add", json={"inputs": [40, 2]}).json()
    made = answer["output"]["$tensor"]["id"]
    page = visit(f"/console/tensors/{made}")
    page.locator("#view").get_by_text("42").wait_for()
    assert "on the device only" in page.locator("#about").inner_text()
    page.get_by_role("button", name="Keep").click()
    page.get_by_text("until deleted").wait_for()
    assert http.get(f"/api/tensors/{made}").json()["persist"] is True
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.wait_for_url("**/console/tensors")
    assert http.get(f"/api/tensors/{made}").status_code == 404


def test_a_file_is_uploaded_and_listed_and_a_phone_shows_the_list(visit: Any) -> None:
    page = visit("/console/tensors", viewport={"width": 390, "height": 844})
    file = io.BytesIO()
    np.save(file, np.arange(12, dtype=np.float32).reshape(3, 4))
    upload = {"name": "grid.npy", "mimeType": "application/octet-stream", "buffer": file.getvalue()}
    page.locator("#file").set_input_files(upload)
    page.locator("#list tr", has_text="3 × 4").first.wait_for()
    page.locator("#file").set_input_files({**upload, "name": "grid.txt"})
    page.get_by_role("alert").get_by_text("neither .npy nor .safetensors").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
