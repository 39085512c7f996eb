"""What is at no address of the console's."""

from __future__ import annotations

import httpx2


def test_an_address_of_no_page_is_a_page_that_says_so_with_the_menu(
    running: object, person: httpx2.Client
) -> None:
    answer = person.get("/console/nothing")
    assert answer.status_code == 404
    assert "there is no page /console/nothing" in answer.text
    assert 'aria-label="Pages"' in answer.text
