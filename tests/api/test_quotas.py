"""`api/quotas.py`: their form, and what goes over what."""

from __future__ import annotations

from typing import Any

import pytest

from api.errors import InvalidRequest
from api.quotas import UNBOUNDED, Quotas, parse
from api.settings import Settings


def test_those_that_are_named_replace_the_others_and_null_is_no_bound() -> None:
    given = parse({"runs_at_once": 3, "kernels": None})
    assert given == {"runs_at_once": 3, "kernels": None}
    found = Quotas(runs_at_once=9, kernels=9, stored_bytes=9).replaced(given)
    assert found == Quotas(runs_at_once=3, stored_bytes=9)


def test_the_lesser_of_each_counts() -> None:
    found = Quotas(runs_at_once=3, kernels=9).within(Quotas(runs_at_once=9, kernels=3, stored_bytes=1))
    assert found == Quotas(runs_at_once=3, kernels=3, stored_bytes=1)
    assert found.within(UNBOUNDED) == found


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"runs": 1}, "runs"),
        ({"kernels": -1}, "kernels"),
        ({"runs_a_minute": 1.5}, "runs_a_minute"),
        ({"device_ms_a_minute": "much"}, "device_ms_a_minute"),
        ([1], "object"),
    ],
)
def test_what_is_no_quota_is_refused_by_name(data: Any, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        parse(data)


def test_the_quotas_of_a_role_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_USER_QUOTAS", '{"kernels": 5, "runs_at_once": null}')
    assert Settings().quotas == {"admin": UNBOUNDED, "user": Quotas(kernels=5)}
    monkeypatch.setenv("KERNELGATE_ADMIN_QUOTAS", '{"kernel": 5}')
    with pytest.raises(ValueError, match="kernel"):
        Settings()
