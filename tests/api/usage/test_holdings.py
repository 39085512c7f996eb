"""`api/usage/holdings.py`: what is held several times counts once, for each owner apart."""

from __future__ import annotations

from api.usage.holdings import Holdings


def test_a_tensor_counts_once_however_often_it_is_held() -> None:
    holdings = Holdings()
    holdings.take("alice", "x", 10)
    holdings.take("alice", "x", 10)
    holdings.take("alice", "y", 5)
    holdings.take("bob", "x", 10)
    assert (holdings.bytes("alice"), holdings.bytes("bob"), holdings.times("alice", "x")) == (15, 10, 2)
    holdings.leave("alice", "x")
    assert holdings.bytes("alice") == 15
    holdings.leave("alice", "x")
    assert (holdings.bytes("alice"), holdings.times("alice", "x")) == (5, 0)


def test_nothing_is_remembered_of_who_holds_nothing() -> None:
    holdings = Holdings()
    holdings.take("alice", "x", 0)
    holdings.take("alice", "x", 7)  # another value has that name now
    holdings.leave("alice", "x")
    holdings.leave("alice", "x")
    assert (holdings.bytes("alice"), vars(holdings)) == (0, {"_held": {}, "_bytes": {}})
