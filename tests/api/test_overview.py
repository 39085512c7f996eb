"""What is told of the device, and to whom."""

from __future__ import annotations

from typing import Any

import httpx2

SPIN = {"script": "import time\nfor turn in range(600): time.sleep(0.1)", "limits": {"wall_s": 60}}


def owners(client: httpx2.Client) -> dict[str, Any]:
    return {each["owner"]: each for each in client.get("/api/device").json()["owners"]}


def test_who_uses_the_device_is_told_to_admins_and_to_others_what_they_use(
    running: Any, http: httpx2.Client, wait_until: Any
) -> None:
    user, other = running.client_for("using"), running.client_for("looking")
    tensor = {"$tensor": {"shape": [256], "dtype": "f32", "data": [1.0] * 256}}
    assert user.post("/api/ops/exp", json={"inputs": [tensor]}).is_success
    run = user.post("/api/runs", json=SPIN).json()["id"]
    wait_until(lambda: owners(user)["using"]["running"] == 1, "the run runs")
    mine = owners(user)["using"]
    assert mine["device_ms"] > 0
    assert mine["resident_bytes"] >= 1024
    assert list(owners(user)) == ["using"]
    assert owners(other) == {}
    assert owners(http)["using"]["running"] == 1
    assert "memory" in http.get("/api/device").json()
    assert "memory" not in user.get("/api/device").json()
    user.delete(f"/api/runs/{run}")
    assert owners(user)["using"]["running"] == 0
