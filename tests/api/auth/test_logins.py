"""Logins end by themselves, are bounded, and are found by their names alone."""

from __future__ import annotations

from api.auth.logins import IDLE_S, MOST, Logins
from tests.clock import ManualClock


def test_a_login_is_found_by_its_name_until_it_is_ended() -> None:
    logins = Logins(ManualClock())
    name = logins.begin("kg_key")
    found = logins.find(name)
    assert found is not None
    assert found.key == "kg_key"
    logins.end(name)
    assert logins.find(name) is None


def test_a_name_that_was_never_given_is_nobody_s() -> None:
    logins = Logins(ManualClock())
    logins.begin("kg_key")
    assert logins.find("") is None
    assert logins.find("x" * 43) is None


def test_a_login_that_is_used_stays_and_an_idle_one_ends() -> None:
    clock = ManualClock()
    logins = Logins(clock)
    used, idle = logins.begin("kg_one"), logins.begin("kg_two")
    clock.advance(IDLE_S - 1)
    assert logins.find(used) is not None
    clock.advance(1)
    assert logins.find(idle) is None
    assert logins.find(used) is not None


def test_one_login_too_many_ends_the_one_used_least_lately() -> None:
    logins = Logins(ManualClock())
    names = [logins.begin(f"kg_{number}") for number in range(MOST)]
    logins.find(names[0])
    logins.begin("kg_last")
    assert len(logins) == MOST
    assert logins.find(names[1]) is None
    assert logins.find(names[0]) is not None


def test_only_the_token_of_a_login_vouches_for_its_pages() -> None:
    logins = Logins(ManualClock())
    one, two = (logins.find(logins.begin("kg_key")) for _ in range(2))
    assert one is not None
    assert two is not None
    assert one.vouches(one.csrf)
    assert not one.vouches(two.csrf)
    assert not one.vouches("")
    assert not one.vouches("ünknown")
