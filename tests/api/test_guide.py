"""The page for agents says what is true of this server. Its examples are run by `tests/test_docs.py`."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from api.app import create_app
from api.guide import ADVICE, guide
from api.settings import Settings
from host.frames import DeviceInfo
from shaders.errors import KernelgateError

DEVICE = DeviceInfo("Card 9000", "discrete", "Vulkan", "1.0", ("shader-f16",), {})


def test_it_names_the_device_the_address_and_the_limits_in_force() -> None:
    page = guide(Settings(max_wall_s=7, default_wall_s=60, wait_s=11), "https://gate.example.org", DEVICE)
    assert "Card 9000 (discrete, by Vulkan), with f16 in kernels" in page
    assert "export URL=https://gate.example.org" in page
    assert "| `wall_s` | 7 | 7 |" in page
    assert "at most 11" in page


def test_a_device_that_starts_is_said_to_start() -> None:
    assert "* Device: it is starting" in guide(Settings(), "http://127.0.0.1:1", None)


@pytest.mark.parametrize("host", ["$(reboot)", "a b", "x';reboot;'", "`reboot`", "a/b?c"])
def test_a_host_that_is_no_address_is_not_put_into_commands(host: str) -> None:
    page = guide(Settings(port=1234), f"http://{host}", DEVICE)
    assert host not in page
    assert "export URL=http://127.0.0.1:1234\n" in page


def test_advice_is_about_errors_that_exist() -> None:
    assert not ADVICE.keys() - KernelgateError.catalogue().keys() - {"internal"}
    assert {"fuel_exhausted", "driver_loop_limit"} <= ADVICE.keys(), (
        "a loop without end is either, by the device"
    )


def test_every_address_in_it_is_a_route(tmp_path: Path) -> None:
    page = guide(Settings(), "http://127.0.0.1:1", DEVICE)
    routes = create_app(Settings(data=tmp_path)).openapi()["paths"]
    shapes = [re.compile(re.sub(r"\{[^}]*\}", "[^/]+", path)) for path in [*routes, "/docs", "/openapi.json"]]
    named = {
        match[1].rstrip("/")
        for match in re.finditer(r"(?:\$URL|127\.0\.0\.1:1|(?:GET|POST|DELETE) )(/[\w/$.-]+)", page)
    }
    assert len(named) > 10
    assert not [path for path in named if not any(shape.fullmatch(path) for shape in shapes)]


def test_it_is_served_with_the_address_that_the_client_used(http: httpx2.Client) -> None:
    answer = http.get("/llms.txt", headers={"Host": "gate.example.org:99"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "* Address: http://gate.example.org:99\n" in answer.text
