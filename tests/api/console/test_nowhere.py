"""What is at no address of the console's."""

from __future__ import annotations

import httpx2
import pytest


def test_an_address_of_no_page_is_a_page_that_says_so_with_the_menu(
    running: object, person: httpx2.Client
) -> None:
    answer = person.get("/console/nothing")
    assert answer.status_code == 404
    assert "there is no page /console/nothing" in answer.text
    assert 'aria-label="Pages"' in answer.text


@pytest.mark.parametrize("place", ["runs", "kernels", "scripts", "keys"])
def test_what_is_not_there_leads_to_the_list_of_what_is(person: httpx2.Client, place: str) -> None:
    answer = person.get(f"/console/{place}/none")
    assert answer.status_code == 404
    assert f'in the list <a href="/console/{place}">' in answer.text
    assert "GET /api" not in answer.text
